#!/usr/bin/env python3
"""Asks ptxas which synchronisation instructions are legal, and writes its verdicts.

    pip download --no-deps nvidia-cuda-nvcc==13.5.37 && python3 -m zipfile -e nvidia_cuda_nvcc-*.whl nvcc
    chmod +x nvcc/nvidia/cu13/bin/ptxas
    ptx/record/ptxas_table.py nvcc/nvidia/cu13/bin/ptxas > ptx/tests/legality/ptxas.txt

No GPU is needed. The instructions are generated from the lists below, which know nothing of txbar's table: each form in all
combinations of its qualifiers (some of them, where there are many), then with qualifiers exchanged, missing, repeated, and
added, then with each operand replaced. ptxas tells every wrong line of a file, so that a few hundred instructions are
one file; a syntax error hides what is behind it, so that such lines are taken out and the rest is asked again.

Output: a line of ptxas' version, a line of declarations, a line of configurations (version and target), then for each
instruction `+` or `-` for every configuration (one `-` if it is never legal), and the instruction."""

import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

CONFIGURATIONS = """7.0/sm_80 7.1/sm_80 7.4/sm_80 7.5/sm_80 7.8/sm_80 8.0/sm_80 8.6/sm_80 9.5/sm_80 7.8/sm_90 8.0/sm_90 8.1/sm_90 8.3/sm_90
8.5/sm_90 8.6/sm_90 8.6/sm_90a 9.1/sm_90a 9.2/sm_90a 9.3/sm_90a 9.5/sm_90 9.5/sm_90a 8.6/sm_100a 9.5/sm_100 9.5/sm_100f 9.5/sm_103a
9.3/sm_103a 9.4/sm_107a 9.5/sm_107 9.5/sm_110a 9.5/sm_120a""".split()

MODULE = (
    ".shared .align 16 .b64 bar[4]; .shared .align 128 .b8 sh[1024]; .extern .shared .align 16 .b8 dynamic[]; "
    ".global .align 128 .b8 gl[1024]; .const .align 16 .b8 cn[64];"
)
BODY = (
    ".reg .b64 rd<8>; .reg .u64 u64; .reg .s64 s64; .reg .f64 f64; .reg .b32 r<8>; .reg .u32 u32; .reg .s32 s32; .reg .f32 f32; "
    ".reg .b16 h<4>; .reg .u16 u16; .reg .s16 s16; .reg .f16 f16; .reg .f16x2 f16x2; .reg .b8 b8; .reg .u8 u8; .reg .pred p, q; .reg .v2 .b32 v2;"
)
WIDE = " .reg .b128 b128;"  # from PTX 8.3 on

