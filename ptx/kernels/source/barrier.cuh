// Inline PTX in small functions, as many libraries have it.
#pragma once
#include <cstdint>

__device__ __forceinline__ uint32_t address(const void *place) { return uint32_t(__cvta_generic_to_shared(place)); }

__device__ __forceinline__ void init(uint64_t *barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
}

__device__ __forceinline__ void arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}

__device__ __forceinline__ bool try_wait(uint64_t *barrier, uint32_t parity) {
    uint32_t complete;
    asm volatile("{\n"
                 "  .reg .pred complete;\n"
                 "  mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
                 "  selp.b32 %0, 1, 0, complete;\n"
                 "}"
                 : "=r"(complete)
                 : "r"(address(barrier)), "r"(parity)
                 : "memory");
    return complete;
}

__device__ __forceinline__ void wait(uint64_t *barrier, uint32_t parity) {
    while (!try_wait(barrier, parity)) {
    }
}
