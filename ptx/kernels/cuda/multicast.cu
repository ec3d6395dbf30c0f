// Clusters of two CTAs: each copies its half of a tile to both, with one multicast bulk copy; readers tell both CTAs when
// they have read a stage, with remote arrivals.
#include "mbarrier.cuh"

constexpr int STAGES = 2;
constexpr int TILES = 6;
constexpr int WORDS = 128; // of a tile
constexpr int HALF = WORDS / 2;
constexpr int READERS = 2; // warps

extern "C" __global__ void __cluster_dims__(2, 1, 1) multicast(const uint32_t *in, uint32_t *out, uint32_t *sums) {
    __shared__ alignas(128) uint32_t buffer[STAGES][WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t rank = cluster_rank();
    const uint32_t cluster = blockIdx.x / 2;
    in += cluster * TILES * WORDS;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], 2 * READERS);
        }
        fence_mbarrier_init();
    }
    cluster_sync();
    if (warp == 0) {
        if (lane == 0) {
            for (int tile = 0; tile < TILES; tile++) {
                const int s = tile % STAGES;
                if (tile >= STAGES) mbarrier_wait_parity(&empty[s], (tile / STAGES - 1) & 1);
                mbarrier_arrive_expect_tx(&full[s], WORDS * 4);
                bulk_load_multicast(&buffer[s][rank * HALF], in + tile * WORDS + rank * HALF, HALF * 4, &full[s], 3);
            }
        }
    } else {
        const int reader = threadIdx.x - 32;
        uint32_t sum = 0;
        for (int tile = 0; tile < TILES; tile++) {
            const int s = tile % STAGES;
            mbarrier_wait_parity(&full[s], (tile / STAGES) & 1);
            // one CTA sums from the front, the other from the back
            const int first = rank == 0 ? reader : WORDS - 1 - reader;
            const uint32_t a = buffer[s][first], b = buffer[s][first ^ HALF];
            sum = rotate(sum, 7) ^ (a + 5 * b);
            if (rank == (tile & 1)) out[(cluster * TILES + tile) * HALF + reader] = a - b;
            __syncwarp();
            if (lane < 2) mbarrier_arrive_remote(&empty[s], lane);
        }
        sums[blockIdx.x * HALF + reader] = sum;
    }
    cluster_sync(); // nobody leaves while others may still arrive here
}
