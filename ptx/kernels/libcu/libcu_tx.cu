// Bulk copies with cuda::device: memcpy_async_tx, barrier_arrive_tx, and barrier_expect_tx before a plain arrive.
#include <cuda/barrier>
#include <cstdint>

extern "C" __global__ void libcu_tx(const uint32_t *in, uint32_t *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    __shared__ alignas(128) uint32_t data[256];
    const uint32_t thread = threadIdx.x;
    if (thread == 0) {
        init(&bar, blockDim.x);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    uint32_t sum = 0;
    for (int tile = 0; tile < 3; tile++) {
        barrier::arrival_token token;
        if (thread == 0) {
            cuda::device::memcpy_async_tx(data, in + tile * 256, cuda::aligned_size_t<16>(sizeof data), bar);
            if (tile == 1) {
                cuda::device::barrier_expect_tx(bar, sizeof data);
                token = bar.arrive();
            } else {
                token = cuda::device::barrier_arrive_tx(bar, 1, sizeof data);
            }
        } else {
            token = bar.arrive();
        }
        bar.wait(cuda::std::move(token));
        for (uint32_t i = thread; i < 256; i += blockDim.x) sum = sum * 17 + data[255 - i];
        __syncthreads();
    }
    out[thread] = sum;
}
