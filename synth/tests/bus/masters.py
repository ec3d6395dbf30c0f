"""Masters of four buses with one way to ask them: `await master.access(write, address, data, strobe)` gives what was read, and whether it was an error.

AXI4-Lite, Wishbone and APB are driven by cocotbext-axi, -wishbone and -apb; TileLink by what is here, since PyPI has nothing for cocotb 2. All pause at random.
"""
import random

from cocotb.triggers import FallingEdge, Lock, RisingEdge
from cocotbext.apb import ApbBus, ApbMaster
from cocotbext.axi.axil_channels import (
    AxiLiteARBus, AxiLiteARSource, AxiLiteARTransaction, AxiLiteAWBus, AxiLiteAWSource, AxiLiteAWTransaction,
    AxiLiteBBus, AxiLiteBSink, AxiLiteRBus, AxiLiteRSink, AxiLiteWBus, AxiLiteWSource, AxiLiteWTransaction,
)
from cocotbext.wishbone.driver import WBOp, WishboneMaster
import cocotb
import logging


def at_random(chance):
    while True:
        yield random.random() < chance


class Reset:
    """The reset of a unit, as its manifest says."""

    def __init__(self, dut, facts):
        self.pin, self.active = getattr(dut, facts["pin"]), facts["active"]

    def set(self, on):
        self.pin.value = self.active if on else 1 - self.active

    def is_on(self):
        return int(self.pin.value) == self.active


class Master:
    """One access at a time, whoever asks."""

    def __init__(self, dut, prefix, reset):
        self.dut, self.prefix, self.reset, self.lock = dut, prefix, reset, Lock()

    def pin(self, name):
        return getattr(self.dut, f"{self.prefix}_{name}")

    async def access(self, write, address, data=0, strobe=15):
        async with self.lock:
            for _ in range(random.choice([0, 0, 0, 1, 3])):
                await RisingEdge(self.dut.clk)
            return await self.one(write, address, data, strobe)

    async def stays(self, channel, payload, known):
        """An answer stays as it is until it is taken; neither it nor these pins are ever unknown."""
        last = None
        while True:
            await FallingEdge(self.dut.clk)
            if self.reset.is_on():
                last = None
                continue
            valid = int(self.pin(channel + "valid").value)
            now = [int(self.pin(name).value) for name in payload] if valid else None
            assert last is None or now == last, f"{channel}: {last} became {now}"
            last = None if int(self.pin(channel + "ready").value) else now
            for name in known:
                int(self.pin(name).value)


class AxiLite(Master):
    PINS = "axil"

    def __init__(self, dut, prefix, reset):
        super().__init__(dut, prefix, reset)

        def end(kind, bus):
            channel = kind(bus.from_prefix(dut, prefix), dut.clk, reset.pin, reset_active_level=bool(reset.active))
            channel.set_pause_generator(at_random(random.choice([0, 0.3, 0.7])))
            channel.log.setLevel(logging.WARNING)
            return channel

        self.aw, self.w = end(AxiLiteAWSource, AxiLiteAWBus), end(AxiLiteWSource, AxiLiteWBus)
        self.ar, self.b = end(AxiLiteARSource, AxiLiteARBus), end(AxiLiteBSink, AxiLiteBBus)
        self.r = end(AxiLiteRSink, AxiLiteRBus)
        readies = ["awready", "wready", "arready"]
        cocotb.start_soon(self.stays("b", ["bresp"], readies))
        cocotb.start_soon(self.stays("r", ["rdata", "rresp"], readies))

    async def one(self, write, address, data, strobe):
        if not write:
            await self.ar.send(AxiLiteARTransaction(araddr=address, arprot=random.randrange(8)))
            answer = await self.r.recv()
            return int(answer.rdata), self.error(answer.rresp)
        parts = [
            self.aw.send(AxiLiteAWTransaction(awaddr=address, awprot=random.randrange(8))),
            self.w.send(AxiLiteWTransaction(wdata=data, wstrb=strobe)),
        ]
        if random.random() < 0.5:
            parts.reverse()
        await parts[0]
        for _ in range(random.choice([0, 0, 1, 5])):
            await RisingEdge(self.dut.clk)
        await parts[1]
        return 0, self.error((await self.b.recv()).bresp)

    @staticmethod
    def error(response):
        assert int(response) in (0, 2), f"response {response}"
        return int(response) == 2


