"""A copy engine: copies words through the SoC's bus, and reports the bytes that it has written to a barrier, at a port of a unit of its own."""

from migen import FSM, Array, If, NextState, NextValue, Signal

from litex.gen import LiteXModule
from litex.soc.interconnect import axi, stream, wishbone
from litex.soc.interconnect.csr import CSRStatus, CSRStorage

# Bytes after which it reports.
PORTION = 16


def access(bus, address, data=None):
    """A word is read, or with `data` written, until the bus acknowledges."""
    write = [] if data is None else [bus.we.eq(1), bus.dat_w.eq(data)]
    return [bus.cyc.eq(1), bus.stb.eq(1), bus.sel.eq(0b1111), bus.adr.eq(address), *write]


class CopyEngine(LiteXModule):
    """`memory` is its master on the SoC's bus. A write of `barrier` begins a copy."""

    def __init__(self, package, port):
        self.source = CSRStorage(32, description="Address of the first word to read.")
        self.destination = CSRStorage(32, description="Address of the first word to write.")
        self.length = CSRStorage(16, description="Bytes to copy, a multiple of 4 above zero.")
        self.barrier = CSRStorage(32, description="Address of the barrier in the unit. A write begins the copy.")
        self.ready = CSRStatus(description="Another copy can be begun.")
        self.errors = CSRStatus(8, description="Copies, since reset, that an error of the bus has ended.")
        self.memory = memory = wishbone.Interface(data_width=32, address_width=32, addressing="byte")
        # Bytes too few that a report has: zero, but in tests.
        self.missing = Signal()

        # # #

        jobs = stream.SyncFIFO([("source", 32), ("destination", 32), ("length", 16), ("barrier", 32)], depth=4)
        self.submodules += jobs
        self.comb += [
            jobs.sink.valid.eq(self.barrier.re),
            jobs.sink.source.eq(self.source.storage),
            jobs.sink.destination.eq(self.destination.storage),
            jobs.sink.length.eq(self.length.storage),
            jobs.sink.barrier.eq(self.barrier.storage),
            self.ready.status.eq(jobs.sink.ready),
        ]

        reports = wishbone.Interface(data_width=32, address_width=32, addressing="byte")
        if isinstance(port, axi.AXILiteInterface):
            self.submodules += axi.Wishbone2AXILite(reports, port)
        else:
            self.comb += reports.connect(port)

        # a report is these writes to its window
        job = jobs.source
        done, portion, data = Signal(16), Signal(16), Signal(32)
        writes = [
            (package.register("ADDRESS"), job.barrier),
            (package.register("DATA_LO"), portion - self.missing),
            (package.register("DATA_HI"), 0),
            (package.register("COMMAND"), package.opcode("bulk_complete_tx")),
        ]
        step = Signal(max=len(writes))

        give_up = [NextValue(self.errors.status, self.errors.status + 1), job.ready.eq(1), NextState("IDLE")]
        self.fsm = fsm = FSM(reset_state="IDLE")
        fsm.act("IDLE", NextValue(done, 0), NextValue(portion, 0), NextValue(step, 0), If(job.valid, NextState("READ")))
        fsm.act(
            "READ",
            *access(memory, job.source + done),
            If(memory.ack, NextValue(data, memory.dat_r), NextState("WRITE")),
            If(memory.err, *give_up),
        )
        fsm.act(
            "WRITE",
            *access(memory, job.destination + done, data),
            If(
                memory.ack,
                NextValue(done, done + 4),
                NextValue(portion, portion + 4),
                NextState("READ"),
                If((portion == PORTION - 4) | (done + 4 == job.length), NextState("REPORT")),
            ),
            If(memory.err, *give_up),
        )
        fsm.act(
            "REPORT",
            *access(reports, Array(offset for offset, _ in writes)[step], Array(value for _, value in writes)[step]),
            If(
                reports.ack,
                NextValue(step, step + 1),
                If(step == len(writes) - 1, NextValue(step, 0), NextValue(portion, 0), NextState("NEXT")),
            ),
            If(reports.err, *give_up),
        )
        fsm.act("NEXT", NextState("READ"), If(done == job.length, job.ready.eq(1), NextState("IDLE")))
