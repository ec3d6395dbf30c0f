#include <cstdint>
// block 0 computes for a long while before it sets the flag for which block 1 spins
extern "C" __global__ void grid_long_wait(uint32_t *flag, uint32_t *out) {
  uint32_t v = threadIdx.x;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 3000; i++) v = v * 1664525u + 1013904223u + (v >> 7);
    out[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    if (threadIdx.x == 0) { uint32_t f; do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(flag) : "memory"); while (!f); }
    __syncthreads();
    out[64 + threadIdx.x] = ((volatile uint32_t *)out)[threadIdx.x] ^ v;
  }
}
