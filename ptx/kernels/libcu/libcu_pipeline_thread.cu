// cuda::pipeline of a single thread: cp.async groups, committed and waited for.
#include <cuda/pipeline>
#include <cstdint>

extern "C" __global__ void libcu_pipeline_thread(const uint4 *in, uint32_t *out) {
    __shared__ uint4 data[4][32];
    auto pipeline = cuda::make_pipeline();
    const uint32_t thread = threadIdx.x;
    uint32_t sum = 0;
    for (int tile = 0, fetched = 0; tile < 8; tile++) {
        for (; fetched < 8 && fetched < tile + 4; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&data[fetched % 4][thread], in + fetched * 32 + thread, sizeof(uint4), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        const uint4 word = data[tile % 4][thread];
        sum = sum * 37 + (word.x ^ word.y) + (word.z & word.w);
        pipeline.consumer_release();
    }
    out[thread] = sum;
}
