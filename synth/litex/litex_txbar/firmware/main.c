/* Hart 0 tests the unit, meets hart 1 at a barrier, and consumes what hart 1 produces: a ring of tiles that the copy engine brings. Prints PASS, or FAIL
 * and why. */
#include "system.h"

#ifdef CONFIG_CPU_HAS_INTERRUPT
#include <irq.h>
#endif

#define ROUNDS 8u
#define STAGES 3u
#define TILES 9u
#define WORDS 16u
#define TILE_BYTES (4u * WORDS)
/* Of every wait: 5 ms, many times what a tile takes. */
#define LIMIT_NS 5000000u

/* Barriers, each a word of the unit's memory. */
#define MEET 0x00u
#define FULL(stage) (0x10u + 8u * (stage))
#define EMPTY(stage) (0x30u + 8u * (stage))

static txbar_window harts[2];

/* In the memory that both harts and the engine see. */
static volatile uint32_t came[2];
static volatile uint32_t sources[STAGES][WORDS], tiles[STAGES][WORDS];
static volatile struct {
    bool failed;
    const char *what;
    uint32_t got, wanted;
} second;
uint32_t hart1_stack[256] __attribute__((aligned(16)));
__asm__(".global hart1_stack_end\n.set hart1_stack_end, hart1_stack + 1024");

static void print_char(char c)
{
    while (uart_txfull_read()) {
    }
    uart_rxtx_write((uint8_t)c);
}

void print(const char *text)
{
    for (; *text != 0; text++) {
        print_char(*text);
    }
}

/* In decimal, without a division, which some harts have not. */
void print_number(uint32_t value)
{
    static const uint32_t powers[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    bool begun = false;
    for (uint32_t k = 0; k < 10; k++) {
        char digit = '0';
        for (; value >= powers[k]; value -= powers[k]) {
            digit++;
        }
        begun = begun || digit > '0' || k == 9;
        if (begun) {
            print_char(digit);
        }
    }
}

/* A loop without loads would keep LiteX's Wishbone, which a hart that fetches all the time does not give back, even to its own stores. */
static _Noreturn void rest(void)
{
    for (;;) {
        (void)came[0];
    }
}

static _Noreturn void finish(void)
{
    /* the UART sends what it holds */
    while (!uart_txempty_read()) {
    }
#ifdef CSR_FINISH_BASE
    finish_now_write(1);
#endif
    rest();
}

static _Noreturn void fail(const char *hart, const char *what, uint32_t got, uint32_t wanted)
{
    print("FAIL: ");
    print(hart);
    print(what);
    print(" is ");
    print_number(got);
    print(", not ");
    print_number(wanted);
    print("\n");
    finish();
}

static bool is_second(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= (uintptr_t)hart1_stack && here < (uintptr_t)(hart1_stack + 256);
}

void check(const char *what, uint32_t got, uint32_t wanted)
{
    if (got == wanted) {
        return;
    }
    if (is_second()) {
        second.what = what, second.got = got, second.wanted = wanted;
        TXBAR_FENCE();
        second.failed = true;
        rest();
    }
    if (second.failed) {
        fail("hart 1: ", second.what, second.got, second.wanted);
    }
    fail("hart 0: ", what, got, wanted);
}

static void check_wait(const char *what, txbar_status status, txbar_outcome outcome)
{
    check("status of a wait", status, TXBAR_STATUS_OK);
    check(what, outcome, TXBAR_COMPLETED);
}

static void wait(uint32_t hart, uint32_t barrier, txbar_phase phase, const char *what)
{
    txbar_outcome outcome;
    const txbar_status status = txbar_wait(&harts[hart], barrier, phase, LIMIT_NS, &outcome);
    check_wait(what, status, outcome);
}

/* How a hart's wait has ended that was to end with an interrupt. */
static volatile struct {
    bool is_over;
    txbar_status status;
    txbar_outcome outcome;
    uint32_t count;
} ended[2];

static void take_wait(uint32_t hart)
{
    txbar_outcome outcome;
    const txbar_status status = txbar_wait_end(&harts[hart], &outcome);
    if (status == TXBAR_STATUS_OK && outcome == TXBAR_PENDING) {
        return;
    }
    ended[hart].status = status, ended[hart].outcome = outcome;
    ended[hart].count++;
    ended[hart].is_over = true;
}

void isr(void);
void isr(void)
{
#ifdef CONFIG_CPU_HAS_INTERRUPT
    if (irq_pending() & irq_getmask() & 1u << TXBAR_INTERRUPT) {
        take_wait(0);
    }
#endif
}

#ifdef CONFIG_CPU_HAS_INTERRUPT
#define HAS_INTERRUPT(hart) ((hart) == 0)
#else
#define HAS_INTERRUPT(hart) false
#endif

/* A wait that ends with an interrupt. A hart that has none, as hart 1, looks at its port's event, which would cause it. */
static void wait_for_interrupt(uint32_t hart, uint32_t barrier, txbar_phase phase, const char *what)
{
    ended[hart].is_over = false;
    check("status of the begin of a wait", txbar_wait_begin(&harts[hart], barrier, phase, LIMIT_NS, true), TXBAR_STATUS_OK);
    while (!ended[hart].is_over) {
        if (!HAS_INTERRUPT(hart) && txbar_ev_pending_read() >> hart & 1u) {
            take_wait(hart);
        }
    }
    check_wait(what, ended[hart].status, ended[hart].outcome);
}

/* A barrier of both harts, with tokens in even rounds and parities in odd ones. */
static void meet(uint32_t hart, uint32_t round)
{
    txbar_token token;
    came[hart] = round;
    check("status of the arrival to meet", txbar_arrive(&harts[hart], MEET, 1, &token), TXBAR_STATUS_OK);
    wait(hart, MEET, round & 1u ? txbar_of_parity(token >> 31) : txbar_of_token(token), "the outcome of the wait to meet (1: completed, 2: time limit over)");
    check("the other hart's round is too early: it", came[1 - hart] < round, false);
}

static uint32_t word_of(uint32_t tile, uint32_t number) { return (tile << 16 | number) ^ 0x5aa5c33cu; }

/* Has the engine copy a tile, and report its bytes to a barrier. */
static void copy(uintptr_t source, uintptr_t destination, uint32_t barrier)
{
    while (!engine_ready_read()) {
    }
    engine_source_write((uint32_t)source);
    engine_destination_write((uint32_t)destination);
    engine_length_write(TILE_BYTES);
    engine_barrier_write(barrier);
}

void hart1_main(void);
void hart1_main(void)
{
    txbar_open(&harts[1], window_of(TXBAR_PORT1_BASE, 0));
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        meet(1, round);
    }
    uint32_t stage = 0, parity = 1;
    for (uint32_t tile = 0; tile < TILES; tile++) {
        /* of a barrier that is new, the phase before is over */
        wait_for_interrupt(1, EMPTY(stage), txbar_of_parity(parity), "the outcome of the wait for an empty stage (1: completed, 2: time limit over)");
        for (uint32_t k = 0; k < WORDS; k++) {
            sources[stage][k] = word_of(tile, k);
        }
        check("status of arrive_expect_tx", txbar_arrive_expect_tx(&harts[1], FULL(stage), TILE_BYTES, NULL), TXBAR_STATUS_OK);
        copy((uintptr_t)sources[stage], (uintptr_t)tiles[stage], FULL(stage));
        if (++stage == STAGES) {
            stage = 0, parity ^= 1u;
        }
    }
    meet(1, ROUNDS + 1);
    rest();
}