ORDER = ["", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"]
WAIT = ["", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"]
OWN = ["", ".shared", ".shared::cta"]
ANY = OWN + [".shared::cluster"]
SCOPES = [".cta", ".cluster", ".gpu", ".sys"]
B64 = [".b64"]
HINT = ["", ".L2::cache_hint"]
MULTI = ["", ".multicast::cluster", ".multicast::cluster::32b"]
DONE = [".mbarrier::complete_tx::bytes"]
REPORT = ["", ".mbarrier::report::disabled", ".mbarrier::report::validity::per_16bytes::8000",
          ".mbarrier::report::validity::per_element::ff"]
DIMS = [".1d", ".2d", ".3d", ".4d", ".5d"]
OPS = [".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"]
TYPES = [".u32", ".s32", ".u64", ".s64", ".b32", ".b64", ".f16", ".bf16", ".f32", ".f64"]
GROUP = [".cta_group::1", ".cta_group::2"]
SIZES = ["r1", "0", "16", "24", "1048560", "1048576", "-16"]
COUNTS = ["0", "1", "511", "512", "1048575", "1048576", "-1", "r2", "%tid.x"]
MASKS = ["0", "3", "65535", "65536", "-1", "h2", "r1"]


def tensor(rank, extra=""):
    return ["[rd1,{%s}]" % ",".join(f"r{i + 1}" for i in range(rank)), extra]


# name, groups of qualifiers, operands; literals and others to try in an operand's place
FORMS = [
    ("mbarrier.init", [["", ".layout::v0", ".layout::v1"], OWN, B64], ["[bar]", "1"], {1: COUNTS}),
    ("mbarrier.inval", [OWN, B64], ["[bar]"], {}),
    ("mbarrier.expect_tx", [["", ".relaxed.cta", ".relaxed.cluster"], ANY, B64], ["[bar]", "r1"], {1: COUNTS}),
    ("mbarrier.complete_tx", [["", ".relaxed.cta", ".relaxed.cluster"], ANY, B64], ["[bar]", "16"], {1: COUNTS}),
    ("mbarrier.expect_tx.multicast::cluster::32b", [["", ".relaxed.cta", ".relaxed.cluster"], ANY, B64], ["[bar]", "r1", "r2"], {2: MASKS}),
    ("mbarrier.complete_tx.multicast::cluster::32b", [["", ".relaxed.cluster"], ANY, B64], ["[bar]", "r1", "r2"], {}),
] + [
    form
    for name in ("mbarrier.arrive", "mbarrier.arrive_drop")
    for form in (
        (name, [ORDER, ANY, B64], ["rd1", "[bar]"], {0: ["_", "s64"]}),
        (name, [ORDER, ANY, B64], ["_", "[bar]"], {}),
        (name, [ORDER, ANY, B64], ["_", "[bar]", "r1"], {2: COUNTS}),
        (name, [["", ".multicast::cluster::32b"], ORDER, ANY, B64], ["_", "[bar]", "r1"], {}),
        (name, [["", ".multicast::cluster::32b"], ANY, B64], ["_", "[bar]", "r1", "r2"], {0: ["rd1"]}),
        (name + ".expect_tx", [ORDER, ANY, B64], ["_", "[bar]", "r1"], {0: ["rd1"], 2: COUNTS}),
        (name + ".expect_tx", [ORDER, [".multicast::cluster::32b"], ANY, B64], ["_", "[bar]", "r1", "r2"], {0: ["rd1"]}),
        (name, [[".noComplete"], ORDER, ANY, B64], ["rd1", "[bar]", "r1"], {0: ["_"], 2: COUNTS}),
    )
] + [
    ("cp.async.mbarrier.arrive", [["", ".noinc"], ANY, B64], ["[bar]"], {}),
    ("mbarrier.pending_count", [["", ".layout::v0", ".layout::v1"], ["", ".shared"], B64], ["r1", "rd1"], {0: ["_"], 1: ["5"]}),
    ("mbarrier.check_layout", [["", ".layout::v0", ".layout::v1"], ANY, B64], ["p", "[bar]"], {0: ["_"]}),
] + [
    form
    for name in ("mbarrier.test_wait", "mbarrier.try_wait")
    for form in (
        (name, [["", ".phase_type::primary", ".phase_type::conditional"], WAIT, ANY, B64], ["p", "[bar]", "rd1"], {0: ["_", "p|q", "!p"], 2: ["5", "-1"]}),
        (name + ".parity", [["", ".phase_type::primary", ".phase_type::conditional"], WAIT, ANY, B64], ["p", "[bar]", "r1"],
         {0: ["_", "p|q", "p|_", "_|q", "p|r1"], 2: ["0", "1", "2", "-1"]}),
        (name + ".parity", [["", ".phase_type::primary", ".phase_type::conditional"], WAIT, B64], ["p|q", "[bar]", "r1"], {0: ["p|_", "_|q"]}),
        (name + ".parity", [["", ".phase_type::primary", ".phase_type::conditional"], OWN, B64], ["p|q", "b8", "[bar]", "r1"], {0: ["p"], 1: ["u8", "r1", "_"]}),
        (name, [["", ".phase_type::primary"], OWN, B64], ["p|q", "b8", "[bar]", "rd1", "r2"], {}),
        (name + ".parity", [["", ".phase_type::primary"], OWN, B64], ["p", "[bar]", "r1", "r2"], {3: ["0", "-1", "4294967295"]}),
        (name, [["", ".acquire.cta"], OWN, B64], ["p", "[bar]", "rd1", "10"], {}),
    )
] + [
    ("barrier.cluster.arrive", [["", ".release", ".relaxed", ".acquire"], ["", ".aligned"]], [], {}),
    ("barrier.cluster.wait", [["", ".release", ".relaxed", ".acquire"], ["", ".aligned"]], [], {}),
] + [
    form
    for name in ("bar", "bar.cta", "barrier", "barrier.cta")
    for form in (
        (name, [[".sync"], ["", ".aligned"]], ["0"], {0: ["r1", "15", "16", "-1", "WARP_SZ"]}),
        (name, [[".sync"], ["", ".aligned"]], ["1", "r1"], {1: ["0", "1", "32", "33", "64", "1024", "1056", "4096", "-32"]}),
        (name + ".arrive", [["", ".aligned"]], ["1", "32"], {0: ["16", "r1"], 1: ["0", "33", "64", "r1"]}),
        (name + ".arrive", [["", ".aligned"]], ["1"], {}),
        (name + ".red", [[".popc", ".and", ".or"], ["", ".aligned"], [".u32", ".s32", ".b32", ".pred"]], ["r1", "1", "p"], {0: ["p", "_"], 1: ["16"], 2: ["!p", "1", "r1"]}),
        (name + ".red", [[".popc"], [".u32"]], ["r1", "1", "32", "p"], {2: ["0", "33", "r1"], 3: ["!q"]}),
        (name + ".red", [[".and", ".or", ".xor"], [".pred"]], ["p", "1", "q"], {0: ["_", "r1"]}),
    )
] + [
    ("bar.warp", [[".sync"]], ["0xffffffff"], {0: ["0", "-1", "r1"]}),
    ("elect", [["", ".sync"]], ["r1|p", "r2"], {0: ["_|p", "r1", "p", "_|_", "r1|_", "p|r1", "rd1|p", "_"], 1: ["0", "-1", "0xffffffff"]}),
    ("membar", [["", ".cta", ".gl", ".sys", ".gpu", ".cluster"]], [], {}),
    ("membar.proxy", [["", ".alias", ".async", ".async::generic"], ["", ".cta"]], [], {}),
    ("fence", [["", ".sc", ".acq_rel", ".acquire", ".release", ".relaxed"], [""] + SCOPES], [], {}),
    ("fence", [[".acquire", ".release", ".acq_rel"], ["", ".sync_restrict::shared::cluster", ".sync_restrict::shared::cta"], [""] + SCOPES], [], {}),
    ("fence", [[".mbarrier_init"], ["", ".release", ".acquire", ".acq_rel", ".sc"], [""] + SCOPES], [], {}),
    ("fence.proxy", [["", ".alias", ".async", ".generic"], ["", ".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".cta"]], [], {}),
    ("fence.proxy", [[".async::generic"], ["", ".acquire", ".release"], ["", ".sync_restrict::shared::cluster", ".sync_restrict::shared::cta"], [""] + SCOPES], [], {}),
    ("fence.proxy", [[".tensormap::generic"], ["", ".release", ".acquire", ".acq_rel"], [""] + SCOPES], [], {}),
    ("fence.proxy", [[".tensormap::generic"], ["", ".release", ".acquire"], [""] + SCOPES], ["[rd1]", "128"], {0: ["[gl]", "[sh]"], 1: ["64", "r1"]}),
    ("setmaxnreg", [["", ".inc", ".dec"], ["", ".sync"], ["", ".aligned"], ["", ".u32", ".s32", ".b32"]], ["24"],
     {0: ["16", "20", "32", "232", "240", "250", "256", "264", "-24", "r1"]}),
    ("griddepcontrol", [["", ".wait", ".launch_dependents"]], [], {}),
    ("cp.async", [["", ".ca", ".cg"], OWN[1:] + [".shared::cluster"], [".global"], HINT[:1], ["", ".L2::64B", ".L2::128B", ".L2::256B", ".L2::32B"]], ["[sh]", "[gl]", "16"],
     {2: ["4", "8", "12", "0", "32", "r1"]}),
    ("cp.async", [[".ca", ".cg"], [".shared"], [".global"], HINT, ["", ".L2::128B"]], ["[sh]", "[gl]", "16", "rd1"], {3: ["r1", "p", "!p", "h1", "0", "16", "17", "-1"]}),
    ("cp.async", [[".ca"], [".shared::cta"], [".global"], [".L2::cache_hint"]], ["[rd1]", "[rd2]", "4", "r1", "rd1"], {3: ["p", "4", "5", "rd1"], 4: ["r1", "5"]}),
    ("cp.async", [["", ".commit_group", ".wait_all", ".wait_group"], ["", ".read"]], [], {}),
    ("cp.async.wait_group", [[""]], ["0"], {0: ["1", "8", "100000", "r1"]}),
    ("cp.async.bulk", [["", ".commit_group", ".wait_group", ".wait_all"], ["", ".read"]], [], {}),
    ("cp.async.bulk.wait_group", [["", ".read"]], ["0"], {0: ["1", "7", "64", "r1"]}),
    ("cp.async.bulk", [["", ".weak"], [".shared::cluster.global", ".shared::cta.global", ".shared.global", ".global.shared::cta", ".shared::cluster.shared::cta", ".shared::cta.shared::cta",
                        ".shared::cluster", ".global"], DONE + [""], REPORT], ["[sh]", "[gl]", "16", "[bar]"], {2: SIZES, 0: ["[gl]", "[rd1]", "[bar]"], 1: ["[sh]"]}),
    ("cp.async.bulk", [["", ".weak", ".relaxed.cluster"], [".shared::cluster.shared::cta", ".shared::cluster.global"], DONE, HINT[:1], ["", ".b128"]], ["[sh]", "[dynamic]", "r1", "[bar]"], {2: SIZES}),
    ("cp.async.bulk", [[".shared::cluster.global", ".shared::cta.global"], DONE, MULTI, HINT[:1]], ["[sh]", "[gl]", "16", "[bar]", "h1"], {4: MASKS}),
    ("cp.async.bulk", [[".shared::cluster.global", ".shared::cta.global", ".shared::cluster.shared::cta"], DONE, MULTI, HINT], ["[sh]", "[rd2]", "16", "[bar]", "rd1"], {4: ["5", "r1", "h1"]}),
    ("cp.async.bulk", [[".shared::cluster.global"], DONE, MULTI, HINT], ["[sh]", "[gl]", "16", "[bar]", "h1", "rd1"], {4: ["r1"], 5: ["r1"]}),
    ("cp.async.bulk", [["", ".weak"], [".shared::cta.global", ".shared::cluster.global"], DONE, ["", ".ignore_oob"]], ["[sh]", "[gl]", "16", "r1", "r2", "[bar]"], {3: ["0", "15", "16", "-1", "h1"]}),
    ("cp.async.bulk", [[".shared::cta.global"], DONE, [".ignore_oob"], HINT], ["[sh]", "[gl]", "16", "r1", "r2", "[bar]", "rd1"], {}),
    ("cp.async.bulk", [["", ".weak", ".relaxed.gpu", ".relaxed"], [".global.shared::cta", ".global.shared", ".global.shared::cluster", ".global.global"], ["", ".bulk_group"], HINT[:1], ["", ".b128"]],
     ["[gl]", "[sh]", "16"], {2: SIZES, 0: ["[sh]"], 1: ["[gl]"]}),
    ("cp.async.bulk", [[".global.shared::cta"], [".bulk_group"], HINT, ["", ".cp_mask"]], ["[gl]", "[sh]", "16", "h1"], {3: ["rd1", "r1", "65535"]}),
    ("cp.async.bulk", [[".global.shared::cta"], [".bulk_group"], HINT, ["", ".cp_mask"]], ["[gl]", "[sh]", "16", "rd1", "h1"], {}),
    ("cp.async.bulk", [["", ".relaxed.cta", ".relaxed.cluster", ".relaxed.gpu", ".relaxed.sys"], [".shared::cta.global", ".shared::cluster.global"], DONE, ["", ".b128"]], ["[sh]", "[gl]", "16", "[bar]"], {}),
    ("cp.async.bulk.prefetch", [["", ".L2", ".L1"], ["", ".global", ".shared"]], ["[gl]", "16"], {0: ["[sh]"], 1: SIZES}),
    ("cp.async.bulk.prefetch", [[".L2"], [".global"], HINT], ["[gl]", "16", "rd1"], {}),
    ("cp.reduce.async.bulk", [["", ".relaxed.gpu", ".weak"], [".shared::cluster.shared::cta"], DONE, OPS, TYPES], ["[sh]", "[dynamic]", "16", "[bar]"], {2: SIZES}),
    ("cp.reduce.async.bulk", [[".global.shared::cta"], [".bulk_group"], OPS, ["", ".noftz"], TYPES], ["[gl]", "[sh]", "16"], {2: SIZES}),
    ("cp.reduce.async.bulk", [["", ".relaxed.sys", ".weak", ".relaxed"], [".global.shared::cta"], [".bulk_group"], HINT, [".add"], [".u32"]], ["[gl]", "[sh]", "16", "rd1"], {}),
    ("cp.reduce.async.bulk", [["", ".relaxed.sys", ".weak", ".relaxed"], [".global.shared::cta", ".shared::cta.shared::cta"], [".bulk_group", ""], ["", ".add", ".xchg"], ["", ".u32", ".u16"]], ["[gl]", "[sh]", "16"], {}),
]
SHARED = [".shared::cluster.global", ".shared::cta.global"]
for rank in range(1, 6):
    dim, at = [f".{rank}d"], "[rd1,{%s}]" % ",".join(f"r{i + 1}" for i in range(rank))
    bad = ["[rd1,{%s}]" % ",".join(["r1"] * other) for other in (rank - 1, rank + 1) if 0 < other < 6] + ["[rd1]", "[sh,{%s}]" % ",".join(["r1"] * rank)]
    offs = "{%s}" % ",".join(["h1"] * max(rank - 2, 1))
    FORMS += [
        ("cp.async.bulk.tensor", [dim, SHARED, ["", ".tile", ".im2col", ".im2col_no_offs"], DONE], ["[sh]", at, "[bar]"], {1: bad}),
        ("cp.async.bulk.tensor", [dim, SHARED, [".tile", ".im2col", ".im2col::w", ".im2col::w::128"], DONE], ["[sh]", at, "[bar]", offs], {3: ["{h1}", "{h1,h2}", "{r1}", "h1", "{3}"]}),
        ("cp.async.bulk.tensor", [dim, SHARED, [".im2col::w", ".im2col::w::128"], DONE, MULTI[:2]], ["[sh]", at, "[bar]", "{h1,h2}"], {}),
        ("cp.async.bulk.tensor", [dim, SHARED, ["", ".tile"], DONE, MULTI, GROUP + [""], HINT[:1]], ["[sh]", at, "[bar]", "h1"], {3: ["3", "r1"]}),
        ("cp.async.bulk.tensor", [dim, SHARED, ["", ".tile"], DONE, REPORT, GROUP[:1] + [""], HINT], ["[sh]", at, "[bar]", "rd1"], {}),
        ("cp.async.bulk.tensor", [dim, [".global.shared::cta"], ["", ".tile", ".im2col_no_offs", ".im2col_no_offs::w", ".im2col"], ["", ".bulk_group"]], [at, "[sh]"], {0: bad}),
        ("cp.async.bulk.tensor", [dim, [".global.shared::cta", ".global.shared::cluster"], ["", ".tile"], [".bulk_group"], HINT], [at, "[sh]", "rd1"], {}),
        ("cp.reduce.async.bulk.tensor", [dim, [".global.shared::cta"], OPS + ["", ".xchg"], ["", ".tile", ".im2col_no_offs"], [".bulk_group"]], [at, "[sh]"], {}),
        ("cp.reduce.async.bulk.tensor", [dim, [".global.shared::cta"], [".add"], [".tile"], [".bulk_group"], HINT], [at, "[sh]", "rd1"], {}),
        ("cp.async.bulk.prefetch.tensor", [dim, ["", ".L2", ".L1"], [".global"], ["", ".tile", ".im2col"]], [at], {0: bad}),
        ("cp.async.bulk.prefetch.tensor", [dim, [".L2"], [".global"], [".tile", ".im2col", ".im2col::w"]], [at, offs], {1: ["{h1,h2}"]}),
        ("cp.async.bulk.prefetch.tensor", [dim, [".L2"], [".global"], ["", ".tile"], HINT], [at, "rd1"], {}),
    ]
ROWS = "[rd1,{r1,r2,r3,r4,r5}]"
FORMS += [
    ("cp.async.bulk.tensor", [[".2d", ".3d", ".5d"], SHARED, [".tile::gather4"], DONE, MULTI[:1]], ["[sh]", ROWS, "[bar]"], {1: ["[rd1,{r1,r2}]"]}),
    ("cp.async.bulk.tensor", [[".2d"], SHARED, [".tile::gather4"], DONE, MULTI, HINT[:1]], ["[sh]", ROWS, "[bar]", "h1"], {}),
    ("cp.async.bulk.tensor", [[".2d", ".5d"], [".global.shared::cta"], [".tile::scatter4"], [".bulk_group"]], [ROWS, "[sh]"], {}),
    ("cp.reduce.async.bulk.tensor", [[".2d"], [".global.shared::cta"], OPS, [".tile::scatter4"], [".bulk_group"]], [ROWS, "[sh]"], {}),
    ("cp.async.bulk.prefetch.tensor", [[".2d", ".5d"], [".L2"], [".global"], [".tile::gather4"]], [ROWS], {}),
    ("st.async", [["", ".weak", ".relaxed.cluster"], ANY + [".global"], DONE, ["", ".v2", ".v4"], [".b32", ".u32", ".s64", ".f32", ".b64", ".f64", ".b16", ".b128"]], ["[sh]", "r1", "[bar]"],
     {0: ["[gl]", "[rd1]"], 1: ["5", "{r1,r2}", "{r1,r2,r3,r4}", "{rd1,rd2}", "rd1", "v2", "f32", "1.0", "b128"]}),
    ("st.async", [["", ".weak"], [".shared::cluster"], DONE, [".v2"], [".b32", ".u32", ".s32", ".f32", ".b16"]], ["[sh]", "{r1,r2}", "[bar]"], {1: ["{u32,s32}", "{f32,f32}", "{1,2}", "{r1,rd1}", "{r1,r2,r3}", "r1", "v2"]}),
    ("st.async", [[".shared::cluster"], DONE, [".v4"], [".b32", ".f32", ".b64"]], ["[sh]", "{r1,r2,r3,r4}", "[bar]"], {1: ["{r1,r2}"]}),
    ("st.async", [[".shared::cluster"], DONE, ["", ".v2"], [".b64", ".u64", ".s64", ".f64"]], ["[sh]", "rd1", "[bar]"], {1: ["{rd1,rd2}", "f64", "s64", "7"]}),
    ("st.async", [["", ".weak"], [".shared::cluster"], DONE, ["", ".v2"], [".b128"]], ["[sh]", "b128", "[bar]"], {}),
    ("st.async", [["", ".weak", ".release.gpu", ".release.sys", ".release.cta", ".mmio.release.sys", ".mmio.release.gpu", ".release"], ["", ".global"], [".b8", ".b16", ".u32", ".b64"]], ["[gl]", "r1"],
     {1: ["b8", "h1", "rd1"]}),
    ("red.async", [["", ".relaxed.cluster", ".relaxed.gpu", ".relaxed"], ANY, DONE, OPS[:1], [".u32"]], ["[sh]", "r1", "[bar]"], {0: ["[gl]"], 1: ["5", "rd1", "f32"]}),
    ("red.async", [[".relaxed.cluster"], [".shared::cluster"], DONE, OPS, TYPES[:6]], ["[sh]", "r1", "[bar]"], {}),
    ("red.async", [[".relaxed.cluster"], [".shared::cluster"], DONE, OPS, TYPES[2:4] + TYPES[5:6]], ["[sh]", "rd1", "[bar]"], {}),
    ("red.async", [[".release.gpu", ".release.sys", ".mmio.release.sys", ".mmio.release.gpu", ".release.cluster"], ["", ".global"], OPS, TYPES[:1] + TYPES[4:5]], ["[gl]", "r1"], {}),
    ("red.async", [[".release.gpu"], [".global"], OPS[:3], TYPES[2:4]], ["[gl]", "rd1"], {}),
]
# names that there are not
FORMS += [(name, [[""]], operands, {}) for name, operands in [
    ("mbarrier.wait.b64", ["[bar]"]), ("mbarrier.arrive_and_wait.b64", ["[bar]"]), ("mbarrier", ["[bar]"]), ("barrier.cluster.sync", []), ("barrier.cluster", []), ("barrier.warp.sync", ["0"]),
    ("bar.warp.arrive", ["0"]), ("bar", ["0"]), ("barrier", ["0"]), ("bar.wait", ["0"]), ("cp.async.bulk.wait_all", []), ("cp.async.wait", []), ("griddepcontrol.launch", []), ("elect.all", ["r1|p", "0"]),
    ("fence.async", []), ("cp.bulk.async", ["[sh]", "[gl]", "16"]), ("cp.async.mbarrier.wait.b64", ["[bar]"]), ("setmaxnreg.set.sync.aligned.u32", ["24"]), ("mbarrier.report_on.b64", ["[bar]", "b8"]),
]]

WORDS = [".relaxed", ".acquire", ".release", ".acq_rel", ".sc", ".weak", ".cta", ".cluster", ".gpu", ".sys", ".shared", ".shared::cta", ".shared::cluster", ".global", ".b64", ".u64", ".b32", ".u32",
         ".aligned", ".sync", ".noComplete", ".expect_tx", ".parity", ".noinc", ".layout::v1", ".multicast::cluster", ".L2::cache_hint", ".tile", ".read", ".bulk_group", ".v2", ".sideways"]
REGISTERS = ["rd2", "r2", "h2", "p", "f32", "f64", "f16x2", "b8", "v2", "v2.x", "%tid.x", "nowhere", "sh", "[rd2]", "[nowhere]", "[r2]", "[f32]", "{r1}", "!p", "_", "p|q", "0", "1.0"]
GUARDS = ["@p", "@!q", "@r1", "@nobody", "@!h1"]


def generate():
    chance = random.Random(20)
    seen = {}

    def note(head, operands, guard=""):
        text = (guard + " " if guard else "") + head + (" " + ", ".join(operands) if operands else "") + ";"
        seen.setdefault(text)

    for name, groups, operands, instead in FORMS:
        heads = [[part for word in choice for part in re.findall(r"\.[^.]+", word)] for choice in itertools.product(*groups)]
        if len(heads) > 28:
            heads = chance.sample(heads, 28)
        for words in heads:
            note(name + "".join(words), operands)
        for words in chance.sample(heads, min(2, len(heads))):
            for _ in range(4):  # exchanged
                mixed = chance.sample(words, len(words))
                note(name + "".join(mixed), operands)
            for place in range(len(words)):
                note(name + "".join(words[:place] + words[place + 1:]), operands)
            for _ in range(1):
                if words:
                    note(name + "".join(words + [chance.choice(words)]), operands)
            for word in chance.sample(WORDS, 4):
                place = chance.randrange(len(words) + 1)
                note(name + "".join(words[:place] + [word] + words[place:]), operands)
        for words in chance.sample(heads, 1):
            head = name + "".join(words)
            for place, others in instead.items():
                for other in others:
                    note(head, operands[:place] + [other] + operands[place + 1:])
            for place in range(len(operands)):
                for other in chance.sample(REGISTERS, 4):
                    note(head, operands[:place] + [other] + operands[place + 1:])
            if operands:
                note(head, operands[:-1])
            note(head, operands + [chance.choice(["r1", "0", "rd1", "p", "[bar]"])])
        note(name + "".join(heads[0]), operands, chance.choice(GUARDS))
    return list(seen)


class Ptxas:
    def __init__(self, path):
        self.path, self.folder = path, tempfile.mkdtemp()
        self.parses = {}  # whether an instruction is one at all, whatever the version

    def version(self):
        text = subprocess.run([self.path, "--version"], capture_output=True, text=True).stdout
        return re.search(r"release .*", text)[0] + ", " + re.search(r"Build (.*)", text)[1]

    def run(self, instructions, version, target):
        """Whether it takes all, and what it says is wrong with which."""
        wide = WIDE if tuple(map(int, version.split("."))) >= (8, 3) else ""
        head = f".version {version}\n.target {target}\n.address_size 64\n{MODULE}\n.entry k(.param .u64 a) {{\n{BODY}{wide}\n"
        path = os.path.join(self.folder, "a.ptx")
        with open(path, "w") as file:
            file.write(head + "\n".join(instructions) + "\nret;\n}\n")
        command = [self.path, "-arch=" + target, "-O0", path, "-o", os.devnull]
        ran = subprocess.run(command, capture_output=True, text=True)
        wrong, before = {}, head.count("\n") + 1
        for line, what in re.findall(r"^ptxas \S+, line (\d+); (?:error|fatal) *: *(.*)", ran.stderr + ran.stdout, re.M):
            place = int(line) - before
            if not 0 <= place < len(instructions):
                continue
            wrong[place] = what
            text = instructions[place]
            if what.startswith("Parsing error") and text not in self.parses:
                self.parses[text] = True
                alone = self.run([text], *CONFIGURATIONS[-4].split("/"))[1]
                self.parses[text] = not any(other.startswith("Parsing error") for other in alone.values())
        return ran.returncode == 0, wrong

    def legal(self, instructions, version, target):
        """Which of them it takes."""
        if not instructions:
            return set()
        good, wrong = self.run(instructions, version, target)
        if good:
            return set(instructions)
        # it counts lines wrongly behind some instructions that it expands
        astray = any(what.startswith("Parsing error") and self.parses[instructions[place]] for place, what in wrong.items())
        if wrong and not astray:
            return self.legal([text for place, text in enumerate(instructions) if place not in wrong], version, target)
        if len(instructions) == 1:
            return set()
        half = len(instructions) // 2  # it does not say where, or not truly
        return self.legal(instructions[:half], version, target) | self.legal(instructions[half:], version, target)


def main():
    ptxas = Ptxas(sys.argv[1])
    instructions = generate()
    sys.setrecursionlimit(len(instructions) + 1000)
    chunks = [instructions[start:start + 300] for start in range(0, len(instructions), 300)]
    verdicts = []
    for configuration in CONFIGURATIONS:
        asked = ([text for text in chunk if ptxas.parses.get(text, True)] for chunk in chunks)
        verdicts.append({text for chunk in asked for text in ptxas.legal(chunk, *configuration.split("/"))})
        print(configuration, len(verdicts[-1]), file=sys.stderr)
    print("# ptxas:", ptxas.version())
    print("# module:", MODULE)
    print("# body:", BODY + WIDE)
    print("# configurations:", " ".join(CONFIGURATIONS))
    for text in instructions:
        verdict = "".join("+" if text in legal else "-" for legal in verdicts)
        print(verdict if "+" in verdict else "-", text)


if __name__ == "__main__":
    main()
