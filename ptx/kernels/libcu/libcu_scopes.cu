#include <cuda/barrier>
#include <cuda/atomic>
#include <cuda/latch>
#include <cstdint>
// a barrier of device scope in global memory, and of system, thread and block scope
__device__ alignas(16) unsigned char raw_device[sizeof(cuda::barrier<cuda::thread_scope_device>)];
__device__ alignas(16) unsigned char raw_system[sizeof(cuda::barrier<cuda::thread_scope_system>)];
__device__ uint32_t exchange[192];
extern "C" __global__ void libcu_scopes(const uint32_t *in, uint32_t *ready, uint32_t *out) {
  auto &dev = *reinterpret_cast<cuda::barrier<cuda::thread_scope_device> *>(raw_device);
  auto &sys = *reinterpret_cast<cuda::barrier<cuda::thread_scope_system> *>(raw_system);
  cuda::atomic_ref<uint32_t, cuda::thread_scope_device> flag(*ready);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    init(&dev, 192); init(&sys, 3);
    flag.store(1, cuda::memory_order_release);
    flag.notify_all();
  }
  flag.wait(0, cuda::memory_order_acquire);
  uint32_t me = blockIdx.x * 64 + threadIdx.x, v = in[me];
  for (int i = 0; i < 3; i++) {
    exchange[me] = v;
    dev.arrive_and_wait();
    v = v * 5 + exchange[(me + 65) % 192];
    dev.arrive_and_wait();
  }
  __syncthreads();
  if (threadIdx.x == 0) sys.arrive_and_wait();
  __syncthreads();
  out[me] = v;
}
