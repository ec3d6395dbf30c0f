// cuda::barrier that threads leave with arrive_and_drop: a warp after each round. The others go on without it.
#include <cuda/barrier>
#include <cstdint>

extern "C" __global__ void libcu_drop(uint32_t *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    __shared__ uint32_t total[8];
    const uint32_t thread = threadIdx.x, warp = thread / 32, warps = blockDim.x / 32;
    if (thread == 0) init(&bar, blockDim.x);
    if (thread < 8) total[thread] = 0;
    __syncthreads();
    uint32_t seen = 0;
    for (uint32_t round = 0; round < warps; round++) {
        if (warp == round) {
            bar.arrive_and_drop();
            break;
        }
        atomicAdd(&total[round], thread);
        bar.arrive_and_wait();
        seen = seen * 7 + total[round];
    }
    out[thread] = seen;
}
