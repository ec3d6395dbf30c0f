// Calls that stay calls: functions with values, pointers and structures, one that uses a barrier, one that gives a structure back.
#include "mbarrier.cuh"

struct Pair {
    uint32_t low;
    uint64_t high;
};

__device__ __noinline__ uint32_t mix(uint32_t a, uint32_t b) {
    a ^= rotate(b, a & 31);
    return a * 0x9e3779b1u + b;
}

__device__ __noinline__ Pair widen(uint32_t a, uint16_t b) {
    return Pair{a + b, static_cast<uint64_t>(a) * b};
}

__device__ __noinline__ void meet(uint64_t *barrier, uint32_t parity) {
    mbarrier_arrive(barrier);
    mbarrier_wait_parity(barrier, parity);
}

__device__ __noinline__ void put(uint32_t *place, uint32_t value) { *place = value; }

__device__ __noinline__ bool odd(uint32_t a) { return a & 1; }

extern "C" __global__ void device_call(const uint32_t *in, uint64_t *out) {
    __shared__ uint64_t barrier;
    __shared__ uint32_t row[64];
    const uint32_t thread = threadIdx.x;
    if (thread == 0) mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    uint32_t value = in[thread];
    for (uint32_t round = 0; round < 3; round++) {
        put(&row[thread], mix(value, round));
        meet(&barrier, 0);
        value = mix(row[(thread + 1) % 64], thread);
        meet(&barrier, 1);
        if (odd(value)) value = mix(value, 77);
    }
    const Pair pair = widen(value, static_cast<uint16_t>(thread * 257));
    out[thread] = pair.high ^ pair.low;
}
