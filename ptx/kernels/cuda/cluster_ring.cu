#include "pipeline_classes.cuh"
// all-gather around a ring of CTAs: remote stores, then a remote arrival that releases at cluster scope; double buffers with acks
DEV void arrive_release(uint64_t const *p, uint32_t cta, uint32_t pred) {
  uint32_t a = arch::cast_smem_ptr_to_uint(p);
  asm volatile("{ .reg .b32 remAddr32; mapa.shared::cluster.u32 remAddr32, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remAddr32]; }" ::"r"(a), "r"(cta) : "memory");
}
extern "C" __global__ void __cluster_dims__(8, 1, 1) cluster_ring(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t box[2][64]; __shared__ uint64_t full[2], ack[2];
  uint32_t rank = arch::block_rank_in_cluster(), next = (rank + 1) % 8, prev = (rank + 7) % 8;
  if (threadIdx.x == 0) { for (int i = 0; i < 2; i++) { arch::ClusterBarrier::init(&full[i], 64); arch::ClusterBarrier::init(&ack[i], 64); } arch::fence_barrier_init(); }
  arch::cluster_arrive_relaxed(); arch::cluster_wait();
  uint32_t v = in[rank * 64 + threadIdx.x], acc = v;
  for (int i = 0; i < 7; i++) {
    int s = i & 1;
    // the next CTA has emptied its box
    if (i >= 2) {
      uint32_t a = arch::cast_smem_ptr_to_uint(&ack[s]), ok;
      do asm volatile("{ .reg .pred P1; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [%1], %2; selp.b32 %0, 1, 0, P1; }" : "=r"(ok) : "r"(a), "r"((i / 2 - 1) & 1) : "memory"); while (!ok);
    }
    uint32_t d = arch::cast_smem_ptr_to_uint(&box[s][threadIdx.x]), rd;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rd) : "r"(d), "r"(next));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(rd), "r"(v) : "memory");
    arrive_release(&full[s], next, 1);
    uint32_t f = arch::cast_smem_ptr_to_uint(&full[s]), ok;
    do asm volatile("{ .reg .pred P1; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [%1], %2; selp.b32 %0, 1, 0, P1; }" : "=r"(ok) : "r"(f), "r"((i / 2) & 1) : "memory"); while (!ok);
    v = box[s][threadIdx.x];
    arrive_release(&ack[s], prev, 1);
    acc = acc * 31 + v;
  }
  out[rank * 64 + threadIdx.x] = acc;
  arch::cluster_sync();
}
