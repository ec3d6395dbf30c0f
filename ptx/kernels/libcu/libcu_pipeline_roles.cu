// cuda::pipeline with a partition: the first warp produces, the others consume.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstdint>
namespace cg = cooperative_groups;

constexpr int STAGES = 3;
constexpr int TILES = 6;

extern "C" __global__ void libcu_pipeline_roles(const uint32_t *in, uint32_t *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ alignas(16) uint32_t data[STAGES][64];
    auto block = cg::this_thread_block();
    const uint32_t thread = block.thread_rank();
    const auto role = thread < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        for (int tile = 0; tile < TILES; tile++) {
            pipeline.producer_acquire();
            const uint32_t *from = in + tile * 64 + 2 * thread;
            cuda::memcpy_async(&data[tile % STAGES][2 * thread], from, cuda::aligned_size_t<8>(8), pipeline);
            pipeline.producer_commit();
        }
    } else {
        uint32_t sum = 0;
        for (int tile = 0; tile < TILES; tile++) {
            pipeline.consumer_wait();
            sum = sum * 29 + data[tile % STAGES][thread & 63];
            pipeline.consumer_release();
        }
        out[thread - 32] = sum;
    }
}