static void consume(void)
{
    uint32_t stage = 0, parity = 0;
    for (uint32_t tile = 0; tile < TILES; tile++) {
        wait_for_interrupt(0, FULL(stage), txbar_of_parity(parity), "the outcome of the wait for a full stage (1: completed, 2: time limit over)");
        for (uint32_t k = 0; k < WORDS; k++) {
            check("a word of a tile", tiles[stage][k], word_of(tile, k));
            tiles[stage][k] = 0;
        }
        check("status of the arrival at an empty stage", txbar_arrive(&harts[0], EMPTY(stage), 1, NULL), TXBAR_STATUS_OK);
        if (++stage == STAGES) {
            stage = 0, parity ^= 1u;
        }
    }
}

/* Accesses to addresses of the unit with nothing there: reads at both harts' ports, a write at one. The engine is told that each is an error. */
static void bus_errors(void)
{
    const uintptr_t hole = TXBAR_UNIT_MEMORY + TXBAR_UNIT_MEMORY_BYTES, tile = (uintptr_t)tiles[0];
    for (uint32_t k = 0; k < 3; k++) {
        const uintptr_t wrong = (k == 1 ? TXBAR_PORT1_BASE : TXBAR_PORT0_BASE) + hole;
        tiles[0][0] = k;
        copy(k < 2 ? wrong : tile, k < 2 ? tile : wrong, FULL(0));
        for (uint32_t polls = 0; polls < 1000 && engine_errors_read() <= k; polls++) {
        }
        check("the number of copies with an error of the bus", engine_errors_read(), k + 1);
        check("the first word of the tile that such a copy has not written", tiles[0][0], k);
    }
}

static uint32_t flips(void)
{
    uint64_t count;
    check("status of load", txbar_load(&harts[0], TXBAR_UNIT_COUNTER_FLIPS, &count), TXBAR_STATUS_OK);
    return (uint32_t)count;
}

int main(void)
{
    print("self-test\n");
    const uint32_t operations = selftest();

    txbar_open(&harts[0], window_of(TXBAR_PORT0_BASE, 0));
    check("status of init", txbar_init(&harts[0], MEET, 2), TXBAR_STATUS_OK);
    for (uint32_t stage = 0; stage < STAGES; stage++) {
        check("status of init", txbar_init(&harts[0], FULL(stage), 1), TXBAR_STATUS_OK);
        check("status of init", txbar_init(&harts[0], EMPTY(stage), 1), TXBAR_STATUS_OK);
    }
    const uint32_t before = flips();
    print("barrier of two harts\n");
    hart1_run_write(1);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        meet(0, round);
    }

    print("ring with a copy engine\n");
    txbar_ev_enable_write(1);
#ifdef CONFIG_CPU_HAS_INTERRUPT
    irq_setmask(1u << TXBAR_INTERRUPT);
    irq_setie(1);
#endif
    consume();
    meet(0, ROUNDS + 1);
    check("the number of phases completed", flips() - before, ROUNDS + 1 + 2 * TILES);
    check("the number of waits that the event ended", ended[0].count, TILES);

    check("the number of copies with an error of the bus", engine_errors_read(), 0);
    bus_errors();

    print("PASS: ");
    print_number(operations);
    print(" random operations, ");
    print_number(ROUNDS);
    print(" meetings of two harts, ");
    print_number(TILES);
    print(" tiles by the copy engine, ");
    print_number(ended[0].count);
#ifdef CONFIG_CPU_HAS_INTERRUPT
    print(" waits ended by an interrupt\n");
#else
    print(" waits ended by the event, since the CPU has no interrupts\n");
#endif
    finish();
}
