"""A unit of two ports under the agent: python bench.py DIRECTORY NAME [TEST...] builds NAME.v there with Verilator and runs the tests. TXBAR_KIT names the library."""
import json
import os
import pathlib
import sys

import cocotb
from cocotb.triggers import ClockCycles

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.insert(0, str(PACKAGE))
from txbar_cocotb import Agent, Mismatch, Traffic  # noqa: E402

SEED = int(os.environ.get("SEED", "1"))
UNIT = os.environ.get("UNIT", "")


@cocotb.test()
async def random_traffic(dut):
    """Every operation, at every distance behind another on its word, with every status, alone and in company."""
    dut._log.info(f"seed {SEED}")
    agent = Agent(dut, UNIT + ".json", stall=20, seed=SEED)
    await agent.reset()
    for more in range(12):
        traffic = Traffic.random(agent.kit, 1000 * SEED + more, 2000, stall=20)
        await agent.play(traffic)
        shares = {share["of"]: share for share in agent.coverage()["shares"]}
        distances = shares["operations at distances"]
        if distances["hit"] >= 0.9 * distances["bins"] and not any(shares[of]["missing"] for of in ["operations", "statuses", "shapes"]):
            break
    else:
        raise AssertionError(agent.report())
    dut._log.info(agent.report())
    pathlib.Path(UNIT + "_coverage.json").write_text(json.dumps(agent.coverage(), indent=1))
    # what is saved is the same traffic
    traffic.save(UNIT + "_traffic.json")
    assert Traffic.load(agent.kit, UNIT + "_traffic.json").requests == traffic.requests


@cocotb.test()
async def named_files(dut):
    files = sorted((PACKAGE.parent / "traffic").glob("*.json"))
    assert files
    agent = Agent(dut, UNIT + ".json")
    for file in files:
        await agent.reset()
        await agent.clear()
        await agent.play(file)


@cocotb.test()
async def questions_and_answers(dut):
    agent = Agent(dut, UNIT + ".json")
    watch = Agent(dut, UNIT + ".json", active=False)
    ok = agent.kit.status["ok"]
    await agent.reset()
    await agent.clear()
    assert (await agent.ask(0, "init", 64, 2))["status"] == ok
    waits = agent.send(1, "try_wait_parity", 64, 1000 << 32, tag=3)
    await ClockCycles(dut.clk, 20)
    assert not waits.is_set(), "its phase has not completed"
    for port in range(2):
        assert (await agent.ask(port, "arrive", 64, 1, tag=1))["status"] == ok
    answer = await waits.wait()
    assert answer["predicate"] == 1 and answer["resumed"] == 1, answer
    answer = await agent.ask(0, "arrive", 64, 3)
    assert agent.kit.status_name[answer["status"]] == "pending_underflow"
    # who only watches has seen the same
    assert watch.check.accepted() == agent.check.accepted() > agent.kit.manifest["parameters"]["words"]


class Exchanged:
    """A unit with two of its pins exchanged."""

    def __init__(self, dut, one, other):
        self.dut, self.names = dut, {one: other, other: one}

    def __getattr__(self, name):
        return getattr(self.dut, self.names.get(name, name))


@cocotb.test()
async def the_same_without_exchange(dut):
    """What the next tests do passes if no pins are exchanged."""
    agent = Agent(dut, UNIT + ".json", stall=20)
    await agent.reset()
    await agent.clear()
    await agent.play(Traffic.random(agent.kit, SEED, 1000))


@cocotb.test(expect_error=Mismatch)
@cocotb.parametrize(pair=[("req_data_0", "req_data_1"), ("rsp_tag_0", "rsp_tag_1"), ("rsp_ready", "remote_pending"), ("done_index_0", "flip_index_0")])
async def exchanged_pins(dut, pair):
    agent = Agent(Exchanged(dut, *pair), UNIT + ".json", stall=20)
    await agent.reset()
    await agent.clear()
    await agent.play(Traffic.random(agent.kit, SEED, 1000))


def main():
    from txbar_cocotb.runner import run

    directory, name, *tests = sys.argv[1:]
    # compiled quickly rather than well
    os.environ["MAKEFLAGS"] = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
    sys.exit(run("verilator", directory, name, tests, [HERE, PACKAGE]))


if __name__ == "__main__":
    main()
