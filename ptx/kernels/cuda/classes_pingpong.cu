#include "pipeline_classes.cuh"
constexpr int STAGES = 4, WORDS = 256;
using Pipe = PipelineBulkAsync<STAGES>;
using Order = OrderedSequenceBarrier<1, 2>;
struct alignas(128) SharedStorage {
  alignas(128) uint32_t tensor[STAGES][WORDS];
  alignas(16) Pipe::SharedStorage pipeline;
  Order::SharedStorage order;
  uint32_t log[16]; 
};
extern "C" __global__ void classes_pingpong(uint32_t const *__restrict__ in, uint32_t *__restrict__ out, uint32_t tiles) {
  extern __shared__ __align__(128) unsigned char raw[];
  auto &s = *reinterpret_cast<SharedStorage *>(raw);
  int group = threadIdx.x / 128;
  Pipe pipe(s.pipeline, {WORDS * 4, group ? Pipe::Category::Consumer : Pipe::Category::Producer, group == 0 && threadIdx.x == 0, 1, 1});
  Order order(s.order, {group ? group - 1u : 0u, 128});
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" : : "n"(40));
    if (threadIdx.x == 0) {
      uint64_t hint; asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));
      auto st = make_producer_start_state<Pipe>();
      for (uint32_t t = 0; t < tiles; ++t, ++st) {
        uint32_t skip = pipe.producer_try_acquire(st);
        pipe.producer_acquire(st, skip);
        arch::bulk_g2s_hint(s.tensor[st.index()], in + t * WORDS, WORDS * 4, pipe.producer_get_barrier(st), hint);
      }
      pipe.producer_tail(st);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" : : "n"(232));
    int g = group - 1;
    PipelineState<STAGES> st;
    if (g == 1) st.advance(1);
    uint32_t acc = 0;
    for (uint32_t t = g; t < tiles; t += 2) {
      order.wait();
      pipe.consumer_wait(st);
      for (int j = 0; j < 2; j++) acc = acc * 7 + s.tensor[st.index()][threadIdx.x % 128 + j * 128];
      if (threadIdx.x % 128 == 0) s.log[t] = t * 2 + g + (t ? s.log[t - 1] * 3 : 1);
      order.arrive();
      arch::NamedBarrier::sync(128, 1 + g);
      if (threadIdx.x % 128 == 0) pipe.consumer_release(st);
      st += 2;
    }
    out[g * 128 + threadIdx.x % 128] = acc;
  }
  __syncthreads();
  if (threadIdx.x < tiles) out[512 + threadIdx.x] = s.log[threadIdx.x];
}
