"""A unit behind a bus, driven by an independent master; the addresses of registers are those of its SystemRDL. NAME.json and NAME.rdl are in UNIT."""
import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from systemrdl import RDLCompiler
from systemrdl.node import RegNode

from masters import KINDS, Reset

UNIT = os.environ["UNIT"]
SEED = int(os.environ.get("SEED", "1"))
# operations of each hart
ROUNDS = int(os.environ.get("ROUNDS", "20"))
MANIFEST = json.load(open(UNIT + ".json"))
FACTS, PORTS = MANIFEST["bus"], MANIFEST["parameters"]["ports"]
OP = {one["name"]: one["code"] for one in MANIFEST["opcodes"]}
STATUS = {one["name"]: one["code"] for one in MANIFEST["statuses"]}


def compiled():
    compiler = RDLCompiler()
    compiler.compile_file(UNIT + ".rdl")
    top = compiler.elaborate().top
    return {node.get_path(): node for node in top.descendants(unroll=True) if isinstance(node, RegNode)}


REGISTERS = {path.split(".", 1)[1]: node for path, node in compiled().items()}
AT = {path: node.absolute_address for path, node in REGISTERS.items()}


class Window:
    """What a hart does with its window."""

    def __init__(self, master, number):
        self.master, self.number = master, number
        self.memory = AT[f"window[{number}].address"] + FACTS["memory_offset"]

    def at(self, name):
        return AT[f"window[{self.number}].{name}"]

    async def read(self, name):
        value, error = await self.master.access(False, self.at(name))
        assert not error, f"{name} cannot be read"
        return value

    async def write(self, name, value, strobe=15):
        _, error = await self.master.access(True, self.at(name), value, strobe)
        assert not error, f"{name} cannot be written"

    async def ask(self, op, address, data=0, label=0, strobe=0xFF, order=0):
        await self.write("address", address)
        await self.write("data_lo", data & 0xFFFFFFFF)
        await self.write("data_hi", data >> 32)
        await self.write("command", OP[op] | order << 8 | label << 16 | strobe << 24)

    async def answer(self, register="status", take="take"):
        for _ in range(400):
            word = await self.read(register)
            if word >> 31:
                break
        else:
            raise AssertionError(f"window {self.number}: no answer in {register}")
        result = await self.read("result_lo") | await self.read("result_hi") << 32
        await self.write(take, 0)
        return dict(status=word & 31, predicate=word >> 8 & 1, resumed=word >> 9 & 1, label=word >> 16 & 255, data=result)

    async def op(self, op, address, data=0, status="ok", **more):
        label = random.randrange(256)
        await self.ask(op, address, data, label=label, **more)
        answer = await self.answer()
        assert (answer["status"], answer["label"]) == (STATUS[status], label), (op, hex(address), answer)
        return answer

    async def load(self, address):
        return (await self.op("load", address))["data"]


async def start(dut, seed=0):
    random.seed(SEED * 1000 + seed)
    dut._log.info(f"seed {SEED}")
    rest(dut)
    Reset(dut, MANIFEST["reset"]).set(True)
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    await ClockCycles(dut.clk, 3)
    return await released(dut)


def rest(dut):
    """Nobody asks for anything."""
    for port in MANIFEST["ports"]:
        if port["direction"] == "input" and port["name"] not in ("clk", MANIFEST["reset"]["pin"]):
            getattr(dut, port["name"]).value = 0


async def released(dut):
    """Masters, and the end of reset; the windows of each port."""
    kind, reset = KINDS[FACTS["bus"]], Reset(dut, MANIFEST["reset"])
    masters = [kind(dut, f"s{k}_{kind.PINS}" if PORTS > 1 else f"s_{kind.PINS}", reset) for k in range(PORTS)]
    reset.set(False)
    await RisingEdge(dut.clk)
    return [[Window(master, n) for n in range(FACTS["windows"])] for master in masters]


def irq(dut, port):
    return int((getattr(dut, f"irq_{port}") if PORTS > 1 else dut.irq).value)


