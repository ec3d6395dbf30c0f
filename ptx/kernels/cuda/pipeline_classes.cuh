// Barriers and pipelines as classes, in the manner of the template libraries for matrix kernels: inline PTX with labels of its
// own, states with an index and a phase bit, producers that begin with phase 1.
#pragma once
#include <cstdint>
#define DEV __device__ __forceinline__
namespace arch {
DEV uint32_t cast_smem_ptr_to_uint(void const *ptr) { return static_cast<uint32_t>(__cvta_generic_to_shared(ptr)); }
struct ClusterBarrier {
  using ValueType = uint64_t;
  ValueType barrier_;
  __device__ ClusterBarrier() = delete;
  DEV void init(uint32_t n) const { init(&this->barrier_, n); }
  DEV bool test_wait(uint32_t phase, uint32_t pred = true) const { return test_wait(&this->barrier_, phase, pred); }
  DEV bool try_wait(uint32_t phase) const { return try_wait(&this->barrier_, phase); }
  DEV void wait(uint32_t phase) const { wait(&this->barrier_, phase); }
  DEV void arrive() const { arrive(&this->barrier_); }
  DEV void arrive(uint32_t cta, uint32_t pred = true) const { arrive(&this->barrier_, cta, pred); }
  static DEV void init(ValueType const *p, uint32_t count) {
    uint32_t a = cast_smem_ptr_to_uint(p);
    asm volatile("{\n\t" "mbarrier.init.shared::cta.b64 [%1], %0; \n" "}" : : "r"(count), "r"(a));
  }
  static DEV void wait(ValueType const *p, uint32_t phase) {
    uint32_t a = cast_smem_ptr_to_uint(p);
    uint32_t ticks = 0x989680;
    asm volatile("{\n\t"
        ".reg .pred       P1; \n\t"
        "LAB_WAIT: \n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, %2; \n\t"
        "@P1 bra DONE; \n\t"
        "bra     LAB_WAIT; \n\t"
        "DONE: \n\t"
        "}" : : "r"(a), "r"(phase), "r"(ticks));
  }
  static DEV bool test_wait(ValueType const *p, uint32_t phase, uint32_t pred) {
    uint32_t a = cast_smem_ptr_to_uint(p), done;
    asm volatile("{\n\t"
        ".reg .pred P1; \n\t"
        ".reg .pred P2; \n\t"
        "setp.eq.u32 P2, %3, 1;\n\t"
        "@P2 mbarrier.test_wait.parity.shared::cta.b64 P1, [%1], %2; \n\t"
        "selp.b32 %0, 1, 0, P1; \n\t"
        "}" : "=r"(done) : "r"(a), "r"(phase), "r"(pred));
    return static_cast<bool>(done);
  }
  static DEV bool try_wait(ValueType const *p, uint32_t phase) {
    uint32_t a = cast_smem_ptr_to_uint(p), done;
    asm volatile("{\n\t"
        ".reg .pred P1; \n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 P1, [%1], %2; \n\t"
        "selp.b32 %0, 1, 0, P1; \n\t"
        "}" : "=r"(done) : "r"(a), "r"(phase));
    return static_cast<bool>(done);
  }
  static DEV void arrive(ValueType const *p, uint32_t cta, uint32_t pred) {
    uint32_t a = cast_smem_ptr_to_uint(p);
    asm volatile("{\n\t"
        ".reg .pred p;\n\t"
        ".reg .b32 remAddr32;\n\t"
        "setp.eq.u32 p, %2, 1;\n\t"
        "@p mapa.shared::cluster.u32  remAddr32, %0, %1;\n\t"
        "@p mbarrier.arrive.shared::cluster.b64  _, [remAddr32];\n\t"
        "}" : : "r"(a), "r"(cta), "r"(pred));
  }
  static DEV void arrive(ValueType const *p) {
    uint32_t a = cast_smem_ptr_to_uint(p);
    asm volatile("{\n\t" "mbarrier.arrive.shared::cta.b64 _, [%0];\n\t" "}" : : "r"(a));
  }
  static DEV void invalidate(ValueType const *p) {
    uint32_t a = cast_smem_ptr_to_uint(p);
    asm volatile("{\n\t" "mbarrier.inval.shared::cta.b64 [%0]; \n\t" "}" : : "r"(a));
  }
};
struct ClusterTransactionBarrier : public ClusterBarrier {
  __device__ ClusterTransactionBarrier() = delete;
  DEV void arrive_and_expect_tx(uint32_t bytes) const {
    uint32_t a = cast_smem_ptr_to_uint(&this->barrier_);
    asm volatile("{\n\t" "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %0; \n\t" "}" : : "r"(bytes), "r"(a));
  }
  DEV void arrive_and_expect_tx(uint32_t bytes, uint32_t cta, uint32_t pred = 1u) const {
    uint32_t a = cast_smem_ptr_to_uint(&this->barrier_);
    asm volatile("{\n\t"
        ".reg .pred p;\n\t"
        ".reg .b32 remAddr32;\n\t"
        "setp.eq.u32 p, %2, 1;\n\t"
        "@p mapa.shared::cluster.u32  remAddr32, %0, %1;\n\t"
        "@p mbarrier.arrive.expect_tx.shared::cluster.b64  _, [remAddr32], %3;\n\t"
        "}" : : "r"(a), "r"(cta), "r"(pred), "r"(bytes));
  }
  DEV void expect_transaction(uint32_t bytes) const {
    uint32_t a = cast_smem_ptr_to_uint(&this->barrier_);
    asm volatile("{\n\t" "mbarrier.expect_tx.shared::cta.b64 [%1], %0; \n\t" "}" : : "r"(bytes), "r"(a));
  }
  DEV void complete_transaction(uint32_t dst_cta, uint32_t bytes, uint32_t pred = 1) const {
    uint32_t a = cast_smem_ptr_to_uint(&this->barrier_);
    asm volatile("{\n\t"
        ".reg .pred p;\n\t"
        "setp.eq.u32 p, %2, 1;\n\t"
        "@p mapa.shared::cluster.u32  %0, %0, %1;\n\t"
        "@p mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64   [%0], %3;\n\t"
        "}" : "+r"(a) : "r"(dst_cta), "r"(pred), "r"(bytes));
  }
};
DEV uint32_t elect_one_sync() {
  uint32_t pred = 0, laneid = 0;
  asm volatile("{\n"
      ".reg .b32 %%rx;\n"
      ".reg .pred %%px;\n"
      "     elect.sync %%rx|%%px, %2;\n"
      "@%%px mov.s32 %1, 1;\n"
      "     mov.s32 %0, %%rx;\n"
      "}\n" : "+r"(laneid), "+r"(pred) : "r"(0xFFFFFFFF));
  return pred;
}
DEV uint32_t block_rank_in_cluster() { uint32_t r; asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(r) :); return r; }
DEV void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" : :); }
DEV void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;\n" : :); }
DEV void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;\n" : :); }
DEV void cluster_sync() { cluster_arrive(); cluster_wait(); }
DEV void fence_barrier_init() { asm volatile("{\n\t" "fence.mbarrier_init.release.cluster; \n" "}" ::); }
DEV void fence_view_async_shared() { asm volatile("{\n\t" "fence.proxy.async.shared::cta; \n" "}" ::); }
struct NamedBarrier {
  static DEV void sync(uint32_t n, uint32_t id) { asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(n)); }
  static DEV void arrive(uint32_t n, uint32_t id) { asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(n)); }
};
DEV void bulk_g2s(void *dst, void const *src, uint32_t bytes, uint64_t *bar) {
  uint32_t d = cast_smem_ptr_to_uint(dst), b = cast_smem_ptr_to_uint(bar);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n"
      : : "r"(d), "l"(src), "r"(bytes), "r"(b) : "memory");
}
DEV void bulk_g2s_hint(void *dst, void const *src, uint32_t bytes, uint64_t *bar, uint64_t hint) {
  uint32_t d = cast_smem_ptr_to_uint(dst), b = cast_smem_ptr_to_uint(bar);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;\n"
      : : "r"(d), "l"(src), "r"(bytes), "r"(b), "l"(hint) : "memory");
}
DEV void bulk_g2s_multicast(void *dst, void const *src, uint32_t bytes, uint64_t *bar, uint16_t mask) {
  uint32_t d = cast_smem_ptr_to_uint(dst), b = cast_smem_ptr_to_uint(bar);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;\n"
      : : "r"(d), "l"(src), "r"(bytes), "r"(b), "h"(mask) : "memory");
}
} // namespace arch

