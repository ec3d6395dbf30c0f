// The same as addresses32 by generic 64-bit addresses.
#include <cstdint>

extern "C" __global__ void addresses64(const uint32_t *in, uint32_t *out) {
    __shared__ uint64_t barrier;
    __shared__ uint32_t data[96];
    const uint32_t thread = threadIdx.x;
    uint32_t *row = data;
    asm volatile("" : "+l"(row)); // what memory it points to is no longer known
    if (thread == 0) asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(&barrier), "r"(blockDim.x) : "memory");
    __syncthreads();
    uint32_t value = in[thread];
    for (uint32_t phase = 0; phase < 5; phase++) {
        row[thread] = value;
        uint64_t token;
        asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(&barrier) : "memory");
        uint32_t complete = 0;
        while (complete == 0) {
            asm volatile("{ .reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                         : "=r"(complete)
                         : "l"(&barrier), "l"(token)
                         : "memory");
        }
        const uint32_t other = row[(thread + 31) % 96];
        asm volatile("mbarrier.arrive.release.cta.b64 _, [%0], 1;" ::"l"(&barrier) : "memory");
        complete = 0;
        while (complete == 0) {
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.b64 p, [%1], 1, 2000; selp.b32 %0, 1, 0, p; }"
                         : "=r"(complete)
                         : "l"(&barrier)
                         : "memory");
        }
        value = value * 5 + other;
    }
    __syncthreads();
    if (thread == 0) asm volatile("mbarrier.inval.b64 [%0];" ::"l"(&barrier) : "memory");
    out[thread] = value;
}
