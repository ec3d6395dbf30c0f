// cuda::memcpy_async of a whole block that a cuda::barrier tracks: with a known alignment of 16 bytes, of 4, and with none.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void libcu_memcpy_async(const uint32_t *in, uint32_t *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    __shared__ alignas(16) uint32_t data[256];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    uint32_t sum = 0;
    for (int tile = 0; tile < 3; tile++) {
        const uint32_t *from = in + tile * 256;
        if (tile == 0) {
            cuda::memcpy_async(block, data, from, cuda::aligned_size_t<16>(sizeof data), bar);
        } else if (tile == 1) {
            cuda::memcpy_async(block, data, from, cuda::aligned_size_t<4>(sizeof data), bar);
        } else {
            cuda::memcpy_async(block, data, from, sizeof data, bar);
        }
        bar.arrive_and_wait();
        for (uint32_t i = block.thread_rank(); i < 256; i += block.size()) sum = sum * 19 + data[(i * 5 + tile) & 255];
        block.sync();
    }
    out[block.thread_rank()] = sum;
}
