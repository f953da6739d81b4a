# SPDX-License-Identifier: Apache-2.0
"""Reads a report in the reference's layout: a dictionary of figures a kernel, under the names that reference.jsonl has."""

import re

# A line that fits gives one figure: its name is made of the groups before the last, its value is the last.
LINES = [(re.compile(pattern), name) for pattern, name in (
    (r"\s*(L1D|L2)_total_cache_(accesses|misses|pending_hits|reservation_fails)\s*=\s*(\d+)$", "{}_{}"),
    (r"\s*Total_core_cache_(?:fail_)?stats_breakdown\[(\w+)\]\[(\w+)\]\s*=\s*(\d+)$", "L1.{}.{}"),
    (r"\s*L2_cache_stats_(?:fail_)?breakdown\[(\w+)\]\[(\w+)\]\s*=\s*(\d+)$", "L2.{}.{}"),
    (r"\s*L2_cache_(?:fail_)?stats_breakdown\[(\w+)\]\[(\w+)\]\s*=\s*(\d+)$", "L2.{}.{}"),
    (r"gpgpu_stall_shd_mem\[(\w+)\]\[(\w+)\]\s*=\s*(\d+)$", "stall_shd_mem.{}.{}"),
    (r"traffic_breakdown_(\w+)\[(\w+)\] = (\d+)", "traffic.{}.{}"),
    (r"ctas_(completed) (\d+)", "ctas_{}"),
    (r"icnt_total_pkts_(\w+?)=(\d+)", "icnt_total_pkts_{}"),
    (r"total (dram \w+) = (\d+)$", "total_{}"),
    (r"(gp\w+|averagemflatency|max\w*latency|avg_\w+_latency|max_icnt2\w+_latency)\s*=\s*(-?\d+)$", "{}"),
    (r"(partiton_level_parallism\w*|L2_BW\w*|Re\w+_Network_\w+)\s*=\s*([\d.]+)", "{}"),
)]
LISTS = re.compile(r"(\w+_lat_table):([\d\s]*)$")
WORDS = re.compile(r"(\w+):(\d+)")
CHANNEL = re.compile(r"(n_\w+)=(\d+)")
# The section of a network with routers: "NAME = VALUE", and below some of them two of the same in a line each.
SECTION = re.compile(r"Class 0:$")
ROUTED = re.compile(r"(\t?[\w -]+?) ?= (\S+)(?: \(at node (\d+)\))?")


def number(text):
    return float(text) if "." in text else int(text)


def without_zeroes(values):
    while values and values[-1] == 0:
        values.pop()
    return values


def line_figures(line):
    """(name, value) pairs of one line."""
    if line.startswith("Stall:"):
        return [("issue." + name, int(value)) for name, value in WORDS.findall(line)]
    if line.startswith(("single_issue_nums:", "dual_issue_nums:")):
        return [(line.split("_nums")[0], without_zeroes([int(v) for v in re.findall(r"WS\d+:(\d+)", line)]))]
    if line.startswith("average row locality ="):
        return [("row_locality", [int(v) for v in re.findall(r"\d+", line)[:2]])]
    table = LISTS.match(line)
    if table:
        return [(table.group(1), without_zeroes([int(v) for v in table.group(2).split()]))]
    for pattern, name in LINES:
        fits = pattern.match(line)
        if fits:
            *parts, value = fits.groups()
            return [(name.format(*parts).replace(" ", "_"), number(value))]
    return []


class Routed:
    """Reads the section of a network with routers, line by line."""

    def __init__(self):
        self.prefix = self.name = ""

    def figures(self, line):
        """(name, value) pairs; values are texts, since some are no numbers."""
        if SECTION.match(line) or line.startswith("====== Traffic class"):
            self.prefix = "net." if SECTION.match(line) else "net.overall."
        elif line.startswith("-----"):
            self.prefix = ""
        fits = ROUTED.match(line) if self.prefix else None
        if not fits:
            return []
        if not line.startswith("\t"):
            self.name = fits.group(1)
        name = self.prefix + self.name + ("." + fits.group(1)[1:] if line.startswith("\t") else "")
        node = [(name + " node", fits.group(3))] if fits.group(3) else []
        return [(name, fits.group(2))] + node


def kernels(report):
    """[{"cycles", "thread_insns", "counters"}], in the order of their ends."""
    found, routed = [], Routed()
    for line in map(str.rstrip, report.split("\n")):
        if found:
            found[-1]["counters"].update(routed.figures(line))
        if line.startswith("gpu_sim_cycle"):
            found.append({"cycles": int(line.split("=")[1]), "counters": {}})
        elif found and line.startswith("gpu_sim_insn"):
            found[-1]["thread_insns"] = int(line.split("=")[1])
        elif found and line.startswith("n_cmd="):  # a line a channel
            sums = found[-1].setdefault("channels", {})
            for name, value in CHANNEL.findall(line):
                sums["dram." + name] = sums.get("dram." + name, 0) + int(value)
        elif found:
            found[-1]["counters"].update(line_figures(line))
    for kernel in found:
        kernel["counters"].update(kernel.pop("channels", {}))
    return found


def first_difference(there, here):
    """What differs first between the reference's kernels and ours, or ''."""
    if len(here) != len(there):
        return f"{len(here)} kernels for {len(there)}"
    for i, (ref, own) in enumerate(zip(there, here)):
        wanted = {"cycles": ref["cycles"], "thread_insns": ref["thread_insns"], **ref["counters"]}
        found = {"cycles": own["cycles"], "thread_insns": own.get("thread_insns"), **own["counters"]}
        for name, value in wanted.items():
            if found.get(name, 0) != value:
                return f"kernel {i + 1}: {name} {found.get(name, 0)} for {value}"
    return ""
