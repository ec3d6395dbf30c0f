// A ring of four buffers filled by bulk copies: one thread of the first warp copies, three warps read. For every second
// tile the bytes are expected only after the copy has been started, so that they may complete before.
#include "mbarrier.cuh"

constexpr int STAGES = 4;
constexpr int TILES = 10;
constexpr int WORDS = 96; // of a tile
constexpr int BYTES = WORDS * 4;

extern "C" __global__ void ring(const uint32_t *in, uint32_t *out, uint32_t *sums) {
    __shared__ alignas(128) uint32_t buffer[STAGES][WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int thread = threadIdx.x;
    if (thread == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], 3);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    if (thread < 32) {
        if (thread == 0) {
            int s = 0;
            uint32_t parity = 1; // the phase before the first counts as complete
            for (int tile = 0; tile < TILES; tile++) {
                mbarrier_wait_parity(&empty[s], parity);
                if (tile & 1) {
                    bulk_load(buffer[s], in + tile * WORDS, BYTES, &full[s]);
                    mbarrier_arrive_expect_tx(&full[s], BYTES);
                } else {
                    mbarrier_arrive_expect_tx(&full[s], BYTES);
                    bulk_load(buffer[s], in + tile * WORDS, BYTES, &full[s]);
                }
                if (++s == STAGES) s = 0, parity ^= 1;
            }
        }
    } else {
        const int reader = thread - 32;
        uint32_t sum = reader;
        int s = 0;
        uint32_t parity = 0;
        for (int tile = 0; tile < TILES; tile++) {
            mbarrier_wait_parity(&full[s], parity);
            const uint32_t word = buffer[s][reader], behind = buffer[s][(reader + 37) % WORDS];
            out[tile * WORDS + reader] = rotate(word, tile) ^ behind;
            sum = sum * 31 + word;
            __syncwarp();
            if (reader % 32 == 0) mbarrier_arrive(&empty[s]);
            if (++s == STAGES) s = 0, parity ^= 1;
        }
        sums[reader] = sum;
    }
}
