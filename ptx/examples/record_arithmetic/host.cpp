// Runs the kernels of `record_arithmetic generate` on the GPU: nvcc host.cpp -lcuda -o host && ./host DIR OUT
//
//   DIR/kernels.ptx   kernels, each ended by a zero byte     DIR/tables.bin   their tables
//   OUT/results.bin   results; all ones where the assembler refused a kernel (its words are in OUT/refused.txt)

#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

constexpr int ROWS = 1024;
constexpr size_t IN = ROWS * 40, OUT = ROWS * 24;

static void must(CUresult result, const char *what) {
    if (result != CUDA_SUCCESS) {
        const char *text = "";
        cuGetErrorString(result, &text);
        std::fprintf(stderr, "%s: %s\n", what, text);
        std::exit(1);
    }
}

int main(int, char **arguments) {
    const std::string from = arguments[1], to = arguments[2];
    std::ifstream text(from + "/kernels.ptx", std::ios::binary), data(from + "/tables.bin", std::ios::binary);
    const std::string kernels{std::istreambuf_iterator<char>(text), {}};
    std::ofstream results(to + "/results.bin", std::ios::binary), refused(to + "/refused.txt");
    must(cuInit(0), "init");
    CUdevice device;
    must(cuDeviceGet(&device, 0), "device");
    CUcontext context;
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxSetCurrent(context), "context");
    CUdeviceptr in, out;
    must(cuMemAlloc(&in, IN), "memory");
    must(cuMemAlloc(&out, OUT), "memory");
    std::vector<char> table(IN), answer(OUT);
    int index = 0, bad = 0;
    for (size_t place = 0; place < kernels.size(); ++index) {
        const std::string ptx = kernels.substr(place).c_str();
        place += ptx.size() + 1;
        data.read(table.data(), IN);
        char log[4096] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
        CUmodule module;
        if (cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values) != CUDA_SUCCESS) {
            refused << index << "\t" << log << "\n";
            results.write(std::string(OUT, '\xff').data(), OUT);
            ++bad;
            continue;
        }
        CUfunction apply;
        must(cuModuleGetFunction(&apply, module, "apply"), "function");
        must(cuMemcpyHtoD(in, table.data(), IN), "copy");
        must(cuMemsetD8(out, 0, OUT), "clear");
        void *parameters[] = {&in, &out};
        must(cuLaunchKernel(apply, 1, 1, 1, ROWS, 1, 1, 0, nullptr, parameters, nullptr), "launch");
        must(cuCtxSynchronize(), "run");
        must(cuMemcpyDtoH(answer.data(), out, OUT), "copy");
        results.write(answer.data(), OUT);
        must(cuModuleUnload(module), "unload");
    }
    std::printf("%d kernels, %d refused\n", index, bad);
}
