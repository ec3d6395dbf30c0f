#include "pipeline_classes.cuh"
// classes_persistent: one warp takes tile numbers from a counter, one loads, one works; the scheduler hands numbers over in shared memory
struct Shared { alignas(128) uint32_t tile[2][64]; uint64_t sched_full[2], sched_empty[2], full[2], empty[2]; int work[2]; };
extern "C" __global__ void classes_persistent(const uint32_t *in, uint32_t *counter, uint32_t *out, int tiles) {
  __shared__ Shared s;
  using B = arch::ClusterBarrier;
  auto tb = [&](uint64_t &b) -> arch::ClusterTransactionBarrier & { return reinterpret_cast<arch::ClusterTransactionBarrier &>(b); };
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 32) {
#pragma unroll
    for (int i = 0; i < 2; i++) { B::init(&s.sched_full[i], 1); B::init(&s.sched_empty[i], 2); B::init(&s.full[i], 1); B::init(&s.empty[i], 32); }
    arch::fence_view_async_shared();
  }
  __syncthreads();
  if (warp == 0) {
    if (arch::elect_one_sync()) {
      for (int i = 0;; i++) {
        B::wait(&s.sched_empty[i & 1], (i / 2 & 1) ^ 1);
        int t = atomicAdd(counter, 1);
        s.work[i & 1] = t < tiles ? t : -1;
        B::arrive(&s.sched_full[i & 1]);
        if (t >= tiles) break;
      }
    }
  } else if (warp == 1) {
    if (arch::elect_one_sync()) {
      for (int i = 0;; i++) {
        B::wait(&s.sched_full[i & 1], i / 2 & 1);
        int t = s.work[i & 1];
        B::arrive(&s.sched_empty[i & 1]);
        if (t < 0) break;
        B::wait(&s.empty[i & 1], (i / 2 & 1) ^ 1);
        tb(s.full[i & 1]).arrive_and_expect_tx(256);
        arch::bulk_g2s(s.tile[i & 1], in + t * 64, 256, &s.full[i & 1]);
      }
    }
  } else {
    for (int i = 0;; i++) {
      B::wait(&s.sched_full[i & 1], i / 2 & 1);
      int t = *(volatile int *)&s.work[i & 1];
      __syncwarp();
      if (threadIdx.x % 32 == 0) B::arrive(&s.sched_empty[i & 1]);
      if (t < 0) return;
      B::wait(&s.full[i & 1], i / 2 & 1);
      uint32_t v = s.tile[i & 1][threadIdx.x % 32] ^ s.tile[i & 1][32 + threadIdx.x % 32] * 3;
      B::arrive(&s.empty[i & 1]);
      v = __reduce_add_sync(~0u, v);
      if (threadIdx.x % 32 == 5) out[t] = v;
    }
  }
}
