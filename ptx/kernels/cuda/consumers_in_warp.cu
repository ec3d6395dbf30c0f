#include "pipeline_classes.cuh"
// several consumers in each warp: groups of eight lanes have barriers of their own, and lane 31 of each warp copies
struct alignas(16) Stage { uint4 data[8]; uint64_t full; uint64_t empty; };
extern "C" __global__ void consumers_in_warp(const uint4 *in, uint32_t *out) {
  __shared__ Stage stages[2][3][2];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, group = lane >> 3;
  if (threadIdx.x < 12) {
    Stage &s = (&stages[0][0][0])[threadIdx.x];
    arch::ClusterBarrier::init(&s.full, 1); arch::ClusterBarrier::init(&s.empty, 8);
  }
  arch::fence_view_async_shared();
  __syncthreads();
  uint32_t acc = threadIdx.x;
  if (group == 3) {
    if (lane == 31) for (int i = 0; i < 6; i++) for (int g = 0; g < 3; g++) {
      Stage &s = stages[warp][g][i & 1];
      if (i >= 2) arch::ClusterBarrier::wait(&s.empty, ((i >> 1) & 1) ^ 1);
      reinterpret_cast<arch::ClusterTransactionBarrier &>(s.full).arrive_and_expect_tx(128);
      arch::bulk_g2s(s.data, in + ((warp * 3 + g) * 6 + i) * 4, 128, &s.full);
    }
  } else {
    for (int i = 0; i < 6; i++) {
      Stage &s = stages[warp][group][i & 1];
      arch::ClusterBarrier::wait(&s.full, (i >> 1) & 1);
      uint4 v = s.data[lane & 7];
      acc = acc * 5 + (v.x ^ v.y) + (v.z ^ v.w);
      arch::ClusterBarrier::arrive(&s.empty);
    }
    acc += __shfl_xor_sync(0xffu << (group * 8), acc, 5);
  }
  out[threadIdx.x] = acc;
}
