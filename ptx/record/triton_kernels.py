#!/usr/bin/env python3
"""Compiles the kernels `triton_*` of the folder above, and writes their inputs and launches.

    python3 -m pip install triton==3.9.0
    record/triton_kernels.py [FOLDER]

No GPU is needed. The outputs, NAME.expected, come from `record` on an H200. Values are small, so that every sum of a matrix
product is exact and comes out the same in whatever order it is taken.
"""

import os
import pathlib
import random
import struct
import sys

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"  # it would name this machine's folders
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

HERE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "kernels/triton")
HOPPER = GPUTarget("cuda", 90, 32)
BYTES = {"u8": 1, "i8": 1, "i32": 4, "i64": 8, "fp16": 2, "bf16": 2, "fp32": 4, "fp64": 8, "fp8e4nv": 1, "fp8e5": 1}


@triton.jit
def t_copy(a_ptr, c_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    a = tl.make_tensor_descriptor(a_ptr, [M, N], [N, 1], [BM, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    c.store([pm * BM, pn * BN], a.load([pm * BM, pn * BN]))


@triton.jit
def t_3d(a_ptr, c_ptr, Z, M, N, BZ: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pz = tl.program_id(0)
    pm = tl.program_id(1)
    a = tl.make_tensor_descriptor(a_ptr, [Z, M, N], [M * N, N, 1], [BZ, BM, BN])
    c = tl.make_tensor_descriptor(c_ptr, [Z, M, N], [M * N, N, 1], [BZ, BM, BN])
    x = a.load([pz * BZ, pm * BM, 0])
    c.store([pz * BZ, pm * BM, 0], x * 3 + 1)


@triton.jit
def t_red(a_ptr, c_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    a = tl.make_tensor_descriptor(a_ptr, [M, N], [N, 1], [BM, BN])
    c = tl.make_tensor_descriptor(c_ptr, [BM, N], [N, 1], [BM, BN])
    c.atomic_add([0, pn * BN], a.load([pm * BM, pn * BN]))


@triton.jit
def t_softmax(a_ptr, c_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    a = tl.make_tensor_descriptor(a_ptr, [M, N], [N, 1], [BM, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    x = a.load([pm * BM, 0]).to(tl.float32)
    x = x - tl.max(x, 1)[:, None]
    e = tl.exp2(x)
    c.store([pm * BM, 0], (e / tl.sum(e, 1)[:, None]).to(tl.float16))


@triton.jit
def gemm_tma(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ST: tl.constexpr,
             OUT: tl.constexpr, ACC: tl.constexpr, WS: tl.constexpr):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    pm = pid % nm
    pn = pid // nm
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=ST, warp_specialize=WS):
        x = a.load([pm * BM, k * BK])
        y = b.load([pn * BN, k * BK])
        acc = tl.dot(x, y.T, acc, out_dtype=ACC)
    c.store([pm * BM, pn * BN], acc.to(OUT))


@triton.jit
def gemm_cp(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ST: tl.constexpr,
            ACC: tl.constexpr):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    rm = (pid % nm) * BM + tl.arange(0, BM)
    rn = (pid // nm) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=ACC)
    pa = a_ptr + rm[:, None] * K + rk[None, :]
    pb = b_ptr + rn[None, :] * K + rk[:, None]
    for k in tl.range(0, K, BK, num_stages=ST):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, out_dtype=ACC)
        pa += BK
        pb += BK
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def attn(q_ptr, k_ptr, v_ptr, o_ptr, L, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    pm = tl.program_id(0)
    q = tl.make_tensor_descriptor(q_ptr, [L, D], [D, 1], [BM, D])
    kk = tl.make_tensor_descriptor(k_ptr, [L, D], [D, 1], [BN, D])
    v = tl.make_tensor_descriptor(v_ptr, [L, D], [D, 1], [BN, D])
    o = tl.make_tensor_descriptor(o_ptr, [L, D], [D, 1], [BM, D])
    x = q.load([pm * BM, 0])
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for n in tl.range(0, tl.cdiv(L, BN), num_stages=2):
        s = tl.dot(x, kk.load([n * BN, 0]).T)
        p = tl.where(s > 0, 1.0, 0.0).to(tl.float16)  # exact: a mask in place of the exponential
        acc = tl.dot(p, v.load([n * BN, 0]), acc)
    o.store([pm * BM, 0], acc.to(tl.float16))


@triton.jit
def gemm_persistent(a_ptr, b_ptr, c_ptr, M, N, K, CTAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr, WS: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    nm = tl.cdiv(M, BM)
    for tile in tl.range(tl.program_id(0), nm * tl.cdiv(N, BN), CTAS, warp_specialize=WS):
        pm = tile % nm
        pn = tile // nm
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in tl.range(0, tl.cdiv(K, BK)):
            acc = tl.dot(a.load([pm * BM, k * BK]), b.load([pn * BN, k * BK]).T, acc)
        c.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def t_eight(a_ptr, c_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    a = tl.make_tensor_descriptor(a_ptr, [M, N], [N, 1], [BM, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    x = a.load([pm * BM, 0]) * 37.0  # some become too large
    y = x.to(tl.float8e4nv).to(tl.float16) + (x * 300.0).to(tl.float8e5).to(tl.float16)
    c.store([pm * BM, 0], y.to(tl.float32))


def quarters(ty, rnd):
    """Whole numbers of -60 to 60, or a quarter of one as a float."""
    value = rnd.randint(-60, 60)
    if ty == "fp16":
        return struct.unpack("<H", struct.pack("<e", value / 4))[0]
    if ty == "bf16":
        return struct.unpack("<I", struct.pack("<f", value / 4))[0] >> 16
    if ty == "fp32":
        return struct.unpack("<I", struct.pack("<f", value / 4))[0]
    if ty == "fp64":
        return struct.unpack("<Q", struct.pack("<d", value / 4))[0]
    return value & ((1 << (8 * BYTES[ty])) - 1)


def small(ty, rnd):
    """Whole numbers of -3 to 3."""
    value = rnd.randint(-3, 3)
    if ty == "fp16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    if ty == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    if ty == "fp32":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if ty == "fp8e4nv":
        return {0: 0, 1: 0x38, 2: 0x40, 3: 0x44, -1: 0xB8, -2: 0xC0, -3: 0xC4}[value]
    if ty == "fp8e5":
        return {0: 0, 1: 0x3C, 2: 0x40, 3: 0x42, -1: 0xBC, -2: 0xC0, -3: 0xC2}[value]
    return value & ((1 << (8 * BYTES[ty])) - 1)


def build(name, seed, fn, values, buffers, numbers, constants, grid, warps=4, stages=3, inputs=None):
    """`buffers`: parameter, type, elements, whether it has an input. `seed`: of the inputs; `inputs`: the kernel whose they are."""
    rnd = random.Random(seed)
    signature = {buffer: "*" + ty for buffer, ty, _, _ in buffers}
    signature.update({number: "i32" for number, _ in numbers})
    signature.update({constant: "constexpr" for constant in constants})
    aligned = dict(numbers)
    attributes = {
        (place,): [["tt.divisibility", 16]]
        for place, parameter in enumerate(signature)
        if signature[parameter].startswith("*") or (signature[parameter] == "i32" and aligned[parameter] % 16 == 0)
    }
    source = ASTSource(fn=fn, signature=signature, constexprs=constants, attrs=attributes)
    options = dict(num_warps=warps, num_stages=stages, ptx_version=86)
    kernel = triton.compile(source, target=HOPPER, options=options)
    (HERE / f"{name}.ptx").write_text(kernel.asm["ptx"])
    run = f"--entry {kernel.metadata.name} --grid {','.join(map(str, grid))} --block {32 * kernel.metadata.num_warps} --shared {kernel.metadata.shared}"
    for buffer, ty, count, filled in buffers:
        run += f" --param {buffer}:u{8 * BYTES[ty]}:{count}"
        if filled:
            text = "\n".join(str(values(ty, rnd)) for _ in range(count)) + "\n"
            (HERE / f"{inputs or name}_{buffer}.in").write_text(text)
            run += f":@{inputs or name}_{buffer}.in"
    for _, number in numbers:
        run += f" --param u32:{number}"
    # the tensor maps that a kernel makes: two parameters that Triton adds to each
    run += f" --param scratch:u64:{16 * 16 * grid[0] * (grid[1] if len(grid) > 1 else 1)} --param scratch2:u64:64"
    (HERE / f"{name}.run").write_text(run + "\n")


def tile(name, fn, ty, m, n, bm, bn, grid=None, **options):
    buffers = [("a_ptr", ty, m * n, True), ("c_ptr", ty, m * n, False)]
    grid = grid or (-(-m // bm), -(-n // bn))
    build(f"triton_{name}", f"t_{name}", fn, quarters, buffers, [("M", m), ("N", n)], dict(BM=bm, BN=bn), grid, **options)


def reduction(name, fn, ty):
    buffers = [("a_ptr", ty, 60 * 96, True), ("c_ptr", ty, 16 * 96, True)]
    numbers, constants = [("M", 60), ("N", 96)], dict(BM=16, BN=32)
    build(f"triton_{name}", f"t_{name}", fn, quarters, buffers, numbers, constants, (4, 3))


def gemm(name, fn, ty, out, m, n, k, bm, bn, bk, result=tl.float16, sum=tl.float32, specialize=False, warps=4, grid=None):
    constants = dict(BM=bm, BN=bn, BK=bk, ST=3)
    if fn is gemm_tma:
        constants.update(OUT=result, ACC=sum, WS=specialize)
    if fn is gemm_cp:
        constants.update(ACC=sum)
    buffers = [("a_ptr", ty, m * k, True), ("b_ptr", ty, n * k, True), ("c_ptr", out, m * n, False)]
    numbers = [("M", m), ("N", n), ("K", k)]
    grid = grid or ((m // bm) * (n // bn),)
    build(f"triton_{name}", f"g_{name}", fn, small, buffers, numbers, constants, grid, warps=warps)


tile("copy_f16s", t_copy, "fp16", 40, 48, 8, 16, warps=2)
tile("copy_f16n", t_copy, "fp16", 40, 48, 8, 32, warps=1)
tile("copy_f64", t_copy, "fp64", 20, 24, 8, 8, warps=1)
tile("copy_i64", t_copy, "i64", 33, 20, 16, 16)
tile("softmax", t_softmax, "fp16", 48, 64, 16, 64, grid=(3,))
for number in [("3d_f16", "fp16", 24, 4, 8, 32, (2, 2)), ("3d_i32", "i32", 20, 2, 4, 16, (3, 3))]:
    name, ty, n, bz, bm, bn, grid = number
    buffers = [("a_ptr", ty, 45 * n, True), ("c_ptr", ty, 45 * n, False)]
    numbers, constants = [("Z", 5), ("M", 9), ("N", n)], dict(BZ=bz, BM=bm, BN=bn)
    build(f"triton_{name}", f"t_{name}", t_3d, quarters, buffers, numbers, constants, grid)
reduction("red_fp16", t_red, "fp16")
gemm("tma_fp8e5", gemm_tma, "fp8e5", "fp32", 64, 64, 128, 64, 64, 64, result=tl.float32)
gemm("cp_small_i8", gemm_cp, "i8", "i32", 32, 64, 128, 16, 32, 64, sum=tl.int32, warps=2)
names = ["q_ptr", "k_ptr", "v_ptr", "o_ptr"]
buffers = [(name, "fp16", 128 * 64, name != "o_ptr") for name in names]
build("triton_attn", "attn", attn, small, buffers, [("L", 128)], dict(BM=64, BN=64, D=64), (2,), stages=2)
tile("eight", t_eight, "fp32", 32, 32, 16, 32, grid=(2,))
gemm("tma_fp8e4nv", gemm_tma, "fp8e4nv", "fp8e4nv", 64, 64, 128, 64, 64, 64, result=tl.float8e4nv)
for name, specialize in [("persistent", False), ("persistent_ws", True)]:
    m, n, k = 64, 192, 128
    buffers = [("a_ptr", "fp16", m * k, True), ("b_ptr", "fp16", n * k, True), ("c_ptr", "fp16", m * n, False)]
    constants = dict(CTAS=2, BM=64, BN=64, BK=64, WS=specialize)
    numbers = [("M", m), ("N", n), ("K", k)]
    build(f"triton_{name}", "g_persistent", gemm_persistent, small, buffers, numbers, constants, (2,), inputs="triton_persistent")
