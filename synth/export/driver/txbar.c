#include "txbar.h"

/* The longest time limit that a wait can be given; the next number says that there is none. */
#define LONGEST_NS (UINT32_MAX - 1u)

static uint32_t get(const txbar_window *window, uint32_t offset)
{
    return TXBAR_READ(window->registers + offset);
}

static void put(const txbar_window *window, uint32_t offset, uint32_t value)
{
    TXBAR_WRITE(window->registers + offset, value);
}

static void command(const txbar_window *window, uint32_t op, uint32_t address, uint32_t lo, uint32_t hi)
{
    put(window, TXBAR_ADDRESS, address);
    put(window, TXBAR_DATA_LO, lo);
    put(window, TXBAR_DATA_HI, hi);
    TXBAR_FENCE();
    put(window, TXBAR_COMMAND, op | TXBAR_COMMAND_STROBE_MASK);
}

/* Waits for the answer of a command that cannot be suspended, which comes after some cycles, and takes it. */
static uint32_t answer(const txbar_window *window, uint64_t *data)
{
    uint32_t status;
    do {
        status = get(window, TXBAR_STATUS);
    } while ((status & TXBAR_STATUS_ANSWERED_MASK) == 0);
    if (data != NULL) {
        const uint32_t lo = get(window, TXBAR_RESULT_LO);
        *data = (uint64_t)get(window, TXBAR_RESULT_HI) << 32 | lo;
    }
    put(window, TXBAR_TAKE, 0);
    TXBAR_FENCE();
    return status;
}

static txbar_status status_of(uint32_t answered)
{
    return (answered & TXBAR_STATUS_STATUS_MASK) >> TXBAR_STATUS_STATUS_LSB;
}

static txbar_status do_counted(txbar_window *window, uint32_t op, uint32_t barrier, uint32_t count, txbar_token *token)
{
    uint64_t data;
    command(window, op, barrier, count, 0);
    const txbar_status status = status_of(answer(window, &data));
    if (token != NULL) {
        *token = (txbar_token)(data >> 32);
    }
    return status;
}

void txbar_open(txbar_window *window, uintptr_t registers)
{
    window->registers = registers;
    window->idle = NULL;
    window->now_ns = NULL;
    put(window, TXBAR_INTERRUPT_ENABLE, 0);
    while ((get(window, TXBAR_STATUS) & TXBAR_STATUS_BUSY_MASK) != 0 || (get(window, TXBAR_WAIT) & TXBAR_WAIT_BUSY_MASK) != 0) {
    }
    if ((get(window, TXBAR_WAIT) & TXBAR_WAIT_ANSWERED_MASK) != 0) {
        put(window, TXBAR_WAIT_TAKE, 0);
    }
    if ((get(window, TXBAR_STATUS) & TXBAR_STATUS_ANSWERED_MASK) != 0) {
        put(window, TXBAR_TAKE, 0);
    }
}

txbar_status txbar_init(txbar_window *window, uint32_t barrier, uint32_t count)
{
    return do_counted(window, TXBAR_OP_INIT, barrier, count, NULL);
}

txbar_status txbar_inval(txbar_window *window, uint32_t barrier)
{
    return do_counted(window, TXBAR_OP_INVAL, barrier, 0, NULL);
}

txbar_status txbar_arrive(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token)
{
    return do_counted(window, TXBAR_OP_ARRIVE, barrier, count, token);
}

txbar_status txbar_arrive_no_complete(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token)
{
    return do_counted(window, TXBAR_OP_ARRIVE_NO_COMPLETE, barrier, count, token);
}

txbar_status txbar_arrive_expect_tx(txbar_window *window, uint32_t barrier, uint32_t bytes, txbar_token *token)
{
    return do_counted(window, TXBAR_OP_ARRIVE_EXPECT_TX, barrier, bytes, token);
}

txbar_status txbar_arrive_drop(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token)
{
    return do_counted(window, TXBAR_OP_ARRIVE_DROP, barrier, count, token);
}

txbar_status txbar_arrive_drop_no_complete(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token)
{
    return do_counted(window, TXBAR_OP_ARRIVE_DROP_NO_COMPLETE, barrier, count, token);
}

txbar_status txbar_arrive_drop_expect_tx(txbar_window *window, uint32_t barrier, uint32_t bytes, txbar_token *token)
{
    return do_counted(window, TXBAR_OP_ARRIVE_DROP_EXPECT_TX, barrier, bytes, token);
}

txbar_status txbar_expect_tx(txbar_window *window, uint32_t barrier, uint32_t bytes)
{
    return do_counted(window, TXBAR_OP_EXPECT_TX, barrier, bytes, NULL);
}

txbar_status txbar_complete_tx(txbar_window *window, uint32_t barrier, uint32_t bytes)
{
    return do_counted(window, TXBAR_OP_COMPLETE_TX, barrier, bytes, NULL);
}

uint32_t txbar_pending_count(txbar_token token)
{
    return (0u - (token >> 11)) & 0xfffffu;
}

txbar_status txbar_test_wait(txbar_window *window, uint32_t barrier, txbar_phase phase, bool *completed)
{
    if (phase.is_token) {
        command(window, TXBAR_OP_TEST_WAIT, barrier, 0, phase.value);
    } else {
        command(window, TXBAR_OP_TEST_WAIT_PARITY, barrier, phase.value, 0);
    }
    const uint32_t answered = answer(window, NULL);
    *completed = (answered & TXBAR_STATUS_PREDICATE_MASK) != 0;
    return status_of(answered);
}

