#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole GPUs from parts, by configuration alone; and what the shipped alternatives promise.

Usage: test-parts.py

Each change of qv100 is made with -s and with a config of one line; both must be the same machine to the token, also when nothing
sleeps, do the same instructions, and have the parts that the change is about.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
TRACES = os.path.join(ROOT, "tests/traces")
TRACE = os.path.join(TRACES, "vecadd-sm70")

# values that differ from qv100, and how many components of a type the machine then has
PARTS = [
    ([], {"ldst_unit": 80, "cache.l1": 80, "cache.l2": 64, "dram.frfcfs": 32, "xbar.local": 1}),
    (["gpu.ideal_memory=true"], {"memory.ideal": 80, "cache.l2": 0, "dram.frfcfs": 0, "xbar.local": 0}),
    (["gpu.ideal_memory=true", "sm.has_l1d=false"], {"memory.ideal": 80, "cache.l1": 0}),
    (["channel.memory=dram.fixed"], {"dram.fixed": 32, "dram.frfcfs": 0, "cache.l2": 64}),
    (["channel.memory=dram.fixed", "channel.dram.latency=400"], {"dram.fixed": 32}),
    (["sm.has_l1d=false"], {"cache.l1": 0, "cache.l2": 64, "ldst_unit": 80}),
    (["channel.has_l2=false"], {"cache.l1": 80, "cache.l2": 0, "dram.frfcfs": 32}),
    (["sm.has_l1i=true"], {"cache.l1": 160, "icache.l1i": 80, "icache.perfect": 0}),
    (["gpu.clusters=20"], {"ldst_unit": 20, "cluster": 20}),
    (["gpu.clusters=120"], {"ldst_unit": 120, "cluster": 120}),
    (["gpu.clusters=10", "cluster.sms=4"], {"ldst_unit": 40, "cluster": 10}),
    (["gpu.channels=16"], {"dram.frfcfs": 16, "cache.l2": 32}),
    (["gpu.slices=1"], {"dram.frfcfs": 32, "cache.l2": 32}),
]

failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print(f"not ok: {what}")


def call(*arguments):
    return subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(trace, *arguments):
    """(what a run says, as one text; cycles; instructions)"""
    done = call("run", "--report=accelsim", "--progress=none", "--fingerprint", *arguments, trace)
    if done.returncode:
        return done.stderr.strip(), 0, 0
    numbers = [int(re.findall(rf"^{name} = (\d+)", done.stdout, re.M)[-1]) for name in ("gpu_tot_sim_cycle", "gpu_tot_sim_insn")]
    return (done.stdout, *numbers)


def settings(values):
    return [word for value in values for word in ("-s", value)]


def parts(folder):
    """Cycles by change."""
    cycles = {}
    for values, wanted in PARTS:
        what = " ".join(values) or "qv100"
        config = os.path.join(folder, "changed.conf")
        with open(config, "w") as f:
            f.write('include "qv100.conf"\n' + "\n".join(values) + "\n")
        said, cycles[what], instructions = run(TRACE, "-c", "qv100", *settings(values))
        check(cycles[what] > 0, f"{what}: {said}")
        check(said == run(TRACE, "-c", config)[0], f"{what}: as a config it is another machine")
        check(said == run(TRACE, "-c", config, "--no-sleep")[0], f"{what}: it changes when nothing sleeps")
        check(instructions == cycles.setdefault("instructions", instructions), f"{what}: {instructions} instructions")
        components = json.loads(call("inspect", "-c", config, "--json").stdout)["components"]
        for kind, n in wanted.items():
            have = sum(c["type"] == kind for c in components)
            check(have == n, f"{what}: {have} of {kind} instead of {n}")
    return cycles


def directions(cycles):
    """What must cost cycles, costs some."""
    check(cycles["gpu.ideal_memory=true"] < cycles["qv100"], "an ideal memory is not faster")
    check(cycles["channel.memory=dram.fixed"] < cycles["channel.memory=dram.fixed channel.dram.latency=400"], "latency of DRAM is free")
    check(cycles["gpu.clusters=20"] > cycles["qv100"], "a quarter of the SMs is as fast")
    check(cycles["gpu.channels=16"] > cycles["qv100"], "half of the channels are as fast")


