// cooperative_groups::memcpy_async with wait and wait_prior.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_memcpy_async(const uint32_t *in, uint32_t *out) {
    __shared__ alignas(16) uint32_t data[2][128];
    auto block = cg::this_thread_block();
    const uint32_t thread = block.thread_rank();
    cg::memcpy_async(block, data[0], in, cuda::aligned_size_t<16>(512));
    uint32_t sum = 0;
    for (int tile = 0; tile < 4; tile++) {
        if (tile + 1 < 4) {
            cg::memcpy_async(block, data[(tile + 1) & 1], in + (tile + 1) * 128, cuda::aligned_size_t<16>(512));
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        for (uint32_t i = thread; i < 128; i += block.size()) sum = sum * 41 + data[tile & 1][i ^ 1];
        block.sync();
    }
    out[thread] = sum;
}
