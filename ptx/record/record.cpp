// Runs PTX kernels on the GPU of this machine and writes what they leave in their buffers.
//
//     record [--repeats N] [--check] NAME.run...
//
// NAME.run holds the arguments that `txbar run` takes after the file, in one line. NAME.ptx beside it is loaded exactly as
// it is, run N times (20 if nothing is said) on fresh buffers, and NAME.expected is written if all runs agree. With --check
// nothing is written: the outputs are compared with NAME.expected. A kernel that hangs is given up after ten seconds, and
// one that traps is reported; neither harms the others, since each starts in a process of its own.
//
// Needs CUDA's driver: g++ -O2 -std=c++17 record.cpp -lcuda
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

// Bytes of shared memory given at launch, for kernels with `.extern .shared` that do not say how many they need.
constexpr unsigned DYNAMIC_SHARED = 16384;
constexpr unsigned LIMIT_SECONDS = 10;

void check(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS) return;
    const char *text = nullptr;
    cuGetErrorString(result, &text);
    throw std::runtime_error(std::string(what) + ": " + (text ? text : "unknown error"));
}

std::string read(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Parameter {
    std::string name;   // of a buffer
    std::string map;    // of a tensor map: BUFFER,KEY=VALUE,...
    size_t width = 0;   // bytes of a value
    size_t count = 0;   // values; 0: the parameter is the value itself
    std::vector<uint64_t> values;
    std::vector<uint8_t> bytes; // of a structure, which is the parameter itself
};

using Sizes = std::array<unsigned, 3>;

struct Launch {
    std::string entry;
    Sizes grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
    unsigned shared = DYNAMIC_SHARED;
    std::vector<Parameter> parameters;
    size_t arguments = 0; // how many of them the kernel takes; the others are buffers that tensor maps name
};

size_t width(const std::string &type) {
    if (type.size() < 2) throw std::runtime_error(type + ": no type");
    const size_t bits = std::stoul(type.substr(1));
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) throw std::runtime_error(type + ": no type");
    return bits / 8;
}

// X, or X,Y,Z
Sizes sizes(const std::string &text) {
    Sizes sizes{1, 1, 1};
    std::istringstream stream(text);
    size_t axis = 0;
    for (std::string part; axis < 3 && std::getline(stream, part, ',');) sizes[axis++] = std::stoul(part);
    return sizes;
}

// u32:8, bytes:00ff, out:u32:256, in:u32:256:@FILE, in:u32:4:1,2,3,4, map:tensormap:in,type=f16,sizes=64x32,box=16x8
Parameter parameter(const std::string &text, const std::string &folder) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
    Parameter parameter;
    if (parts.size() == 2 && parts[0] == "bytes") {
        for (size_t i = 0; i + 1 < parts[1].size(); i += 2)
            parameter.bytes.push_back(std::stoul(parts[1].substr(i, 2), nullptr, 16));
    } else if (parts.size() == 2) {
        parameter.width = width(parts[0]);
        parameter.values.push_back(std::stoull(parts[1], nullptr, 0));
    } else if (parts.size() == 3 && parts[1] == "tensormap") {
        parameter.map = parts[2];
    } else if (parts.size() == 3 || parts.size() == 4) {
        parameter.name = parts[0];
        parameter.width = width(parts[1]);
        parameter.count = std::stoul(parts[2]);
        if (parts.size() == 4) {
            std::string list = parts[3][0] == '@' ? read(folder + parts[3].substr(1)) : parts[3];
            for (char &letter : list) letter = letter == ',' ? ' ' : letter;
            std::istringstream numbers(list);
            for (std::string number; numbers >> number;) parameter.values.push_back(std::stoull(number, nullptr, 0));
            if (parameter.values.size() > parameter.count) throw std::runtime_error(text + ": the file holds more values");
        }
        parameter.values.resize(parameter.count);
    } else {
        throw std::runtime_error(text + ": no parameter");
    }
    return parameter;
}

Launch launch(const std::string &path) {
    const std::string folder = path.find('/') == std::string::npos ? "" : path.substr(0, path.rfind('/') + 1);
    Launch launch;
    std::vector<Parameter> buffers;
    std::istringstream words(read(path));
    for (std::string option, value; words >> option >> value;) {
        if (option == "--entry") launch.entry = value;
        else if (option == "--grid") launch.grid = sizes(value);
        else if (option == "--block") launch.block = sizes(value);
        else if (option == "--cluster") launch.cluster = sizes(value);
        else if (option == "--shared") launch.shared = std::stoul(value);
        else if (option == "--param") launch.parameters.push_back(parameter(value, folder));
        else if (option == "--buffer") buffers.push_back(parameter(value, folder));
        else throw std::runtime_error(option + ": unknown");
    }
    launch.arguments = launch.parameters.size();
    launch.parameters.insert(launch.parameters.end(), buffers.begin(), buffers.end());
    return launch;
}

