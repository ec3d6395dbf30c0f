// Asking questions of a GPU some of which kill the kernel that asks, and with it the process's context.
//
// Many rows at a time are asked by a process of their own, first in one launch; if that dies, one launch a row, and a new
// process after each row that dies.
#pragma once
#include "recording.h"
#include <algorithm>
#include <atomic>
#include <cuda_runtime.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// Rows that a process asks for in one launch: to begin a process costs half a second, and a row in it next to nothing.
constexpr size_t LEAST_CHUNK = 64, MOST_CHUNK = 4096;
// Seconds after which a process that records a chunk is taken for stuck.
constexpr unsigned PATIENCE_S = 120;

// What the processes share.
struct Shared {
    std::atomic<size_t> next_chunk;
    std::atomic<int> other_error; // a CUDA error that is no trap
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

// A run: `launch` starts a kernel for so many questions, one after the other in memory, and nothing more.
template <typename Question, typename Answer> struct Run {
    using Launch = void (*)(const Question *questions, Answer *answers, size_t count, bool from_other);
    const std::vector<Question> &questions;
    Launch launch;
    bool from_other;
    size_t chunk;
    Shared *shared = new (shared_array<Shared>(1)) Shared{};
    Answer *answers = shared_array<Answer>(questions.size());
    Outcome *outcomes = shared_array<Outcome>(questions.size());
    char *one_by_one = shared_array<char>(questions.size() / chunk + 1); // a chunk whose launch died

    Run(const std::vector<Question> &questions, Launch launch, bool from_other, size_t jobs)
        : questions(questions), launch(launch), from_other(from_other),
          chunk(std::clamp(questions.size() / (2 * jobs), LEAST_CHUNK, MOST_CHUNK)) {}

    // Launches for rows begin to end. If it does not work, the process is done with.
    cudaError_t ask(size_t begin, size_t end, Question *on_gpu, Answer *from_gpu) const {
        const size_t count = end - begin;
        cudaError_t error = cudaMemcpy(on_gpu, questions.data() + begin, count * sizeof(Question), cudaMemcpyHostToDevice);
        if (error != cudaSuccess) return error;
        launch(on_gpu, from_gpu, count, from_other);
        error = cudaGetLastError();
        if (error == cudaSuccess) error = cudaDeviceSynchronize();
        if (error != cudaSuccess) return error;
        error = cudaMemcpy(answers + begin, from_gpu, count * sizeof(Answer), cudaMemcpyDeviceToHost);
        if (error == cudaSuccess) std::fill(outcomes + begin, outcomes + end, Outcome::done);
        return error;
    }

    // A process with a context of its own: asks what is left of a chunk, up to the first row that traps.
    void child(size_t number) const {
        alarm(PATIENCE_S);
        const size_t begin = number * chunk, end = std::min(begin + chunk, questions.size());
        Question *on_gpu = nullptr;
        Answer *from_gpu = nullptr;
        auto other = [&](cudaError_t error) {
            shared->other_error = int(error);
            _exit(1);
        };
        if (cudaError_t error = cudaMalloc(&on_gpu, chunk * sizeof *on_gpu)) other(error);
        if (cudaError_t error = cudaMalloc(&from_gpu, chunk * sizeof *from_gpu)) other(error);
        if (!one_by_one[number]) {
            const cudaError_t error = ask(begin, end, on_gpu, from_gpu);
            if (is_trap(error)) one_by_one[number] = 1;
            else if (error != cudaSuccess) other(error);
            _exit(0);
        }
        for (size_t row = begin; row < end; row++) {
            if (outcomes[row] != Outcome::none) continue;
            const cudaError_t error = ask(row, row + 1, on_gpu, from_gpu);
            if (is_trap(error)) {
                outcomes[row] = Outcome::trap;
                break;
            }
            if (error != cudaSuccess) other(error);
        }
        _exit(0);
    }

    // A process without a context: takes chunk after chunk.
    void worker() const {
        const size_t chunks = (questions.size() + chunk - 1) / chunk;
        for (size_t number; (number = shared->next_chunk++) < chunks;) {
            const Outcome *begin = outcomes + number * chunk;
            const Outcome *end = outcomes + std::min((number + 1) * chunk, questions.size());
            while (std::find(begin, end, Outcome::none) != end) {
                const pid_t pid = fork();
                if (pid == 0) child(number);
                int status = 0;
                if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) _exit(1);
            }
        }
        _exit(0);
    }

    // Asks everything, so many processes at a time.
    void all(size_t jobs) const {
        std::vector<pid_t> workers;
        for (size_t job = 0; job < jobs; job++) {
            const pid_t pid = fork();
            if (pid == 0) worker();
            if (pid < 0) refuse("no further process can be made");
            workers.push_back(pid);
        }
        bool failed = false;
        for (pid_t pid : workers) {
            int status = 0;
            failed |= waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        }
        if (const int error = shared->other_error) {
            refuse(std::string("CUDA: ") + cudaGetErrorString(cudaError_t(error)));
        }
        if (failed) refuse("a process did not come to its end: is the GPU in use by others?");
    }

    // Writes them down; `row` is one line of the recording.
    void write(const std::string &name, const char *header, std::string (*row)(const Question &, const Answer &, Outcome)) const {
        std::string text = std::string(header) + "\n";
        size_t traps = 0;
        for (size_t i = 0; i < questions.size(); i++) {
            text += row(questions[i], answers[i], outcomes[i]) + "\n";
            traps += outcomes[i] == Outcome::trap;
        }
        write_recording(name, text);
        std::cerr << questions.size() << " records, " << traps << " of them traps\n";
    }
};

// A number of the command line.
static size_t number(const char *text, const char *what) {
    char *end = nullptr;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (!*text || *text == '-' || *end) refuse(std::string(what) + " `" + text + "` is no number");
    return value;
}
