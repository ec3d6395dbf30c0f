// cp.async into three stages. Two warps copy, in pieces of 4, 8 and 16 bytes, and let the copies themselves arrive; two
// warps transform what is there and say when a stage is free again.
#include "mbarrier.cuh"

constexpr int STAGES = 3;
constexpr int TILES = 8;
constexpr int WORDS = 256; // of a tile
constexpr int COPIERS = 64;
constexpr int READERS = 64;

template <int BYTES> __device__ __forceinline__ void copy_async(void *shared, const void *global) {
    if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(shared)), "l"(global), "n"(BYTES)
                     : "memory");
    }
}

__device__ __forceinline__ void arrive_when_copied(uint64_t *barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

extern "C" __global__ void multistage(const uint32_t *in, uint32_t *out, uint32_t *sums) {
    __shared__ alignas(128) uint32_t stage[STAGES][WORDS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int thread = threadIdx.x;
    if (thread == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], COPIERS);
            mbarrier_init(&empty[s], READERS);
        }
    }
    __syncthreads();
    if (thread < COPIERS) {
        for (int tile = 0; tile < TILES; tile++) {
            const int s = tile % STAGES, round = tile / STAGES;
            if (round > 0) mbarrier_wait_parity(&empty[s], (round - 1) & 1);
            const uint32_t *from = in + tile * WORDS + thread * 4;
            uint32_t *to = &stage[s][thread * 4];
            switch (tile % 3) {
            case 0: copy_async<16>(to, from); break;
            case 1:
                copy_async<8>(to, from);
                copy_async<8>(to + 2, from + 2);
                break;
            default:
#pragma unroll
                for (int i = 0; i < 4; i++) copy_async<4>(to + i, from + i);
            }
            arrive_when_copied(&full[s]);
        }
    } else {
        const int reader = thread - COPIERS;
        uint32_t sum = 0x811c9dc5u;
        for (int tile = 0; tile < TILES; tile++) {
            const int s = tile % STAGES, round = tile / STAGES;
            mbarrier_wait_parity(&full[s], round & 1);
            for (int i = reader; i < WORDS; i += READERS) {
                const uint32_t word = stage[s][WORDS - 1 - i];
                out[tile * WORDS + i] = word * 3 + tile;
                sum = (sum ^ word) * 0x01000193u;
            }
            mbarrier_arrive(&empty[s]);
        }
        sums[reader] = sum;
    }
}
