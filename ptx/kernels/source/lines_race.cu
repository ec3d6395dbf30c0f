// Turns a tile round without waiting until it is filled.
#include <cstdint>

__device__ __forceinline__ void store(float *tile, float value) { tile[threadIdx.x] = value; }

__device__ __forceinline__ float load(const float *tile, int last) { return tile[last - threadIdx.x]; }

__global__ void reverse(const float *in, float *out, int count) {
    __shared__ float tile[64];
    store(tile, in[threadIdx.x]);
    // the mistake: no __syncthreads()
    out[threadIdx.x] = load(tile, count - 1);
}