/* Whether the wait of a window is over; what it ended with is the word in `answered`. */
static bool wait_over(txbar_window *window, uint32_t *answered)
{
    *answered = get(window, TXBAR_WAIT);
    if ((*answered & TXBAR_WAIT_ANSWERED_MASK) == 0) {
        return false;
    }
    put(window, TXBAR_WAIT_TAKE, 0);
    TXBAR_FENCE();
    return true;
}

static txbar_outcome outcome_of(uint32_t answered)
{
    if ((answered & TXBAR_WAIT_PREDICATE_MASK) != 0) {
        return TXBAR_COMPLETED;
    }
    return (answered & TXBAR_WAIT_RESUMED_MASK) != 0 ? TXBAR_EXPIRED : TXBAR_NO_ROOM;
}

static void try_wait(txbar_window *window, uint32_t barrier, txbar_phase phase, uint32_t limit_ns)
{
    if (phase.is_token) {
        command(window, TXBAR_OP_TRY_WAIT, barrier, limit_ns, phase.value);
    } else {
        command(window, TXBAR_OP_TRY_WAIT_PARITY, barrier, phase.value, limit_ns);
    }
}

txbar_status txbar_wait(txbar_window *window, uint32_t barrier, txbar_phase phase, uint64_t limit_ns, txbar_outcome *outcome)
{
    const uint64_t start = window->now_ns != NULL ? window->now_ns() : 0;
    uint64_t left = limit_ns;
    uint32_t answered;
    if ((get(window, TXBAR_WAIT) & (TXBAR_WAIT_BUSY_MASK | TXBAR_WAIT_ANSWERED_MASK)) != 0) {
        return TXBAR_STATUS_ILLEGAL_OPERATION;
    }
    for (;;) {
        const uint32_t part = left > LONGEST_NS ? LONGEST_NS : (uint32_t)left;
        try_wait(window, barrier, phase, part);
        while (!wait_over(window, &answered)) {
            if (window->idle != NULL) {
                window->idle();
            }
        }
        *outcome = outcome_of(answered);
        if (part == 0 && *outcome == TXBAR_NO_ROOM) {
            *outcome = TXBAR_EXPIRED;
        }
        if (status_of(answered) != TXBAR_STATUS_OK || *outcome == TXBAR_COMPLETED || left == 0) {
            return status_of(answered);
        }
        if (window->now_ns != NULL) {
            const uint64_t gone = window->now_ns() - start;
            left = gone < limit_ns ? limit_ns - gone : 0;
        } else if (*outcome == TXBAR_NO_ROOM) {
            return TXBAR_STATUS_OK;
        } else {
            left -= part;
        }
        if (left == 0 && *outcome == TXBAR_EXPIRED) {
            return TXBAR_STATUS_OK;
        }
    }
}

txbar_status txbar_wait_begin(txbar_window *window, uint32_t barrier, txbar_phase phase, uint32_t limit_ns, bool interrupt)
{
    if (limit_ns > LONGEST_NS) {
        return TXBAR_STATUS_OPERAND_RANGE;
    }
    if ((get(window, TXBAR_WAIT) & (TXBAR_WAIT_BUSY_MASK | TXBAR_WAIT_ANSWERED_MASK)) != 0) {
        return TXBAR_STATUS_ILLEGAL_OPERATION;
    }
    try_wait(window, barrier, phase, limit_ns);
    put(window, TXBAR_INTERRUPT_ENABLE, interrupt ? TXBAR_INTERRUPT_ENABLE_WAIT_MASK : 0);
    return TXBAR_STATUS_OK;
}

txbar_status txbar_wait_end(txbar_window *window, txbar_outcome *outcome)
{
    uint32_t answered;
    if (!wait_over(window, &answered)) {
        *outcome = TXBAR_PENDING;
        return TXBAR_STATUS_OK;
    }
    put(window, TXBAR_INTERRUPT_ENABLE, 0);
    *outcome = outcome_of(answered);
    return status_of(answered);
}

txbar_status txbar_load(txbar_window *window, uint32_t address, uint64_t *word)
{
    command(window, TXBAR_OP_LOAD, address, 0, 0);
    return status_of(answer(window, word));
}

txbar_status txbar_store(txbar_window *window, uint32_t address, uint64_t word)
{
    command(window, TXBAR_OP_STORE, address, (uint32_t)word, (uint32_t)(word >> 32));
    return status_of(answer(window, NULL));
}

void txbar_allow(uintptr_t privileged, uint32_t window, uint32_t first, uint32_t last)
{
    const uintptr_t range = privileged + 8u * window;
    /* between these the window may touch none, or part of the new range */
    txbar_allow_none(privileged, window);
    TXBAR_WRITE(range + TXBAR_LAST, last);
    TXBAR_WRITE(range + TXBAR_FIRST, first);
}

void txbar_allow_none(uintptr_t privileged, uint32_t window)
{
    const uintptr_t range = privileged + 8u * window;
    TXBAR_WRITE(range + TXBAR_FIRST, UINT32_MAX);
    TXBAR_WRITE(range + TXBAR_LAST, 0);
}
