/* The self-test: each form of each operation, in a random order, does what the counts of a barrier say. */
#include "system.h"

#define OPERATIONS 150u
#define BARRIERS 4u
#define FIRST 0x80u

/* A barrier, in numbers. */
typedef struct {
    uint32_t phase, expected, pending;
    int32_t bytes;
} barrier_model;

static barrier_model models[BARRIERS];
static uint32_t dice = 0x2545f491u;

/* A number below a power of two. */
static uint32_t roll(uint32_t below)
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return (dice >> 16) & (below - 1u);
}

static void complete(barrier_model *m)
{
    if (m->pending == 0 && m->bytes == 0) {
        m->phase ^= 1u;
        m->pending = m->expected;
    }
}

static void check_word(txbar_window *w, uint32_t at, const barrier_model *m)
{
    uint64_t word;
    check("status of load", txbar_load(w, at, &word), TXBAR_STATUS_OK);
    check("phase", (uint32_t)txbar_unit_word_phase(word), m->phase);
    check("pending count", (0u - (uint32_t)txbar_unit_word_pending(word)) & 0xfffffu, m->pending);
    check("expected count", (0u - (uint32_t)txbar_unit_word_expected(word)) & 0xfffffu, m->expected);
    check("tx-count", (0u - (uint32_t)txbar_unit_word_tx(word)) & 0x1fffffu, (uint32_t)m->bytes & 0x1fffffu);
}

static void init(txbar_window *w, uint32_t at, barrier_model *m)
{
    *m = (barrier_model){0, 4u + roll(8), 0, 0};
    m->pending = m->expected;
    check("status of init", txbar_init(w, at, m->expected), TXBAR_STATUS_OK);
}

/* An arrival of `count`: the token is of the phase and the count before it. */
static void arrive(txbar_window *w, uint32_t at, barrier_model *m)
{
    const uint32_t count = 1u + roll(4);
    const barrier_model before = *m;
    const bool drops = roll(4) == 0 && count < m->expected;
    txbar_token token;
    const txbar_status status = drops ? txbar_arrive_drop(w, at, count, &token) : txbar_arrive(w, at, count, &token);
    if (count > m->pending) {
        check("status of too many arrivals", status, TXBAR_STATUS_PENDING_UNDERFLOW);
        return;
    }
    m->pending -= count;
    m->expected -= drops ? count : 0u;
    complete(m);
    check("status of arrive", status, TXBAR_STATUS_OK);
    check("phase of the token", token >> 31, before.phase);
    check("pending count of the token", txbar_pending_count(token), before.pending);
    bool completed;
    check("status of test_wait", txbar_test_wait(w, at, txbar_of_token(token), &completed), TXBAR_STATUS_OK);
    check("end of the token's phase", completed, before.phase != m->phase);
}

static void bytes(txbar_window *w, uint32_t at, barrier_model *m)
{
    const uint32_t amount = 1u + roll(256);
    if (roll(2) == 0 && m->pending > 0) {
        check("status of arrive_expect_tx", txbar_arrive_expect_tx(w, at, amount, NULL), TXBAR_STATUS_OK);
        m->bytes += (int32_t)amount;
        m->pending--;
        complete(m);
    } else if (m->bytes > 0) {
        check("status of complete_tx", txbar_complete_tx(w, at, (uint32_t)m->bytes), TXBAR_STATUS_OK);
        m->bytes = 0;
        complete(m);
    } else if (m->pending > 0) {
        check("status of expect_tx", txbar_expect_tx(w, at, amount), TXBAR_STATUS_OK);
        m->bytes += (int32_t)amount;
    }
}

/* What ends with another status than ok, and waits that are over without their phase. */
static void faults(txbar_window *w)
{
    const uint32_t at = FIRST;
    txbar_outcome outcome;
    uint64_t word;
    check("status of a wrong address", txbar_arrive(w, at + 4, 1, NULL), TXBAR_STATUS_MISALIGNED);
    check("status of an address above all", txbar_arrive(w, TXBAR_UNIT_MEMORY_BYTES, 1, NULL), TXBAR_STATUS_OUT_OF_RANGE);
    check("status of a count above all", txbar_arrive(w, at, 1u << 20, NULL), TXBAR_STATUS_OPERAND_RANGE);
    check("status of init", txbar_init(w, at, 1), TXBAR_STATUS_OK);
    check("status of a wait", txbar_wait(w, at, txbar_of_parity(0), 5000, &outcome), TXBAR_STATUS_OK);
    check("outcome of a wait for nothing", outcome, TXBAR_EXPIRED);
    txbar_allow(TXBAR_PORT0_BASE + TXBAR_UNIT_PRIVILEGED, 1, at, at);
    check("status outside of the range", txbar_load(w, at + 8, &word), TXBAR_STATUS_OUT_OF_RANGE);
    check("status in the range", txbar_load(w, at, &word), TXBAR_STATUS_OK);
    txbar_allow(TXBAR_PORT0_BASE + TXBAR_UNIT_PRIVILEGED, 1, 0, UINT32_MAX);
    check("status of inval", txbar_inval(w, at), TXBAR_STATUS_OK);
    /* the memory page shows what a store has left, and takes bytes */
    volatile uint32_t *const memory = (volatile uint32_t *)(w->registers + TXBAR_UNIT_MEMORY + at);
    check("status of store", txbar_store(w, at, 0x0123456789abcdefu), TXBAR_STATUS_OK);
    check("lower half in the memory page", memory[0], 0x89abcdefu);
    check("upper half in the memory page", memory[1], 0x01234567u);
    ((volatile uint8_t *)memory)[5] = 0xaa;
    check("status of load", txbar_load(w, at, &word), TXBAR_STATUS_OK);
    check("upper half after a store of a byte", (uint32_t)(word >> 32), 0x0123aa67u);
    check("lower half after it", (uint32_t)word, 0x89abcdefu);
}

uint32_t selftest(void)
{
    txbar_window window;
    txbar_open(&window, window_of(TXBAR_PORT0_BASE, 1));
    faults(&window);
    for (uint32_t k = 0; k < BARRIERS; k++) {
        init(&window, FIRST + 8 * k, &models[k]);
    }
    for (uint32_t n = 0; n < OPERATIONS; n++) {
        const uint32_t k = roll(BARRIERS), at = FIRST + 8 * k, what = roll(16);
        if (what == 0) {
            init(&window, at, &models[k]);
        } else if (what < 8) {
            arrive(&window, at, &models[k]);
        } else {
            bytes(&window, at, &models[k]);
        }
        check_word(&window, at, &models[k]);
    }
    return OPERATIONS;
}
