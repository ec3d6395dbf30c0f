// Records what a GPU (Hopper or newer) does with random tensor copies, and how its driver encodes tensor maps.
//
//   capture maps N SEED > maps.csv        what cuTensorMapEncodeTiled and ...Im2col answer: 16 words, or a refusal
//   capture MODE N SEED [FULL [SECONDS [edge]]] > MODE.csv  N copies; MODE is load, im2col, store, or a reduction: add, min, max, inc, dec,
//                                         and, or, xor; the first FULL copies show every byte, the others a digest
//
// Both memories are filled with known bytes first (`pattern`), so a row says all of them by a digest of what came of it. A load's
// row has the digest of shared memory and the bytes that were counted on the barrier, a store's that of global memory.
// README.md beside this file has the columns.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda.h>
#include <cuda_runtime.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// Bytes of shared memory and of global memory that a copy may touch, and that its digest covers.
constexpr uint32_t SHARED_BYTES = 32768, GLOBAL_BYTES = 65536;
// Where the tensor begins in global memory: bytes before it show what reaches too low.
constexpr uint32_t GLOBAL_MARGIN = 4096;
// Copies of one launch, and processes that ask side by side: a copy that traps kills the context of its process.
constexpr int CHUNK = 256, WORKERS = 12;
// Clock cycles after which a copy to shared memory has landed.
constexpr long long SETTLE = 60000;

enum Mode : int { load, im2col, store, add, min_, max_, inc, dec, and_, or_, xor_, modes };
static const char *const MODE[modes] = {"load", "im2col", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
static const char *const TYPE[13] = {"u8",  "u16", "u32", "s32",  "u64",     "s64",  "f16",
                                     "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
static const uint32_t BYTES[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct Copy {
    int mode, type, rank, interleave, swizzle, fill, l2;
    uint64_t size[5], stride[5]; // stride[k]: bytes from one to the next along dimension k + 1
    uint32_t box[5], step[5];    // im2col: box[0] channels, box[1] pixels
    int lower[3], upper[3];      // im2col: corners of the box of pixels
    int at[5];
    uint32_t offset[3]; // im2col
    uint32_t global_offset, shared_offset;
    uint32_t full;
    // what came of it
    uint64_t digest;
    uint32_t counted, trapped;
};

__host__ __device__ inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
// The bytes that are there before: 64 bits at word `index` of a memory.
__host__ __device__ inline uint64_t pattern(uint64_t memory, uint64_t index) { return mix(index ^ memory << 32); }
__host__ __device__ inline uint64_t digest(uint64_t index, uint64_t word) { return mix(word + mix(index)); }

template <int MODE_, int RANK> __device__ void copy_bulk(const CUtensorMap *map, uint32_t shared, uint32_t barrier, const Copy &c) {
    const int *a = c.at;
#define AT1 "{%2}"
#define AT2 "{%2,%3}"
#define AT3 "{%2,%3,%4}"
#define AT4 "{%2,%3,%4,%5}"
#define AT5 "{%2,%3,%4,%5,%6}"
#define LOAD(R, AT) if constexpr (MODE_ == load && RANK == R) asm volatile("cp.async.bulk.tensor." #R "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0],[%1," AT "],[%7];" ::"r"(shared), "l"(map), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(barrier) : "memory");
#define STORE(R, AT) if constexpr (MODE_ == store && RANK == R) asm volatile("cp.async.bulk.tensor." #R "d.global.shared::cta.tile.bulk_group [%1," AT "],[%0];" ::"r"(shared), "l"(map), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]) : "memory");
#define REDUCE(M, OP, R, AT) if constexpr (MODE_ == M && RANK == R) asm volatile("cp.reduce.async.bulk.tensor." #R "d.global.shared::cta." OP ".tile.bulk_group [%1," AT "],[%0];" ::"r"(shared), "l"(map), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]) : "memory");
#define EACH(X) X(1, AT1) X(2, AT2) X(3, AT3) X(4, AT4) X(5, AT5)
#define EACHR(M, OP) REDUCE(M, OP, 1, AT1) REDUCE(M, OP, 2, AT2) REDUCE(M, OP, 3, AT3) REDUCE(M, OP, 4, AT4) REDUCE(M, OP, 5, AT5)
    EACH(LOAD)
    EACH(STORE)
    EACHR(add, "add") EACHR(min_, "min") EACHR(max_, "max") EACHR(inc, "inc") EACHR(dec, "dec")
    EACHR(and_, "and") EACHR(or_, "or") EACHR(xor_, "xor")
    const uint16_t o0 = c.offset[0], o1 = c.offset[1], o2 = c.offset[2];
    if constexpr (MODE_ == im2col && RANK == 3) asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3,%4}],[%5],{%6};" ::"r"(shared), "l"(map), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(barrier), "h"(o0) : "memory");
    if constexpr (MODE_ == im2col && RANK == 4) asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3,%4,%5}],[%6],{%7,%8};" ::"r"(shared), "l"(map), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(barrier), "h"(o0), "h"(o1) : "memory");
    if constexpr (MODE_ == im2col && RANK == 5) asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0],[%1,{%2,%3,%4,%5,%6}],[%7],{%8,%9,%10};" ::"r"(shared), "l"(map), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(barrier), "h"(o0), "h"(o1), "h"(o2) : "memory");
}

