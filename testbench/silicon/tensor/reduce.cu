// Records what a GPU (Hopper or newer) does with one reduction or store that completes on a barrier, or in a bulk group.
//
//   reduce N SEED > reductions.csv       N rows for each instruction
//
// A row is one instruction: the memory before, the operand, the memory after, in hex, lowest element first; and, where it
// completes on a barrier, the barrier's word before and after. Random bits, and each type's values at its limits.
//
//   to_global    cp.reduce.async.bulk.global.shared::cta.bulk_group      32 bytes
//   to_cluster   cp.reduce.async.bulk.shared::cluster.shared::cta        32 bytes, into the other CTA of a cluster of two
//   red          red.async                                               one element, into the other CTA
//   st           st.async                                                1, 2 or 4 elements, into the other CTA
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <random>
#include <string>
#include <vector>

constexpr int BYTES = 32;
constexpr long long SETTLE = 40000; // clock cycles after which all has landed

struct Row {
    uint8_t before[BYTES], operand[BYTES], after[BYTES];
    uint64_t word_before, word_after;
};

enum Kind { to_global, to_cluster, red, st };
static const char *const KIND[] = {"to_global", "to_cluster", "red", "st"};

#define TO_GLOBAL(X) \
    X(to_global, "add.u32", 4) X(to_global, "add.s32", 4) X(to_global, "add.u64", 8) X(to_global, "add.f32", 4) X(to_global, "add.f64", 8) \
    X(to_global, "add.noftz.f16", 2) X(to_global, "add.noftz.bf16", 2) X(to_global, "min.u32", 4) X(to_global, "min.s32", 4) \
    X(to_global, "min.u64", 8) X(to_global, "min.s64", 8) X(to_global, "min.f16", 2) X(to_global, "min.bf16", 2) X(to_global, "max.u32", 4) \
    X(to_global, "max.s32", 4) X(to_global, "max.u64", 8) X(to_global, "max.s64", 8) X(to_global, "max.f16", 2) X(to_global, "max.bf16", 2) \
    X(to_global, "inc.u32", 4) X(to_global, "dec.u32", 4) X(to_global, "and.b32", 4) X(to_global, "or.b32", 4) X(to_global, "xor.b32", 4) \
    X(to_global, "and.b64", 8) X(to_global, "or.b64", 8) X(to_global, "xor.b64", 8)
#define TO_CLUSTER(X) \
    X(to_cluster, "add.u32", 4) X(to_cluster, "add.s32", 4) X(to_cluster, "add.u64", 8) X(to_cluster, "min.u32", 4) X(to_cluster, "min.s32", 4) \
    X(to_cluster, "max.u32", 4) X(to_cluster, "max.s32", 4) X(to_cluster, "inc.u32", 4) X(to_cluster, "dec.u32", 4) \
    X(to_cluster, "and.b32", 4) X(to_cluster, "or.b32", 4) X(to_cluster, "xor.b32", 4)
#define RED32(X) \
    X(red, "add.u32", 4) X(red, "add.s32", 4) X(red, "min.u32", 4) X(red, "min.s32", 4) X(red, "max.u32", 4) X(red, "max.s32", 4) \
    X(red, "inc.u32", 4) X(red, "dec.u32", 4) X(red, "and.b32", 4) X(red, "or.b32", 4) X(red, "xor.b32", 4)
#define RED64(X) X(red, "add.u64", 8) X(red, "add.s64", 8)

struct Instruction { Kind kind; const char *name; int bytes; };
#define ROW(KIND_, NAME, WIDTH) Instruction{KIND_, NAME, WIDTH},
static const Instruction INSTRUCTION[] = {TO_GLOBAL(ROW) TO_CLUSTER(ROW) RED32(ROW) RED64(ROW) {st, "b32", 4}, {st, "b64", 8},
    {st, "v2.b32", 8}, {st, "v2.b64", 16}, {st, "v4.b32", 16}, {st, "v4.f32", 16}, {st, "v2.s64", 16}};
constexpr int INSTRUCTIONS = sizeof INSTRUCTION / sizeof *INSTRUCTION;

__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ uint32_t at(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }
__device__ uint32_t in_first(uint32_t a) { uint32_t r; asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(r) : "r"(a)); return r; }
__device__ void settle() { for (const long long start = clock64(); clock64() - start < SETTLE;) {} }

