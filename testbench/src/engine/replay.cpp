// Between the functions that `replay.rs` calls and the pins of one design. The lines that name the pins are filled in
// where the comments in capitals stand.
#include "Vunit.h"
#include "verilated.h"
#include <cstdint>

#define EXPORTED extern "C" __attribute__((visibility("default")))

struct Unit {
  VerilatedContext context;
  Vunit model{&context};
};

EXPORTED Unit *txbar_new() {
  Unit *unit = new Unit;
  unit->model.clk = 0;
  unit->model.rst = 0;
  return unit;
}

EXPORTED void txbar_delete(Unit *unit) {
  unit->model.final();
  delete unit;
}

// Drives the inputs of a row, lets it settle, and writes the outputs to another row.
EXPORTED void txbar_settle(Unit *unit, uint32_t reset, const uint64_t *in, uint64_t *out) {
  Vunit &m = unit->model;
  m.rst = reset;
/* DRIVE */
  m.clk = 0;
  m.eval();
/* SAMPLE */
}

EXPORTED void txbar_clock(Unit *unit) {
  unit->model.clk = 1;
  unit->model.eval();
}
