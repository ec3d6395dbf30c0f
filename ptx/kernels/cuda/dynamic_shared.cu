// Shared memory whose size is given at launch: a scan of a block, float and double data, and an assertion that holds.
#include <cassert>
#include <cstdint>

extern __shared__ double pool[];

extern "C" __global__ void dynamic_shared(const uint32_t *in, float *sums, double *means) {
    const uint32_t thread = threadIdx.x, threads = blockDim.x;
    float *row = reinterpret_cast<float *>(pool + threads);
    assert(threads <= 256);
    const float value = static_cast<float>(in[thread] >> 16) * 0.125f;
    row[thread] = value;
    pool[thread] = static_cast<double>(static_cast<int32_t>(in[thread]));
    __syncthreads();
    for (uint32_t step = 1; step < threads; step *= 2) {
        const float before = thread >= step ? row[thread - step] : 0.0f;
        const double behind = thread + step < threads ? pool[thread + step] : 0.0;
        __syncthreads();
        row[thread] += before;
        pool[thread] = fma(behind, 0.5, pool[thread]);
        __syncthreads();
    }
    sums[thread] = row[thread];
    means[thread] = pool[thread];
}
