"""python -m litex_txbar.ulx3s: the bitstream of the system for a ULX3S with an ECP5-85F. What it prints comes out of the board's serial port, at 115200 baud."""

import logging
import os
import pathlib
import re
import shutil
import sys

from litex.build.io import CRG

from .sim import Parser
from .system import VARIANTS, System
from .tools import TxbarError, find, run

CLOCK_HZ = 25e6


def write(cpu, folder):
    """Writes the Verilog, with the firmware in it, and the script that builds the bitstream; gives the script."""
    try:
        from litex_boards.platforms import radiona_ulx3s
    except ImportError:
        raise TxbarError("there is no `litex_boards`: `pip install litex-boards==2023.12` brings it") from None
    platform = radiona_ulx3s.Platform(device="LFE5U-85F", toolchain="trellis")
    system = System(platform, CLOCK_HZ, cpu, "wishbone", folder, ident="")
    system.crg = CRG(platform.request("clk25"))
    # held high, or the board switches itself off
    system.comb += platform.request("wifi_gpio0").eq(1)
    system.build_firmware()
    # all that is read lies beside the script, and is named without its folder: tools from wheels do not see every folder
    for number, (source, *others) in enumerate(platform.sources):
        platform.sources[number] = (pathlib.Path(shutil.copy(source, folder)).name, *others)
    platform.build(system, build_dir=str(folder), build_name="ulx3s", run=False)
    commands = folder / "ulx3s.ys"
    commands.write_text(commands.read_text().replace(f"{folder}{os.sep}", ""))
    return folder / "build_ulx3s.sh"


def build(script):
    """Runs the script; gives the bitstream, and the clock that nextpnr found possible, in MHz."""
    tools = [find(tool, "`scripts/setup-tools --place-and-route` brings it") for tool in ("yosys", "nextpnr-ecp5", "ecppack")]
    path = os.pathsep.join([*(str(pathlib.Path(tool).parent) for tool in tools), os.environ["PATH"]])
    said = run(["bash", script], script.parent, PATH=path)
    clocks = re.findall(r"Max frequency for clock .*: ([\d.]+) MHz", said)
    return script.parent / "ulx3s.bit", float(clocks[-1])


def main():
    parser = Parser(prog="python -m litex_txbar.ulx3s", description=__doc__)
    parser.add_argument("--cpu", choices=VARIANTS, default="vexriscv", help="the CPU of both harts (%(default)s)")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", help="where to build (build/txbar_ulx3s_CPU)")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    folder = (options.output or pathlib.Path("build") / f"txbar_ulx3s_{options.cpu}").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        print(f"building {options.cpu} in {folder}", flush=True)
        bitstream, clock = build(write(options.cpu, folder))
    except (TxbarError, OSError) as error:
        sys.exit(f"error: {error}")
    verdict = "PASS" if clock * 1e6 >= CLOCK_HZ else "FAIL"
    print(f"{verdict}: {bitstream}, {clock:.1f} MHz possible, {CLOCK_HZ / 1e6:.0f} MHz needed")
    sys.exit(0 if verdict == "PASS" else 2)


if __name__ == "__main__":
    main()
