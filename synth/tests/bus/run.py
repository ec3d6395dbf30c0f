"""Runs bench.py on NAME.v under Icarus: python run.py DIRECTORY NAME [TEST...]. Ends with 1 if a test fails."""
import os
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from cocotb_tools.runner import get_runner

here = pathlib.Path(__file__).resolve().parent
directory, name, *tests = sys.argv[1:]
build = pathlib.Path(directory) / f"build_{name}"
paths = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
environment = {"UNIT": f"{directory}/{name}", "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
runner = get_runner("icarus")
runner.build(sources=[f"{directory}/{name}.v"], hdl_toplevel=name, build_dir=build, build_args=["-g2012"], always=True, timescale=("1ns", "1ps"))
chosen = f"\\.({'|'.join(tests)})$" if tests else None
results = runner.test(hdl_toplevel=name, test_module="bench", build_dir=build, test_dir=build, extra_env=environment, test_filter=chosen)
cases = list(ElementTree.parse(results).iter("testcase"))
wrong = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
print(f"{len(cases)} tests, wrong: {', '.join(wrong) or 'none'}")
sys.exit(bool(wrong) or not cases)
