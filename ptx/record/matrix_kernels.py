#!/usr/bin/env python3
"""Writes the kernels `matrix_*` of the folder above: every multiplication on operands drawn by a hash in the kernel.

    record/matrix_kernels.py [FOLDER [ROUNDS [SEED]]]

Operands are random bits, of which some are fixed, so that exponents are near each other, far apart, at the ends of the range. The
outputs, NAME.expected, come from `record` on an H200. With more rounds and another seed the same kernels ask for more.
"""

import pathlib
import sys

HERE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "kernels/matrix")
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1

# bits of a word of factors and of a word of sums that are drawn, and bits that are set: (and, or) of factors, of sums
ANY = (0xFFFFFFFF, 0)
SINGLE_NEAR = (0x80FFFFFF, 0x3F000000)
SINGLE_BELOW = (0x8FFFFFFF, 0x30000000)
SINGLE_ABOVE = (0x8FFFFFFF, 0x40000000)
SINGLE_TINY = (0x80FFFFFF, 0)
ZERO = (0, 0)
SIGNS = (0x80000000, 0)
HALF_WIDE = (0xFBFFFBFF, 0)
HALF_NEAR = (0x87FF87FF, 0x38003800)
SINGLE = {
    "f16": [
        (HALF_NEAR, SINGLE_NEAR),
        (HALF_WIDE, SINGLE_BELOW),
        (HALF_WIDE, SINGLE_ABOVE),
        (HALF_WIDE, ZERO),
        ((0x87FF87FF, 0), (0x83FFFFFF, 0x30000000)),
        ((0xFC00FC00, 0), ANY),
        (ANY, ANY),
        ((0x80008000, 0), SIGNS),
    ],
    "bf16": [
        ((0x80FF80FF, 0x3F003F00), SINGLE_NEAR),
        ((0x8FFF8FFF, 0x30003000), (0x9FFFFFFF, 0x20000000)),
        ((0x8FFF8FFF, 0x30003000), ZERO),
        ((0x9FFF9FFF, 0), SINGLE_TINY),
        ((0x9FFF9FFF, 0x20002000), SINGLE_TINY),
        ((0x9FFF9FFF, 0x40004000), (0x80FFFFFF, 0x7E000000)),
        (ANY, ANY),
    ],
    "tf32": [
        (SINGLE_NEAR, SINGLE_NEAR),
        (SINGLE_BELOW, (0x9FFFFFFF, 0x20000000)),
        (SINGLE_BELOW, ZERO),
        ((0x9FFFFFFF, 0), SINGLE_TINY),
        ((0x9FFFFFFF, 0x20000000), SINGLE_TINY),
        ((0x9FFFFFFF, 0x40000000), (0x80FFFFFF, 0x7E000000)),
        (ANY, ANY),
    ],
    "e4m3": [
        ((0x8F8F8F8F, 0x30303030), SINGLE_NEAR),
        ((0xF7F7F7F7, 0), (0x87FFFFFF, 0x38000000)),
        ((0xF7F7F7F7, 0), (0x87FFFFFF, 0x40000000)),
        ((0xF7F7F7F7, 0), ZERO),
        ((0x87878787, 0), (0x83FFFFFF, 0x34000000)),
        (ANY, SINGLE_NEAR),
    ],
    "e5m2": [
        ((0x87878787, 0x38383838), SINGLE_NEAR),
        ((0xFBFBFBFB, 0), SINGLE_BELOW),
        ((0xFBFBFBFB, 0), SINGLE_ABOVE),
        ((0xFBFBFBFB, 0), ZERO),
        ((0x87878787, 0), (0x83FFFFFF, 0x30000000)),
        (ANY, SINGLE_NEAR),
    ],
}
HALF = {
    "f16": [(HALF_NEAR, HALF_NEAR), (HALF_WIDE, HALF_WIDE), ((0x8BFF8BFF, 0x30003000), HALF_WIDE), ((0x87FF87FF, 0x10001000), (0x87FF87FF, 0)), (ANY, ANY)],
    "e4m3": [((0x8F8F8F8F, 0x30303030), HALF_NEAR), ((0xF7F7F7F7, 0), HALF_WIDE), ((0x87878787, 0), (0x87FF87FF, 0)), (ANY, ANY)],
    "e5m2": [((0x87878787, 0x38383838), HALF_NEAR), ((0xFBFBFBFB, 0), HALF_WIDE), ((0xC3C3C3C3, 0x10101010), (0x87FF87FF, 0)), (ANY, ANY)],
}
WHOLE = [(ANY, ANY), (ANY, (0x80FFFFFF, 0x7F000000)), ((0x7F7F7F7F, 0), (0xFFFF, 0x7FFF0000))]
DOUBLE = [((0x801FFFFF, 0x3FE00000), (0x801FFFFF, 0x3FE00000)), ((0x83FFFFFF, 0x3C000000), (0x83FFFFFF, 0x3C000000)), (ANY, ANY)]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "f64": 64}


