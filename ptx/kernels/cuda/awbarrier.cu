#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
#include <cstdint>
extern "C" __global__ void awbarrier(const uint32_t *in, uint32_t *out) {
  __shared__ __mbarrier_t bar, bar2;
  __shared__ uint32_t data[128], copied[128];
  if (threadIdx.x == 0) { __mbarrier_init(&bar, blockDim.x); __mbarrier_init(&bar2, blockDim.x); }
  __syncthreads();
  out[threadIdx.x] = __mbarrier_maximum_count();
  uint32_t v = threadIdx.x;
  for (int i = 0; i < 3; i++) {
    data[threadIdx.x] = v;
    __mbarrier_token_t t = __mbarrier_arrive(&bar);
    v = v * 17 + i;
    while (!__mbarrier_test_wait(&bar, t)) {}
    v += data[(threadIdx.x + 31) % 128];
    if (threadIdx.x == 127) out[128 + i] = __mbarrier_token_pending_count(t) > 0;
    t = __mbarrier_arrive(&bar);
#if __CUDA_ARCH__ >= 900
    while (!__mbarrier_try_wait(&bar, t, 1000)) {}
#else
    while (!__mbarrier_test_wait(&bar, t)) {}
#endif
  }
  __pipeline_memcpy_async(&copied[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_arrive_on(&bar2);
  auto t2 = __mbarrier_arrive(&bar2);
  while (!__mbarrier_test_wait(&bar2, t2)) __nanosleep(20);
  v ^= copied[127 - threadIdx.x];
  __pipeline_memcpy_async(&data[threadIdx.x], &in[threadIdx.x ^ 1], 4, threadIdx.x % 3 ? 0 : 2);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  v += data[threadIdx.x];
  // half of the threads leave
  if (threadIdx.x % 64 >= 32) { __mbarrier_arrive_and_drop(&bar); }
  else {
    auto t = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, t)) {}
    t = __mbarrier_arrive(&bar); while (!__mbarrier_test_wait(&bar, t)) {}
    v++;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __mbarrier_inval(&bar); __mbarrier_inval(&bar2);
    __mbarrier_init(&bar, 5);
    auto t = __mbarrier_arrive(&bar);
    out[140] = __mbarrier_token_pending_count(t);
    __mbarrier_inval(&bar);
  }
  out[256 + threadIdx.x] = v;
}