def refusals():
    """Values that do not go together, and values of a part that is not there, are refused with both named."""
    said = run(TRACE, "-c", "qv100", "-s", "channel.slices=1")[0]
    check("2 slices" in said or "slices are bound" in said, f"channels that the address map does not know: {said}")
    said = run(TRACE, "-c", "qv100", "-s", "channel.memory=dram.fixed", "-s", "channel.dram.rcd=4")[0]
    check("'channel.dram.rcd' matches no parameter" in said, f"a value of another DRAM: {said}")
    said = run(os.path.join(TRACES, "vecadd-sm86"), "-c", "qv100")[0]
    check("needs unit SPEC4" in said, f"uniform instructions without a unit: {said}")


def half_networks():
    """Networks that lead to a part of the slices only are told by the first packet for another slice."""
    text = """import "gpu.plat"; import "sm_sub_cores.plat";
composite halves extends gpu {
    clusters = 4; channels = 4; slices = 1; cluster.sm : sm_sub_cores;
    remove network; net[2] : %s;
    cluster[0].to_network -> net[0].request_in; cluster[2..4].to_network -> net[1].request_in;
    cluster[1].to_network -> net[0].request_in;
    net[0].request_out -> channel[0..2].from_network; net[1].request_out -> channel[2..4].from_network;
    channel[0..2].to_network -> net[0].reply_in; channel[2..4].to_network -> net[1].reply_in;
    net[0].reply_out -> cluster[0..2].from_network; net[1].reply_out -> cluster[2..4].from_network;
}
machine m extends gpu_machine { gpu : halves; }
"""
    with tempfile.TemporaryDirectory() as folder:
        for network in ("xbar.local", "network.routed"):
            file = os.path.join(folder, "m.plat")
            with open(file, "w") as f:
                f.write(text % network)
            done = call("run", "-p", file, "--progress=none", os.path.join(TRACES, "histogram-sm70"))
            check(done.returncode == 2 and re.search(r"gpu\.net\[[01]\]: a request for slice \d came in, and 2 are bound to request_out; expected all slices", done.stderr), f"{network}: {done.returncode} {done.stderr}")


def uneven_networks():
    """What is bound of a network's ends makes a direction or two, or is refused."""
    text = """import "gpu.plat"; import "sm_sub_cores.plat";
composite uneven extends gpu {
    clusters = 2; channels = 2; slices = 1; cluster.sm : sm_sub_cores;
    remove network; net : %s; other : xbar.local;
    %s
}
machine m extends gpu_machine { gpu : uneven; }
"""
    requests = "cluster[*].to_network -> %s.request_in; %s.request_out -> channel[*].from_network;"
    replies = "channel[*].to_network -> %s.reply_in; %s.reply_out -> cluster[*].from_network;"
    wires = {
        "cluster[*].to_network -> net.request_in; other.request_out -> channel[*].from_network;" + replies % ("net", "net"): "net (%s): 2 request inputs, 2 reply outputs, 0 request outputs, 2 reply inputs",
        "cluster[*].to_network -> net.request_in; other.request_out -> channel[*].from_network;" + replies % ("other", "other"): "net (%s): 2 request inputs, 0 reply outputs, 0 request outputs, 0 reply inputs",
        "cluster[*].to_network -> other.request_in; net.request_out -> channel[*].from_network;" + replies % ("other", "other"): "net (%s): 0 request inputs, 0 reply outputs, 2 request outputs, 0 reply inputs",
        requests % ("net", "net") + "channel[*].to_network -> net.reply_in; other.reply_out -> cluster[*].from_network;": "net (%s): 2 request inputs, 0 reply outputs, 2 request outputs, 2 reply inputs",
        requests % ("net", "net") + replies % ("net", "net"): "other (xbar.local): 0 request inputs, 0 reply outputs, 0 request outputs, 0 reply inputs",
    }
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "m.plat")
        for wire, says in wires.items():
            for network in ("xbar.local", "network.routed"):
                with open(file, "w") as f:
                    f.write(text % (network, wire))
                done = call("run", "-p", file, TRACE)
                check(done.returncode == 2 and f"{says.replace('%s', network)} are bound; expected as many inputs as outputs on each side, or requests or replies alone" in done.stderr, f"{network}: {wire}: {done.stderr}")


