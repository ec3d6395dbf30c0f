"""Runs bench.py on NAME.v under Icarus: python run.py DIRECTORY NAME [TEST...]. Ends with 1 if a test fails."""
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "testbench" / "cocotb"))
from txbar_cocotb.runner import run  # noqa: E402

directory, name, *tests = sys.argv[1:]
sys.exit(run("icarus", directory, name, tests, [here], build_args=["-g2012"], timescale=("1ns", "1ps")))
