// cuda::pipeline of a block with two stages: every thread produces and consumes.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstdint>
namespace cg = cooperative_groups;

constexpr int STAGES = 2;
constexpr int TILES = 5;

extern "C" __global__ void libcu_pipeline(const uint32_t *in, uint32_t *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ alignas(16) uint32_t data[STAGES][128];
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const uint32_t thread = block.thread_rank();
    uint32_t sum = 0;
    for (int tile = 0, fetched = 0; tile < TILES; tile++) {
        for (; fetched < TILES && fetched < tile + STAGES; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, data[fetched % STAGES], in + fetched * 128, cuda::aligned_size_t<16>(512), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        for (uint32_t i = thread; i < 128; i += block.size()) sum = sum * 23 + data[tile % STAGES][127 - i];
        pipeline.consumer_release();
    }
    out[thread] = sum;
}
