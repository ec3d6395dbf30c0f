// Between the functions that `verilator.rs` calls and the ports of one configuration of the unit. The lines that depend
// on the number of ports are filled in where the comments in capitals stand.
#include "Vunit.h"
#include "verilated.h"
#include <cstdint>

struct Request {
  uint64_t data;
  uint32_t address;
  uint16_t tag;
  uint8_t op, remote, strobe, order;
};
struct Response {
  uint64_t data;
  uint16_t tag;
  uint8_t status, predicate;
};
struct Done {
  uint32_t index;
  uint16_t tag;
  uint8_t status;
};
struct Inputs {
  uint32_t valid, ready, stalled, remote_pending;
};
struct Outputs {
  Response responses[MOST_PORTS];
  Done effects[MOST_PORTS];
  uint32_t flip_index[MOST_BANKS];
  uint32_t accepted, shown, done, suspended, resumed, woken, flips;
};
struct Unit {
  VerilatedContext context;
  Vunit model{&context};
};

static inline void drive(Vunit &m, uint32_t port, const Request &r) {
  switch (port) {
/* DRIVE */
  }
}

extern "C" __attribute__((visibility("default"))) Unit *txbar_new() {
  Unit *unit = new Unit;
  unit->model.clk = 0;
  unit->model.rst = 0;
  return unit;
}

extern "C" __attribute__((visibility("default"))) void txbar_delete(Unit *unit) {
  unit->model.final();
  delete unit;
}

extern "C" __attribute__((visibility("default"))) void txbar_request(Unit *unit, uint32_t port, const Request *request) { drive(unit->model, port, *request); }

extern "C" __attribute__((visibility("default"))) void txbar_settle(Unit *unit, const Inputs *in, Outputs *out) {
  Vunit &m = unit->model;
  m.req_valid = in->valid;
  m.rsp_ready = in->ready;
  m.bank_stall = in->stalled;
  m.remote_pending = in->remote_pending;
  m.clk = 0;
  m.eval();
  out->accepted = m.req_ready;
  out->shown = m.rsp_valid;
  out->done = m.done_valid;
  out->suspended = m.done_suspended;
  out->resumed = m.rsp_resumed;
  out->woken = m.wake_valid;
  out->flips = m.flip_valid;
/* SAMPLE */
}

extern "C" __attribute__((visibility("default"))) void txbar_clock(Unit *unit, uint32_t reset) {
  Vunit &m = unit->model;
  m.rst = reset;
  m.clk = 1;
  m.eval();
}

// The same loop as `Engine::saturate`, so that a benchmark measures the model and not the way to it.
extern "C" __attribute__((visibility("default"))) uint64_t txbar_saturate(Unit *unit, const Request *requests, const uint64_t *lengths, uint64_t cycles) {
  Vunit &m = unit->model;
  const Request *stimulus[PORTS];
  uint64_t position[PORTS] = {};
  for (uint32_t port = 0; port < PORTS; port++) {
    stimulus[port] = requests;
    requests += lengths[port];
    drive(m, port, stimulus[port][0]);
  }
  m.req_valid = (1u << PORTS) - 1;
  m.rsp_ready = (1u << PORTS) - 1;
  m.bank_stall = 0;
  m.remote_pending = 0;
  m.rst = 0;
  uint64_t digest = 0;
  for (uint64_t cycle = 0; cycle < cycles; cycle++) {
    m.clk = 0;
    m.eval();
    uint32_t accepted = m.req_ready;
/* DIGEST */
    m.clk = 1;
    m.eval();
    while (accepted != 0) {
      uint32_t port = __builtin_ctz(accepted);
      accepted &= accepted - 1;
      if (++position[port] == lengths[port]) position[port] = 0;
      drive(m, port, stimulus[port][position[port]]);
    }
  }
  return digest;
}
