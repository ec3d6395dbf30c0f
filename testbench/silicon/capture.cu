// Records what a GPU (Hopper or newer) does with a barrier word, one PTX instruction at a time.
//
//   capture QUESTIONS.csv RECORDING.csv [--from own|other] [--jobs N] [--seconds S] [--tally TALLY.csv]
//   capture --new|--faults|--traps N SEED RECORDING.csv [the same]
//
// The questions are the first four columns of a recording: operation, operand, word, token. The recording has the same
// rows with the last two columns as this GPU answers. --new asks N questions of its own that are legal; --faults asks such
// as fault where nobody is told (operations r_* --from other, arrivals of copies); --traps such as fault where the thread dies
// of it, which takes a context each: with --seconds it stops after so long, and writes the rows that it has. --tally adds a
// line for each operation to a file: how many rows, how many of them trapped, and in how many the fault bit came up.
//
// Operations r_* take an address of .shared::cluster. With `--from own` the CTA asks that has the barrier, with `other` the
// other one of its cluster.
//
// How a row is measured, in a cluster of two CTAs so that an operation can come from the other one:
//
//   CTA 0      init, inval: the unit does not hold the word     operation     wait    inval: the unit     read the
//              store the raw word                               (or CTA 1)            writes it back      raw word
//   both                                          ─ sync ─                ─ sync ─                                 ─ sync ─
//
// An operation that faults kills the kernel, and with it the process's context. So 64 rows at a time are asked by a
// process of their own, first in one launch; if that dies, one launch a row, and a new context after each row that dies: in
// the same process if a legal row is answered in it as it should be, or else in a new one.
#include "new_questions.h"
#include "recording.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cuda_runtime.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// Time for what answers nobody to be done, in nanoseconds.
constexpr unsigned SETTLE_NS = 20000;
// Rows that a process asks for in one launch: to begin a process costs half a second, and a row in it next to nothing.
constexpr size_t LEAST_CHUNK = 64, MOST_CHUNK = 4096;
// Seconds after which a process that records a chunk is taken for stuck.
constexpr unsigned PATIENCE_S = 120;

static __device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// One cluster of two CTAs of one thread a question.
__global__ void __cluster_dims__(2, 1, 1) record(const Question *questions, Answer *answers, bool from_other) {
    __shared__ alignas(8) uint64_t word;
    const Question q = questions[blockIdx.x / 2];
    const uint32_t mine = uint32_t(__cvta_generic_to_shared(&word));
    const bool holds_it = blockIdx.x % 2 == 0;
    uint64_t result = 0;
    if (holds_it) {
        perform(Op::init, mine, 1, 0);
        perform(Op::inval, mine, 0, 0);
        asm volatile("st.volatile.shared.u64 [%0], %1;" : : "r"(mine), "l"(q.word) : "memory");
    }
    meet();
    const bool remote = q.from == Where::cluster;
    if (holds_it != (remote && from_other)) {
        uint32_t at = mine;
        if (remote) asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(mine));
        result = perform(q.op, at, q.arg, q.token);
    }
    meet();
    if (holds_it) {
        uint64_t after;
        __nanosleep(SETTLE_NS);
        perform(Op::inval, mine, 0, 0);
        asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(after) : "r"(mine) : "memory");
        answers[blockIdx.x / 2] = {after, result};
    }
    meet();
}

// What the processes share.
struct Shared {
    std::atomic<size_t> next_chunk;
    std::atomic<int> other_error; // a CUDA error that is no trap
};

struct Run {
    const std::vector<Question> *questions;
    size_t chunk;
    bool from_other;
    std::chrono::steady_clock::time_point until;
    Shared *shared;
    Answer *answers;
    Outcome *outcomes;
    char *one_by_one; // a chunk whose launch died
};

template <typename T> static T *shared_array(size_t length) {
    void *memory = mmap(nullptr, sizeof(T) * length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) refuse("out of memory");
    return static_cast<T *>(memory);
}

// Errors that a kernel ends with when an instruction in it faults.
static bool is_trap(cudaError_t error) {
    return error == cudaErrorIllegalInstruction || error == cudaErrorLaunchFailure || error == cudaErrorHardwareStackError;
}

