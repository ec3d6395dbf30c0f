#!/usr/bin/env python3
"""Writes a top module with an AXI4-Lite slave (axil_port.v) for each port of a unit, from the unit's manifest:

    barrier_soc.py soc/txbar_unit_*.json > barrier_soc.v
    barrier_soc.py --name my_barriers --windows 8 my_unit.json > my_barriers.v

Ports, width of tags and the name of the unit's module are the manifest's. What the slaves have no use for is tied to zero if it is
an input, and left open if it is an output: it is for tracing.
"""
import argparse
import json

# The pins of a slave: direction, width, name.
AXIL = [
    ("input", 12, "awaddr"), ("input", 3, "awprot"), ("input", 1, "awvalid"), ("output", 1, "awready"),
    ("input", 32, "wdata"), ("input", 4, "wstrb"), ("input", 1, "wvalid"), ("output", 1, "wready"),
    ("output", 2, "bresp"), ("output", 1, "bvalid"), ("input", 1, "bready"),
    ("input", 12, "araddr"), ("input", 3, "arprot"), ("input", 1, "arvalid"), ("output", 1, "arready"),
    ("output", 32, "rdata"), ("output", 2, "rresp"), ("output", 1, "rvalid"), ("input", 1, "rready"),
]
# The unit's pins that a slave uses: those that are a bit of a vector, and those that have a vector for each port.
BITS = ["req_valid", "req_ready", "rsp_valid", "rsp_ready", "rsp_resumed"]
VECTORS = ["req_op", "req_address", "req_data", "req_strobe", "req_tag", "req_order",
           "rsp_tag", "rsp_status", "rsp_predicate", "rsp_data"]


def bus(width):
    return "" if width == 1 else f"[{width - 1}:0] "


def soc(manifest, name, windows):
    unit = {port["name"]: port for port in manifest["ports"]}
    ports = [k for k in range(manifest["parameters"]["ports"])]
    tag_bits = manifest["parameters"]["tag_bits"]
    missing = [pin for pin in BITS if pin not in unit] + [f"{pin}_0" for pin in VECTORS if f"{pin}_0" not in unit]
    if missing:
        raise SystemExit(f"{manifest['top']} has no {missing[0]}: it is not a unit with answers on ports")
    if manifest["parameters"]["number_bits"] != 0:
        raise SystemExit("every tag has to be a thread of its own: --number-bits must be 0")
    if windows > 2 ** tag_bits:
        raise SystemExit(f"tags of {tag_bits} bits tell {2 ** tag_bits} windows apart: --windows {windows} is too many")
    yield f"// A unit with {len(ports)} request ports, each of them an AXI4-Lite slave: the barriers of a system."
    yield "//"
    yield f"// Made by barrier_soc.py from the manifest of {manifest['top']}; it and axil_port.v belong to it. The pins of port n begin with sN_axil."
    yield "// `aresetn` is AXI's reset, active low; the unit's is synchronous, so the system has to release it with the clock. The unit's memory is"
    yield "// whatever it was, but nothing in it is a barrier before `init`."
    yield "/* verilator lint_off TIMESCALEMOD */"
    yield f"module {name} ("
    yield "    input         aclk,"
    yield "    input         aresetn,"
    for k in ports:
        yield ""
        for direction, width, pin in AXIL:
            yield f"    {direction:6} {bus(width):7}s{k}_axil_{pin},"
    yield ""
    yield f"    output {bus(len(ports)):7}irq"
    yield ");"
    yield "    wire rst = !aresetn;"
    yield ""
    for pin in BITS:
        yield f"    wire {bus(len(ports)):7}{pin};"
    for pin in VECTORS:
        names = ", ".join(f"{pin}_{k}" for k in ports)
        yield f"    wire {bus(unit[f'{pin}_0']['width']):7}{names};"
    for k in ports:
        at = f"[{k}]" if len(ports) > 1 else ""
        yield ""
        yield f"    axil_port #(.TAG_BITS({tag_bits}), .WINDOWS({windows})) port_{k} ("
        yield "        .clk(aclk), .rst(rst),"
        for _, _, pin in AXIL:
            yield f"        .s_axil_{pin}(s{k}_axil_{pin}),"
        yield f"        .irq(irq{at}),"
        lines = [f".{pin}({pin}{at})" for pin in BITS] + [f".{pin}({pin}_{k})" for pin in VECTORS]
        yield ",\n".join(f"        {line}" for line in lines)
        yield "    );"
    yield ""
    yield "    // One connection a line, in the order of the manifest's list of ports."
    yield "    /* verilator lint_off PINCONNECTEMPTY */"
    yield f"    {manifest['top']} unit ("
    used = set(BITS) | {f"{pin}_{k}" for pin in VECTORS for k in ports}
    lines = []
    for pin, port in unit.items():
        to = {"clk": "aclk", "rst": "rst"}.get(pin, pin if pin in used else "")
        if not to and port["direction"] == "input":
            to = f"{port['width']}'b0"
        lines.append(f"        .{pin}({to})")
    yield ",\n".join(lines)
    yield "    );"
    yield "    /* verilator lint_on PINCONNECTEMPTY */"
    yield "endmodule"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", help="the JSON file that `txbar verilog` writes beside the Verilog")
    parser.add_argument("--name", default="barrier_soc", help="name of the module (default: %(default)s)")
    parser.add_argument("--windows", type=int, default=4, help="windows of each slave, 1 to 128 (default: %(default)s)")
    arguments = parser.parse_args()
    if not 1 <= arguments.windows <= 128:
        parser.error("--windows must be from 1 to 128")
    with open(arguments.manifest, encoding="utf-8") as file:
        manifest = json.load(file)
    print("\n".join(soc(manifest, arguments.name, arguments.windows)))


if __name__ == "__main__":
    main()