__device__ void perform(int which, uint32_t target, uint32_t source, uint64_t global, uint32_t barrier, const uint8_t *operand) {
    int n = 0;
    const uint32_t *w = (const uint32_t *)operand;
    const uint64_t *d = (const uint64_t *)operand;
#define DO_GLOBAL(K, NAME, W) if (which == n++) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." NAME " [%0], [%1], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(global), "r"(source) : "memory");
#define DO_CLUSTER(K, NAME, W) if (which == n++) asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." NAME " [%0], [%1], 32, [%2];" ::"r"(target), "r"(source), "r"(barrier) : "memory");
#define DO_RED32(K, NAME, W) if (which == n++) asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." NAME " [%0], %1, [%2];" ::"r"(target), "r"(w[0]), "r"(barrier) : "memory");
#define DO_RED64(K, NAME, W) if (which == n++) asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." NAME " [%0], %1, [%2];" ::"r"(target), "l"(d[0]), "r"(barrier) : "memory");
#define ST "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes."
    TO_GLOBAL(DO_GLOBAL) TO_CLUSTER(DO_CLUSTER) RED32(DO_RED32) RED64(DO_RED64)
    if (which == n++) asm volatile(ST "b32 [%0], %1, [%2];" ::"r"(target), "r"(w[0]), "r"(barrier) : "memory");
    if (which == n++) asm volatile(ST "b64 [%0], %1, [%2];" ::"r"(target), "l"(d[0]), "r"(barrier) : "memory");
    if (which == n++) asm volatile(ST "v2.b32 [%0], {%1,%2}, [%3];" ::"r"(target), "r"(w[0]), "r"(w[1]), "r"(barrier) : "memory");
    if (which == n++) asm volatile(ST "v2.b64 [%0], {%1,%2}, [%3];" ::"r"(target), "l"(d[0]), "l"(d[1]), "r"(barrier) : "memory");
    if (which == n++) asm volatile(ST "v4.b32 [%0], {%1,%2,%3,%4}, [%5];" ::"r"(target), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(barrier) : "memory");
    if (which == n++) asm volatile(ST "v4.f32 [%0], {%1,%2,%3,%4}, [%5];" ::"r"(target), "f"(__uint_as_float(w[0])), "f"(__uint_as_float(w[1])), "f"(__uint_as_float(w[2])), "f"(__uint_as_float(w[3])), "r"(barrier) : "memory");
    if (which == n++) asm volatile(ST "v2.s64 [%0], {%1,%2}, [%3];" ::"r"(target), "l"(d[0]), "l"(d[1]), "r"(barrier) : "memory");
}

// A cluster of two CTAs of one thread a row: the second acts on memory of the first.
__global__ void __cluster_dims__(2, 1, 1) record(int which, Row *rows) {
    __shared__ alignas(128) uint8_t target[BYTES];
    __shared__ alignas(128) uint8_t source[BYTES];
    __shared__ alignas(8) uint64_t barrier;
    Row &row = rows[blockIdx.x / 2];
    const bool first = blockIdx.x % 2 == 0;
    for (int i = 0; i < BYTES; i++) target[i] = row.before[i], source[i] = row.operand[i];
    const uint32_t bar = at(&barrier);
    if (first) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
        asm volatile("st.volatile.shared.u64 [%0], %1;" ::"r"(bar), "l"(row.word_before) : "memory");
        for (int i = 0; i < BYTES; i++) row.after[i] = row.before[i];
    }
    __threadfence();
    asm volatile("fence.proxy.async;" ::: "memory");
    meet();
    if (!first) perform(which, in_first(at(target)), at(source), uint64_t(__cvta_generic_to_global(row.after)), in_first(bar), row.operand);
    settle();
    __threadfence();
    asm volatile("fence.proxy.async;" ::: "memory");
    meet();
    if (first) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
        uint64_t word;
        asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(word) : "r"(bar) : "memory");
        row.word_after = word;
        if (which >= 27) for (int i = 0; i < BYTES; i++) row.after[i] = *(volatile uint8_t *)&target[i];
    }
    meet();
}

static std::mt19937_64 generator;
static uint64_t any(uint64_t least, uint64_t most) { return least + generator() % (most - least + 1); }

