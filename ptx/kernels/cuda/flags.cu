// cuda::atomic in shared and global memory: a warp hands values to the next one by flags with release and acquire.
#include <cuda/atomic>
#include <cstdint>

extern "C" __global__ void flags(const uint32_t *in, uint32_t *turn, uint32_t *out) {
    __shared__ cuda::atomic<uint32_t, cuda::thread_scope_block> ready[4];
    __shared__ uint32_t carried[4][32];
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 4) ready[threadIdx.x].store(0, cuda::memory_order_relaxed);
    __syncthreads();
    uint32_t value = in[blockIdx.x * 128 + threadIdx.x];
    if (warp > 0) {
        while (ready[warp - 1].load(cuda::memory_order_acquire) == 0) {
        }
        value += carried[warp - 1][31 - lane];
    }
    carried[warp][lane] = value;
    __syncwarp();
    if (lane == 0) ready[warp].store(1, cuda::memory_order_release);
    __syncthreads();
    // blocks one after the other
    cuda::atomic_ref<uint32_t, cuda::thread_scope_device> order(*turn);
    if (threadIdx.x == 0) {
        while (order.load(cuda::memory_order_acquire) != blockIdx.x) __nanosleep(50);
    }
    __syncthreads();
    if (blockIdx.x > 0) value ^= out[(blockIdx.x - 1) * 128 + threadIdx.x];
    out[blockIdx.x * 128 + threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) order.fetch_add(1, cuda::memory_order_release);
}
