// The same instructions through cuda::ptx: a double buffer filled by bulk copies and stored back by bulk copies.
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;

constexpr int TILES = 4;
constexpr int WORDS = 64;

extern "C" __global__ void libcu_ptx(const uint32_t *in, uint32_t *out) {
    __shared__ alignas(128) uint32_t data[2][WORDS];
    __shared__ alignas(128) uint32_t result[WORDS];
    __shared__ uint64_t full[2];
    const uint32_t thread = threadIdx.x;
    if (thread == 0) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    auto fetch = [&](int tile) {
        const int s = tile & 1;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], WORDS * 4);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, data[s], in + tile * WORDS, WORDS * 4, &full[s]);
    };
    if (thread == 0) fetch(0);
    for (int tile = 0; tile < TILES; tile++) {
        if (thread == 0 && tile + 1 < TILES) fetch(tile + 1);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &full[tile & 1], (tile >> 1) & 1)) {
        }
        result[thread] = data[tile & 1][thread] * data[tile & 1][(thread + 9) % WORDS] + tile;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (thread == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + tile * WORDS, result, WORDS * 4);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
    if (thread == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
