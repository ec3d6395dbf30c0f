/* txbar's scoreboard and reference model for testbenches in C and SystemVerilog (DPI-C). Link with libtxbar_kit.a or .so. */
#ifndef TXBAR_KIT_H
#define TXBAR_KIT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A unit that is checked from its pins. */
typedef struct txbar_check txbar_check;

/* Begins to check a unit. `parameters` are those of its manifest as "name=value name=value"; the check module of a package has them. */
txbar_check *txbar_check_new(const char *parameters);
/* Number of a pin by its name; -1 if the pin is not looked at. */
int txbar_check_pin(const txbar_check *check, const char *name);
/* Value of a pin, just before the clock edge. It stays until the next is given; a pin of -1 is left alone. */
void txbar_check_set(txbar_check *check, int pin, uint64_t value);
/* A clock edge, with reset held if `reset` is not 0. 1: all is right so far; 0: something was wrong. */
int txbar_check_clock(txbar_check *check, int reset);
/* What was wrong: the cycle since reset, what was expected, and the operations on the word. */
const char *txbar_check_message(const txbar_check *check);
/* Requests that have been accepted so far. */
uint64_t txbar_check_accepted(const txbar_check *check);
/* 1 if every request that was accepted has been answered. */
int txbar_check_idle(const txbar_check *check);
/* What has been covered so far, as JSON: `shares` with what is missing of each, and the `hits` of each operation, status, distance and shape. */
const char *txbar_check_coverage(txbar_check *check);
/* Ends the check. */
void txbar_check_free(txbar_check *check);

/* What an operation does to a word, by the reference model: not suspended, aligned, in range. Opcodes and statuses are those of NAME.h.
 * Gives the status; `after` is the word after the operation, `predicate` 1 if the phase of a wait has completed, `answer` a state token, a
 * count or a word. */
int txbar_apply(uint64_t word, int op, int remote, uint64_t data, int strobe, uint64_t *after, int *predicate, uint64_t *answer);

/* Requests for the ports of a unit. */
typedef struct txbar_traffic txbar_traffic;

/* Random requests, as `txbar sim` makes them; `stall` is the share of cycles, in percent, in which a port pauses. */
txbar_traffic *txbar_traffic_random(const char *parameters, uint64_t seed, uint64_t operations, int stall);
/* The requests of a file that `txbar sim --replay` plays, from its text. */
txbar_traffic *txbar_traffic_read(const char *parameters, const char *text);
/* Why there are none; an empty string if there are. */
const char *txbar_traffic_message(const txbar_traffic *traffic);
/* The text of such a file. */
const char *txbar_traffic_text(const txbar_traffic *traffic);
/* The next request: its port, the idle cycles before it, and the values of req_op, req_remote, req_address, req_data, req_strobe, req_tag and
 * req_order. Gives 0 if there are no more. */
int txbar_traffic_next(txbar_traffic *traffic, uint64_t values[9]);
/* Ends it. */
void txbar_traffic_free(txbar_traffic *traffic);

#ifdef __cplusplus
}
#endif
#endif