def one_way_networks():
    """A network for requests and one for replies are the one for both; of different kinds they are one machine in all modes."""
    plat = os.path.join(ROOT, "docs/examples/one_way.plat")
    modes = ((), ("--no-sleep",), ("--no-windows",), ("-j", "2", "--threads-from=1"))
    trace = os.path.join(TRACES, "histogram-sm70")
    routed = {side: ["-s", f"gpu.{side}=network.routed"] for side in ("interconnect", "answers")}

    def report(*arguments):
        """Without fingerprints, as there is a component more; and without how the reference's network tells nodes and packets apart."""
        said = call("run", "-c", "qv100", "--report=accelsim", "--progress=none", *arguments, trace).stdout
        return [line for line in said.splitlines() if not re.search(r"^\s(min|max)imum|^Slowest", line)]

    check(len(report()) > 1000, "qv100 does not run")
    check(report() == report("-p", plat), "a crossbar each way is another one")
    check(report(*routed["interconnect"]) == report("-p", plat, *routed["interconnect"], *routed["answers"]), "a network with routers each way is another one")
    for side, values in routed.items():
        said = [run(trace, "-c", "qv100", "-p", plat, *values, *more) for more in modes]
        check(all(s == said[0] and s[1] > 0 for s in said), f"{side} with routers: not the same in all modes")
        ways = set(re.findall(r"^(Req|Reply)_Network_cycles", said[0][0], re.M))
        check(ways == {"Reply" if side == "interconnect" else "Req"}, f"{side} with routers: the crossbar has {ways}")


def two_ldst_units():
    """SMs with several LD/ST units: each has work, all instructions are done, and the machine is one in all modes, with any memory."""
    plat = os.path.join(ROOT, "docs/examples/two_ldst.plat")
    modes = ((), ("--no-sleep",), ("--no-windows",), ("-j", "4", "--threads-from=0"))
    one = run(os.path.join(TRACES, "histogram-sm70"), "-c", "v100")
    for values in ([], ["sm.memory_units=1"], ["sm.memory_units=5"], ["gpu.ideal_memory=true"], ["gpu.perfect_mem=true"], ["cluster.sms=3", "gpu.clusters=20"],
                   ["sm.router.bandwidth=4"], ["sm.has_l1d=false"], ["sm.has_l1i=true"], ["sm.ldst.gmem_skip_l1=true"], ["gpu.flush_l1=true"],
                   ["gpu.flush_l1=true", "gpu.cluster.offer.flush_when_empty=false", "gpu.carve.adaptive=true", "sm.ctas.carve_all=false"]):
        said = [run(os.path.join(TRACES, "histogram-sm70"), "-c", "v100", "-p", plat, *settings(values), *more) for more in modes]
        check(said[0][2] == one[2] > 0, f"two LD/ST units, {values}: {said[0][2]} instructions, one has {one[2]}: {said[0][0] if not said[0][1] else ''}")
        check(all(s == said[0] for s in said), f"two LD/ST units, {values}: not the same in all modes")
    for trace in ("histogram-sm70", "sgemm-sm70"):
        here = run(os.path.join(TRACES, trace), "-c", "v100", "-p", plat, "-s", "sm.memory_units=1")[1]
        there = run(os.path.join(TRACES, trace), "-c", "v100", "-s", "sm.oc_ex_mem.private=false")[1]
        check(here == there > 0, f"{trace}: one LD/ST unit takes {here} cycles behind a router, {there} without it")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        call("run", "-c", "v100", "-p", plat, "--progress=none", "--stats", "*", "-o", out, os.path.join(TRACES, "histogram-sm70"))
        with open(out) as f:
            text = f.read()
        check(all(f"sm[0].ldst[{i}]" in text for i in range(2)), "two LD/ST units: one is missing in the results")


