#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
namespace cg = cooperative_groups;
// tiles of several warps: they synchronise through reserved shared memory
extern "C" __global__ void cg_large_tiles(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t box[256];
  auto block = cg::this_thread_block();
  auto t64 = cg::tiled_partition<64>(block); auto t128 = cg::tiled_partition<128>(block);
  uint32_t v = in[blockIdx.x * 256 + threadIdx.x];
  for (int i = 0; i < 2; i++) {
    box[threadIdx.x] = v; t64.sync();
    v += box[threadIdx.x ^ 63]; t128.sync();
    box[threadIdx.x] = v * 3; t128.sync();
    v ^= box[threadIdx.x ^ 127];
    t128.sync();
  }
  uint32_t s = cg::reduce(t128, v, cg::plus<uint32_t>()), x = cg::exclusive_scan(t64, v & 0xff);
  out[blockIdx.x * 256 + threadIdx.x] = s + x * 7 + t64.meta_group_rank();
}
