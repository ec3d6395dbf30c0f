#include <cuda/atomic>
#include <cuda/barrier>
#include <cstdint>
#include "pipeline_classes.cuh"
// barriers handed over without __syncthreads: a flag in shared memory (release, acquire), one in global memory, a __syncwarp, another barrier
extern "C" __global__ void init_by_flag(uint32_t *flags, uint32_t *out) {
  __shared__ uint64_t a, b, c; __shared__ uint32_t flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  cuda::atomic_ref<uint32_t, cuda::thread_scope_block> f(flag);
  cuda::atomic_ref<uint32_t, cuda::thread_scope_device> g(flags[blockIdx.x]);
  if (threadIdx.x == 64) { arch::ClusterBarrier::init(&a, 96); f.store(1, cuda::memory_order_release); }
  while (f.load(cuda::memory_order_acquire) == 0) {}
  uint32_t v = threadIdx.x;
  arch::ClusterBarrier::arrive(&a); arch::ClusterBarrier::wait(&a, 0);
  if (threadIdx.x == 33) {
    arch::ClusterBarrier::init(&b, 96); asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flags + blockIdx.x) : "memory");
  }
  uint32_t seen; do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + blockIdx.x) : "memory"); while (!seen);
  arch::ClusterBarrier::arrive(&b); arch::ClusterBarrier::wait(&b, 0);
  // warp 2 initialises c, then arrives on a: who has waited for a may use c
  if (threadIdx.x == 95) arch::ClusterBarrier::init(&c, 96);
  arch::ClusterBarrier::arrive(&a); arch::ClusterBarrier::wait(&a, 1);
  arch::ClusterBarrier::arrive(&c); arch::ClusterBarrier::wait(&c, 0);
  __shared__ uint64_t d[3];
  int w = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) arch::ClusterBarrier::init(&d[w], 32);
  __syncwarp();
  arch::ClusterBarrier::arrive(&d[w]); arch::ClusterBarrier::wait(&d[w], 0);
  // volatile flag and fences
  __shared__ uint64_t e; volatile uint32_t *vf = &flag;
  if (threadIdx.x == 1) { arch::ClusterBarrier::init(&e, 96); __threadfence_block(); *vf = 2; }
  while (*vf != 2) {}
  __threadfence_block();
  arch::ClusterBarrier::arrive(&e); arch::ClusterBarrier::wait(&e, 0);
  __syncthreads();
  // barriers one after the other in the same memory
  for (int i = 1; i < 5; i++) {
    if (threadIdx.x == 0) { arch::ClusterBarrier::invalidate(&e); arch::ClusterBarrier::init(&e, 48 + 48 * (i & 1)); }
    __syncthreads();
    if ((i & 1) || threadIdx.x < 48) arch::ClusterBarrier::arrive(&e);
    arch::ClusterBarrier::wait(&e, 0);
    v = v * 3 + i;
    __syncthreads();
  }
  out[blockIdx.x * 96 + threadIdx.x] = v;
}
