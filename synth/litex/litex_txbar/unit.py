"""A unit behind a bus as a module of LiteX. Pins, addresses and parameters come from what `txbar verilog` writes."""

import json
import pathlib
import re

from migen import ClockSignal, Instance, ResetSignal, Signal

from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi, wishbone
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel

from .tools import CommandError, TxbarError, run, txbar


class Package:
    """What `txbar verilog --package NAME --bus BUS` writes into a folder."""

    def __init__(self, folder, name, bus, options):
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [txbar(), "verilog", "--package", name, "--bus", bus, "-o", self.folder]
        for key, value in options.items():
            value = str(value).lower() if isinstance(value, bool) else value
            command.append(f"--{key.replace('_', '-')}={value}")
        try:
            run(command)
        except CommandError as error:
            raise TxbarError(f"`txbar verilog`: {error.said.splitlines()[0].removeprefix('error: ')}") from None
        self.manifest = json.loads((self.folder / f"{name}.json").read_text())
        self.verilog = self.folder / self.manifest["file"]
        # the C driver: to be compiled with the firmware, with the folder among those of headers, and with `driver_flags`
        self.driver = self.folder / "txbar.c"

    def register(self, name):
        """Offset of a register of a window, or the mask of a field, by its name in `txbar_registers.h` without `TXBAR_`."""
        text = (self.folder / "txbar_registers.h").read_text()
        return int(re.search(rf"^#define TXBAR_{name} (\w+)u\b", text, re.M).group(1), 0)

    def opcode(self, name):
        """The code of an operation."""
        return next(one["code"] for one in self.manifest["opcodes"] if one["name"] == name)


class TxBar(LiteXModule):
    """A unit with a bus for each port. Its interrupts are one event for each port."""

    def __init__(self, platform, package):
        self.package = package
        parameters = package.manifest["parameters"]
        interface = {
            "wishbone": lambda: wishbone.Interface(data_width=32, address_width=32, addressing="byte"),
            "axi-lite": lambda: axi.AXILiteInterface(data_width=32, address_width=32),
        }[parameters["bus"]]
        self.buses = [interface() for _ in range(parameters["ports"])]
        # what each pin is connected to, by its name
        self.pins = {}
        self.directions = {pin["name"]: pin["direction"] for pin in package.manifest["ports"]}
        self.widths = {pin["name"]: pin["width"] for pin in package.manifest["ports"]}
        for pin in self.directions:
            self.pins[pin] = self._net(pin)
        self.ev = EventManager()
        for port in range(len(self.buses)):
            event = EventSourceLevel(name=f"port{port}", description=f"a window of port {port} interrupts")
            setattr(self.ev, f"port{port}", event)
            irq = self.pins.get(f"irq_{port}", self.pins.get("irq"))
            self.comb += event.trigger.eq(irq != 0)
        self.ev.finalize()
        platform.add_source(str(package.verilog))

    def _net(self, pin):
        if pin == "clk":
            return ClockSignal("sys")
        if pin == "rst":
            return ResetSignal("sys")
        if pin.startswith("irq"):
            return Signal(self.widths[pin], name=pin)
        port, name = re.fullmatch(r"s(\d*)_[a-z]+_(\w+)", pin).groups()
        bus = self.buses[int(port or 0)]
        if isinstance(bus, axi.AXILiteInterface):
            channel, name = re.fullmatch(r"(aw|ar|w|b|r)(\w+)", name).groups()
            bus = getattr(bus, channel)
        net = getattr(bus, name, None)
        if net is None:
            # LiteX has no such signal: left open, or zero
            return Signal(self.widths[pin], name=f"{pin}_unused")
        return net[: self.widths[pin]]

    def do_finalize(self):
        prefix = {"input": "i_", "output": "o_"}
        connections = {prefix[self.directions[pin]] + pin: net for pin, net in self.pins.items()}
        self.specials += Instance(self.package.manifest["top"], **connections)


def driver_flags(cpu):
    """Flags for the C compiler that the driver needs on a CPU, an object of LiteX."""
    # it takes `fence` for a store to nowhere; one access is over before its next begins
    return ['-DTXBAR_FENCE()=__asm__ volatile("" ::: "memory")'] if cpu.name == "serv" else []


def add_txbar(soc, name="txbar", ports=2, engines=0, bus=None, folder=None, **options):
    """Adds a unit to a SoC, and gives its module.

    `ports` ports are on the SoC's bus, as regions `NAME_port0`, ...; `engines` more are for hardware to be connected to: the last of `buses`.
    `bus` is `wishbone` or `axi-lite`, without it the SoC's. All else are options of `txbar verilog`, such as `banks=2, words=64, windows=4`.
    The package of the unit, `NAME_unit`, is written into `folder`, without it `build/NAME_unit`; firmware includes its header and compiles `package.driver`.
    """
    package_name = f"{name}_unit"
    if bus is None:
        bus = "wishbone" if soc.bus.standard == "wishbone" else "axi-lite"
    if bus not in ("wishbone", "axi-lite"):
        raise TxbarError(f"`bus` is `{bus}`: LiteX has `wishbone` and `axi-lite`")
    options = {"clock_ns": f"{1e9 / soc.sys_clk_freq:.3f}", **options, "ports": ports + engines}
    package = Package(folder or pathlib.Path("build") / package_name, package_name, bus, options)
    unit = TxBar(soc.platform, package)
    soc.add_module(name, unit)
    facts = package.manifest["bus"]
    for port in range(ports):
        region = SoCRegion(size=1 << facts["address_bits"], cached=False)
        soc.bus.add_slave(f"{name}_port{port}", unit.buses[port], region)
    if soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    for key, value in {**package.manifest["parameters"], **facts, "ports": ports}.items():
        soc.add_constant(f"{name}_{key}", int(value) if isinstance(value, bool) else value)
    return unit
