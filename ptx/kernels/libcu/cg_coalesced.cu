// Cooperative groups of the threads that took a branch: places in a list are claimed with one atomic for each such group.
// Which threads are a group is the machine's choice; that every place is taken once is not.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_coalesced(const uint32_t *in, uint32_t *count, uint32_t *list, uint32_t *sum) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t value = in[thread];
    if (value % 3 != 0) {
        auto taken = cg::coalesced_threads();
        uint32_t first = 0;
        if (taken.thread_rank() == 0) first = atomicAdd(count, taken.size());
        first = taken.shfl(first, 0);
        atomicAdd(&list[first + taken.thread_rank()], 1);
        atomicAdd(sum, value & 0xffff);
    }
}