// The place of a word in a list.
unsigned place(const std::string &word, const std::vector<std::string> &words) {
    for (size_t i = 0; i < words.size(); i++)
        if (words[i] == word) return i;
    throw std::runtime_error(word + ": unknown");
}

// 64x32
template <typename Number> std::vector<Number> numbers(const std::string &text) {
    std::vector<Number> numbers;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, 'x');) numbers.push_back(std::stoull(part));
    return numbers;
}

// The tensor map of a description, by the driver. A buffer's address is that of its name.
CUtensorMap tensor_map(const std::string &text, const std::vector<Parameter> &parameters, const std::vector<uint64_t> &cells) {
    std::istringstream stream(text);
    std::string buffer, part;
    std::getline(stream, buffer, ',');
    uint64_t address = 0;
    for (size_t i = 0; i < parameters.size(); i++)
        if (parameters[i].count != 0 && parameters[i].name == buffer) address = cells[i];
    if (address == 0) throw std::runtime_error(buffer + ": no such buffer");
    unsigned type = 0, interleave = 0, swizzle = 0, fill = 0, promotion = 0;
    std::vector<cuuint64_t> sizes, strides;
    std::vector<cuuint32_t> box, steps;
    while (std::getline(stream, part, ',')) {
        const size_t equals = part.find('=');
        const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
        if (key == "type") type = place(value, {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"});
        else if (key == "sizes") sizes = numbers<cuuint64_t>(value);
        else if (key == "strides") strides = numbers<cuuint64_t>(value);
        else if (key == "box") box = numbers<cuuint32_t>(value);
        else if (key == "element-strides") steps = numbers<cuuint32_t>(value);
        else if (key == "interleave") interleave = place(value, {"none", "16", "32"});
        else if (key == "swizzle") swizzle = place(value, {"none", "32", "64", "128"});
        else if (key == "fill") fill = place(value, {"zeros", "nan"});
        else if (key == "l2") promotion = place(value, {"none", "64", "128", "256"});
        else if (key == "offset") address += std::stoull(value);
        else throw std::runtime_error(key + ": unknown");
    }
    const size_t rank = sizes.size();
    const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    // what is not said: rows one behind the other
    for (size_t i = strides.size(); i + 1 < rank; i++) strides.push_back(i == 0 ? sizes[0] * bytes[type] : strides[i - 1] * sizes[i]);
    strides.resize(rank);
    steps.resize(rank, 1);
    CUtensorMap map;
    check(cuTensorMapEncodeTiled(&map, CUtensorMapDataType(type), rank, reinterpret_cast<void *>(address), sizes.data(),
                                 strides.data(), box.data(), steps.data(), CUtensorMapInterleave(interleave),
                                 CUtensorMapSwizzle(swizzle), CUtensorMapL2promotion(promotion), CUtensorMapFloatOOBfill(fill)),
          "tensor map");
    return map;
}

// The lines that txbar prints: every buffer's name, and its values in hex with all their digits.
std::string run(CUfunction function, const Launch &launch) {
    std::vector<CUdeviceptr> buffers;
    std::vector<uint64_t> cells(launch.parameters.size());
    std::vector<void *> pointers;
    for (size_t i = 0; i < launch.parameters.size(); i++) {
        const Parameter &parameter = launch.parameters[i];
        if (!parameter.map.empty()) {
            pointers.push_back(nullptr); // made below, when all buffers have their addresses
            continue;
        }
        if (!parameter.bytes.empty()) {
            pointers.push_back(const_cast<uint8_t *>(parameter.bytes.data()));
            continue;
        }
        if (parameter.count == 0) {
            cells[i] = parameter.values[0];
        } else {
            std::vector<uint8_t> bytes(parameter.count * parameter.width);
            for (size_t v = 0; v < parameter.count; v++)
                for (size_t b = 0; b < parameter.width; b++) bytes[v * parameter.width + b] = parameter.values[v] >> (8 * b);
            CUdeviceptr buffer;
            check(cuMemAlloc(&buffer, bytes.size()), "allocation");
            check(cuMemcpyHtoD(buffer, bytes.data(), bytes.size()), "copy to the device");
            cells[i] = buffer;
        }
        pointers.push_back(&cells[i]);
    }
    std::vector<CUtensorMap> maps(launch.parameters.size());
    for (size_t i = 0; i < launch.arguments; i++) {
        if (launch.parameters[i].map.empty()) continue;
        maps[i] = tensor_map(launch.parameters[i].map, launch.parameters, cells);
        pointers[i] = &maps[i];
        size_t offset, size;
        check(cuFuncGetParamInfo(function, i, &offset, &size), "parameter");
        if (size == sizeof(CUtensorMap)) continue;
        // a pointer to it
        CUdeviceptr address;
        check(cuMemAlloc(&address, sizeof(CUtensorMap)), "allocation");
        cells[i] = address;
        check(cuMemcpyHtoD(address, &maps[i], sizeof(CUtensorMap)), "copy to the device");
        pointers[i] = &cells[i];
    }
    const Sizes &grid = launch.grid, &block = launch.block, &cluster = launch.cluster;
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = cluster[0], attribute.value.clusterDim.y = cluster[1], attribute.value.clusterDim.z = cluster[2];
    CUlaunchConfig config{};
    config.gridDimX = grid[0], config.gridDimY = grid[1], config.gridDimZ = grid[2];
    config.blockDimX = block[0], config.blockDimY = block[1], config.blockDimZ = block[2];
    config.sharedMemBytes = launch.shared;
    config.attrs = &attribute;
    config.numAttrs = cluster[0] * cluster[1] * cluster[2] > 1 ? 1 : 0;
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, launch.shared), "shared memory");
    check(cuLaunchKernelEx(&config, function, pointers.data(), nullptr), "launch");
    check(cuCtxSynchronize(), "run");
    std::string lines;
    for (size_t i = 0; i < launch.parameters.size(); i++) {
        const Parameter &parameter = launch.parameters[i];
        if (!parameter.map.empty() && cells[i] != 0) check(cuMemFree(cells[i]), "free");
        if (parameter.count == 0) continue;
        std::vector<uint8_t> bytes(parameter.count * parameter.width);
        check(cuMemcpyDtoH(bytes.data(), cells[i], bytes.size()), "copy to the host");
        check(cuMemFree(cells[i]), "free");
        if (parameter.name.rfind("scratch", 0) == 0) continue; // it holds addresses
        lines += parameter.name + ":";
        for (size_t v = 0; v < parameter.count; v++) {
            lines += ' ';
            for (size_t b = parameter.width; b-- > 0;) {
                char digits[3];
                std::snprintf(digits, sizeof digits, "%02x", bytes[v * parameter.width + b]);
                lines += digits;
            }
        }
        lines += '\n';
    }
    return lines;
}