@cocotb.test(timeout_time=400, timeout_unit="us")
async def registers(dut):
    """Every register of the SystemRDL: what it holds after reset, who may do what with it, every byte of it; everything else is an error."""
    ports = await start(dut, 1)
    for port, windows in enumerate(ports):
        master = windows[0].master
        for path, node in REGISTERS.items():
            at = AT[path]
            value, error = await master.access(False, at | random.randrange(4))
            assert error == (not node.has_sw_readable), path
            reset = sum((field.get_property("reset") or 0) << field.low for field in node.fields())
            assert value == (0 if error else reset), (path, hex(value))
            _, error = await master.access(True, at | random.randrange(4), 0xFFFFFFFF, 0)
            assert not error, f"{path}: no byte is written"
            if not node.has_sw_writable:
                _, error = await master.access(True, at, random.getrandbits(32), random.randrange(1, 16))
                assert error, path
                assert (await master.access(False, at))[0] == reset, path
            elif node.has_sw_readable:
                mask = sum(((1 << field.width) - 1) << field.low for field in node.fields())
                model = reset
                for _ in range(4):
                    data, strobe = random.getrandbits(32), random.randrange(16)
                    bits = sum(255 << 8 * b for b in range(4) if strobe >> b & 1)
                    model = model & ~bits | data & bits & mask
                    assert not (await master.access(True, at | random.randrange(4), data, strobe))[1], path
                    value, error = await master.access(False, at)
                    assert (value, error) == (model, False), (path, hex(value), hex(model))
                await master.access(True, at, reset)
        for window in windows:
            for name in ["take", "wait_take"]:
                assert (await master.access(True, window.at(name), 1))[1], "there is nothing to take"
        known = set(AT.values())
        ends = 1 << FACTS["address_bits"]
        memories = [(w.memory, w.memory + FACTS["memory_bytes"]) for w in windows]
        for _ in range(60):
            at = random.choice([random.randrange(0, ends, 4), random.choice(list(known)) ^ 1 << random.randrange(2, FACTS["address_bits"])])
            if at in known or any(begin <= at < end for begin, end in memories):
                continue
            assert await master.access(False, at) == (0, True), hex(at)
            assert (await master.access(True, at, 1))[1], hex(at)
            assert not (await master.access(True, at, 1, 0))[1], hex(at)
        assert irq(dut, port) == 0


async def hart(window, words, rounds):
    """Operations on words of its own, and a model of them."""
    pending, expected, tx, phase, live = {}, {}, {}, {}, set()
    for _ in range(rounds):
        at = random.choice(words)
        if at not in live or random.random() < 0.05:
            count = random.randrange(1, 5)
            await window.op("init", at, count)
            pending[at], expected[at], tx[at], phase[at] = count, count, 0, 0
            live.add(at)
            continue
        op = random.choice(["arrive", "arrive", "arrive_expect_tx", "expect_tx", "complete_tx", "test_wait_parity", "load", "arrive_drop"])
        if op == "arrive_drop" and expected[at] == 1:
            op = "arrive"
        amount = random.randrange(1, 100)
        if op == "complete_tx":
            amount = tx[at] if tx[at] > 0 and random.random() < 0.7 else random.randrange(1, 3)
        data = {"arrive": 1, "arrive_drop": 1, "test_wait_parity": random.randrange(2), "load": 0}.get(op, amount)
        word = phase[at] << 63 | (-pending[at] % 2**20) << 43 | (-tx[at] % 2**21) << 21 | (-expected[at] % 2**20) << 1
        answer = await window.op(op, at, data)
        if op == "load":
            assert answer["data"] == word, (hex(at), hex(answer["data"]), hex(word))
        elif op == "test_wait_parity":
            assert answer["predicate"] == (data != phase[at]), (answer, phase[at])
        elif op.startswith("arrive"):
            assert answer["data"] == word >> 32 << 32, (op, hex(answer["data"]), hex(word))
        if op.startswith("arrive"):
            pending[at] -= 1
        if op == "arrive_drop":
            expected[at] -= 1
        if op in ("arrive_expect_tx", "expect_tx"):
            tx[at] += amount
        if op == "complete_tx":
            tx[at] -= amount
        if pending[at] == 0 and tx[at] == 0:
            phase[at], pending[at] = 1 - phase[at], expected[at]
        if pending[at] == 0:
            # nobody may arrive any more in this phase
            await window.op("complete_tx", at, tx[at]) if tx[at] > 0 else await window.op("expect_tx", at, -tx[at])
            tx[at], phase[at], pending[at] = 0, 1 - phase[at], expected[at]