class Wishbone(Master):
    PINS = "wb"

    def __init__(self, dut, prefix, reset):
        super().__init__(dut, prefix, reset)
        names = ["cyc", "stb", "we", "adr", "sel", "ack", "err"]
        signals = {name: name for name in names} | {"datwr": "dat_w", "datrd": "dat_r"}
        # one of the two kinds of masters at each port
        if prefix != "s1_wb":
            signals["stall"] = "stall"
        self.master = WishboneMaster(dut, prefix, dut.clk, width=32, timeout=2000, signals_dict=signals)
        self.master.log.setLevel(logging.WARNING)
        cocotb.start_soon(self.watch())

    async def watch(self):
        """Nothing is acknowledged that nobody asks for."""
        while True:
            await FallingEdge(self.dut.clk)
            if not self.reset.is_on():
                asks = int(self.pin("cyc").value) and int(self.pin("stb").value)
                ends = int(self.pin("ack").value) + int(self.pin("err").value)
                assert ends <= (1 if asks else 0), "acknowledged without being asked"

    async def one(self, write, address, data, strobe):
        ended = await self.master.send_cycle([WBOp(address, data if write else None, idle=random.choice([0, 0, 2]), sel=strobe)])
        error = ended[0].ack == 2
        return (0 if write or error else int(ended[0].datrd)), error


class Apb(Master):
    PINS = "apb"

    def __init__(self, dut, prefix, reset):
        super().__init__(dut, prefix, reset)
        # it raises an exception at an error that it was not told of: errors are looked at here
        bus = ApbBus.from_prefix(dut, prefix, optional_signals=["penable", "pstrb", "pprot"])
        self.master = ApbMaster(bus, dut.clk, timeout_max=5000)
        self.master.log.setLevel(logging.CRITICAL)
        self.last = None
        cocotb.start_soon(self.watch())

    async def watch(self):
        while True:
            await FallingEdge(self.dut.clk)
            if not self.reset.is_on() and int(self.pin("psel").value) and int(self.pin("penable").value):
                if int(self.pin("pready").value):
                    self.last = int(self.pin("prdata").value), bool(int(self.pin("pslverr").value))

    async def one(self, write, address, data, strobe):
        if write:
            await self.master.write(address & ~3, data, strb=strobe)
        else:
            await self.master.read(address & ~3)
        read, error = self.last
        return (0 if write else read), error


class TileLink(Master):
    PINS = "tl"

    def __init__(self, dut, prefix, reset):
        super().__init__(dut, prefix, reset)
        for name in ["a_valid", "a_opcode", "a_param", "a_size", "a_source", "a_address", "a_mask", "a_data", "a_corrupt", "d_ready"]:
            self.pin(name).value = 0
        payload = ["opcode", "param", "size", "source", "sink", "denied", "data", "corrupt"]
        cocotb.start_soon(self.stays("d_", ["d_" + name for name in payload], ["a_ready"]))

    async def one(self, write, address, data, strobe, opcode=None, corrupt=0):
        source = random.randrange(256)
        full = strobe == 15
        code = opcode if opcode is not None else (4 if not write else 0 if full and random.random() < 0.7 else 1)
        request = dict(opcode=code, param=0, size=2, source=source, address=address & ~3, mask=strobe if write else 15, data=data, corrupt=corrupt)
        for name, value in request.items():
            self.pin("a_" + name).value = value
        self.pin("a_valid").value = 1
        while True:
            await FallingEdge(self.dut.clk)
            taken = int(self.pin("a_ready").value)
            await RisingEdge(self.dut.clk)
            if taken:
                break
        self.pin("a_valid").value = 0
        for name in request:
            self.pin("a_" + name).value = random.getrandbits(len(self.pin("a_" + name)))
        while True:
            ready = random.random() < 0.5
            self.pin("d_ready").value = ready
            await FallingEdge(self.dut.clk)
            valid = int(self.pin("d_valid").value)
            answer = {name: int(self.pin("d_" + name).value) for name in ["opcode", "size", "source", "denied", "data", "corrupt"]}
            await RisingEdge(self.dut.clk)
            if valid and ready:
                break
        self.pin("d_ready").value = 0
        carries = code in (2, 3, 4)
        assert answer["opcode"] == (2 if code == 5 else 1 if carries else 0), answer
        assert (answer["size"], answer["source"]) == (2, source), answer
        assert answer["corrupt"] == (carries and answer["denied"]), answer
        return (answer["data"] if carries else 0), bool(answer["denied"])


KINDS = {"axi-lite": AxiLite, "wishbone": Wishbone, "apb": Apb, "tilelink": TileLink}