def modes(total, a):
    return {"f16": HALF, "f32": SINGLE}[total][a] if total in ("f16", "f32") else DOUBLE if total == "f64" else WHOLE


class Text:
    """A kernel that is being written."""

    def __init__(self, name, target, threads, what):
        self.name, self.threads, self.results = name, threads, 0
        self.head = f"// {what}\n// Written by record/matrix_kernels.py.\n.version 8.7\n.target {target}\n.address_size 64\n"
        self.body = []
        self.counter = 0

    def add(self, line):
        self.body.append("    " + line)

    def drawn(self, register, masks):
        """A word of random bits that follow from the seed, the round, the thread, and how many were drawn before."""
        self.counter += 1
        mask, ones = masks
        if masks == ZERO:
            self.add(f"mov.b32 {register}, 0;")
            return
        self.add(f"add.u32 x, draw, {self.counter * 0x9E3779B1 & 0xFFFFFFFF}; call.uni (x), hash, (x);")
        self.add(f"and.b32 x, x, {mask:#x}; or.b32 {register}, x, {ones:#x};")

    def stored(self, registers):
        for register in registers:
            kind = "f64" if register.startswith("d") and register[1:].isdigit() else "b32"
            width = 8 if kind == "f64" else 4
            self.add(f"st.global.{kind} [out], {register}; add.u64 out, out, {width * self.threads};")
            self.results += width // 4

    def written(self):
        n = self.name
        text = f"""{self.head}
.func (.reg .b32 h) hash(.reg .b32 x)
{{
    .reg .b32 t;
    shr.u32 t, x, 16; xor.b32 x, x, t; mul.lo.u32 x, x, 0x7feb352d;
    shr.u32 t, x, 15; xor.b32 x, x, t; mul.lo.u32 x, x, 0x846ca68b;
    shr.u32 t, x, 16; xor.b32 h, x, t;
    ret;
}}

.visible .entry {n}(.param .u64 {n}_out, .param .u32 {n}_seed, .param .u32 {n}_rounds)
{{
    .shared .align 1024 .b8 matrices[32768];
    .reg .b32 a<8>, b<8>, c<64>, x, t, draw, seed, rounds, round, at;
    .reg .f32 f<64>;
    .reg .f64 A<8>, B<4>, d<4>;
    .reg .b64 out, of_a, of_b;
    .reg .pred p, again;
    mov.u32 t, %tid.x;
    ld.param.u64 out, [{n}_out];
    cvta.to.global.u64 out, out;
    mul.wide.u32 of_a, t, WIDTH;
    add.u64 out, out, of_a;
    ld.param.u32 seed, [{n}_seed];
    ld.param.u32 rounds, [{n}_rounds];
    mov.u32 round, 0;
loop:
    mad.lo.u32 draw, round, 1024, t;
    call.uni (draw), hash, (draw);
    add.u32 draw, draw, seed;
    call.uni (draw), hash, (draw);
""".replace("WIDTH", "8" if "f64" in n else "4")
        text += "\n".join(self.body)
        text += "\n    add.u32 round, round, 1; setp.lt.u32 again, round, rounds; @again bra loop;\n    ret;\n}\n"
        (HERE / f"{n}.ptx").write_text(text)
        count = self.results * self.threads * ROUNDS
        run = f"--entry {n} --block {self.threads} --param out:u32:{count} --param u32:{SEED} --param u32:{ROUNDS}\n"
        (HERE / f"{n}.run").write_text(run)


def braces(registers):
    return "{" + ", ".join(registers) + "}"


