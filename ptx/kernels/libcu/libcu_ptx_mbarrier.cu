#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;
template <class T> __device__ T *mapped(T *p, unsigned r) { return (T *)__cluster_map_shared_rank(p, r); }
__device__ bool leader() { unsigned p; asm volatile("{ .reg .pred P; elect.sync _|P, 0xffffffff; selp.u32 %0, 1, 0, P; }" : "=r"(p)); return p; }
extern "C" __global__ void libcu_ptx_mbarrier(const uint32_t *in, uint32_t *out) {
  using ptx::sem_release; using ptx::sem_acquire; using ptx::sem_relaxed; using ptx::scope_cta; using ptx::scope_cluster;
  using ptx::space_shared; using ptx::space_cluster; using ptx::space_global;
  __shared__ uint64_t bar, drop, remote, tx;
  __shared__ alignas(16) uint32_t buf[64], buf2[64];
  uint32_t tid = threadIdx.x, rank = ptx::get_sreg_cluster_ctarank();
  if (tid == 0) {
    ptx::mbarrier_init(&bar, 64); ptx::mbarrier_init(&drop, 64); ptx::mbarrier_init(&remote, 64 * 2); ptx::mbarrier_init(&tx, 1);
    ptx::fence_mbarrier_init(sem_release, scope_cluster);
    ptx::fence_proxy_async(space_shared);
  }
  ptx::barrier_cluster_arrive(sem_release); ptx::barrier_cluster_wait(sem_acquire);
  uint32_t acc = tid + rank * 1000, polls = 0;
  uint64_t t = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_test_wait(&bar, t)) polls++;
  if (tid == 5) { t = ptx::mbarrier_arrive_no_complete(&bar, 1); } else if (tid == 6) { t = ptx::mbarrier_arrive(&bar, 1u); } else t = ptx::mbarrier_arrive(sem_release, scope_cta, space_shared, &bar);
  while (!ptx::mbarrier_try_wait(&bar, t)) {}
  t = ptx::mbarrier_arrive(sem_release, scope_cluster, space_shared, &bar);
  while (!ptx::mbarrier_try_wait(sem_acquire, scope_cta, &bar, t, 500u)) {}
  t = ptx::mbarrier_arrive(sem_release, scope_cta, space_shared, &bar, 1u);
  while (!ptx::mbarrier_test_wait_parity(&bar, 1)) {}
  t = ptx::mbarrier_arrive(sem_release, scope_cluster, space_shared, &bar, 1u);
  while (!ptx::mbarrier_try_wait_parity(sem_acquire, scope_cluster, &bar, 0)) {}
  // remote arrivals
  uint64_t *peer = mapped(&remote, rank ^ 1);
  ptx::mbarrier_arrive(sem_release, scope_cluster, space_cluster, peer);
  ptx::mbarrier_arrive(sem_release, scope_cluster, space_cluster, mapped(&remote, rank), 1u);
  while (!ptx::mbarrier_try_wait_parity(sem_acquire, scope_cluster, &remote, 0, 1000u)) {}
  acc += __cluster_query_shared_rank(peer) * 7;
  // bytes
  if (tid == 0) {
    ptx::mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &tx, 128);
    ptx::cp_async_bulk(space_cluster, space_global, buf, in + rank * 64, 128, &tx);
  }
  while (!ptx::mbarrier_test_wait_parity(sem_acquire, scope_cluster, &tx, 0)) {}
  if (tid < 32) acc ^= buf[tid];
  __syncthreads();
  if (tid == 63) {
    ptx::mbarrier_expect_tx(sem_relaxed, scope_cta, space_shared, &tx, 256u);
    ptx::mbarrier_arrive(&tx);
    ptx::cp_async_bulk(space_shared, space_global, buf, in + 128 + rank * 64, 256, &tx);
  }
  while (!ptx::mbarrier_try_wait_parity(&tx, 1u, 100u)) {}
  acc = acc * 3 + buf[63 - tid];
  buf2[tid] = acc;
  ptx::fence_proxy_async(space_shared);
  __syncthreads();
  if (tid < 32 && leader()) {
    ptx::cp_async_bulk(space_global, space_shared, out + rank * 64, buf2, 256);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
  out[256 + rank * 64 + tid] = acc + ptx::get_sreg_ntid_x() + ptx::get_sreg_nctaid_x() + ptx::get_sreg_lanemask_lt();
  ptx::barrier_cluster_arrive(sem_relaxed); ptx::barrier_cluster_wait();
}
