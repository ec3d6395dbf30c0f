// An entry with a mangled name and parameters of several widths, one of them a structure; local arrays that stay in local memory.
#include <cuda/barrier>
#include <cstdint>

template <typename T, int N> __global__ void templated(T *out, uint16_t seed, uint64_t wide, uint8_t small) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
    __shared__ T row[2][64];
    T local[N];
    const int thread = threadIdx.x;
    if (thread < 2) init(&bar[thread], 64);
    __syncthreads();
    for (int i = 0; i < N; i++) local[i] = static_cast<T>(wide >> (i * 4)) + seed + thread;
    for (int round = 0; round < 4; round++) {
        const int side = round & 1;
        const int pick = (thread * 7 + round + small) % N; // not known before it runs: the array is in memory
        local[pick] += static_cast<T>(round) << 33;
        row[side][thread] = local[pick];
        bar[side].arrive_and_wait();
        local[(pick + 1) % N] ^= row[side][63 - thread];
    }
    T sum = 0;
    for (int i = 0; i < N; i++) sum = sum * 3 + local[i];
    out[thread] = sum;
}

template __global__ void templated<uint64_t, 5>(uint64_t *, uint16_t, uint64_t, uint8_t);
