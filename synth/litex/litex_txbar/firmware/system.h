/* What the parts of the firmware share. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>

#include "txbar.h"
#include "txbar_unit.h"

void print(const char *text);
void print_number(uint32_t value);

/* Ends the program with FAIL if the two differ. May be used by either hart: hart 0 prints what hart 1 found. */
void check(const char *what, uint32_t got, uint32_t wanted);

/* Operations on one barrier after another, against a model; gives their number. Uses window 1 of port 0. */
uint32_t selftest(void);

/* Where a window of a port is. */
static inline uintptr_t window_of(uintptr_t port, uint32_t number) { return port + number * TXBAR_UNIT_WINDOW_STRIDE; }

#endif