template <int MODE_> __device__ void copy_any(const CUtensorMap *map, uint32_t shared, uint32_t barrier, const Copy &c) {
    switch (c.rank) {
    case 1: copy_bulk<MODE_, 1>(map, shared, barrier, c); break;
    case 2: copy_bulk<MODE_, 2>(map, shared, barrier, c); break;
    case 3: copy_bulk<MODE_, 3>(map, shared, barrier, c); break;
    case 4: copy_bulk<MODE_, 4>(map, shared, barrier, c); break;
    default: copy_bulk<MODE_, 5>(map, shared, barrier, c); break;
    }
}

// A CTA a copy, each with a global memory of its own.
template <int MODE_>
__global__ void record(const CUtensorMap *maps, Copy *copies, uint64_t *global, uint64_t *shown) {
    extern __shared__ __align__(1024) uint64_t shared[];
    __shared__ alignas(8) uint64_t barrier;
    __shared__ unsigned long long sum;
    Copy &c = copies[blockIdx.x];
    uint64_t *mine = global + blockIdx.x * uint64_t(GLOBAL_BYTES / 8);
    for (uint32_t i = threadIdx.x; i < SHARED_BYTES / 8; i += blockDim.x) shared[i] = pattern(1, i);
    for (uint32_t i = threadIdx.x; i < GLOBAL_BYTES / 8; i += blockDim.x) mine[i] = pattern(2, i);
    const uint32_t bar = uint32_t(__cvta_generic_to_shared(&barrier));
    const uint32_t base = uint32_t(__cvta_generic_to_shared(shared));
    if (threadIdx.x == 0) {
        sum = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    }
    __threadfence();
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        copy_any<MODE_>(maps + blockIdx.x, base + c.shared_offset, bar, c);
        if constexpr (MODE_ == load || MODE_ == im2col) {
            for (const long long start = clock64(); clock64() - start < SETTLE;) {}
        } else {
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        }
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
        uint64_t word;
        asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(word) : "r"(bar) : "memory");
        c.counted = uint32_t(word >> 21) & 0x1fffff; // the tx field goes up by the bytes that complete
    }
    __syncthreads();
    asm volatile("fence.proxy.async;" ::: "memory");
    __threadfence();
    const bool lands_here = MODE_ == load || MODE_ == im2col;
    const uint32_t words = (lands_here ? SHARED_BYTES : GLOBAL_BYTES) / 8;
    unsigned long long part = 0;
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
        const uint64_t word = lands_here ? *(volatile uint64_t *)&shared[i] : *(volatile uint64_t *)&mine[i];
        part += digest(i, word);
        if (c.full) shown[(c.full - 1) * uint64_t(GLOBAL_BYTES / 8) + i] = word;
    }
    atomicAdd(&sum, part);
    __syncthreads();
    if (threadIdx.x == 0) c.digest = sum;
}

static std::mt19937_64 generator;
static bool edge;       // copies that may trap, too
static time_t deadline; // rows that are not asked by then are left out
static uint64_t any(uint64_t least, uint64_t most) { return least + generator() % (most - least + 1); }
static bool often(int percent) { return int(any(0, 99)) < percent; }
static uint64_t up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

// Types that a mode is defined for.
static std::vector<int> types(int mode) {
    switch (mode) {
    case add: return {2, 3, 4, 6, 7, 8, 9, 10};
    case min_: case max_: return {2, 3, 4, 5, 6, 9};
    case inc: case dec: return {2};
    case and_: case or_: case xor_: return {2, 3, 4, 5};
    default: return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    }
}

