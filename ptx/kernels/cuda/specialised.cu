// Warps with roles: two that copy a half of each tile, three that read and leave one after the other with arrive_drop, one
// that stores what the readers have found with a bulk copy to global memory.
#include "mbarrier.cuh"

constexpr int STAGES = 2;
constexpr int TILES = 9;
constexpr int WORDS = 64; // of a tile
constexpr int HALF = WORDS / 2;
constexpr int COPIERS = 2;
constexpr int READERS = 3;

extern "C" __global__ void specialised(const uint32_t *in, uint32_t *out) {
    __shared__ alignas(128) uint32_t buffer[STAGES][WORDS];
    __shared__ alignas(128) uint32_t found[READERS][32];
    __shared__ uint64_t full[STAGES], empty[STAGES], ready[READERS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], COPIERS);
            mbarrier_init(&empty[s], READERS);
        }
        for (int r = 0; r < READERS; r++) mbarrier_init(&ready[r], 32);
        fence_proxy_async();
    }
    __syncthreads();
    if (warp < COPIERS) {
        if (lane == 0) {
            for (int tile = 0; tile < TILES; tile++) {
                const int s = tile % STAGES;
                if (tile >= STAGES) mbarrier_wait_parity(&empty[s], (tile / STAGES - 1) & 1);
                mbarrier_arrive_expect_tx(&full[s], HALF * 4);
                bulk_load(&buffer[s][warp * HALF], in + tile * WORDS + warp * HALF, HALF * 4, &full[s]);
            }
        }
    } else if (warp < COPIERS + READERS) {
        const int reader = warp - COPIERS;
        const int last = TILES - 2 * reader; // it reads the tiles before this one
        uint32_t sum = lane + 1000 * reader;
        for (int tile = 0; tile < last; tile++) {
            const int s = tile % STAGES;
            mbarrier_wait_parity(&full[s], (tile / STAGES) & 1);
            sum = rotate(sum, 5) + buffer[s][lane] * (2 * reader + 1) + buffer[s][WORDS - 1 - lane];
            __syncwarp();
            if (lane == 0) mbarrier_arrive(&empty[s]);
        }
        if (lane == 0) {
            // it leaves: the next phase of each stage is the last one that counts with it
            for (int tile = last; tile < last + STAGES; tile++) {
                const int s = tile % STAGES;
                if (tile >= STAGES) mbarrier_wait_parity(&empty[s], (tile / STAGES - 1) & 1);
                mbarrier_arrive_drop(&empty[s]);
            }
        }
        found[reader][lane] = sum;
        fence_proxy_async();
        mbarrier_arrive(&ready[reader]);
    } else if (lane == 0) {
        for (int i = 0; i < READERS; i++) {
            const int reader = READERS - 1 - i;
            mbarrier_wait_parity(&ready[reader], 0);
            bulk_store(out + 32 * reader, found[reader], sizeof found[reader]);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
