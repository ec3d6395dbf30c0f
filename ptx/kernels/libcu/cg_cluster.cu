// Cooperative groups of a cluster: sync, barrier_arrive/barrier_wait, and shared memory of the other CTAs.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1) cg_cluster(const uint32_t *in, uint32_t *out) {
    __shared__ uint32_t mine[64];
    __shared__ uint32_t bins[4];
    auto cluster = cg::this_cluster();
    const uint32_t thread = threadIdx.x, rank = cluster.block_rank(), ranks = cluster.num_blocks();
    const uint32_t value = in[cluster.thread_rank()];
    mine[thread] = value;
    if (thread < 4) bins[thread] = 0;
    cluster.sync();
    const uint32_t *next = cluster.map_shared_rank(mine, (rank + 1) % ranks);
    const uint32_t *last = cluster.map_shared_rank(mine, (rank + ranks - 1) % ranks);
    const uint32_t mixed = next[thread] * 3 + last[63 - thread];
    atomicAdd(cluster.map_shared_rank(bins, value % ranks) + rank, value >> 20);
    auto token = cluster.barrier_arrive();
    const uint32_t own = mixed ^ value; // needs nobody
    cluster.barrier_wait(cuda::std::move(token));
    out[cluster.thread_rank()] = own + bins[thread % 4];
    cluster.sync();
}
