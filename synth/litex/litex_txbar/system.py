"""A system to try a unit in: two harts, a copy engine, and firmware that uses them. Each hart has a port of the unit, and so has the engine."""

import pathlib
import shlex

from litex.gen import LiteXModule
from litex.soc.cores import cpu as cpus
from litex.soc.integration import export
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.csr import CSRStorage

from .copy_engine import CopyEngine
from .tools import riscv, run
from .unit import add_txbar, driver_flags

HERE = pathlib.Path(__file__).resolve().parent
# CPUs whose data caches nobody else sees are no use here: variants without.
VARIANTS = {"vexriscv": "minimal", "picorv32": "standard", "serv": "standard"}
ROM_BYTES = 0x8000
SRAM_BYTES = 0x2000


class Hart1(LiteXModule):
    """A second CPU of the same kind on the same bus. It stays in reset until `run` is 1."""

    def __init__(self, soc):
        self.run = CSRStorage(description="The second hart runs.")
        self.cpu = type(soc.cpu)(soc.platform, soc.cpu.variant)
        # its first instruction is at the end of the ROM, see firmware/linker.ld
        reset_address = soc.bus.regions["rom"].origin + ROM_BYTES - 16
        self.cpu.set_reset_address(reset_address)
        soc.add_constant("HART1_RESET", reset_address)
        self.comb += self.cpu.reset.eq(~self.run.storage)
        for number, bus in enumerate(self.cpu.periph_buses):
            soc.bus.add_master(f"hart1_bus{number}", bus)


class System(SoCCore):
    """The system, on any platform."""

    def __init__(self, platform, clock_hz, cpu, bus, folder, **others):
        super().__init__(
            platform,
            clk_freq=int(clock_hz),
            cpu_type=cpu,
            cpu_variant=VARIANTS[cpu],
            bus_standard=bus,
            integrated_rom_size=ROM_BYTES,
            integrated_sram_size=SRAM_BYTES,
            with_timer=False,
            **others,
        )
        self.folder = pathlib.Path(folder).resolve()
        unit = add_txbar(self, ports=2, engines=1, banks=2, words=64, waiters=8, folder=self.folder / "unit")
        self.hart1 = Hart1(self)
        self.engine = CopyEngine(unit.package, unit.buses[-1])
        self.bus.add_master("engine", self.engine.memory)

    def build_firmware(self):
        """Writes the headers of the SoC, compiles the firmware, and puts it into the ROM."""
        self.finalize()
        generated = self.folder / "software" / "generated"
        generated.mkdir(parents=True, exist_ok=True)
        software = generated.parent
        csr_base = self.mem_regions["csr"].origin
        headers = {
            "mem.h": export.get_mem_header(self.mem_regions),
            "soc.h": export.get_soc_header(self.constants),
            "csr.h": export.get_csr_header(self.csr_regions, self.constants, csr_base=csr_base),
            "regions.ld": export.get_linker_regions(self.mem_regions),
        }
        for name, text in headers.items():
            (generated / name).write_text(text)
        maps = export.get_csr_json(self.csr_regions, self.constants, self.mem_regions)
        (self.folder / "csr.json").write_text(maps)

        litex_soc = pathlib.Path(cpus.__file__).resolve().parents[2]
        own = litex_soc / "cores" / "cpu" / self.cpu.name
        package = self.txbar.package
        includes = [software, package.folder, own, litex_soc / "software" / "include", litex_soc / "software" / "libbase"]
        sources = [own / "crt0.S", HERE / "firmware" / "hart1.S", HERE / "firmware" / "main.c", HERE / "firmware" / "selftest.c"]
        elf = software / "firmware.elf"
        flags = ["-Os", "-std=gnu11", "-Wall", "-Wextra", "-ffreestanding", "-nostdlib", "-nostartfiles"]
        run(
            [riscv("gcc"), *shlex.split(self.cpu.gcc_flags), *flags, *driver_flags(self.cpu), *(f"-I{path}" for path in includes)]
            + ["-T", HERE / "firmware" / "linker.ld", f"-Wl,--defsym=HART1_RESET={self.constants['HART1_RESET']}"]
            + [*sources, package.driver, "-o", elf],
            folder=software,
        )
        image = software / "firmware.bin"
        run([riscv("objcopy"), "-O", "binary", elf, image])
        self.init_rom("rom", get_mem_data(str(image), endianness="little", data_width=32), auto_size=False)
