// A barrier for warps of 64 threads, of which a block of 32 threads has none.
#include "barrier.cuh"

__device__ __forceinline__ void begin(uint64_t *barrier, int threads) {
    if (threadIdx.x == 0) {
        init(barrier, threads / 64); // the mistake: 0 arrivals
    }
    __syncthreads();
}

__global__ void meet(int *out, int threads) {
    __shared__ uint64_t met;
    begin(&met, threads);
    arrive(&met);
    wait(&met, 0);
    out[threadIdx.x] = threads;
}
