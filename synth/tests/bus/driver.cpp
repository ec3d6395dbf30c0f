// The driver against the hardware that it is for: two harts, each at a port of AXI4-Lite, with interrupt handlers between their accesses. The clock goes on
// when every hart waits for it, so that a run depends on its seed only. Prints PASS, or what went wrong.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "bus.h"
#include "mb.h"
#include "txbar.h"

static const int HARTS = 2;
static Vmb *model;
#define unit (*model)
static std::uint64_t cycles;

static void fail(int line, const char *what, unsigned long long got, unsigned long long wanted) {
    std::printf("FAIL: line %d: %s is %llx, not %llx, in cycle %llu\n", line, what, got, wanted, (unsigned long long)cycles);
    std::fflush(stdout);
    std::_Exit(1);
}
#define IS(got, wanted) do { auto g = (got); auto w = (decltype(g))(wanted); if (g != w) fail(__LINE__, #got, (unsigned long long)g, (unsigned long long)w); } while (0)

struct Port {
    bool asks = false, write = false, ended = false, finished = false;
    bool address_given = false, data_given = false;
    std::uint32_t address = 0, data = 0;
    bool irq[3] = {};
};
static Port ports[HARTS];
static std::mutex baton;
static std::condition_variable turn, clocked;
static thread_local int hart;
static thread_local bool handling;