template <uint32_t Stages_> struct PipelineState {
  static constexpr uint32_t Stages = Stages_;
  int index_ = 0; uint32_t phase_ = 0; uint32_t count_ = 0;
  __device__ PipelineState() : index_{}, phase_{}, count_{} {}
  __device__ PipelineState(int index, uint32_t phase, uint32_t count) : index_(index), phase_(phase), count_(count) {}
  DEV int index() const { return index_; }
  DEV uint32_t phase() const { return phase_; }
  DEV uint32_t count() const { return count_; }
  DEV void operator++() {
    if constexpr (Stages > 0) { ++index_; ++count_; if (index_ == Stages) { index_ = 0; phase_ ^= 1; } }
  }
  DEV PipelineState &operator+=(uint32_t num) { return advance(num); }
  DEV PipelineState &advance(uint32_t num) {
    if constexpr (Stages > 0) {
      if ((num < Stages) && (index_ + num) >= Stages) phase_ ^= 1;
      if ((num >= Stages) && (((index_ + num) / Stages) % 2) == 1) phase_ ^= 1;
      index_ = (index_ + num) % Stages; count_ += num;
    }
    return *this;
  }
};
template <class Pipeline> DEV PipelineState<Pipeline::Stages> make_producer_start_state() { return {0, 1, 0}; }
enum class BarrierStatus : uint32_t { WaitAgain = 0u, WaitDone = 1u };

