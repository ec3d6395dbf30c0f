#!/usr/bin/env python3
"""Runs copies.ptx on a GPU of NVIDIA by its driver, and prints copies.csv.

usage: python3 record.py > copies.csv     (in this folder; wants libcuda.so.1, nothing else)

Each case is run with delays from 0 to 6,000 cycles, three times each, and with 20,000. `first` and `last` are the words that were read with
the shortest and the longest of them, `between` whether any other word was ever read, `cycles` when the last one was seen at the earliest.
"""
import ctypes
import pathlib
import struct

CASES = [  # count, copiers, arrivers, noinc
    (64, 0x00000001, 0xFFFFFFFF, 1),
    (31, 0x00000001, 0xFFFFFFFF, 1),
    (32, 0x00000001, 0xFFFFFFFF, 1),
    (64, 0x00000001, 0xFFFFFFFE, 1),
    (64, 0x00000000, 0xFFFFFFFF, 1),
    (64, 0xFFFFFFFF, 0xFFFFFFFF, 1),
    (64, 0x0000FFFF, 0xFFFF0000, 1),
    (64, 0x00000001, 0xFFFFFFFF, 0),
    (64, 0x00000001, 0xFFFFFFFE, 0),
    (64, 0x00000000, 0xFFFFFFFF, 0),
    (64, 0xFFFFFFFF, 0x0000FF00, 0),
]

cuda = ctypes.CDLL("libcuda.so.1")
size, u32, u64, pointer = ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


def call(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    if error:
        raise SystemExit(f"{name}: error {error}")


device, context, module, kernel, host, source, words = ctypes.c_int(), pointer(), pointer(), pointer(), pointer(), u64(), u64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), pathlib.Path("copies.ptx").read_bytes() + b"\0")
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"copies")
call("cuMemHostAlloc", ctypes.byref(host), size(1 << 18), 2)  # mapped
call("cuMemHostGetDevicePointer_v2", ctypes.byref(source), host, 0)
call("cuMemAlloc_v2", ctypes.byref(words), size(16))


def run(case, delay):
    values = [u64(source.value), u64(words.value), *map(u32, case), u32(delay)]
    parameters = (pointer * len(values))(*[ctypes.cast(ctypes.byref(value), pointer) for value in values])
    call("cuLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, None, parameters, None)
    call("cuCtxSynchronize")
    out = ctypes.create_string_buffer(16)
    call("cuMemcpyDtoH_v2", out, words, size(16))
    return struct.unpack("<QQ", out.raw)


print("count,copiers,arrivers,noinc,first,last,between,cycles")
for case in CASES:
    read = [run(case, delay) for delay in list(range(0, 6000, 20)) * 3 + [20000]]
    first, last = read[0][0], read[-1][0]
    between = int(any(word not in (first, last) for word, _ in read))
    cycles = min(cycle for word, cycle in read if word == last)
    count, copiers, arrivers, noinc = case
    print(f"{count},{copiers:08x},{arrivers:08x},{noinc},{first:016x},{last:016x},{between},{cycles}")
