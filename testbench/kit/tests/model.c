/* Two threads arrive on a barrier for two; the reference model says what becomes of it. */
#include "mb.h"
#include "txbar_kit.h"
#include <stdio.h>

int main(void)
{
    uint64_t word = 0, answer = 0;
    int predicate = 0, failed = 0;
    failed |= txbar_apply(word, MB_OP_INIT, 0, 2, 0xff, &word, &predicate, &answer) != MB_STATUS_OK;
    for (unsigned phase = 0; phase < 2; phase++) {
        failed |= txbar_apply(word, MB_OP_TEST_WAIT_PARITY, 0, phase, 0, &word, &predicate, &answer) != MB_STATUS_OK || predicate;
        for (int thread = 0; thread < 2; thread++)
            failed |= txbar_apply(word, MB_OP_ARRIVE, 0, 1, 0, &word, &predicate, &answer) != MB_STATUS_OK;
        failed |= txbar_apply(word, MB_OP_TEST_WAIT_PARITY, 0, phase, 0, &word, &predicate, &answer) != MB_STATUS_OK || !predicate;
    }
    failed |= txbar_apply(word, MB_OP_ARRIVE, 0, 3, 0, &word, &predicate, &answer) != MB_STATUS_PENDING_UNDERFLOW;
    puts(failed ? "FAIL" : "PASS");
    return failed;
}