// Launches for rows begin to end. If it does not work, the process is done with.
static cudaError_t ask(const Run &run, size_t begin, size_t end, Question *on_gpu, Answer *from_gpu) {
    const size_t count = end - begin;
    cudaError_t error = cudaMemcpy(on_gpu, run.questions->data() + begin, count * sizeof(Question), cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return error;
    record<<<unsigned(2 * count), 1>>>(on_gpu, from_gpu, run.from_other);
    error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) return error;
    error = cudaMemcpy(run.answers + begin, from_gpu, count * sizeof(Answer), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) std::fill(run.outcomes + begin, run.outcomes + end, Outcome::done);
    return error;
}

// A new context in the place of one that died: whether it answers an `arrive` on init(4) as all GPUs do.
static bool revived(const Run &run, Question *&on_gpu, Answer *&from_gpu) {
    const Question known{Op::arrive, Where::here, 0, 0x7fffe000001ffff8, 0};
    Answer answer{};
    cudaDeviceReset();
    if (cudaMalloc(&on_gpu, run.chunk * sizeof *on_gpu) != cudaSuccess) return false;
    if (cudaMalloc(&from_gpu, run.chunk * sizeof *from_gpu) != cudaSuccess) return false;
    if (cudaMemcpy(on_gpu, &known, sizeof known, cudaMemcpyHostToDevice) != cudaSuccess) return false;
    record<<<2, 1>>>(on_gpu, from_gpu, run.from_other);
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    if (cudaMemcpy(&answer, from_gpu, sizeof answer, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    return answer.word == 0x7fffe800001ffff8;
}

static bool in_time(const Run &run) { return std::chrono::steady_clock::now() < run.until; }

// A process with a context of its own: asks what is left of a chunk, up to the first row that traps and leaves no context.
static void child(const Run &run, size_t chunk) {
    alarm(PATIENCE_S);
    const size_t begin = chunk * run.chunk, end = std::min(begin + run.chunk, run.questions->size());
    Question *on_gpu = nullptr;
    Answer *from_gpu = nullptr;
    auto other = [&](cudaError_t error) {
        run.shared->other_error = int(error);
        _exit(1);
    };
    if (cudaError_t error = cudaMalloc(&on_gpu, run.chunk * sizeof *on_gpu)) other(error);
    if (cudaError_t error = cudaMalloc(&from_gpu, run.chunk * sizeof *from_gpu)) other(error);
    if (!run.one_by_one[chunk]) {
        const cudaError_t error = ask(run, begin, end, on_gpu, from_gpu);
        if (is_trap(error)) run.one_by_one[chunk] = 1;
        else if (error != cudaSuccess) other(error);
        _exit(0);
    }
    for (size_t row = begin; row < end; row++) {
        if (run.outcomes[row] != Outcome::none) continue;
        if (!in_time(run)) break;
        const cudaError_t error = ask(run, row, row + 1, on_gpu, from_gpu);
        if (is_trap(error)) {
            run.outcomes[row] = Outcome::trap;
            alarm(PATIENCE_S);
            if (!revived(run, on_gpu, from_gpu)) break;
            continue;
        }
        if (error != cudaSuccess) other(error);
    }
    _exit(0);
}

// A process without a context: takes chunk after chunk.
static void worker(const Run &run) {
    const size_t chunks = (run.questions->size() + run.chunk - 1) / run.chunk;
    for (size_t chunk; (chunk = run.shared->next_chunk++) < chunks;) {
        const Outcome *begin = run.outcomes + chunk * run.chunk;
        const Outcome *end = run.outcomes + std::min((chunk + 1) * run.chunk, run.questions->size());
        while (in_time(run) && std::find(begin, end, Outcome::none) != end) {
            const pid_t pid = fork();
            if (pid == 0) child(run, chunk);
            int status = 0;
            if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) _exit(1);
        }
    }
    _exit(0);
}

static size_t number(const char *text, const char *what) {
    char *end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (!*text || *text == '-' || *end) refuse(std::string(what) + " `" + text + "` is no number");
    return value;
}

// How the rows came out, by operation: recording,op,rows,traps,marked.
static void add_to_tally(const std::string &name, const std::string &recording, const Run &run) {
    const bool begins = !std::ifstream(name).good();
    std::ofstream file(name, std::ios::app);
    if (begins) file << "recording,op,rows,traps,marked\n";
    for (const Operation &known : OPERATION) {
        size_t rows = 0, traps = 0, marked = 0;
        for (size_t i = 0; i < run.questions->size(); i++) {
            const Question &q = (*run.questions)[i];
            if (q.op != known.op || run.outcomes[i] == Outcome::none) continue;
            rows++;
            traps += run.outcomes[i] == Outcome::trap;
            marked += run.outcomes[i] == Outcome::done && known.op != Op::init && (~q.word & run.answers[i].word) >> 42 & 1;
        }
        if (rows) file << recording << ',' << known.name << ',' << rows << ',' << traps << ',' << marked << '\n';
    }
    if (!file.flush()) refuse(name + ": it cannot be written");
}

int main(int argc, char **argv) {
    std::vector<std::string> names;
    size_t jobs = 8, fresh = 0, seed = 0, seconds = 1 << 30;
    bool from_other = false;
    Ask kind = Ask::legal;
    std::string tally;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--jobs" && i + 1 < argc) jobs = number(argv[++i], "--jobs");
        else if (word == "--from" && i + 1 < argc) {
            const std::string from = argv[++i];
            if (from != "own" && from != "other") refuse("--from takes own or other");
            from_other = from == "other";
        } else if (word == "--seconds" && i + 1 < argc) seconds = number(argv[++i], "--seconds");
        else if (word == "--tally" && i + 1 < argc) tally = argv[++i];
        else if ((word == "--new" || word == "--faults" || word == "--traps") && i + 2 < argc) {
            kind = word == "--new" ? Ask::legal : word == "--faults" ? Ask::faulting : Ask::trapping;
            fresh = number(argv[++i], "--new");
            seed = number(argv[++i], "the seed");
        } else names.push_back(word);
    }
    if (names.size() != (fresh ? 1 : 2) || jobs == 0) {
        refuse("usage: capture QUESTIONS.csv RECORDING.csv, or capture --new|--faults|--traps N SEED RECORDING.csv; "
               "[--from own|other] [--jobs N] [--seconds S] [--tally TALLY.csv]");
    }
    const std::vector<Question> questions = fresh ? new_questions(fresh, seed, kind) : read_questions(names[0]);
    const size_t count = questions.size();
    const size_t chunk = std::clamp(count / (2 * jobs), LEAST_CHUNK, MOST_CHUNK);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    Run run{&questions, chunk, from_other, until, new (shared_array<Shared>(1)) Shared{}, shared_array<Answer>(count),
            shared_array<Outcome>(count), shared_array<char>(count / chunk + 1)};
    std::vector<pid_t> workers;
    for (size_t job = 0; job < jobs; job++) {
        const pid_t pid = fork();
        if (pid == 0) worker(run);
        if (pid < 0) refuse("no further process can be made");
        workers.push_back(pid);
    }
    bool failed = false;
    for (pid_t pid : workers) {
        int status = 0;
        failed |= waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    if (const int error = run.shared->other_error) {
        refuse(std::string("CUDA: ") + cudaGetErrorString(cudaError_t(error)));
    }
    if (failed) refuse("a process did not come to its end: is the GPU in use by others?");

    std::string text = std::string(HEADER) + "\n";
    size_t rows = 0, traps = 0;
    for (size_t i = 0; i < count; i++) {
        if (run.outcomes[i] == Outcome::none) continue; // there was no time
        rows++;
        text += row(questions[i], run.answers[i], run.outcomes[i]) + "\n";
        traps += run.outcomes[i] == Outcome::trap;
    }
    write_recording(names.back(), text);
    if (!tally.empty()) add_to_tally(tally, names.back(), run);
    std::cerr << rows << " records, " << traps << " of them traps\n";
}
