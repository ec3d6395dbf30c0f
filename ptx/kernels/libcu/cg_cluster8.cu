#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 2, 2) cg_cluster8(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t mine[32]; __shared__ unsigned long long sum;
  cg::cluster_group cluster = cg::this_cluster();
  auto block = cg::this_thread_block();
  unsigned rank = cluster.block_rank();
  dim3 at = cluster.block_index(); dim3 dims = cluster.dim_blocks();
  if (block.thread_rank() == 0) sum = 0;
  mine[threadIdx.x] = in[rank * 32 + threadIdx.x];
  auto tok = cluster.barrier_arrive();
  uint32_t v = at.x + at.y * 10 + at.z * 100 + dims.z * 1000 + cluster.num_threads();
  cluster.barrier_wait(std::move(tok));
  for (unsigned r = 0; r < cluster.num_blocks(); r++) v = v * 3 + *cluster.map_shared_rank(&mine[(threadIdx.x + r) % 32], r);
  cluster.sync();
  // everybody adds to CTA 5's sum
  atomicAdd(cluster.map_shared_rank(&sum, 5), (unsigned long long)v << 8);
  uint32_t *next = cluster.map_shared_rank(mine, (rank + 1) % 8);
  next[31 - threadIdx.x] = v;
  cluster.sync();
  out[rank * 32 + threadIdx.x] = mine[threadIdx.x] + cluster.query_shared_rank(next);
  if (rank == 5 && threadIdx.x == 0) { out[256] = (uint32_t)sum; out[257] = (uint32_t)(sum >> 32); }
  cluster.sync();
}
