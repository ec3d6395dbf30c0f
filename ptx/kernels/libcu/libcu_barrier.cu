// cuda::barrier between all threads of a block: arrive with a token, work in between, wait; several phases.
#include <cuda/barrier>
#include <cstdint>

extern "C" __global__ void libcu_barrier(const uint32_t *in, uint32_t *out, uint32_t rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    __shared__ uint32_t row[2][128];
    const uint32_t thread = threadIdx.x, threads = blockDim.x;
    if (thread == 0) init(&bar, threads);
    __syncthreads();
    uint32_t value = in[blockIdx.x * threads + thread];
    for (uint32_t round = 0; round < rounds; round++) {
        row[round & 1][thread] = value;
        barrier::arrival_token token = bar.arrive();
        const uint32_t mine = value * 2654435761u; // needs nobody
        bar.wait(cuda::std::move(token));
        value = mine + row[round & 1][(thread + 1) % threads] + row[round & 1][(thread + threads - 3) % threads];
    }
    bar.arrive_and_wait();
    out[blockIdx.x * threads + thread] = value;
}
