// Wrappers as tutorials write them: a bulk copy started before its bytes are expected, a wait on a token, a wait loop of
// PTX with a time hint and the phase flipped by the wait.
#include <cstdint>

__device__ __forceinline__ uint32_t smem(const void *pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void wait_with_hint(uint64_t *barrier, uint32_t &phase) {
    asm volatile(
        "{\n\t"
        ".reg .pred done; \n\t"
        "TRY_AGAIN: \n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, %2; \n\t"
        "@done bra COMPLETE; \n\t"
        "bra TRY_AGAIN; \n\t"
        "COMPLETE: \n\t"
        "}" ::"r"(smem(barrier)),
        "r"(phase), "r"(0x989680)
        : "memory");
    phase ^= 1;
}

__device__ __forceinline__ void wait_for_token(uint64_t *barrier, uint64_t token) {
    asm volatile(
        "{\n"
        ".reg .pred                done;\n"
        "WAIT_TOKEN:\n"
        "mbarrier.try_wait.shared::cta.b64 done, [%0], %1;\n"
        "@done                     bra DONE_TOKEN;\n"
        "bra                       WAIT_TOKEN;\n"
        "DONE_TOKEN:\n"
        "}\n" ::"r"(smem(barrier)),
        "l"(token)
        : "memory");
}

extern "C" __global__ void tutorial(const float *src, float *dst, int n) {
    __shared__ alignas(128) float tile[128];
    __shared__ uint64_t loaded, used;
    const int thread = threadIdx.x;
    const uint32_t bytes = sizeof tile;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(smem(&loaded)), "r"(1) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(smem(&used)), "r"(blockDim.x) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    uint32_t phase = 0;
    for (int first = 0; first < n; first += 128) {
        if (thread == 0) {
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3]; \n\t" ::"r"(
                    smem(tile)),
                "l"(src + first), "r"(bytes), "r"(smem(&loaded))
                : "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %0; \n\t" ::"r"(bytes), "r"(smem(&loaded))
                         : "memory");
        }
        wait_with_hint(&loaded, phase);
        const float a = tile[thread], b = tile[127 - thread];
        dst[first + thread] = a * 2.5f + b;
        uint64_t token;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];\n" : "=l"(token) : "r"(smem(&used)) : "memory");
        wait_for_token(&used, token);
    }
}