template <int Stages_> class PipelineBulkAsync {
 public:
  static constexpr uint32_t Stages = Stages_;
  using State = PipelineState<Stages>;
  struct SharedStorage { arch::ClusterTransactionBarrier full_barrier_[Stages]; arch::ClusterBarrier empty_barrier_[Stages]; };
  enum class Category { NonParticipant, Producer, Consumer, ProducerConsumer };
  struct Params { uint32_t transaction_bytes = 0; Category role = Category::NonParticipant; uint32_t is_leader = 0; uint32_t num_consumers = 0; uint32_t cluster = 1; };
  __device__ PipelineBulkAsync(SharedStorage &storage, Params p)
      : params_(p), full_(&storage.full_barrier_[0]), empty_(&storage.empty_barrier_[0]) {
    int warp_idx = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
    if (warp_idx == 0 && arch::elect_one_sync()) {
      for (int i = 0; i < Stages; ++i) { full_[i].init(1); empty_[i].init(p.num_consumers * p.cluster); }
    }
    arch::fence_barrier_init();
  }
  DEV void producer_acquire(State s, uint32_t skip = 0) {
    if (!skip) empty_[s.index()].wait(s.phase());
    if (params_.is_leader) full_[s.index()].arrive_and_expect_tx(params_.transaction_bytes);
  }
  DEV uint32_t producer_try_acquire(State s) { return empty_[s.index()].try_wait(s.phase()); }
  DEV void producer_tail(State s) { for (int c = 0; c < Stages; ++c) { empty_[s.index()].wait(s.phase()); ++s; } }
  DEV uint64_t *producer_get_barrier(State s) { return reinterpret_cast<uint64_t *>(&full_[s.index()]); }
  DEV BarrierStatus consumer_try_wait(State s) { return static_cast<BarrierStatus>(full_[s.index()].try_wait(s.phase())); }
  DEV BarrierStatus consumer_test_wait(State s) { return static_cast<BarrierStatus>(full_[s.index()].test_wait(s.phase())); }
  DEV void consumer_wait(State s, BarrierStatus t = BarrierStatus::WaitAgain) { if (t == BarrierStatus::WaitAgain) full_[s.index()].wait(s.phase()); }
  DEV void consumer_release(State s) { empty_[s.index()].arrive(); }
  DEV void consumer_release(State s, uint32_t cta, uint32_t pred) { empty_[s.index()].arrive(cta, pred); }
 private:
  Params params_; arch::ClusterTransactionBarrier *full_; arch::ClusterBarrier *empty_;
};

template <int Depth, int Length> class OrderedSequenceBarrier {
 public:
  struct SharedStorage { arch::ClusterBarrier barrier_[Depth][Length]; };
  struct Params { uint32_t group_id; uint32_t group_size; };
  __device__ OrderedSequenceBarrier(SharedStorage &s, Params p) : params_(p), b_(&s.barrier_[0][0]), st_{0, p.group_id == 0 ? 1u : 0u, 0} {
    if (threadIdx.x / 32 == 0 && arch::elect_one_sync())
      for (int d = 0; d < Depth; ++d) for (int l = 0; l < Length; ++l) b_[d * Length + l].init(p.group_size);
    arch::fence_barrier_init();
  }
  DEV void wait() { get(params_.group_id).wait(st_.phase()); }
  DEV void arrive() { get((params_.group_id + 1) % Length).arrive(); ++st_; }
 private:
  DEV arch::ClusterBarrier &get(uint32_t g) { return b_[st_.index() * Length + g]; }
  Params params_; arch::ClusterBarrier *b_; PipelineState<Depth> st_;
};
