"""The generator of txbar.core: FuseSoC starts it with a file that has the parameters and the name of the core to write."""
import os
import pathlib
import subprocess
import sys

from fusesoc.capi2.generator import Generator


def main():
    generator = Generator()
    options = dict(generator.config or {})
    name = options.pop("name", None) or sys.exit("txbar: the parameters have no `name`: that of the top module")
    program = os.environ.get("TXBAR", "txbar")
    # YAML's `true` is the command's
    flags = [f"--{key}={str(value).lower()}" for key, value in options.items()]
    try:
        done = subprocess.run([program, "verilog", "--package", name, "-o", ".", *flags])
    except FileNotFoundError:
        sys.exit(f"txbar: `{program}` is not there: put txbar on PATH, or its path into TXBAR")
    if done.returncode:
        sys.exit(done.returncode)
    core = pathlib.Path(f"{name}.core")
    text = core.read_text().replace(f"name: txbar:ip:{name}\n", f"name: {generator.vlnv}\n")
    core.unlink()
    pathlib.Path(generator.core_file).write_text(text)


main()
