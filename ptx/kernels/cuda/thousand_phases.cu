// 256 threads and a thousand phases of one barrier: in each, every thread reads what two others wrote in it.
#include "mbarrier.cuh"

extern "C" __global__ void thousand_phases(uint32_t phases, uint32_t *out) {
    __shared__ uint64_t barrier;
    __shared__ uint32_t row[2][256];
    const uint32_t thread = threadIdx.x;
    if (thread == 0) mbarrier_init(&barrier, 256);
    __syncthreads();
    uint32_t value = thread;
    for (uint32_t phase = 0; phase < phases; phase++) {
        row[phase & 1][thread] = value;
        mbarrier_arrive(&barrier);
        mbarrier_wait_parity(&barrier, phase & 1);
        value = row[phase & 1][(thread + 1) & 255] * 3 + row[phase & 1][(thread + 128) & 255] + phase;
    }
    out[thread] = value;
}
