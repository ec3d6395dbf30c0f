#include <cuda/semaphore>
#include <cuda/latch>
#include <cuda/atomic>
#include <cstdint>
extern "C" __global__ void libcu_semaphore(uint32_t *out) {
  __shared__ alignas(8) char raw[5][32];
  __shared__ uint32_t ring[4], total, order[4];
  auto *free_ = reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_block, 4> *>(raw[0]);
  auto *used = reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_block, 4> *>(raw[1]);
  auto *lock = reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_block> *>(raw[2]);
  auto *start = reinterpret_cast<cuda::latch<cuda::thread_scope_block> *>(raw[3]);
  auto *end = reinterpret_cast<cuda::latch<cuda::thread_scope_device> *>(raw[4]);
  if (threadIdx.x == 0) {
    new (free_) cuda::counting_semaphore<cuda::thread_scope_block, 4>(4);
    new (used) cuda::counting_semaphore<cuda::thread_scope_block, 4>(0);
    new (lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    new (start) cuda::latch<cuda::thread_scope_block>(128);
    new (end) cuda::latch<cuda::thread_scope_device>(4);
    total = 0;
  }
  __syncthreads();
  start->arrive_and_wait();
  uint32_t sum = 0;
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < 24; i++) { free_->acquire(); ring[i % 4] = i * i + blockIdx.x; used->release(); }
    end->count_down();
  } else if (threadIdx.x == 32) {
    for (uint32_t i = 0; i < 24; i++) { used->acquire(); sum = sum * 3 + ring[i % 4]; free_->release(); }
    end->count_down();
  } else if (threadIdx.x % 32 == 7) {
    for (int i = 0; i < 5; i++) { lock->acquire(); total = total * 1 + threadIdx.x; lock->release(); }
    if (threadIdx.x >= 64) end->count_down(); 
  }
  end->wait();
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = sum + total;
}
