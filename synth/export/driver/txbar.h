/* Driver of a txbar unit behind a bus: barriers from C. Freestanding C11: it needs no library and no operating system.
 *
 * A hart, a thread and an interrupt handler each have a window of their own, and never use another's: then nothing that one of them does
 * between two accesses of another changes what that other gets. No call waits for what other threads do, but for `txbar_wait`.
 *
 *     txbar_window window;
 *     txbar_open(&window, BASE + hart * NAME_WINDOW_STRIDE);      (NAME.h has the stride)
 *     txbar_init(&window, 0x40, 2);
 *     txbar_arrive(&window, 0x40, 1, &token);
 *     txbar_wait(&window, 0x40, txbar_of_token(token), 1000000, &outcome);
 */
#ifndef TXBAR_H
#define TXBAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "txbar_registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How registers are read and written. A bench, or a system with an access layer, defines both before. */
#ifndef TXBAR_READ
#define TXBAR_READ(address) (*(const volatile uint32_t *)(address))
#define TXBAR_WRITE(address, value) (*(volatile uint32_t *)(address) = (value))
#endif

/* Orders accesses to memory before those behind it, and to devices: around what a barrier protects. */
#ifndef TXBAR_FENCE
#ifdef __riscv
#define TXBAR_FENCE() __asm__ volatile("fence iorw, iorw" ::: "memory")
#else
#define TXBAR_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif
#endif

/* How a call ended: TXBAR_STATUS_OK, or another TXBAR_STATUS_...; of a word outside of the window's range TXBAR_STATUS_OUT_OF_RANGE. */
typedef uint32_t txbar_status;

/* The upper half of a barrier's word, as an arrival gives it back. */
typedef uint32_t txbar_token;

/* A window. */
typedef struct {
    uintptr_t registers;      /* Where it is. */
    void (*idle)(void);       /* Called between polls of a wait, if it is not NULL: the place to wait for an interrupt. */
    uint64_t (*now_ns)(void); /* A clock in nanoseconds, or NULL. Only `txbar_wait` asks it, and only if too many waits are suspended. */
} txbar_window;

/* What a wait waits for: the phase of a token, or that of a parity. */
typedef struct {
    uint32_t value;
    bool is_token;
} txbar_phase;

static inline txbar_phase txbar_of_token(txbar_token token) { return (txbar_phase){token, true}; }
static inline txbar_phase txbar_of_parity(uint32_t parity) { return (txbar_phase){parity & 1u, false}; }

/* How a wait ended. */
typedef enum {
    TXBAR_PENDING,   /* It has not ended. */
    TXBAR_COMPLETED, /* The phase has completed. */
    TXBAR_EXPIRED,   /* The time limit is over. */
    TXBAR_NO_ROOM    /* Too many waits are suspended, and there is no clock: ask again. */
} txbar_outcome;

/* Begins to use a window: takes what is left in it, ends with no interrupt enabled. Waits until a suspended wait that somebody left in it is over. */
void txbar_open(txbar_window *window, uintptr_t registers);

/* mbarrier.init, .inval */
txbar_status txbar_init(txbar_window *window, uint32_t barrier, uint32_t count);
txbar_status txbar_inval(txbar_window *window, uint32_t barrier);

/* mbarrier.arrive and its forms. `token` may be NULL. An arrival releases what was written before it. */
txbar_status txbar_arrive(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token);
txbar_status txbar_arrive_no_complete(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token);
txbar_status txbar_arrive_expect_tx(txbar_window *window, uint32_t barrier, uint32_t bytes, txbar_token *token);
txbar_status txbar_arrive_drop(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token);
txbar_status txbar_arrive_drop_no_complete(txbar_window *window, uint32_t barrier, uint32_t count, txbar_token *token);
txbar_status txbar_arrive_drop_expect_tx(txbar_window *window, uint32_t barrier, uint32_t bytes, txbar_token *token);

/* mbarrier.expect_tx, .complete_tx */
txbar_status txbar_expect_tx(txbar_window *window, uint32_t barrier, uint32_t bytes);
txbar_status txbar_complete_tx(txbar_window *window, uint32_t barrier, uint32_t bytes);

/* mbarrier.pending_count: arrivals that were pending when the token was given. */
uint32_t txbar_pending_count(txbar_token token);

/* mbarrier.test_wait: whether the phase has completed. If so, what was written before the arrivals can be read. */
txbar_status txbar_test_wait(txbar_window *window, uint32_t barrier, txbar_phase phase, bool *completed);

/* Waits until the phase has completed, or so many nanoseconds are over. TXBAR_STATUS_ILLEGAL_OPERATION if a wait that was begun is not ended. */
txbar_status txbar_wait(txbar_window *window, uint32_t barrier, txbar_phase phase, uint64_t limit_ns, txbar_outcome *outcome);

/* mbarrier.try_wait in two parts: the window can be used for other calls, except `txbar_wait`, in between. The time limit is 4294967294 ns at most.
 * TXBAR_STATUS_ILLEGAL_OPERATION if a wait that was begun is not ended. */
txbar_status txbar_wait_begin(txbar_window *window, uint32_t barrier, txbar_phase phase, uint32_t limit_ns, bool interrupt);
/* Whether it is over. Once it is, the interrupt is off, and the next call is for the next wait. An interrupt handler may ask for the window that it
 * has interrupted: this call and `txbar_wait_begin` only touch registers of waits. */
txbar_status txbar_wait_end(txbar_window *window, txbar_outcome *outcome);

/* A word of the memory: 64 bits at once. */
txbar_status txbar_load(txbar_window *window, uint32_t address, uint64_t *word);
txbar_status txbar_store(txbar_window *window, uint32_t address, uint64_t word);

/* For the operating system: which words, from the first to the last, a window of this number may touch. `privileged` is the address of that page
 * (NAME_PRIVILEGED from the port's first window). The window must not be in use. */
void txbar_allow(uintptr_t privileged, uint32_t window, uint32_t first, uint32_t last);
void txbar_allow_none(uintptr_t privileged, uint32_t window);

#ifdef __cplusplus
}
#endif

#endif
