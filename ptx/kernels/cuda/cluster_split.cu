// barrier.cluster in its two halves, relaxed and releasing, over many rounds; remote stores, and a warp that leaves early.
#include "mbarrier.cuh"

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_split(uint32_t rounds, uint32_t *out) {
    __shared__ uint32_t box[2][64];
    const uint32_t rank = cluster_rank(), thread = threadIdx.x;
    if (thread >= 64) return; // counted out
    uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(box)), "r"(rank ^ 1));
    uint32_t value = rank * 100 + thread;
    cluster_sync();
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t place = ((round & 1) * 64 + (63 - thread)) * 4;
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote + place), "r"(value) : "memory");
        if (round % 3 == 2) {
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
            asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
        } else {
            asm volatile("barrier.cluster.arrive;" ::: "memory");
        }
        const uint32_t own = value * 7 + round; // needs nobody
        asm volatile("barrier.cluster.wait;" ::: "memory");
        value = own ^ box[round & 1][thread];
    }
    cluster_sync();
    out[blockIdx.x * 64 + thread] = value;
}