def mma(text, shape, total, a, b, satfinite=""):
    m, n, k = shape
    each = max(1, 32 // BITS[a])
    counts = m // 8 * k // (4 * each), k // (4 * each), m // 8 * (1 if total == "f16" else 2)
    for factors, sums in modes(total, a):
        if total == "f64":
            for registers, count, masks in [("A", counts[0], factors), ("B", counts[1], factors), ("d", counts[2], sums)]:
                for i in range(count):
                    text.drawn("a0", ANY)
                    text.drawn("a1", masks)
                    text.add(f"mov.b64 {registers}{i}, {{a0, a1}};")
            names = [[f"{letter}{i}" for i in range(count)] for letter, count in zip("ABd", counts)]
        else:
            letter = "f" if total == "f32" else "c"
            for registers, count, masks in [("a", counts[0], factors), ("b", counts[1], factors), (letter, counts[2], sums)]:
                for i in range(count):
                    if registers == "f":
                        text.drawn("t", masks)
                        text.add(f"mov.b32 f{i}, t;")
                    else:
                        text.drawn(f"{registers}{i}", masks)
            names = [[f"{l}{i}" for i in range(count)] for l, count in zip("ab" + letter, counts)]
        d = braces(names[2])
        text.add(f"mma.sync.aligned.m{m}n{n}k{k}.row.col{satfinite}.{total}.{a}.{b}.{total} {d}, {braces(names[0])}, {braces(names[1])}, {d};")
        text.stored(names[2])


def shared(text, begin, words, masks):
    """Fills shared memory with random words; the draws of a thread are its own."""
    text.counter += 64
    mask, ones = masks
    text.add(f"add.u32 a1, draw, {text.counter * 0x9E3779B1 & 0xFFFFFFFF};")
    text.add(f"mov.u32 at, matrices; mov.u32 t, %tid.x; mad.lo.u32 at, t, 4, at; add.u32 at, at, {begin}; mov.u32 a2, {words};")
    text.add(f"fill{text.counter}: add.u32 a1, a1, {0x9E3779B1}; call.uni (x), hash, (a1);")
    text.add(f"and.b32 x, x, {mask:#x}; or.b32 x, x, {ones:#x}; setp.lt.u32 p, t, {words}; @p st.shared.b32 [at], x;")
    text.add(f"add.u32 at, at, {4 * text.threads}; sub.u32 a2, a2, {text.threads}; setp.gt.s32 p, a2, 0; @p bra fill{text.counter};")


def descriptor(text, register, begin, leading, stride, swizzle=0):
    fixed = (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62
    text.add(f"mov.u32 at, matrices; add.u32 at, at, {begin}; shr.u32 at, at, 4; cvt.u64.u32 {register}, at; or.b64 {register}, {register}, {fixed:#x};")


def wgmma(text, columns, total, a, b, masks, descriptors, majors=None, satfinite="", scales="1, 1"):
    """`descriptors`: begin, words, leading, stride, swizzle of A and of B."""
    factors, sums = masks
    text.add("bar.sync 0;")
    for begin, words, _, _, _ in descriptors:
        shared(text, begin, words, factors)
    count = columns // 8 * (2 if total == "f16" else 4)
    letter = "f" if total == "f32" else "c"
    for i in range(count):
        text.drawn("x" if letter == "f" else f"c{i}", sums)
        if letter == "f":
            text.add(f"mov.b32 f{i}, x;")
    for register, (begin, _, leading, stride, swizzle) in zip(["of_a", "of_b"], descriptors):
        descriptor(text, register, begin, leading, stride, swizzle)
    text.add("fence.proxy.async; bar.sync 0; setp.eq.u32 p, 0, 0; wgmma.fence.sync.aligned;")
    d = [f"{letter}{i}" for i in range(count)]
    more = "" if total == "s32" else f", {scales}"
    more += f", {majors[0]}, {majors[1]}" if BITS[a] == 16 else ""
    text.add(f"wgmma.mma_async.sync.aligned.m64n{columns}k{256 // BITS[a]}{satfinite}.{total}.{a}.{b} {braces(d)}, of_a, of_b, p{more};")
    text.add("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
    return d


kernel = Text("matrix_moves", "sm_90", 32, "ldmatrix, stmatrix and movmatrix in every form, on random elements.")
shared(kernel, 0, 256, ANY)
kernel.add("mov.u32 at, matrices; mov.u32 t, %tid.x; mul.lo.u32 t, t, 5; and.b32 t, t, 31; mad.lo.u32 at, t, 16, at; bar.sync 0;")
for count in [1, 2, 4]:
    for trans in ["", ".trans"]:
        registers = [f"a{i}" for i in range(count)]
        kernel.add(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {braces(registers)}, [at];")
        kernel.stored(registers)
kernel.add("movmatrix.sync.aligned.m8n8.trans.b16 a4, a0;")
kernel.stored(["a4"])
for count in [1, 2, 4]:
    for trans in ["", ".trans"]:
        registers = [f"a{i}" for i in range(count)]
        for register in registers:
            kernel.drawn(register, ANY)
        kernel.add(f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [at+512], {braces(registers)}; bar.sync 0;")
        kernel.add("ld.shared.v4.b32 {a0, a1, a2, a3}, [at+512]; bar.sync 0;")
        kernel.stored(["a0", "a1", "a2", "a3"])
kernel.written()
kernel = Text("matrix_mma", "sm_90", 32, "mma of every format and shape, on random operands.")
for a in ["f16", "bf16"]:
    for k in [8, 16]:
        mma(kernel, (16, 8, k), "f32", a, a)
for k in [8, 16]:
    mma(kernel, (16, 8, k), "f16", "f16", "f16")
for k in [4, 8]:
    mma(kernel, (16, 8, k), "f32", "tf32", "tf32")
kernel.written()
kernel = Text("matrix_mma_8", "sm_90", 32, "mma of floats of 8 bits and of whole numbers, on random operands.")
for total in ["f32", "f16"]:
    for k in [16, 32]:
        mma(kernel, (16, 8, k), total, "e4m3", "e4m3")
        mma(kernel, (16, 8, k), total, "e5m2", "e5m2")
    mma(kernel, (16, 8, 32), total, "e4m3", "e5m2")
for a, b in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")]:
    mma(kernel, (8, 8, 16), "s32", a, b)
    mma(kernel, (16, 8, 16), "s32", a, b, ".satfinite")
    mma(kernel, (16, 8, 32), "s32", a, b)
    mma(kernel, (16, 8, 32), "s32", a, b, ".satfinite")
kernel.written()
kernel = Text("matrix_mma_f64", "sm_90", 32, "mma of f64 in every shape, on random operands.")
for shape in [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)]:
    mma(kernel, shape, "f64", "f64", "f64")
kernel.written()

ROWS = [(0, 512, 128, 256, 0), (4096, 64, 128, 256, 0)]  # as they come, without a swizzle
kernel = Text("matrix_wgmma", "sm_90a", 128, "wgmma of every format, on random operands.")
for a in ["f16", "bf16", "tf32", "e4m3", "e5m2"]:
    for masks in modes("f32", a):
        kernel.stored(wgmma(kernel, 8, "f32", a, a, masks, ROWS, (0, 0)))
for a in ["f16", "e4m3", "e5m2"]:
    for masks in modes("f16", a):
        kernel.stored(wgmma(kernel, 8, "f16", a, a, masks, ROWS, (0, 0)))
for masks in modes("f32", "e5m2"):
    kernel.stored(wgmma(kernel, 8, "f32", "e4m3", "e5m2", masks, ROWS))
for a, b in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")]:
    for masks in WHOLE:
        kernel.stored(wgmma(kernel, 8, "s32", a, b, masks, ROWS, satfinite=""))
for scales in ["-1, 1", "1, -1", "-1, -1"]:
    kernel.stored(wgmma(kernel, 8, "f32", "f16", "f16", (HALF_WIDE, SINGLE_BELOW), ROWS, (0, 0), scales=scales))
kernel.written()

kernel = Text("matrix_layouts", "sm_90a", 128, "wgmma with every swizzle and order of both factors; out: a digest of D of each thread.")
# 64 rows of A, 128 columns of B, 16 deep: leading and stride offset of A along k, of A along m, of B along k, of B along n
LAYOUTS = [
    [(1088, 128), (160, 1312), (2176, 128), (160, 800)],
    [(16, 1024), (2048, 1024), (16, 1024), (2048, 1024)],
    [(16, 512), (1024, 512), (16, 512), (1024, 512)],
    [(16, 256), (512, 256), (16, 256), (512, 256)],
]
for swizzle in range(4):
    for majors in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        of_a, of_b = LAYOUTS[swizzle][majors[0]], LAYOUTS[swizzle][2 + majors[1]]
        both = [(0, 4096, *of_a, swizzle), (16384, 4096, *of_b, swizzle)]
        d = wgmma(kernel, 128, "f32", "f16", "f16", ((0x84008400, 0x38003800), ZERO), both, majors)
        kernel.add("mov.u32 t, 0;")
        for register in d:
            kernel.add(f"mov.b32 x, {register}; mad.lo.u32 t, t, 0x9e3779b1, x;")
        kernel.stored(["t"])
kernel.written()
