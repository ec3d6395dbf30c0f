// Without optimisation and with everything for a debugger: nvcc -G.
#include "mbarrier.cuh"

struct Step {
    uint32_t phase;
    uint32_t value;
};

__device__ uint32_t next(const Step *step, const uint32_t *row, uint32_t thread) {
    uint32_t sum = step->value;
    for (uint32_t i = 1; i <= 2; i++) sum += row[(thread + i * step->phase) % 32] >> i;
    return sum;
}

extern "C" __global__ void debug(const uint32_t *in, uint32_t *out, uint32_t phases) {
    __shared__ uint64_t barrier;
    __shared__ uint32_t row[2][32];
    const uint32_t thread = threadIdx.x;
    if (thread == 0) mbarrier_init(&barrier, 32);
    __syncthreads();
    Step step = {0, in[thread]};
    for (; step.phase < phases; step.phase++) {
        row[step.phase & 1][thread] = step.value;
        mbarrier_arrive(&barrier);
        mbarrier_wait_parity(&barrier, step.phase & 1);
        step.value = next(&step, row[step.phase & 1], thread);
    }
    out[thread] = step.value;
}