@cocotb.test(timeout_time=20 * ROUNDS, timeout_unit="us")
async def harts(dut):
    """Each window of each port does operations on words of its own, all at the same time; each gets the answers to its own."""
    ports = await start(dut, 2)
    words = [8 * n for n in range(FACTS["memory_bytes"] // 8)]
    random.shuffle(words)
    every = [window for windows in ports for window in windows]
    running = [cocotb.start_soon(hart(window, words[2 * k : 2 * k + 2], ROUNDS)) for k, window in enumerate(every)]
    for one in running:
        await one


@cocotb.test(timeout_time=200, timeout_unit="us")
async def memory(dut):
    """The memory as a window sees it: bytes in every pattern, the same words as those of operations, and an end."""
    ports = await start(dut, 3)
    model = {}
    for at in range(0x40, 0x60, 8):
        await ports[0][0].op("store", at, 0)
        model[at] = model[at + 4] = 0
    for _ in range(60):
        window = random.choice(random.choice(ports))
        at, data, strobe = random.choice(list(model)), random.getrandbits(32), random.randrange(16)
        if random.random() < 0.5:
            assert await window.master.access(True, window.memory + at + random.randrange(4), data, strobe) == (0, False)
            bits = sum(255 << 8 * b for b in range(4) if strobe >> b & 1)
            model[at] = model[at] & ~bits | data & bits
        else:
            assert await window.master.access(False, window.memory + at + random.randrange(4)) == (model[at], False), hex(at)
        if random.random() < 0.2:
            at &= ~7
            word, strobe = random.getrandbits(64), random.getrandbits(8)
            await window.op("store", at, word, strobe=strobe)
            for half in (0, 4):
                bits = sum(255 << 8 * b for b in range(4) if strobe >> half >> b & 1)
                model[at + half] = model[at + half] & ~bits | word >> 8 * half & bits
    for at in model:
        if at % 8 == 0:
            assert await ports[-1][-1].load(at) == model[at] | model[at + 4] << 32
    window, end = ports[0][0], FACTS["memory_bytes"]
    assert not (await window.master.access(False, window.memory + end - 4))[1]
    if FACTS["memory_bytes"] < FACTS["memory_offset"]:
        assert await window.master.access(False, window.memory + end) == (0, True)
        assert (await window.master.access(True, window.memory + end, 1))[1]
        assert not (await window.master.access(True, window.memory + end, 1, 0))[1]


@cocotb.test(timeout_time=600, timeout_unit="us")
async def ranges(dut):
    """A window touches no word outside of its range, learns nothing of it, and others are as before."""
    ports = await start(dut, 4)
    for windows in ports:
        master, mine, other = windows[0].master, windows[-1], windows[0]

        async def allow(first, last, number=None):
            number = mine.number if number is None else number
            await master.access(True, AT[f"privileged.range[{number}].first"], first | random.randrange(8))
            await master.access(True, AT[f"privileged.range[{number}].last"], last | random.randrange(8))

        for at in range(0x80, 0xA8, 8):
            await other.op("init", at, 3)
        if mine is other:
            continue
        await allow(0x88, 0x98)
        before = await other.load(0x80)
        for at in (0x80, 0xA0, 0x84, 0xFFFFFFF8, 0x80000100, 0x100000088):
            at &= 0xFFFFFFFF
            if 0x88 <= at < 0xA0:
                continue
            for op in ("load", "store", "init", "arrive", "expect_tx", "inval", "test_wait_parity", "try_wait_parity", "bulk_complete_tx", "complete_tx"):
                data = {"try_wait_parity": 0xFFFF0000 << 32, "store": random.getrandbits(64)}.get(op, 1)
                answer = await mine.op(op, at, data, status="out_of_range")
                assert (answer["predicate"], answer["resumed"], answer["data"]) == (0, 0, 0), (op, answer)
        for at in (0x80, 0xA0, 0x84):
            assert await master.access(False, mine.memory + at) == (0, True)
            assert (await master.access(True, mine.memory + at, 0x55555555, random.randrange(1, 16)))[1]
        assert await other.load(0x80) == before == await other.load(0xA0)
        for at in (0x88, 0x90, 0x98):
            assert await mine.load(at) == before
            assert await master.access(False, mine.memory + at) == (before & 0xFFFFFFFF, False)
            await mine.op("arrive", at, 1)
        await allow(0x98, 0x88)
        for at in (0x80, 0x88, 0x90, 0x98, 0xA0):
            await mine.op("load", at, status="out_of_range")
        await allow(0, 0xFFFFFFFF)
        assert await mine.load(0x80) == before


@cocotb.test(timeout_time=100, timeout_unit="us")
async def waits(dut):
    """A suspended wait: the window goes on, the wait ends with an interrupt and its own answer, or when its time is over."""
    ports = await start(dut, 5)
    for port, windows in enumerate(ports):
        mine, other = windows[0], ports[-1 - port][-1]
        bit = 1 << mine.number
        await other.op("init", 0x40, 1)
        await mine.op("init", 0x48, 2)
        await mine.write("interrupt_enable", 2)
        await mine.ask("try_wait_parity", 0x40, 0xFFFF0000 << 32, label=77)
        assert await mine.read("status") == 1 << 30
        # a command in between has its answer to itself
        await mine.op("arrive", 0x48, 1)
        assert await mine.read("wait") == 1 << 30
        # a second one is a test
        await mine.ask("try_wait_parity", 0x48, 0xFFFF0000 << 32, label=78)
        second = await mine.answer()
        assert second == dict(status=0, predicate=0, resumed=0, label=78, data=0), second
        # the interrupt of an answer is not enabled
        await mine.ask("load", 0x48)
        await ClockCycles(dut.clk, 30)
        assert await mine.read("status") >> 31 and irq(dut, port) == 0
        assert await mine.read("interrupt_cause") == 1
        await other.op("arrive", 0x40, 1)
        for _ in range(60):
            await RisingEdge(dut.clk)
        assert irq(dut, port) == bit
        assert await mine.read("interrupt_cause") == 3
        value, _ = await mine.master.access(False, AT["privileged.pending_lo"])
        assert value == bit
        over = await mine.answer("wait", "wait_take")
        assert (over["status"], over["predicate"], over["resumed"], over["label"]) == (0, 1, 1, 77), over
        assert irq(dut, port) == 0 and await mine.read("wait") == 0
        await mine.write("interrupt_enable", 3)
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        assert irq(dut, port) == bit, "the answer of the load is still there"
        await mine.write("take", 0)
        await mine.write("interrupt_enable", 0)
        # a limit of 500 ns
        await mine.ask("try_wait_parity", 0x40, 500 << 32 | 1, label=79)
        over = await mine.answer()
        assert (over["predicate"], over["resumed"], over["label"]) == (0, 1, 79), over
        # what is left of a wait gives way to the next command
        await mine.ask("try_wait_parity", 0x40, 100 << 32 | 1, label=80)
        await ClockCycles(dut.clk, 60)
        token = (await mine.op("arrive", 0x48, 1))["data"]
        assert token >> 63 == 0
        assert (await mine.answer("wait", "wait_take"))["label"] == 80


@cocotb.test(timeout_time=300, timeout_unit="us")
async def nothing_is_lost(dut):
    """Answers that nobody reads, and an interrupt handler between any two accesses of the main program."""
    ports = await start(dut, 6)
    for windows in ports:
        main, handler = windows[0], windows[-1]
        await main.op("init", 0x40, 100)
        await main.write("data_lo", 1)
        for _ in range(12):
            await main.write("command", OP["arrive"])  # the operands stay as they are
        word = await main.load(0x40)
        assert word >> 43 & 0xFFFFF == (-100 + 12) % 2**20, hex(word)
        # a posted operation has an answer, too
        await main.op("expect_tx", 0x40, 16)
        await main.op("bulk_complete_tx", 0x40, 16)
        assert await main.load(0x40) == word
        if handler is main:
            continue
        steps = [("address", 0x50), ("data_lo", 1), ("data_hi", 0), ("command", OP["arrive"] | 5 << 16)]
        for between in range(len(steps)):
            await main.op("init", 0x50, 2)
            await main.op("init", 0x58, 2)
            before = await main.load(0x50)
            for number, (name, value) in enumerate(steps):
                if number == between:
                    await handler.op("arrive", 0x58, 1)
                await main.write(name, value)
            await handler.op("arrive", 0x58, 1)
            answer = await main.answer()
            assert (answer["label"], answer["data"]) == (5, before >> 32 << 32), answer
            assert await main.load(0x50) >> 43 & 0xFFFFF == 2**20 - 1
            assert await main.load(0x58) >> 63 == 1


@cocotb.test(timeout_time=150, timeout_unit="us")
async def reset_in_flight(dut):
    """Reset with a suspended wait, an operation and an access under way: afterwards nothing of them is left."""
    ports = await start(dut, 7)
    for _ in range(8):
        mine = ports[0][0]
        await mine.op("init", 0x40, 1)
        await mine.write("interrupt_enable", 3)
        await mine.ask("try_wait_parity", 0x40, 0xFFFF0000 << 32)
        access = cocotb.start_soon(mine.write("command", OP["load"]))
        await ClockCycles(dut.clk, random.randrange(1, 16))
        Reset(dut, MANIFEST["reset"]).set(True)
        access.cancel()
        rest(dut)
        await ClockCycles(dut.clk, random.choice([1, 2, 5]))
        ports = await released(dut)
        mine = ports[0][0]
        for name in ["status", "wait", "interrupt_enable", "interrupt_cause", "address", "data_hi", "result_hi"]:
            assert await mine.read(name) == 0, name
        assert irq(dut, 0) == 0
        await mine.op("load", 0x40)


@cocotb.test(timeout_time=20, timeout_unit="us", skip=FACTS["bus"] != "tilelink")
async def strange_messages(dut):
    """TileLink: what the unit does not know is denied."""
    ports = await start(dut, 8)
    window = ports[0][0]
    await window.op("store", 0x40, 7)
    for opcode, corrupt in [(2, 0), (3, 0), (5, 0), (0, 1), (1, 1)]:
        _, denied = await window.master.one(True, window.memory + 0x40, 9, 15, opcode, corrupt)
        assert denied, opcode
    assert await window.load(0x40) == 7


@cocotb.test(timeout_time=30, timeout_unit="us", skip=FACTS["bus"] != "wishbone")
async def given_up(dut):
    """Wishbone: a cycle that the master gives up is acknowledged to nobody."""
    ports = await start(dut, 9)
    window = ports[0][0]
    pin = window.master.pin
    for wait in range(6):
        await window.write("address", 0x10 * wait)
        pin("cyc").value, pin("stb").value, pin("we").value, pin("adr").value = 1, 1, 0, window.memory
        await ClockCycles(dut.clk, wait + 1)
        pin("cyc").value, pin("stb").value = 0, 0
        await ClockCycles(dut.clk, 1)
        assert await window.read("address") == 0x10 * wait
