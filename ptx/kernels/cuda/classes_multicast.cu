#include "pipeline_classes.cuh"
constexpr int STAGES = 3, WORDS = 128, TILES = 8;
using Pipe = PipelineBulkAsync<STAGES>;
struct alignas(128) SharedStorage {
  alignas(128) uint32_t tensor[STAGES][WORDS];
  alignas(16) Pipe::SharedStorage pipeline;
};
extern "C" __global__ void __launch_bounds__(384, 1) classes_multicast(uint32_t const *in, uint32_t *out) {
  extern __shared__ char smem[];
  SharedStorage &shared = *reinterpret_cast<SharedStorage *>(smem);
  enum class Role { Producer = 0, Consumer0 = 1, Consumer1 = 2 };
  auto role = Role(threadIdx.x / 128);
  int warp_in_group = (threadIdx.x / 32) % 4;
  uint32_t rank = arch::block_rank_in_cluster();
  Pipe::Params p;
  p.transaction_bytes = WORDS * 4; p.role = role == Role::Producer ? Pipe::Category::Producer : Pipe::Category::Consumer;
  p.is_leader = threadIdx.x % 128 == 0; p.num_consumers = 2; p.cluster = 2;
  Pipe pipe(shared.pipeline, p);
  arch::cluster_arrive_relaxed();
  arch::cluster_wait();
  const uint32_t *src = in + (blockIdx.x / 2) * TILES * WORDS;
  if (role == Role::Producer) {
    if (warp_in_group == 0 && arch::elect_one_sync()) {
      auto st = make_producer_start_state<Pipe>();
      for (int t = 0; t < TILES; ++t) {
        pipe.producer_acquire(st);
        // each CTA of the cluster loads one half of the tile for both
        arch::bulk_g2s_multicast(&shared.tensor[st.index()][rank * WORDS / 2], src + t * WORDS + rank * WORDS / 2, WORDS * 2, pipe.producer_get_barrier(st), 3);
        ++st;
      }
      pipe.producer_tail(st);
    }
  } else {
    Pipe::State rd, rel;
    uint32_t acc = threadIdx.x;
    auto tok = pipe.consumer_try_wait(rd);
    for (int t = 0; t < TILES; ++t) {
      pipe.consumer_wait(rd, tok);
      acc = acc * 33 + shared.tensor[rd.index()][threadIdx.x % 128] + rank;
      asm volatile("bar.sync %0, 128;" ::"r"(threadIdx.x / 128) : "memory");
      pipe.consumer_release(rel, threadIdx.x % 128, threadIdx.x % 128 < 2);
      ++rd; ++rel;
      if (t + 1 < TILES) tok = pipe.consumer_try_wait(rd);
    }
    out[blockIdx.x * 256 + threadIdx.x - 128] = acc;
  }
  arch::cluster_sync();
}