def one_sub_core():
    """Where nothing is shared, four sub-cores by values and by structure are the same machine to the cycle."""
    trace = os.path.join(TRACES, "hotspot-sm70")
    single = ["sm.schedulers=1", "sm.sub_core_model=false", "sm.collector.generic_units=2", "sm.collector.banks=4", "sm.tensor_units=0"]
    single += [f"sm.{unit}_units=1" for unit in ("sp", "dp", "int", "sfu", "spec1", "spec2", "spec3")]
    single += [f"sm.{end}_{unit}.width=1" for end in ("id_oc", "oc_ex") for unit in ("sp", "dp", "int", "sfu", "mem", "spec[*]")]
    here = run(trace, "-c", "volta", "--sms", "1", "-s", "sm.sub_cores=1")[1]
    there = run(trace, "-c", "qv100", "--sms", "1", *settings(single))[1]
    check(here == there > 0, f"one sub-core takes {here} cycles in volta, {there} in qv100")


def alternatives():
    """What the pages say of the shipped alternatives."""
    with open(os.path.join(ROOT, "platforms/minimal.plat")) as f:
        lines = f.readlines()
    check(len(lines) <= 60, f"minimal.plat has {len(lines)} lines")
    check(not any("import" in line for line in lines), "minimal.plat imports something")
    check(run(os.path.join(TRACES, "vecadd-sm86"), "-c", "uniform_unit")[1] > 0, "uniform_unit does not run an sm_86 trace")
    same = [run(TRACE, "-c", name)[1] for name in ("qv100", "uniform_unit")]
    check(same[0] == same[1], f"an unused unit costs cycles: {same}")
    same += [run(TRACE, "-c", "v100", "-s", f"sm.schedulers={n}")[1] for n in (4, 8)]
    same += [run(TRACE, "-p", os.path.join(ROOT, "docs/examples/eight.plat"), "-c", "v100")[1]]
    check(same[2] == same[0] != same[3] == same[4], f"sub-cores: qv100 {same[0]}; v100 with four {same[2]}, with eight {same[3]}, {same[4]}")
    with open(os.path.join(ROOT, "configs/v100.conf")) as f:
        inside = [line.strip() for line in f if re.match(r"sm\.(sub_core_model|schedulers|issue|id_oc_|oc_ex_|\w+_units|collector|reg_file)", line)]
    check(not inside, f"v100.conf says what the platform divides: {inside}")


def different_clusters():
    """Clusters of different sizes, in any order: every answer finds its SM, and the machine is one."""
    text = 'import "gpu.plat";\nimport "sm_sub_cores.plat";\nmachine m extends gpu_machine { gpu.clusters = 4; gpu.cluster.sm : sm_sub_cores; %s }\n'
    sizes = [(1, 2, 1, 3), (3, 1, 2, 1), (2, 2, 2, 2), (1, 4, 4, 1)]
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            file = os.path.join(folder, "m.plat")
            with open(file, "w") as f:
                f.write(text % " ".join(f"gpu.cluster[{i}].sms = {n};" for i, n in enumerate(size)))
            for trace in ("histogram-sm70", "micro-many-ctas"):
                said = [run(os.path.join(TRACES, trace), "-p", file, *more) for more in ((), ("--no-sleep",), ("--no-windows",), ("-j", "2", "--threads-from=1"))]
                check(said[0][1] > 0, f"clusters of {size}: {said[0][0]}")
                check(all(s == said[0] for s in said), f"clusters of {size}: {trace} is not the same in all modes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        cycles = parts(folder)
    directions(cycles)
    refusals()
    half_networks()
    uneven_networks()
    one_way_networks()
    two_ldst_units()
    one_sub_core()
    alternatives()
    different_clusters()
    print(f"{len(PARTS)} machines, {len(failures)} failures")
    sys.exit(bool(failures))


main()
