// Records what a GPU (Hopper or newer) does with barrier words when a whole warp executes one PTX instruction on them.
//
//   warp_capture QUESTIONS.csv RECORDING.csv [--jobs N]
//   warp_capture --new N SEED legal|edge RECORDING.csv [--words N] [--jobs N]
//
// The questions are the first five columns of a recording: operation, active lanes, the word that each lane names, its
// operand, the words. The recording has the same rows with the last two columns as this GPU answers. --new asks N questions of
// its own, on up to 4 words, or as many as --words says, up to 32.
//
// How a row is measured, in a cluster of two CTAs of a warp each. Operations r_* come from CTA 1, all others from CTA 0:
//
//   CTA 0      init, inval: the unit does not hold the words     operation     wait    inval: the unit      read the
//              store the raw words                               (or CTA 1)            writes them back     raw words
//   both                                           ─ sync ─                ─ sync ─                                 ─ sync ─
//
// An operation that faults kills the kernel: processes.cuh.
#include "processes.cuh"
#include "warp_questions.h"

// Time for what answers nobody to be done, in nanoseconds.
constexpr unsigned SETTLE_NS = 20000;

static __device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// One cluster of two CTAs of one warp a question. A lane is a thread, and a word is a lane's, too.
__global__ void __cluster_dims__(2, 1, 1) record(const WarpQuestion *questions, WarpAnswer *answers) {
    __shared__ alignas(8) uint64_t words[LANES];
    const WarpQuestion &q = questions[blockIdx.x / 2];
    WarpAnswer &a = answers[blockIdx.x / 2];
    const int lane = int(threadIdx.x);
    const uint32_t mine = uint32_t(__cvta_generic_to_shared(&words[lane]));
    const bool holds_them = blockIdx.x % 2 == 0, remote = q.from == Where::cluster;
    if (holds_them) {
        perform(Op::init, mine, 1, 0);
        perform(Op::inval, mine, 0, 0);
        asm volatile("st.volatile.shared.u64 [%0], %1;" : : "r"(mine), "l"(q.before[lane]) : "memory");
    }
    uint32_t at = uint32_t(__cvta_generic_to_shared(&words[q.word[lane]]));
    if (remote) asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(at));
    const uint32_t arg = q.arg[lane];
    const bool active = q.mask >> lane & 1;
    const Op op = q.op;
    meet();
    __syncwarp();
    uint64_t result = 0;
    if (holds_them != remote && active) result = perform(op, at, arg, uint64_t(arg) << 32);
    __syncwarp();
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (holds_them != remote) a.result[lane] = result;
    meet();
    if (holds_them) {
        uint64_t after;
        __nanosleep(SETTLE_NS);
        perform(Op::inval, mine, 0, 0);
        asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(after) : "r"(mine) : "memory");
        a.after[lane] = after;
    }
    meet();
}

static void launch(const WarpQuestion *questions, WarpAnswer *answers, size_t count, bool) {
    record<<<unsigned(2 * count), LANES>>>(questions, answers);
}

int main(int argc, char **argv) {
    std::vector<std::string> names;
    size_t jobs = 8, fresh = 0, seed = 0, words = 4;
    bool edge = false;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--jobs" && i + 1 < argc) jobs = number(argv[++i], "--jobs");
        else if (word == "--words" && i + 1 < argc) words = number(argv[++i], "--words");
        else if (word == "--new" && i + 3 < argc) {
            fresh = number(argv[++i], "--new");
            seed = number(argv[++i], "the seed");
            const std::string kind = argv[++i];
            if (kind != "legal" && kind != "edge") refuse("--new asks questions that are legal or edge");
            edge = kind == "edge";
        } else names.push_back(word);
    }
    if (names.size() != (fresh ? 1 : 2) || jobs == 0 || words == 0 || words > LANES) {
        refuse("usage: warp_capture QUESTIONS.csv RECORDING.csv, or warp_capture --new N SEED legal|edge RECORDING.csv [--words 1 to 32]; [--jobs N]");
    }
    std::vector<WarpQuestion> questions;
    WarpQuestions ask(seed, edge, int(words));
    while (questions.size() < fresh) questions.push_back(ask.next());
    if (!fresh) questions = read_warp_questions(names[0]);
    const Run<WarpQuestion, WarpAnswer> run(questions, launch, false, jobs);
    run.all(jobs);
    run.write(names.back(), WARP_HEADER, warp_row);
}
