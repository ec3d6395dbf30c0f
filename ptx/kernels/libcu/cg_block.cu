// Cooperative groups of a block: sync, barrier_arrive/barrier_wait, tiles of 16 and of 4 with shuffles and votes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_block(const uint32_t *in, uint32_t *out) {
    __shared__ uint32_t row[128];
    auto block = cg::this_thread_block();
    auto tile16 = cg::tiled_partition<16>(block);
    auto tile4 = cg::tiled_partition<4>(tile16);
    const uint32_t thread = block.thread_rank();
    const uint32_t value = in[thread];
    uint32_t sum = value & 0xffff;
    for (int step = tile16.size() / 2; step > 0; step /= 2) sum += tile16.shfl_down(sum, step);
    sum = tile16.shfl(sum, 0);
    row[thread] = sum ^ tile4.shfl_xor(value, 3);
    auto token = block.barrier_arrive();
    const uint32_t odd = tile16.ballot(value & 1) + (tile4.any((value & 0xff) < 64) ? 0x10000 : 0);
    block.barrier_wait(cuda::std::move(token));
    uint32_t mixed = row[(thread * 5 + 1) % 128];
    block.sync();
    row[thread] = cg::reduce(tile16, value % 1000, cg::plus<uint32_t>()) + cg::inclusive_scan(tile4, value % 10);
    block.sync();
    out[thread * 4] = mixed;
    out[thread * 4 + 1] = odd;
    out[thread * 4 + 2] = row[127 - thread];
    out[thread * 4 + 3] = tile4.match_any(value & 3) + tile16.meta_group_rank();
}
