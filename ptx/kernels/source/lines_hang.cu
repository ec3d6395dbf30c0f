// A ring whose producer waits for slots that are empty from the beginning, with the parity of slots that are filled.
#include "barrier.cuh"

namespace rings {

template <int STAGES> __global__ void ring(const float *in, float *out, int tiles) {
    __shared__ float slots[STAGES][32];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 32);
            init(&empty[s], 32);
        }
    }
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        const int s = tile % STAGES;
        const uint32_t parity = tile / STAGES & 1;
        if (threadIdx.x < 32) {
            wait(&empty[s], parity); // the mistake: parity ^ 1
            slots[s][lane] = in[tile * 32 + lane];
            arrive(&full[s]);
        } else {
            wait(&full[s], parity);
            out[tile * 32 + lane] = slots[s][lane];
            arrive(&empty[s]);
        }
    }
}

template __global__ void ring<2>(const float *, float *, int);

} // namespace rings
