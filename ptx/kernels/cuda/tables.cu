// Tables in global and constant memory, one of pointers to others, and a variable of the module that keeps a sum.
#include <cstdint>

__device__ uint32_t primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__constant__ uint16_t squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__constant__ int64_t wide[4] = {-1, 0x123456789abcdefll, INT64_MIN, 42};
__device__ const uint8_t text[] = "arrive, wait, arrive, wait; invalidate.";
__device__ float scale = 0.75f;
__device__ uint32_t *rows[2] = {primes, primes + 8};
__device__ uint32_t total;

extern "C" __global__ void tables(uint32_t *out, uint64_t *wider) {
    const uint32_t thread = threadIdx.x;
    const uint32_t prime = primes[thread % 16], square = squares[(thread * 7) % 16];
    const uint32_t far = rows[thread & 1][thread % 8];
    const uint32_t letter = text[thread % (sizeof text - 1)];
    const float scaled = scale * static_cast<float>(square);
    atomicAdd(&total, prime);
    __syncthreads();
    out[thread] = prime * 1000000 + square * 1000 + far + (letter << 24) + static_cast<uint32_t>(scaled);
    wider[thread] = static_cast<uint64_t>(wide[thread % 4]) + total;
    __syncthreads();
    if (thread == 0) total = 0; // as it was, for the next launch
}