// A copy that may be legal: nothing here is sure, the driver has the last word.
static Copy draw(int mode) {
    Copy c{};
    c.mode = mode;
    const auto legal = types(mode);
    c.type = legal[any(0, legal.size() - 1)];
    const uint32_t bytes = BYTES[c.type];
    c.rank = mode == im2col ? any(3, 5) : any(1, 5);
    c.interleave = c.rank >= 3 && (mode != im2col || edge) && often(15) ? any(1, 2) : 0;
    c.swizzle = c.interleave == 2 ? 1 : any(0, 3);
    const bool is_float = c.type >= 6;
    c.fill = is_float && often(40);
    c.l2 = any(0, 3);
    const uint32_t span = c.swizzle ? 16u << c.swizzle : 256; // 32, 64, 128 bytes of the inner dimension at most
    const uint32_t grain = c.interleave == 2 ? 32 : 16;
    const uint32_t inner = c.interleave ? grain : grain * any(1, span / grain);
    c.box[0] = inner / bytes;
    if (c.box[0] > 256) c.box[0] = 256;
    uint64_t left = (SHARED_BYTES / 2) / inner;
    for (int k = 1; k < c.rank; k++) {
        const uint64_t most = std::min<uint64_t>(left, often(70) ? 8 : 40);
        c.box[k] = any(1, most ? most : 1);
        left /= c.box[k];
    }
    for (int k = 0; k < 5; k++) c.step[k] = 1;
    if (often(25)) for (int k = 0; k < c.rank; k++) if (often(50)) c.step[k] = any(1, 8);
    uint64_t room = (GLOBAL_BYTES - 2 * GLOBAL_MARGIN) / 2;
    c.size[0] = often(20) ? any(1, 8) : any(1, std::max<uint64_t>(2, std::min<uint64_t>(room / bytes, 2 * c.box[0] + 3)));
    if (c.interleave) c.size[0] = grain / bytes * (often(50) ? 1 : any(1, 3));
    uint64_t extent = up(c.size[0] * bytes, grain) + grain * (often(50) ? 0 : any(0, 3));
    for (int k = 1; k < c.rank; k++) {
        c.stride[k - 1] = extent;
        const uint64_t most = std::max<uint64_t>(1, std::min<uint64_t>(room / extent, 2 * c.box[k] + 2));
        c.size[k] = any(1, most);
        extent = extent * c.size[k] + grain * (often(80) ? 0 : any(0, 2));
        if (extent > room) { c.size[k] = 1; extent = c.stride[k - 1]; }
    }
    for (int k = 0; k < c.rank; k++) {
        const int64_t size = c.size[k], box = c.box[k];
        c.at[k] = often(50) ? any(0, size - 1) : int(any(0, size + 2 * box + 4)) - int(box) - 2;
        if (edge && often(5)) c.at[k] = int32_t(generator());
    }
    if (c.interleave) c.at[0] = any(0, 2);
    c.global_offset = GLOBAL_MARGIN + grain * any(0, 7);
    c.shared_offset = often(50) ? 1024 * any(0, 3) : 128 * any(0, 31);
    if (mode == im2col) {
        const int spatial = c.rank - 2;
        const int limit = c.rank == 3 ? 30 : c.rank == 4 ? 12 : 4;
        c.box[1] = any(1, std::min<uint64_t>(64, (SHARED_BYTES / 2) / inner));
        for (int k = 0; k < spatial; k++) {
            c.lower[k] = int(any(0, 2 * std::min<int>(limit, 4))) - std::min<int>(limit, 4);
            c.upper[k] = int(any(0, 2 * std::min<int>(limit, 4))) - std::min<int>(limit, 4);
            const int64_t first = c.lower[k], last = int64_t(c.size[k + 1]) - 1 + c.upper[k];
            c.at[k + 1] = last >= first ? int(first + int64_t(any(0, last - first))) : int(first);
            c.offset[k] = often(50) ? 0 : any(0, 5);
        }
        c.at[0] = often(50) ? 0 : any(0, c.size[0] - 1);
        if (c.interleave) c.at[0] = any(0, 2);
        c.at[c.rank - 1] = any(0, c.size[c.rank - 1] - 1);
    }
    if (!edge) {
        const int64_t grains = 16 / bytes;
        if (!c.interleave) c.at[0] = int(c.at[0] / grains * grains);
        if (mode >= store) for (int k = 0; k < c.rank; k++) if (c.at[k] < 0) c.at[k] = 0;
    }
    return c;
}

static CUresult encode(const Copy &c, uint64_t address, CUtensorMap *map) {
    std::memset(map, 0, sizeof *map);
    if (c.mode == im2col)
        return cuTensorMapEncodeIm2col(map, CUtensorMapDataType(c.type), c.rank, (void *)address, c.size, c.stride, c.lower, c.upper,
                                       c.box[0], c.box[1], c.step, CUtensorMapInterleave(c.interleave), CUtensorMapSwizzle(c.swizzle),
                                       CUtensorMapL2promotion(c.l2), CUtensorMapFloatOOBfill(c.fill));
    return cuTensorMapEncodeTiled(map, CUtensorMapDataType(c.type), c.rank, (void *)address, c.size, c.stride, c.box, c.step,
                                  CUtensorMapInterleave(c.interleave), CUtensorMapSwizzle(c.swizzle), CUtensorMapL2promotion(c.l2),
                                  CUtensorMapFloatOOBfill(c.fill));
}

