"""The agent: it drives a unit's ports, or only looks at them, and holds every cycle against the model."""
import collections
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, FallingEdge, ReadOnly

from .kit import Check, Kit, Traffic

HANDSHAKES = ["req_valid", "req_ready", "rsp_valid", "rsp_ready"]


class Answer:
    """Of a request: `value` is a dictionary of the pins `rsp_...`, or None of one that is posted, once it is set."""

    def __init__(self):
        self.event, self.value = Event(), None

    def set(self, value=None):
        self.value = value
        self.event.set()

    def is_set(self):
        return self.event.is_set()

    async def wait(self):
        await self.event.wait()
        return self.value


class Agent:
    """Of a unit whose pins are those of `dut` and whose manifest is `manifest`.

    An active agent drives all inputs, at the falling edge of the clock, and starts the clock. A passive one drives nothing: the unit may be anywhere
    in a chip. Both read the pins before the next rising edge; the first wrong cycle raises Mismatch in the test. `stall` is the share of cycles,
    in percent, in which a port takes no answer.
    """

    def __init__(self, dut, manifest, library=None, active=True, stall=0, seed=0, period_ns=10):
        self.dut, self.active, self.stall = dut, active, stall
        self.kit = Kit(manifest, library)
        self.random = random.Random(seed)
        self.check = Check(self.kit)
        self.reset_pin, self.reset_level = (self.kit.manifest["reset"][name] for name in ["pin", "active"])
        ports = [port for port in self.kit.manifest["ports"] if port["name"] not in ("clk", self.reset_pin)]
        self.inputs = [port["name"] for port in ports if port["direction"] == "input"]
        self.pins = {self.check.pin(port["name"]): port["name"] for port in ports if self.check.pin(port["name"]) >= 0}
        self.waiting = [collections.deque() for _ in range(self.kit.ports)]
        self.asked = [None] * self.kit.ports
        self.owed = [collections.defaultdict(collections.deque) for _ in range(self.kit.ports)]
        self.changed = Event()
        self.cycles = 0
        self.resetting = 0
        if active:
            for name in self.inputs:
                getattr(dut, name).value = 0
            if "resume_ready_0" in self.inputs:
                dut.resume_ready_0.value = (1 << self.kit.ports) - 1
            getattr(dut, self.reset_pin).value = self.reset_level
            cocotb.start_soon(Clock(dut.clk, period_ns, unit="ns").start())
        cocotb.start_soon(self._run())

    async def reset(self, cycles=3):
        """Holds reset: whoever waits for an answer never gets one."""
        self.waiting = [collections.deque() for _ in range(self.kit.ports)]
        self.asked = [None] * self.kit.ports
        self.owed = [collections.defaultdict(collections.deque) for _ in range(self.kit.ports)]
        self.resetting = cycles
        while self.resetting:
            await self._change()

    async def clear(self):
        """Stores zero to every word: the model's memory begins with that, and a reset leaves the unit's alone."""
        words = range(self.kit.manifest["parameters"]["words"])
        stores = [self.send(word % self.kit.ports, "store", 8 * word) for word in words]
        for store in stores:
            await store.wait()

    def send(self, port, op, address, data=0, remote=0, strobe=0xFF, tag=0, order=0, pause=0):
        """Puts a request behind those of its port; `op` by name or code. Gives its Answer, which is set once it is accepted if it is posted."""
        op = self.kit.op[op] if isinstance(op, str) else op
        fields = dict(op=op, remote=remote, address=address, data=data, strobe=strobe, tag=tag, order=order)
        answer = Answer()
        self.waiting[port].append([pause, fields, answer])
        return answer

    async def ask(self, port, op, address, data=0, **more):
        """A request, and its answer."""
        return await self.send(port, op, address, data, **more).wait()

    async def play(self, traffic, patience=10_000):
        """Makes the requests of some traffic (or of a file that has it), and waits until all of them are answered; a unit that does nothing for `patience` cycles hangs."""
        if not isinstance(traffic, Traffic):
            traffic = Traffic.load(self.kit, traffic)
        for port, pause, fields in traffic.requests:
            self.send(port, pause=pause, **fields)
        accepted, since = self.check.accepted(), 0
        while any(self.waiting) or any(self.asked) or not self.check.idle():
            await self._change()
            accepted, since = self.check.accepted(), since + 1 if accepted == self.check.accepted() else 0
            assert since < patience, f"nothing has been accepted for {patience} cycles, and answers are owed"

    def coverage(self):
        """`shares` of each kind of bins, with those that are missing, and the `hits` of each operation, status, distance and shape."""
        return self.check.coverage()

    def report(self):
        """The coverage as text."""
        covered = self.coverage()
        lines = [f"{sum(hit['count'] for hit in covered['hits'])} operations in {self.cycles} cycles, {len(covered['hits'])} combinations"]
        for share in covered["shares"]:
            missing = f"; missing: {', '.join(share['missing'])}" if share["missing"] else ""
            lines.append(f"{share['of']}: {share['hit']} of {share['bins']}{missing}")
        return "\n".join(lines)

    async def _change(self):
        self.changed.clear()
        await self.changed.wait()

    def _read(self, name):
        value = getattr(self.dut, name).value
        if not value.is_resolvable:
            assert name not in HANDSHAKES, f"{name} is {value} in cycle {self.cycles}"
            return 0  # no cycle in which it means something
        return int(value)

    def _drive(self):
        getattr(self.dut, self.reset_pin).value = self.reset_level if self.resetting else 1 - self.reset_level
        valid = 0
        for port, waiting in enumerate(self.waiting):
            if self.asked[port] is None and waiting:
                if waiting[0][0] > 0:
                    waiting[0][0] -= 1
                else:
                    _, fields, answer = waiting.popleft()
                    self.asked[port] = fields, answer
                    for name, value in fields.items():
                        getattr(self.dut, f"req_{name}_{port}").value = value
            valid |= int(self.asked[port] is not None) << port
        self.dut.req_valid.value = valid
        takes = [self.random.random() * 100 >= self.stall for _ in self.waiting]
        self.dut.rsp_ready.value = sum(ready << port for port, ready in enumerate(takes))

    def _end(self, values):
        """What a cycle has ended."""
        accepted = values["req_valid"] & values["req_ready"]
        taken = values["rsp_valid"] & values["rsp_ready"]
        for port in range(self.kit.ports):
            if taken >> port & 1:
                answer = {name: values[f"rsp_{name}_{port}"] for name in ["tag", "status", "predicate", "data"]}
                resumed = values["rsp_resumed"] >> port & 1
                owed = self.owed[port][answer["tag"]]
                # a suspended wait may be overtaken by those behind it
                if owed:
                    owed.popleft().set(answer | {"resumed": resumed})
            if accepted >> port & 1 and self.asked[port] is not None:
                fields, answer = self.asked[port]
                self.asked[port] = None
                if fields["op"] in self.kit.posted:
                    answer.set()
                else:
                    self.owed[port][fields["tag"]].append(answer)

    async def _run(self):
        was_reset = self.active is False
        while True:
            await FallingEdge(self.dut.clk)
            if self.active:
                self._drive()
            await ReadOnly()
            reset = self._read(self.reset_pin) == self.reset_level
            was_reset |= bool(reset)
            values = {} if reset else {name: self._read(name) for name in self.pins.values()}
            if was_reset:
                self.check.clock({pin: values[name] for pin, name in self.pins.items()} if values else {}, reset)
            if values and self.active:
                self._end(values)
            self.cycles += 1
            self.resetting = max(0, self.resetting - 1)
            self.changed.set()
