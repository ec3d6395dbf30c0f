#!/usr/bin/env python3
"""Runs copies.ptx and posts.ptx on a GPU of NVIDIA by its driver, and writes copies.csv and posts.csv.

usage: python3 record.py     (in this folder; wants libcuda.so.1, nothing else)

copies.csv: each case is run with delays from 0 to 6,000 cycles, three times each, and with 20,000. `first` and `last` are the words that were
read with the shortest and the longest of them, `between` whether any other word was ever read, `cycles` when the last one was seen at the earliest.

posts.csv: 32 lanes post; for each number of lanes whose bytes are expected it is seen whether the phase completes. `completes` has those numbers.
"""
import ctypes
import pathlib
import struct

COPIES = [  # count, copiers, arrivers, noinc
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
POSTS = [("st.async.b32", 4), ("st.async.b64", 8), ("st.async.v4.b32", 16), ("red.async.add.u32", 4)]

cuda = ctypes.CDLL("libcuda.so.1")
size, u32, u64, pointer = ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


class Attribute(ctypes.Structure):
    _fields_ = [("name", ctypes.c_int), ("gap", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class Launch(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", pointer),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    ]


def call(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    if error:
        raise SystemExit(f"{name}: error {error}")


def kernel(name):
    module, function = pointer(), pointer()
    call("cuModuleLoadData", ctypes.byref(module), pathlib.Path(name + ".ptx").read_bytes() + b"\0")
    call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    return function


def run(function, ctas, values):
    """A cluster of so many CTAs of one warp each; gives the two words that it leaves."""
    parameters = (pointer * len(values))(*[ctypes.cast(ctypes.byref(value), pointer) for value in values])
    cluster = Attribute(name=4, value=(ctas, 1, 1))
    launch = Launch(grid=(ctas, 1, 1), block=(32, 1, 1), attributes=ctypes.pointer(cluster), count=1)
    call("cuLaunchKernelEx", ctypes.byref(launch), function, parameters, None)
    call("cuCtxSynchronize")
    out = ctypes.create_string_buffer(16)
    call("cuMemcpyDtoH_v2", out, words, size(16))
    return struct.unpack("<QQ", out.raw)


device, context, host, source, words = ctypes.c_int(), pointer(), pointer(), u64(), u64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemHostAlloc", ctypes.byref(host), size(1 << 18), 2)  # mapped
call("cuMemHostGetDevicePointer_v2", ctypes.byref(source), host, 0)
call("cuMemAlloc_v2", ctypes.byref(words), size(16))

copies = kernel("copies")
with open("copies.csv", "w") as file:
    print("count,copiers,arrivers,noinc,first,last,between,cycles", file=file)
    for case in COPIES:
        delays = list(range(0, 6000, 20)) * 3 + [20000]
        read = [run(copies, 1, [source, words, *map(u32, case), u32(delay)]) for delay in delays]
        first, last = read[0][0], read[-1][0]
        between = int(any(word not in (first, last) for word, _ in read))
        cycles = min(cycle for word, cycle in read if word == last)
        count, copiers, arrivers, noinc = case
        print(f"{count},{copiers:08x},{arrivers:08x},{noinc},{first:016x},{last:016x},{between},{cycles}", file=file)

posts = kernel("posts")
with open("posts.csv", "w") as file:
    print("instruction,bytes,stride,rank,completes", file=file)
    for operation, (name, width) in enumerate(POSTS):
        for stride in sorted({width, 16, 64, 256}):
            for rank in (0, 1):
                read = lambda lanes: run(posts, 2, [words, u32(operation), u32(lanes * width), u32(stride), u32(rank)])[0]
                completes = [lanes for lanes in range(1, 33) if read(lanes) >> 63]
                print(f"{name},{width},{stride},{rank},{' '.join(map(str, completes))}", file=file)