template <class T> static std::string list(const T *v, int n) {
    std::string s;
    for (int k = 0; k < n; k++) s += (k ? " " : "") + std::to_string(v[k]);
    return s;
}

static void print_map(const Copy &c) {
    std::printf("%s,%s,%s,%s,%s,%s,%d,%d,%d,%d", MODE[c.mode], TYPE[c.type], list(c.size, c.rank).c_str(), list(c.stride, c.rank - 1).c_str(),
                list(c.box, c.mode == im2col ? 2 : c.rank).c_str(), list(c.step, c.rank).c_str(), c.interleave, c.swizzle, c.fill, c.l2);
    std::string corners;
    if (c.mode == im2col) corners = list(c.lower, c.rank - 2) + " " + list(c.upper, c.rank - 2);
    std::printf(",%s", corners.c_str());
}

[[noreturn]] static void refuse(const std::string &what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

// Maps with one or more parameters far out, to see what the driver refuses and where each bit lies.
static void wild(Copy &c) {
    for (int again = 0; again < 2; again++) {
        const int k = any(0, c.rank - 1);
        switch (any(0, 11)) {
        case 0: c.size[k] = 1ull << any(0, 32); break;
        case 1: c.size[k] = (generator() & 0xffffffff) + often(10); break;
        case 2: if (k) c.stride[k - 1] = 16 * any(0, (1ull << any(1, 37)) - 1); break;
        case 3: if (k) c.stride[k - 1] = any(0, 300); break;
        case 4: c.box[k] = any(0, 257); break;
        case 5: c.step[k] = any(0, 9); break;
        case 6: c.swizzle = any(0, 4); break;
        case 7: c.interleave = any(0, 3); break;
        case 9: c.fill = any(0, 2); break;
        case 10: for (int j = 0; j < 3; j++) { c.lower[j] = int(any(0, 600)) - 300; c.upper[j] = int(any(0, 600)) - 300; } break;
        case 11: if (c.mode == im2col) { c.box[0] = any(0, 260); c.box[1] = any(0, 1030); } break;
        }
    }
}

static void maps(int n) {
    std::puts("mode,type,sizes,strides,box,element_strides,interleave,swizzle,fill,l2,corners,address,words");
    for (int i = 0; i < n; i++) {
        Copy c = draw(i % 4 == 3 ? im2col : load);
        if (i % 3) wild(c);
        uint64_t address = often(50) ? 16 * any(0, (1ull << 43) - 1) : up(any(0, 1ull << 47), 4096);
        if (often(5)) address = any(0, 1ull << 57);
        CUtensorMap map;
        const CUresult result = encode(c, address, &map);
        print_map(c);
        std::printf(",%" PRIx64 ",", address);
        if (result) std::puts("refused");
        else for (int w = 0; w < 16; w++) std::printf("%" PRIx64 "%s", (uint64_t)map.opaque[w], w < 15 ? " " : "\n");
    }
}

template <int M> static void launch(int mode, int n, const CUtensorMap *maps, Copy *copies, uint64_t *global, uint64_t *shown) {
    if constexpr (M < modes) {
        if (mode != M) return launch<M + 1>(mode, n, maps, copies, global, shown);
        cudaFuncSetAttribute(record<M>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
        record<M><<<n, 256, SHARED_BYTES>>>(maps, copies, global, shown);
    }
}

// Rows [from, to) in one launch, by this process: false if it died of one of them.
static bool ask(int mode, uint64_t seed, Copy *copies, uint64_t *shown, int from, int to, int full) {
    const int many = to - from;
    CUtensorMap *maps;
    Copy *mine;
    uint64_t *global, *all;
    cuInit(0);
    if (cudaMalloc(&mine, many * sizeof(Copy)) || cudaMalloc(&maps, many * sizeof(CUtensorMap)) ||
        cudaMalloc(&global, uint64_t(many) * GLOBAL_BYTES) || cudaMalloc(&all, uint64_t(full + 1) * GLOBAL_BYTES))
        refuse("no memory");
    std::vector<CUtensorMap> encoded(many);
    for (int i = 0; i < many; i++) {
        Copy &c = copies[from + i];
        generator.seed(seed * 1000003 + from + i);
        do c = draw(mode);
        while (encode(c, uint64_t(global) + i * uint64_t(GLOBAL_BYTES) + c.global_offset, &encoded[i]));
        c.full = from + i < full ? from + i + 1 : 0;
        c.trapped = 1;
    }
    cudaMemcpy(maps, encoded.data(), many * sizeof(CUtensorMap), cudaMemcpyHostToDevice);
    cudaMemcpy(mine, copies + from, many * sizeof(Copy), cudaMemcpyHostToDevice);
    launch<0>(mode, many, maps, mine, global, all);
    if (cudaDeviceSynchronize()) return false;
    cudaMemcpy(copies + from, mine, many * sizeof(Copy), cudaMemcpyDeviceToHost);
    for (int i = from; i < to; i++) {
        copies[i].trapped = 0;
        if (i < full) cudaMemcpy(shown + i * uint64_t(GLOBAL_BYTES / 8), all + i * uint64_t(GLOBAL_BYTES / 8), GLOBAL_BYTES, cudaMemcpyDeviceToHost);
    }
    return true;
}

template <class F> static bool in_child(F f) {
    const pid_t child = fork();
    if (child == 0) _exit(f() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0;
}

// Asks for rows [from, to), and where one traps, for each half of them.
static void halve(int mode, uint64_t seed, Copy *copies, uint64_t *shown, int from, int to, int full) {
    if (time(nullptr) > deadline) {
        for (int i = from; i < to; i++) copies[i].rank = 0; // not asked
        return;
    }
    if (in_child([&] { return ask(mode, seed, copies, shown, from, to, full); }) || to - from == 1) return;
    const int middle = (from + to) / 2;
    halve(mode, seed, copies, shown, from, middle, full);
    halve(mode, seed, copies, shown, middle, to, full);
}

template <class T> static T *shared_memory(uint64_t many) {
    void *p = mmap(nullptr, many * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) refuse("no memory");
    return (T *)p;
}

static void copies(int mode, int n, uint64_t seed, int full) {
    Copy *copies = shared_memory<Copy>(n);
    uint64_t *shown = shared_memory<uint64_t>(uint64_t(full + 1) * GLOBAL_BYTES / 8);
    for (int worker = 0; worker < WORKERS; worker++) {
        if (fork()) continue;
        const int chunk = edge ? 1 : CHUNK;
        for (int from = worker * chunk; from < n; from += WORKERS * chunk) {
            const int to = std::min(n, from + chunk);
            halve(mode, seed, copies, shown, from, to, full);
        }
        _exit(0);
    }
    while (wait(nullptr) > 0) {}
    std::puts("mode,type,sizes,strides,box,element_strides,interleave,swizzle,fill,l2,corners,global_offset,shared_offset,at,offsets,counted,digest,after");
    for (int i = 0; i < n; i++) {
        const Copy &c = copies[i];
        if (!c.rank) continue;
        print_map(c);
        std::printf(",%u,%u,%s,%s,", c.global_offset, c.shared_offset, list(c.at, c.rank).c_str(),
                    mode == im2col ? list(c.offset, c.rank - 2).c_str() : "");
        if (c.trapped) { std::puts("trap,,"); continue; }
        std::printf("%u,%016" PRIx64 ",", c.counted, c.digest);
        if (c.full) { // every 64-bit word that changed, with its number
            const bool lands_here = mode == load || mode == im2col;
            const uint64_t *word = shown + i * uint64_t(GLOBAL_BYTES / 8);
            bool first = true;
            for (uint32_t w = 0; w < (lands_here ? SHARED_BYTES : GLOBAL_BYTES) / 8; w++)
                if (word[w] != pattern(lands_here ? 1 : 2, w)) {
                    std::printf("%s%x:%" PRIx64, first ? "" : " ", w, word[w]);
                    first = false;
                }
        }
        std::puts("");
    }
}

int main(int count, char **word) {
    if (count < 4) refuse("usage: capture MODE N SEED [FULL [SECONDS [edge]]]");
    const int n = std::atoi(word[2]), full = count > 4 ? std::atoi(word[4]) : 0;
    deadline = time(nullptr) + (count > 5 ? std::atoi(word[5]) : 1000000);
    edge = count > 6;
    generator.seed(std::strtoull(word[3], nullptr, 10));
    if (std::string(word[1]) == "maps") return cuInit(0), cudaFree(nullptr), maps(n), 0;
    for (int mode = 0; mode < modes; mode++)
        if (std::string(word[1]) == MODE[mode]) return copies(mode, n, std::strtoull(word[3], nullptr, 10), full), 0;
    refuse("unknown mode");
}
