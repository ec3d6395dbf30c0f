// cp.async into two stages, as it is done on sm_80: every thread copies and reads, arrivals give tokens, and the copies
// of a thread hold the phase open (cp.async.mbarrier.arrive without .noinc).
#include <cstdint>

constexpr int STAGES = 2;
constexpr int TILES = 6;
constexpr int THREADS = 64;

__device__ __forceinline__ uint32_t shared_address(const void *pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ uint64_t load(uint4 *shared, const uint4 *global, uint64_t *barrier) {
    uint64_t token;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(barrier)) : "memory");
    return token;
}

__device__ __forceinline__ void wait(uint64_t *barrier, uint64_t token) {
    uint32_t complete = 0;
    while (complete == 0) {
        asm volatile(
            "{\n"
            "  .reg .pred p;\n"
            "  mbarrier.test_wait.shared.b64 p, [%1], %2;\n"
            "  selp.u32 %0, 1, 0, p;\n"
            "}"
            : "=r"(complete)
            : "r"(shared_address(barrier)), "l"(token)
            : "memory");
    }
}

extern "C" __global__ void multistage_tokens(const uint4 *in, uint4 *out, uint32_t *sums) {
    __shared__ uint4 stage[STAGES][THREADS];
    __shared__ uint64_t landed[STAGES];
    const int thread = threadIdx.x;
    if (thread < STAGES) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&landed[thread])), "r"(THREADS) : "memory");
    }
    __syncthreads();
    uint64_t token[STAGES];
    token[0] = load(&stage[0][thread], in + thread, &landed[0]);
    uint32_t sum = 0;
    for (int tile = 0; tile < TILES; tile++) {
        const int s = tile % STAGES, next = (tile + 1) % STAGES;
        if (tile + 1 < TILES) token[next] = load(&stage[next][thread], in + (tile + 1) * THREADS + thread, &landed[next]);
        wait(&landed[s], token[s]);
        const uint4 mine = stage[s][thread], other = stage[s][thread ^ 21];
        out[tile * THREADS + thread] = make_uint4(mine.x + other.w, mine.y ^ other.z, mine.z - other.y, mine.w * other.x);
        sum = sum * 33 + (other.x ^ other.y ^ other.z ^ other.w);
        __syncthreads();
    }
    sums[thread] = sum;
}
