#!/usr/bin/env python3
"""Compiles the kernels `lines_triton_*` beside it, with the lines of this file. Both are wrong.

    python3 -m pip install triton==3.9.0
    ./lines.py

No GPU is needed.
"""

import pathlib
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def load_row(rows, row, columns, B: tl.constexpr):
    return tl.load(rows + row * B + columns)


@triton.jit
def softmax(rows, out, B: tl.constexpr):
    columns = tl.arange(0, B)
    x = load_row(rows, tl.program_id(0), columns, B)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out + columns, e / tl.sum(e, 0))  # the mistake: every program stores the same row


@triton.jit
def shift(x, out, n, B: tl.constexpr):
    columns = tl.arange(0, B)
    row = load_row(x, tl.program_id(0) + 1, columns, B)  # the mistake: there is no row behind the last
    tl.store(out + tl.program_id(0) * B + columns, row, mask=columns < n)


def compile(name, kernel, types, constants):
    source = ASTSource(kernel, types, constants)
    ptx = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2}).asm["ptx"]
    ptx = re.sub(r'(\.file\s+\d+ ")[^"]*/', r"\1", ptx)
    ptx = re.sub(r"\t\.section\t\.debug_(abbrev|info|macinfo|loc)\n.*?\n\t\}\n", "", ptx, flags=re.DOTALL)
    pathlib.Path(__file__).with_name(name + ".ptx").write_text(ptx)


if __name__ == "__main__":
    compile("lines_triton_race", softmax, {"rows": "*fp32", "out": "*fp32", "B": "constexpr"}, {"B": 64})
    compile("lines_triton_fault", shift, {"x": "*fp32", "out": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 64})