void record(const std::string &path, unsigned repeats, bool compare) {
    const std::string stem = path.substr(0, path.rfind(".run"));
    const Launch description = launch(path);
    const std::string text = read(stem + ".ptx");
    std::vector<char> log(8192);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    std::string first;
    // loaded for each run: a module's variables begin as they are written
    for (unsigned i = 0; i < repeats; i++) {
        CUmodule module;
        CUfunction function;
        const CUresult loaded = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
        if (loaded != CUDA_SUCCESS) throw std::runtime_error(std::string("is refused: ") + log.data());
        check(cuModuleGetFunction(&function, module, description.entry.c_str()), "entry");
        const std::string lines = run(function, description);
        check(cuModuleUnload(module), "unload");
        if (i == 0) first = lines;
        if (lines != first) throw std::runtime_error("run " + std::to_string(i) + " differs from the first");
    }
    if (compare) {
        if (read(stem + ".expected") != first) throw std::runtime_error("differs from its .expected");
    } else {
        std::ofstream(stem + ".expected") << first;
    }
}

} // namespace

int main(int count, char **arguments) {
    unsigned repeats = 20;
    bool compare = false;
    std::vector<std::string> paths;
    for (int i = 1; i < count; i++) {
        const std::string argument = arguments[i];
        if (argument == "--repeats" && i + 1 < count) repeats = std::stoul(arguments[++i]);
        else if (argument == "--check") compare = true;
        else paths.push_back(argument);
    }
    int failed = 0;
    size_t next = 0;
    // a child takes the kernels one after the other; after one that fails, another child goes on
    while (next < paths.size()) {
        int progress[2];
        if (pipe(progress) != 0) return 1;
        const pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) {
            const char *path = paths[next].c_str();
            try {
                CUdevice device;
                CUcontext context;
                check(cuInit(0), "driver");
                check(cuDeviceGet(&device, 0), "device");
                check(cuDevicePrimaryCtxRetain(&context, device), "context");
                check(cuCtxSetCurrent(context), "context");
                for (size_t i = next; i < paths.size(); i++) {
                    path = paths[i].c_str();
                    alarm(LIMIT_SECONDS);
                    record(paths[i], repeats, compare);
                    alarm(0);
                    if (write(progress[1], "+", 1) != 1) _exit(1);
                }
            } catch (const std::exception &error) {
                std::fprintf(stderr, "%s: %s\n", path, error.what());
                _exit(1);
            }
            _exit(0);
        }
        close(progress[1]);
        for (char mark; ::read(progress[0], &mark, 1) == 1;) next++;
        close(progress[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) std::fprintf(stderr, "%s: given up (signal %d)\n", paths[next].c_str(), WTERMSIG(status));
        if (status != 0) failed++, next++;
    }
    std::printf("%zu of %zu kernels %s\n", paths.size() - failed, paths.size(), compare ? "as expected" : "recorded");
    return failed == 0 ? 0 : 1;
}
