#include <cstdint>
// more blocks than run side by side in small machines: all wait for all
extern "C" __global__ void grid_all_wait(uint32_t *count, uint32_t *out) {
  if (threadIdx.x == 0) {
    out[blockIdx.x] = blockIdx.x * 3;
    __threadfence();
    atomicAdd(count, 1);
    while (*(volatile uint32_t *)count < gridDim.x) {}
    __threadfence();
    atomicAdd(&out[(blockIdx.x + 1) % gridDim.x], ((volatile uint32_t *)out)[(blockIdx.x + 5) % gridDim.x] * 0 + 1);
  }
}
