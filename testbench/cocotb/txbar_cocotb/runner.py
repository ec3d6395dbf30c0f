"""Runs tests of cocotb on an exported unit."""
import os
import pathlib
import xml.etree.ElementTree as ElementTree

from cocotb_tools.runner import get_runner


def run(simulator, directory, name, tests, folders, **build):
    """Builds NAME.v in a directory, and runs the tests of the module `bench`, which is in one of the folders: all of them, or those that are named. UNIT is
    `DIRECTORY/NAME` for them. Prints how many there were and which failed; gives the exit code."""
    place = pathlib.Path(directory) / f"build_{name}"
    paths = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
    environment = {"UNIT": f"{directory}/{name}", "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    runner = get_runner(simulator)
    runner.build(sources=[f"{directory}/{name}.v"], hdl_toplevel=name, build_dir=place, always=True, **build)
    chosen = f"\\.({'|'.join(tests)})$" if tests else None
    results = runner.test(hdl_toplevel=name, test_module="bench", build_dir=place, test_dir=place, extra_env=environment, test_filter=chosen)
    cases = list(ElementTree.parse(results).iter("testcase"))
    wrong = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    print(f"{len(cases)} tests, wrong: {', '.join(wrong) or 'none'}")
    return int(bool(wrong) or not cases)
