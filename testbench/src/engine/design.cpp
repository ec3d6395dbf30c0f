// Between the functions that `library.rs` calls and one compiled design. `Model`, the way to its pins, stands above; the
// lines that name pins are filled in where the comments in capitals stand.
#include <cstdint>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED Model *txbar_new(uint64_t seed) { return new Model(seed); }

EXPORTED void txbar_delete(Model *m) { delete m; }

// Drives the inputs of a row that has a place for every pin, lets the logic settle, and writes the outputs to the row.
EXPORTED void txbar_settle(Model *m, uint64_t *row) {
/* DRIVE */
  m->settle();
/* SAMPLE */
}

EXPORTED void txbar_clock(Model *m, uint32_t reset) { m->clock(reset); }
