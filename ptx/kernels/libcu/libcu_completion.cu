#include <cuda/barrier>
#include <cstdint>
struct Fold {
  uint32_t *data; uint32_t *sums;
  __device__ void operator()() noexcept { uint32_t s = 0; for (int i = 0; i < 96; i++) s = s * 5 + data[i]; sums[sums[15]++] = s; }
};
extern "C" __global__ void libcu_completion(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t data[96]; __shared__ uint32_t sums[16];
  using bar_t = cuda::barrier<cuda::thread_scope_block, Fold>;
  __shared__ alignas(bar_t) char raw[sizeof(bar_t)];
  bar_t *bar = reinterpret_cast<bar_t *>(raw);
  if (threadIdx.x == 0) { sums[15] = 0; new (bar) bar_t(96, Fold{data, sums}); }
  __syncthreads();
  uint32_t v = in[blockIdx.x * 96 + threadIdx.x];
  for (int i = 0; i < 4; i++) {
    data[threadIdx.x] = v;
    auto t = bar->arrive();
    v = v * 3 + i;
    bar->wait(std::move(t));
    v += sums[i];
    bar->arrive_and_wait();
    v ^= sums[sums[15] - 1];
    __syncthreads(); // all have read the length
    // the libcu_completion of the second phase added an entry: keep the list short
    if (threadIdx.x == 0) sums[15] = i + 1;
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = v;
}
