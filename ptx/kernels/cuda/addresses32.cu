// Barriers and data in shared memory by 32-bit addresses, all through inline PTX.
#include "mbarrier.cuh"

extern "C" __global__ void addresses32(const uint32_t *in, uint32_t *out) {
    __shared__ uint64_t barrier;
    __shared__ uint32_t data[96];
    const uint32_t thread = threadIdx.x;
    const uint32_t base = shared_address(data);
    if (thread == 0) mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    uint32_t value = in[thread];
    for (uint32_t phase = 0; phase < 5; phase++) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(base + 4 * thread), "r"(value) : "memory");
        const uint64_t token = mbarrier_arrive_token(&barrier);
        uint32_t complete = 0;
        while (complete == 0) {
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                         : "=r"(complete)
                         : "r"(shared_address(&barrier)), "l"(token)
                         : "memory");
        }
        uint32_t other;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(other) : "r"(base + 4 * ((thread + 31) % 96)) : "memory");
        mbarrier_arrive(&barrier);
        mbarrier_wait_parity(&barrier, 1);
        value = value * 5 + other;
    }
    __syncthreads();
    if (thread == 0) mbarrier_inval(&barrier);
    out[thread] = value;
}
