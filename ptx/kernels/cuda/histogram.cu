// Atomics: a histogram in shared memory, joined in global memory; the block that is through last looks for the fullest bin.
#include <cstdint>

extern "C" __global__ void histogram(const uint32_t *in, uint32_t *bins, uint32_t *done, uint32_t *most) {
    __shared__ uint32_t local[64];
    __shared__ uint32_t low, high;
    __shared__ bool last;
    const uint32_t thread = threadIdx.x;
    if (thread < 64) local[thread] = 0;
    if (thread == 0) low = UINT32_MAX, high = 0;
    __syncthreads();
    for (uint32_t i = thread; i < 256; i += blockDim.x) {
        const uint32_t word = in[blockIdx.x * 256 + i];
        for (int shift = 0; shift < 24; shift += 6) atomicAdd(&local[(word >> shift) & 63], 1);
        atomicMin(&low, word);
        atomicMax(&high, word);
    }
    __syncthreads();
    if (thread < 64) atomicAdd(&bins[thread], local[thread]);
    if (thread == 64) {
        atomicMax(&most[2], ~low);
        atomicXor(&most[3], high);
    }
    __threadfence();
    __syncthreads();
    if (thread == 0) last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && thread == 0) {
        uint32_t fullest = 0;
        for (uint32_t bin = 0; bin < 64; bin++) {
            const uint32_t count = reinterpret_cast<volatile uint32_t *>(bins)[bin];
            if (count > fullest) fullest = count, most[0] = bin;
        }
        most[1] = fullest;
    }
}
