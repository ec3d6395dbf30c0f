// Reductions with shuffles, votes and redux; a scan; the last lane by a ballot.
#include <cstdint>

extern "C" __global__ void reduce(const int32_t *in, int32_t *out) {
    __shared__ int32_t part[8];
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int32_t value = in[blockIdx.x * blockDim.x + thread];
    int32_t sum = value, most = value;
    for (int step = 16; step > 0; step >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        most = max(most, __shfl_down_sync(0xffffffffu, most, step));
    }
    if (lane == 0) part[warp] = most;
    int32_t scan = value & 0xff;
    for (int step = 1; step < 32; step <<= 1) {
        const int32_t before = __shfl_up_sync(0xffffffffu, scan, step);
        if (lane >= step) scan += before;
    }
    const uint32_t negative = __ballot_sync(0xffffffffu, value < 0);
    const int first = __ffs(negative), last = 31 - __clz(negative);
    const bool all = __all_sync(0xffffffffu, value != 0), any = __any_sync(0xffffffffu, (value & 0xfff) == 0);
    const uint32_t bits = __reduce_or_sync(0xffffffffu, static_cast<uint32_t>(value) & 0x00ff00ffu);
    const uint32_t same = __match_any_sync(0xffffffffu, value & 3);
    __syncthreads();
    int32_t block = INT32_MIN;
    for (int i = 0; i < static_cast<int>(blockDim.x) / 32; i++) block = max(block, part[i]);
    const int positive = __syncthreads_count(value > 0);
    const int some = __syncthreads_or(value > 2000000000), every = __syncthreads_and(value > -2147000000);
    int32_t *row = out + (blockIdx.x * blockDim.x + thread) * 4;
    row[0] = sum + block;
    row[1] = scan * 64 + first + last;
    row[2] = static_cast<int32_t>(bits ^ (all ? 1u << 31 : 0) ^ (any ? 1u << 30 : 0) ^ __brev(same));
    row[3] = __popc(same) + 100 * positive + (some ? 1 << 20 : 0) + (every ? 1 << 21 : 0);
}