#define PINS(k) \
    [](Port &p, std::mt19937 &dice) { \
        const bool go = (dice() & 3) != 0; \
        unit.s##k##_axil_awvalid = p.asks && p.write && !p.address_given && (unit.s##k##_axil_awvalid || go); \
        unit.s##k##_axil_wvalid = p.asks && p.write && !p.data_given && (unit.s##k##_axil_wvalid || (dice() & 1)); \
        unit.s##k##_axil_arvalid = p.asks && !p.write && !p.address_given && (unit.s##k##_axil_arvalid || go); \
        unit.s##k##_axil_awaddr = unit.s##k##_axil_araddr = p.address; \
        unit.s##k##_axil_wdata = p.data; \
        unit.s##k##_axil_wstrb = 15; \
        unit.s##k##_axil_bready = unit.s##k##_axil_rready = dice() & 1; \
        unit.eval(); \
        if ((unit.s##k##_axil_awvalid && unit.s##k##_axil_awready) || (unit.s##k##_axil_arvalid && unit.s##k##_axil_arready)) p.address_given = true; \
        if (unit.s##k##_axil_wvalid && unit.s##k##_axil_wready) p.data_given = true; \
        if (unit.s##k##_axil_bvalid && unit.s##k##_axil_bready) { IS(unit.s##k##_axil_bresp, 0); p.ended = true; } \
        if (unit.s##k##_axil_rvalid && unit.s##k##_axil_rready) { IS(unit.s##k##_axil_rresp, 0); p.ended = true; p.data = unit.s##k##_axil_rdata; } \
        for (int w = 0; w < 3; w++) p.irq[w] = unit.irq_##k >> w & 1; \
    }

static void clock_edge() {
    unit.clk = 0;
    unit.eval();
    unit.clk = 1;
    unit.eval();
    cycles++;
}

static void run_clock(std::mt19937 dice) {
    std::unique_lock<std::mutex> lock(baton);
    void (*const pins[HARTS])(Port &, std::mt19937 &) = {PINS(0), PINS(1)};
    for (;;) {
        turn.wait(lock, [] { return (ports[0].asks || ports[0].finished) && (ports[1].asks || ports[1].finished); });
        if (ports[0].finished && ports[1].finished) return;
        for (int k = 0; k < HARTS; k++) pins[k](ports[k], dice);
        clock_edge();
        for (Port &p : ports) {
            if (p.ended) p.asks = p.ended = p.address_given = p.data_given = false;
        }
        clocked.notify_all();
        if (cycles > 3000000) fail(__LINE__, "the number of cycles", cycles, 0);
    }
}

static void interrupts();

static std::uint32_t access(bool write, std::uintptr_t address, std::uint32_t data) {
    {
        std::unique_lock<std::mutex> lock(baton);
        Port &p = ports[hart];
        p.write = write, p.address = (std::uint32_t)address, p.data = data, p.asks = true;
        turn.notify_one();
        clocked.wait(lock, [&] { return !p.asks; });
        data = p.data;
    }
    if (!handling) {
        handling = true;
        interrupts();
        handling = false;
    }
    return data;
}

extern "C" std::uint32_t bus_read(std::uintptr_t address) { return access(false, address, 0); }
extern "C" void bus_write(std::uintptr_t address, std::uint32_t value) { access(true, address, value); }

// Each hart's main program has window 0, its interrupt handler window 1; window 2 is for what is restricted.
static txbar_window mains[HARTS], handlers[HARTS], restricted[HARTS];
static bool handler_works[HARTS];
static unsigned handled[HARTS];
static bool wait_is_over[HARTS];
static txbar_outcome wait_outcome[HARTS];

static void interrupts() {
    const int h = hart;
    if (!handler_works[h]) return;
    if (ports[h].irq[0] && !wait_is_over[h]) {
        IS(txbar_wait_end(&mains[h], &wait_outcome[h]), TXBAR_STATUS_OK);
        wait_is_over[h] = wait_outcome[h] != TXBAR_PENDING;
    }
    // arrivals of its own, on a barrier that completes with each of them
    txbar_token token;
    IS(txbar_arrive(&handlers[h], 0x100 + 8 * h, 1, &token), TXBAR_STATUS_OK);
    IS(token >> 31, handled[h] & 1);
    handled[h]++;
}

static std::uint64_t now_ns() { return cycles * 10; }
static unsigned idles[HARTS];
static void idle() { idles[hart]++; }

static const std::uint32_t BOTH = 0x40, BYTES = 0x48, LATE = 0x50, READY = 0x58;
static volatile int came[HARTS];

static void meet(int h, int round) {
    txbar_token token;
    txbar_outcome outcome;
    came[h] = round;
    IS(txbar_arrive(&mains[h], BOTH, 1, &token), TXBAR_STATUS_OK);
    IS(token >> 31, (round + 1) & 1);
    IS(txbar_wait(&mains[h], BOTH, round & 2 ? txbar_of_token(token) : txbar_of_parity(token >> 31), 100000000, &outcome), TXBAR_STATUS_OK);
    IS(outcome, TXBAR_COMPLETED);
    if (came[1 - h] < round) fail(__LINE__, "the round of the other", came[1 - h], round);
}

static void each_form(txbar_window *w, std::uint32_t at) {
    txbar_token token;
    std::uint64_t word;
    bool done;
    IS(txbar_init(w, at, 6), TXBAR_STATUS_OK);
    IS(txbar_arrive(w, at, 1, &token), TXBAR_STATUS_OK);
    IS(txbar_pending_count(token), 6);
    IS(txbar_arrive_no_complete(w, at, 1, &token), TXBAR_STATUS_OK);
    IS(txbar_pending_count(token), 5);
    IS(txbar_arrive_expect_tx(w, at, 100, &token), TXBAR_STATUS_OK);
    IS(txbar_pending_count(token), 4);
    IS(txbar_arrive_drop(w, at, 1, &token), TXBAR_STATUS_OK);
    IS(txbar_pending_count(token), 3);
    IS(txbar_arrive_drop_no_complete(w, at, 1, &token), TXBAR_STATUS_OK);
    IS(txbar_pending_count(token), 2);
    IS(txbar_expect_tx(w, at, 10), TXBAR_STATUS_OK);
    IS(txbar_arrive_drop_expect_tx(w, at, 1, NULL), TXBAR_STATUS_OK);
    IS(txbar_load(w, at, &word), TXBAR_STATUS_OK);
    IS(mb_word_pending(word), 0);
    IS((0u - mb_word_tx(word)) & 0x1fffff, 111);
    IS((0u - mb_word_expected(word)) & 0xfffff, 3);
    IS(txbar_test_wait(w, at, txbar_of_token(token), &done), TXBAR_STATUS_OK);
    IS(done, false);
    IS(txbar_complete_tx(w, at, 111), TXBAR_STATUS_OK);
    IS(txbar_test_wait(w, at, txbar_of_token(token), &done), TXBAR_STATUS_OK);
    IS(done, true);
    IS(txbar_test_wait(w, at, txbar_of_parity(1), &done), TXBAR_STATUS_OK);
    IS(done, false);
    IS(txbar_arrive(w, at, 4, NULL), TXBAR_STATUS_PENDING_UNDERFLOW);
    IS(txbar_arrive(w, at, 1u << 20, NULL), TXBAR_STATUS_OPERAND_RANGE);
    IS(txbar_arrive(w, at + 4, 1, NULL), TXBAR_STATUS_MISALIGNED);
    IS(txbar_inval(w, at), TXBAR_STATUS_OK);
    IS(txbar_store(w, at, 0x0123456789abcdef), TXBAR_STATUS_OK);
    IS(txbar_load(w, at, &word), TXBAR_STATUS_OK);
    IS(word, 0x0123456789abcdef);
}

static void limits(int h) {
    txbar_window *w = &mains[h];
    const std::uint32_t at = 0x60 + 8 * h;
    txbar_outcome outcome;
    IS(txbar_init(w, at, 1), TXBAR_STATUS_OK);
    for (std::uint64_t limit : {0, 100, 5000}) {
        const std::uint64_t began = now_ns();
        IS(txbar_wait(w, at, txbar_of_parity(0), limit, &outcome), TXBAR_STATUS_OK);
        IS(outcome, TXBAR_EXPIRED);
        IS(now_ns() - began >= limit, true);
    }
    // the port's table has one entry: with a wait in it there is no room
    txbar_window *other = &restricted[h];
    IS(txbar_wait_begin(other, at, txbar_of_parity(0), 30000, false), TXBAR_STATUS_OK);
    IS(txbar_wait_begin(other, at, txbar_of_parity(0), 30000, false), TXBAR_STATUS_ILLEGAL_OPERATION);
    IS(txbar_wait(other, at, txbar_of_parity(0), 1, &outcome), TXBAR_STATUS_ILLEGAL_OPERATION);
    IS(txbar_wait_begin(w, at, txbar_of_parity(0), UINT32_MAX, false), TXBAR_STATUS_OPERAND_RANGE);
    IS(txbar_wait_end(other, &outcome), TXBAR_STATUS_OK);
    IS(outcome, TXBAR_PENDING);
    IS(txbar_wait(w, at, txbar_of_parity(0), 2000, &outcome), TXBAR_STATUS_OK);
    IS(outcome, TXBAR_NO_ROOM);
    w->now_ns = now_ns;
    const std::uint64_t began = now_ns();
    IS(txbar_wait(w, at, txbar_of_parity(0), 3000, &outcome), TXBAR_STATUS_OK);
    IS(outcome, TXBAR_EXPIRED);
    IS(now_ns() - began >= 3000 && now_ns() - began < 20000, true);
    w->now_ns = NULL;
    do IS(txbar_wait_end(other, &outcome), TXBAR_STATUS_OK); while (outcome == TXBAR_PENDING);
    IS(outcome, TXBAR_EXPIRED);
    w->idle = idle;
    idles[h] = 0;
    IS(txbar_wait(w, at, txbar_of_parity(0), 3000, &outcome), TXBAR_STATUS_OK);
    IS(idles[h] > 3, true);
    w->idle = NULL;
    // a barrier that is gone
    IS(txbar_wait_begin(other, at, txbar_of_parity(0), 4000000000, false), TXBAR_STATUS_OK);
    IS(txbar_inval(w, at), TXBAR_STATUS_OK);
    txbar_status status;
    do status = txbar_wait_end(other, &outcome); while (outcome == TXBAR_PENDING && status == TXBAR_STATUS_OK);
    IS(status, TXBAR_STATUS_INVALIDATED);
}

static void program(int h) {
    hart = h;
    const std::uintptr_t base = 0;
    txbar_open(&mains[h], base);
    txbar_open(&handlers[h], base + MB_WINDOW_STRIDE);
    txbar_open(&restricted[h], base + 2 * MB_WINDOW_STRIDE);
    IS(txbar_init(&handlers[h], 0x100 + 8 * h, 1), TXBAR_STATUS_OK);
    if (h == 0) {
        IS(txbar_init(&mains[0], BOTH, HARTS), TXBAR_STATUS_OK);
        IS(txbar_init(&mains[0], BYTES, 1), TXBAR_STATUS_OK);
        IS(txbar_init(&mains[0], LATE, 1), TXBAR_STATUS_OK);
        IS(txbar_init(&mains[0], READY, 1), TXBAR_STATUS_OK);
        came[0] = 1;
    } else {
        while (came[0] == 0) bus_read(base + TXBAR_STATUS);
    }
    handler_works[h] = true;
    for (int round = 1; round <= 8; round++) meet(h, round);
    each_form(&mains[h], 0x80 + 8 * h);

    // bytes that the other hart brings
    txbar_outcome outcome;
    if (h == 0) {
        txbar_token token;
        IS(txbar_arrive_expect_tx(&mains[0], BYTES, 64, &token), TXBAR_STATUS_OK);
        IS(txbar_wait(&mains[0], BYTES, txbar_of_token(token), 100000000, &outcome), TXBAR_STATUS_OK);
        IS(outcome, TXBAR_COMPLETED);
    } else {
        IS(txbar_complete_tx(&mains[1], BYTES, 32), TXBAR_STATUS_OK);
        IS(txbar_complete_tx(&mains[1], BYTES, 32), TXBAR_STATUS_OK);
    }

    // a wait that ends with an interrupt, while the hart does something else
    if (h == 0) {
        wait_is_over[0] = false;
        IS(txbar_wait_begin(&mains[0], LATE, txbar_of_parity(0), 4000000000, true), TXBAR_STATUS_OK);
        IS(txbar_arrive(&mains[0], READY, 1, NULL), TXBAR_STATUS_OK);
        unsigned more = 0;
        while (!*(volatile bool *)&wait_is_over[0]) {
            txbar_token token;
            IS(txbar_init(&mains[0], 0x70, 1), TXBAR_STATUS_OK);
            IS(txbar_arrive(&mains[0], 0x70, 1, &token), TXBAR_STATUS_OK);
            IS(txbar_pending_count(token), 1);
            more++;
        }
        IS(wait_outcome[0], TXBAR_COMPLETED);
        IS(more > 0, true);
    } else {
        IS(txbar_wait(&mains[1], READY, txbar_of_parity(0), 100000000, &outcome), TXBAR_STATUS_OK);
        IS(txbar_arrive(&mains[1], LATE, 1, NULL), TXBAR_STATUS_OK);
    }
    meet(h, 9);
    handler_works[h] = false;
    limits(h);

    // a window that may touch one word
    std::uint64_t word;
    txbar_allow(base + MB_PRIVILEGED, 2, 0x88, 0x88);
    IS(txbar_load(&restricted[h], BOTH, &word), TXBAR_STATUS_OUT_OF_RANGE);
    IS(word, 0);
    IS(txbar_load(&restricted[h], 0x90, &word), TXBAR_STATUS_OUT_OF_RANGE);
    IS(txbar_load(&restricted[h], 0x88, &word), TXBAR_STATUS_OK);
    txbar_allow_none(base + MB_PRIVILEGED, 2);
    IS(txbar_load(&restricted[h], 0x88, &word), TXBAR_STATUS_OUT_OF_RANGE);
    txbar_allow(base + MB_PRIVILEGED, 2, 0, UINT32_MAX);
    IS(txbar_load(&restricted[h], 0x90, &word), TXBAR_STATUS_OK);
    IS(handled[h] > 50, true);
    std::unique_lock<std::mutex> lock(baton);
    ports[h].finished = true;
    turn.notify_one();
}

int main(int, char **arguments) {
    const unsigned seed = (unsigned)std::atoi(arguments[1]);
    std::printf("seed %u\n", seed);
    // registers begin as anything
    Verilated::defaultContextp()->randReset(2);
    Verilated::defaultContextp()->randSeed((int)seed);
    model = new Vmb;
    unit.aresetn = 0;
    for (int k = 0; k < 4; k++) clock_edge();
    unit.aresetn = 1;
    std::thread first(program, 0), second(program, 1);
    run_clock(std::mt19937(seed));
    first.join();
    second.join();
    std::puts("PASS");
}
