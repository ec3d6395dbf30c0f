"""python -m litex_txbar.sim: a system with a unit, simulated with Verilator. Prints PASS, or FAIL and exits with 2."""

import argparse
import logging
import pathlib
import re
import shutil
import subprocess
import sys

from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRStorage

from .system import HERE, VARIANTS, System
from .tools import TxbarError, run, verilator

IO = [
    ("sys_clk", 0, Pins(1)),
    ("finished", 0, Pins(1)),
    (
        "serial",
        0,
        *(Subsignal(f"source_{name}", Pins(width)) for name, width in (("valid", 1), ("ready", 1), ("data", 8))),
        *(Subsignal(f"sink_{name}", Pins(width)) for name, width in (("valid", 1), ("ready", 1), ("data", 8))),
    ),
]
CLOCK_HZ = 100e6


class FinishCsr(LiteXModule):
    """Ends the simulation."""

    def __init__(self, pad):
        self.now = CSRStorage(description="A 1 ends the simulation.")
        self.comb += pad.eq(self.now.storage)


def build_system(cpu, bus, folder, inject):
    """The system, with its firmware. `inject` is a fault: `short-report`, or `exchange=PIN,PIN`."""
    platform = SimPlatform("SIM", list(IO))
    system = System(platform, CLOCK_HZ, cpu, bus, folder, uart_name="sim", ident="")
    system.crg = CRG(platform.request("sys_clk"))
    system.finish = FinishCsr(platform.request("finished"))
    if inject == "short-report":
        system.comb += system.engine.missing.eq(1)
    elif inject:
        one, other = exchanged(system.txbar, inject)
        pins = system.txbar.pins
        pins[one], pins[other] = pins[other], pins[one]
    system.build_firmware()
    verilog = platform.get_verilog(system.get_fragment(), name="sim")
    # the contents of memories are in files, which the simulator looks for where it runs
    for name, text in {"sim.v": verilog.main_source, **verilog.data_files}.items():
        (folder / name).write_text(text)
    return system


def exchanged(unit, inject):
    """The two pins to exchange, by name."""
    pair = re.fullmatch(r"exchange=(\w+),(\w+)", inject)
    if not pair:
        raise TxbarError(f"--inject is `{inject}`: it may be `short-report`, or `exchange=PIN,PIN` with two pins of the unit")
    for pin in pair.groups():
        if pin not in unit.pins:
            raise TxbarError(f"--inject: the unit has no pin `{pin}`; it has {', '.join(unit.pins)}")
    one, other = pair.groups()
    for what in (unit.directions, unit.widths):
        if one == other or what[one] != what[other]:
            raise TxbarError(f"--inject: `{one}` and `{other}` must be two pins of one direction and width")
    return one, other


def build_simulator(system, folder):
    """Compiles the system and the harness; gives the program."""
    sources = [source for source, *_ in system.platform.sources]
    includes = [f"-I{path}" for path in system.platform.verilog_include_paths]
    objects = folder / "objects"
    shutil.rmtree(objects, ignore_errors=True)
    compiler, root = verilator()
    run(
        [compiler, "--cc", "--top-module", "sim", "--prefix", "Vsim", "--Mdir", objects, "-Wno-fatal", "-Wno-lint", "-Wno-style"]
        + ["--x-initial", "unique", "--x-assign", "fast", "-O3", *includes, "sim.v", *sources],
        folder,
        VERILATOR_ROOT=str(root),
    )
    # one file, because Verilator's headers take longer to read than this to compile
    files = sorted(path.name for path in objects.glob("*.cpp"))
    files += ["verilated.cpp", "verilated_threads.cpp", str(HERE / "harness.cpp")]
    whole = objects / "whole.cc"
    whole.write_text('#include "Vsim.h"\n' + "".join(f'#include "{name}"\n' for name in files))
    program = folder / "simulator"
    cxx = shutil.which("g++") or shutil.which("clang++")
    if not cxx:
        raise TxbarError("there is no C++ compiler on PATH: `apt-get install g++` brings one")
    run([cxx, "-std=c++20", "-O1", "-pthread", "-w", f"-I{root}/include", f"-I{root}/include/vltstd", f"-I{objects}", whole, "-o", program])
    return program


def simulate(program, cycles, folder):
    """Runs the program; gives whether it has passed. Everything that the system prints is shown."""
    running = subprocess.Popen([str(program), str(cycles)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    verdict = ""
    for line in running.stdout:
        if line.startswith(("PASS", "FAIL")):
            verdict = line
        print(line, end="", flush=True)
    gone = running.stderr.read().strip()
    finished = running.wait() == 0
    if not finished or not verdict:
        print(f"FAIL: the system has not finished in {gone} cycles", flush=True)
    return finished and verdict.startswith("PASS")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message):
        self.exit(1, f"error: {message}\n")


def main():
    parser = Parser(prog="python -m litex_txbar.sim", description=__doc__)
    parser.add_argument("--cpu", choices=VARIANTS, default="vexriscv", help="the CPU of both harts (%(default)s)")
    parser.add_argument("--bus", choices=["wishbone", "axi-lite"], default="wishbone", help="the bus of the SoC and of the unit (%(default)s)")
    parser.add_argument("--inject", metavar="FAULT", help="plant a fault: `short-report`, the copy engine reports a byte too few; `exchange=PIN,PIN`, of the unit")
    parser.add_argument("--cycles", type=int, default=5_000_000, metavar="N", help="clock cycles at most (%(default)s)")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="where to build (build/txbar_CPU_BUS)")
    options = parser.parse_args()
    # LiteX tells how it builds a SoC: of interest here if it is a warning
    logging.disable(logging.INFO)
    shown = options.output or pathlib.Path("build") / f"txbar_{options.cpu}_{options.bus}"
    folder = shown.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        print(f"building {options.cpu} on {options.bus} in {shown}", flush=True)
        system = build_system(options.cpu, options.bus, folder, options.inject)
        program = build_simulator(system, folder)
        passed = simulate(program, options.cycles, folder)
    except (TxbarError, OSError) as error:
        sys.exit(f"error: {error}")
    sys.exit(0 if passed else 2)


if __name__ == "__main__":
    main()
