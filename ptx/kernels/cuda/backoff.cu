#include <cstdint>
#include <cstdio>
#include <cassert>
// waits with exponential backoff, a deadline by clock64 and by globaltimer; printf, assert and trap are never reached
__device__ __forceinline__ uint64_t gtime() { uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ bool test(uint64_t *b, uint32_t parity) {
  uint32_t ok;
  asm volatile("{ .reg .pred P; mbarrier.test_wait.parity.b64 P, [%1], %2; selp.u32 %0, 1, 0, P; }" : "=r"(ok) : "l"(b), "r"(parity) : "memory");
  return ok;
}
__device__ __noinline__ void slow_wait(uint64_t *b, uint32_t parity, const char *who) {
  long long begin = clock64(); uint64_t t0 = gtime();
  unsigned ns = 8;
  while (!test(b, parity)) {
    __nanosleep(ns);
    ns = ns < 256 ? ns * 2 : 256;
    if (clock64() - begin > 2000000000ll) { printf("timeout of %s: block %d thread %d\n", who, blockIdx.x, threadIdx.x); __trap(); }
    if (gtime() - t0 > 4000000000ull) { printf("late\n"); assert(false && "late"); }
  }
}
extern "C" __global__ void backoff(uint32_t *out) {
  __shared__ uint64_t bar[3]; __shared__ uint32_t box;
  if (threadIdx.x < 3) { asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(&bar[threadIdx.x]), "r"(threadIdx.x == 2 ? 96 : 32) : "memory"); }
  __syncthreads();
  uint32_t v = threadIdx.x;
  int w = threadIdx.x / 32;
  for (int i = 0; i < 4; i++) {
    if (w == 0) {
      __nanosleep(1000);
      if (threadIdx.x == 0) box = i * 7 + 1;
      __syncwarp();
      asm volatile("{ .reg .b64 s; mbarrier.arrive.b64 s, [%0]; }" ::"l"(&bar[i & 1]) : "memory");
      slow_wait(&bar[2], i & 1, "producer");
    } else {
      slow_wait(&bar[i & 1], i >> 1, "consumer");
      v = v * 5 + box;
      assert(box == i * 7 + 1);
      asm volatile("{ .reg .b64 s; mbarrier.arrive.b64 s, [%0]; }" ::"l"(&bar[2]) : "memory");
    }
  }
  out[threadIdx.x] = v;
}
