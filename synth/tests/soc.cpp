// Drives barrier_soc's first port with the guide's C function. Prints PASS, or what went wrong.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static Vsoc soc;

static void cycle() {
    soc.aclk = 0;
    soc.eval();
    soc.aclk = 1;
    soc.eval();
}

static void write_register(unsigned address, std::uint32_t data) {
    soc.s0_axil_awaddr = address;
    soc.s0_axil_wdata = data;
    soc.s0_axil_wstrb = 15;
    soc.s0_axil_awvalid = soc.s0_axil_wvalid = soc.s0_axil_bready = 1;
    bool done = false;
    while (!done) {
        soc.eval();
        const bool aw = soc.s0_axil_awvalid && soc.s0_axil_awready, w = soc.s0_axil_wvalid && soc.s0_axil_wready;
        done = soc.s0_axil_bvalid; // whatever it says
        cycle();
        if (aw) soc.s0_axil_awvalid = 0;
        if (w) soc.s0_axil_wvalid = 0;
    }
    soc.s0_axil_bready = 0;
}

static std::uint32_t read_register(unsigned address) {
    soc.s0_axil_araddr = address;
    soc.s0_axil_arvalid = soc.s0_axil_rready = 1;
    for (;;) {
        soc.eval();
        const bool ar = soc.s0_axil_arvalid && soc.s0_axil_arready, done = soc.s0_axil_rvalid;
        const std::uint32_t data = soc.s0_axil_rdata;
        cycle();
        if (ar) soc.s0_axil_arvalid = 0;
        if (done) {
            soc.s0_axil_rready = 0;
            return data;
        }
    }
}

// What happens behind every access of the program, if it is no access of the interrupt itself.
static void (*interrupt)() = nullptr;

static void interrupted() {
    if (void (*handler)() = interrupt) {
        interrupt = nullptr;
        handler();
        interrupt = handler;
    }
}

// A word; those of the page are registers.
class Word {
    std::uint32_t value = 0;
    bool is_register() const;
    unsigned address() const;

  public:
    Word() = default;
    Word(std::uint32_t is) : value(is) {}
    Word(const Word &other) : value(other) {}
    operator std::uint32_t() const {
        if (!is_register()) return value;
        const std::uint32_t is = read_register(address());
        interrupted();
        return is;
    }
    Word &operator=(std::uint32_t is) {
        value = is;
        if (is_register()) {
            write_register(address(), is);
            interrupted();
        }
        return *this;
    }
    Word &operator=(const Word &other) { return *this = std::uint32_t(other); }
};

static Word page[1024];

bool Word::is_register() const { return this >= page && this < page + 1024; }
unsigned Word::address() const { return unsigned(this - page) * 4; }

#define volatile
#define uint32_t Word
#include "arrive.c"
#undef uint32_t
#undef volatile

static void ask(Word *window, unsigned opcode, std::uint32_t barrier, std::uint32_t low, std::uint32_t high) {
    window[0] = barrier;
    window[1] = low;
    window[2] = high;
    window[3] = 0xff000000u | opcode;
}

static std::uint64_t answer(Word *window) {
    while (!(window[4] >> 31)) {}
    const std::uint64_t low = std::uint32_t(window[5]), high = std::uint32_t(window[6]);
    window[7] = 0;
    return high << 32 | low;
}

static std::uint64_t operate(Word *window, unsigned opcode, std::uint32_t barrier, std::uint32_t low) {
    ask(window, opcode, barrier, low, 0);
    return answer(window);
}

static void check(bool good, const char *what) {
    if (good) return;
    std::printf("FAIL: %s\n", what);
    std::exit(1);
}

static const unsigned LOAD = 0, INIT = 2, TRY_WAIT_PARITY = 15;
static const std::uint32_t A = 0x40, B = 0x48, C = 0x50;

// Arrivals on a barrier of 1000 since `init`: pending counts are kept as their negative.
static unsigned arrivals(std::uint32_t barrier) {
    const unsigned pending = unsigned(-(operate(page, LOAD, barrier, 0) >> 43)) & 0xfffff;
    return 1000 - pending;
}

static unsigned interrupts = 0;

static void handler() {
    interrupts++;
    arrive(page + 8, B);
}

int main() {
    soc.aresetn = 0;
    for (int i = 0; i < 4; i++) cycle();
    soc.aresetn = 1;

    // An older wait's answer, which nobody has looked at, is not taken for an arrival's.
    operate(page, INIT, A, 3);
    operate(page, INIT, C, 1);
    ask(page, TRY_WAIT_PARITY, A, 0, 300);
    for (int i = 0; i < 100; i++) cycle();
    const std::uint32_t first = arrive(page, C), second = arrive(page, C);
    check(first != 0 && first >> 31 == 0, "the first token is of phase 0");
    check(second >> 31 == 1, "the second is of phase 1");
    // nor is that of one that is still suspended
    ask(page, TRY_WAIT_PARITY, A, 0, 3000);
    check(std::uint32_t(arrive(page, C)) >> 31 == 0, "the third is of phase 0 again");

    // An interrupt behind every access.
    operate(page, INIT, A, 1000);
    operate(page, INIT, B, 1000);
    interrupt = handler;
    for (int i = 0; i < 8; i++) arrive(page, A);
    interrupt = nullptr;
    check(interrupts >= 8 * 6, "there were interrupts everywhere");
    check(arrivals(A) == 8, "the program's arrivals");
    check(arrivals(B) == interrupts, "the handler's arrivals");

    // A core that looks at no answer and at no response.
    for (int i = 0; i < 12; i++) ask(page, 4, A, 1, 0);
    answer(page);
    check(arrivals(A) == 20, "none is lost");
    std::printf("PASS\n");
    return 0;
}
