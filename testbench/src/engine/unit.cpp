// The same loop as `Engine::saturate`, so that a benchmark measures the model and not the way to it.

struct Request {
  uint64_t data;
  uint32_t address;
  uint16_t tag;
  uint8_t op, remote, strobe, order;
};

static inline void drive(Model *m, uint32_t port, const Request &r) {
  switch (port) {
/* DRIVE */
  }
}

EXPORTED uint64_t txbar_saturate(Model *m, const Request *requests, const uint64_t *lengths, uint64_t cycles) {
  const Request *stimulus[PORTS];
  uint64_t position[PORTS] = {};
  for (uint32_t port = 0; port < PORTS; port++) {
    stimulus[port] = requests;
    requests += lengths[port];
    drive(m, port, stimulus[port][0]);
  }
  m->req_valid((1u << PORTS) - 1);
  m->rsp_ready((1u << PORTS) - 1);
  m->bank_stall(0);
  m->remote_pending(0);
  uint64_t digest = 0;
  for (uint64_t cycle = 0; cycle < cycles; cycle++) {
    m->settle();
    uint64_t accepted = m->req_ready(), shown = m->rsp_valid();
/* DIGEST */
    m->clock(0);
    while (accepted != 0) {
      uint32_t port = __builtin_ctzll(accepted);
      accepted &= accepted - 1;
      if (++position[port] == lengths[port]) position[port] = 0;
      drive(m, port, stimulus[port][position[port]]);
    }
  }
  return digest;
}

#ifdef TRACED
// The same, written to a VCD file.
EXPORTED uint64_t txbar_saturate_traced(
    Model *m, const Request *requests, const uint64_t *lengths, uint64_t cycles, const char *file) {
  m->vcd.open(file);
  uint64_t digest = txbar_saturate(m, requests, lengths, cycles);
  m->vcd.close();
  return digest;
}
#endif