// Random bits, or a value at some limit of integers or floating point of that width.
static uint64_t value(int bytes) {
    const int bits = 8 * bytes, fraction = bits == 16 ? (any(0, 1) ? 10 : 7) : bits == 32 ? 23 : 52;
    const uint64_t ones = bits == 64 ? ~0ull : (1ull << bits) - 1, top = 1ull << (bits - 1);
    const uint64_t infinity = (top - 1) >> fraction << fraction;
    switch (any(0, 11)) {
    case 0: return 0;
    case 1: return top;
    case 2: return ones;
    case 3: return top - 1;
    case 4: return any(0, 3);
    case 5: return infinity | (any(0, 1) ? top : 0);
    case 6: return infinity | any(1, (1ull << fraction) - 1) | (any(0, 1) ? top : 0);
    case 7: return any(1, (1ull << fraction) - 1) | (any(0, 1) ? top : 0);
    case 8: return (infinity - any(1, 5)) | (any(0, 1) ? top : 0);
    case 9: { // near one, so that sums cancel and round
        const uint64_t one = (infinity >> 1) >> fraction << fraction;
        return ((one + (any(0, 8) << fraction)) | any(0, (1ull << fraction) - 1) | (any(0, 1) ? top : 0)) & ones;
    }
    default: return generator() & ones;
    }
}

static uint64_t barrier_word() {
    const uint64_t m = (1 << 20) - 1, pending = any(1, 5), expected = any(1, 5);
    int64_t tx = any(0, 3) ? int64_t(any(0, 200)) - 100 : any(0, 1) ? any(0, 40) : -int64_t(m) + int64_t(any(0, 40));
    const uint64_t faulted = any(0, 15) == 0;
    return any(0, 1) << 63 | (-pending & m) << 43 | faulted << 42 | (uint64_t(-tx) & 0x1fffff) << 21 | (-expected & m) << 1;
}

static std::string hex(const uint8_t *bytes, int width, int many) {
    std::string s;
    char text[20];
    for (int i = 0; i < many; i++) {
        uint64_t v = 0;
        std::memcpy(&v, bytes + i * width, width);
        std::snprintf(text, sizeof text, "%s%0*" PRIx64, i ? " " : "", 2 * width, v);
        s += text;
    }
    return s;
}

int main(int count, char **word) {
    if (count != 3) { std::fprintf(stderr, "usage: reduce N SEED\n"); return 2; }
    const int n = std::atoi(word[1]);
    generator.seed(std::strtoull(word[2], nullptr, 10));
    Row *rows;
    if (cudaMalloc(&rows, n * sizeof(Row))) { std::fprintf(stderr, "error: no memory\n"); return 2; }
    std::puts("kind,operation,before,operand,after,word_before,word_after");
    for (int which = 0; which < INSTRUCTIONS; which++) {
        const Instruction &i = INSTRUCTION[which];
        const int width = i.kind == st ? 4 : i.bytes, many = i.kind == red ? 1 : i.kind == st ? i.bytes / 4 : BYTES / width;
        std::vector<Row> row(n);
        for (Row &r : row) {
            for (int k = 0; k < BYTES / width; k++) {
                const uint64_t a = value(width), b = any(0, 3) ? value(width) : a;
                std::memcpy(r.before + k * width, &a, width);
                std::memcpy(r.operand + k * width, &b, width);
            }
            r.word_before = barrier_word();
        }
        cudaMemcpy(rows, row.data(), n * sizeof(Row), cudaMemcpyHostToDevice);
        record<<<2 * n, 1>>>(which, rows);
        if (const cudaError_t error = cudaDeviceSynchronize()) { std::fprintf(stderr, "error: %s %s: %s\n", KIND[i.kind], i.name, cudaGetErrorString(error)); return 1; }
        cudaMemcpy(row.data(), rows, n * sizeof(Row), cudaMemcpyDeviceToHost);
        for (const Row &r : row) {
            if (std::memcmp(r.after + many * width, r.before + many * width, BYTES - many * width)) { std::fprintf(stderr, "error: more than its element changed\n"); return 1; }
            std::printf("%s,%s,%s,%s,%s,", KIND[i.kind], i.name, hex(r.before, width, many).c_str(), hex(r.operand, width, many).c_str(), hex(r.after, width, many).c_str());
            if (i.kind == to_global) std::puts(",");
            else std::printf("%016" PRIx64 ",%016" PRIx64 "\n", r.word_before, r.word_after);
        }
    }
}
