#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A report is strict HTML that asks for nothing, says what the JSON says, and takes any text and any file for what it is."""

import copy
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import HOSTILE, ROOT, Page, check, check_closed, check_sane, failed, report, run, warpwright


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def near(a, b, what):
    check(abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1), f"{what}: {a}, not {b}")


def check_figures(page, result):
    """Tables have the JSON's numbers."""
    total, counters = result["total"], result["total"]["counters"]
    for k in result["kernels"]:
        row = page.row("kernels", f"{k['uid']} {k['name']}")
        check(row[0] == k["cycles"] and row[4] == k["warp_instructions"] and row[5] == k["ctas"], f"kernel {k['uid']}: {row}")
        near(row[2], k["thread_instructions"] / k["cycles"], "IPC")
        memory = page.row("memory", f"{k['uid']} {k['name']}")
        c = k["counters"]
        hits = lambda t, o: sum(v for n, v in c[f"cache.{t}.outcomes"].items() if n.split(".")[1] in o and (t == "l2" or "INST" not in n))
        taken = ("HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS")
        check(memory[0] == hits("l1", taken) and memory[2] == hits("l2", taken), f"accesses: {memory}")
        bytes_ = 32 * sum(c["dram.frfcfs." + n] for n in ("n_rd", "n_rd_l2_a", "n_write", "n_wr_bk"))
        check(memory[5] == bytes_, f"DRAM bytes: {memory[5]}, not {bytes_}")
        roof = page.row("roofline", f"{k['uid']} {k['name']}")
        work = k["cycles"] - k["launch_cycles"]
        near(roof[0], k["thread_instructions"] / work, "roofline")
        near(roof[8], k["thread_instructions"] / bytes_, "instructions a byte of DRAM")
        near(roof[9], bytes_ / work, "bytes a cycle")
        near(memory[6], roof[9], "bytes a cycle of DRAM, by kernel")
        # 16 channels of 2 bytes, 4 transfers a command clock of 3.5005 GHz, core 1.132 GHz
        near(roof[10], 100 * bytes_ / work / (16 * 2 * 4 * 3500.5 / 1132), "of DRAM's ceiling")
        near(memory[7], roof[10], "of DRAM's peak")
        used = re.search(r"DRAM used ([\d.]+) % of the time", k["bound_by"])
        check(used is not None and abs(float(used.group(1)) - roof[10]) < 0.1, f"DRAM's ceiling: {roof[10]}, not as {k['bound_by']}")
    first = next(i for i, c in enumerate(page.table("slots")["rows"][0]) if "slots" in c["text"])
    slots = {r[1]["text"]: float(r[first]["v"]) for r in page.table("slots")["rows"][1:]}
    want = {n: v for n, v in counters["warp_scheduler.cause"].items() if v > 0}
    want["single_issue, dual_issue"] = counters["warp_scheduler.single_issue"] + counters["warp_scheduler.dual_issue"]
    heads = [c["text"] for c in page.table("slots")["rows"][0]]
    names = {r[1]["text"]: r[heads.index("name in Nsight Compute")]["text"] for r in page.table("slots")["rows"][1:]}
    check(names["scoreboard_long"] == "long_scoreboard", f"Nsight's names: {names}")
    check(slots == want, f"slots: {slots}, not {want}")
    check(f"{total['cycles']:,}" in page.says(), "no cycles in the head")
    check_work(page.says(), total)


def check_work(says, total):
    """The head has what the summary of run says of time."""
    cycles, launch, tail = (total[k] for k in ("cycles", "launch_cycles", "tail_cycles"))
    part = lambda n: f"{n:,} ({100 * n / cycles:.1f} %) are"
    check(f"Bound by {total['bound_by']}." in says, "what bounds the run")
    check(f"Of the cycles {part(launch)} launch, no CTA on any SM; {part(cycles - launch - tail)} work; {part(tail)} tail" in says,
          f"launch, work, tail: {launch}, {tail} of {cycles}")


def check_time(page, result):
    rows = result["intervals"]["rows"]
    names = result["intervals"]["statistics"]
    data = json.loads(next(s for s in page.scripts if s.startswith('{"runs"')))["runs"][0]["intervals"]
    for name in ("warp_pool.thread_insns", "warp_scheduler.cause.scoreboard_long", "cta_slots.warp_cycles"):
        a = [r[names.index(name) + 1] for r in rows]
        b = [r[data["statistics"].index(name) + 1] for r in data["rows"]]
        check(a == b, f"{name} over time is not the JSON's")
    check([r[0] for r in data["rows"]] == [r[0] for r in rows], "cycles of intervals")
    sms = page.table("sms")["rows"][1:]
    column = names.index("gpu.cluster[3].sm[0].pool:warp_insns") + 1
    cells = next(r for r in sms if r[0]["text"] == "gpu.cluster[3].sm[0]")
    check(float(cells[1]["v"]) == sum(r[column] for r in rows), "warp instructions of an SM")
    check(float(cells[4]["v"]) == max(r[0] for r in rows if r[column] > 0), "last work of an SM")


def check_instances(page, result):
    for path, of in result["total"]["instances"].items():
        if of["type"] == "dram.frfcfs":
            row = page.row("instances", path, "DRAM channels")
            check(row[0] == of["reads"] + of["writes"], f"{path}: {row}")


def check_banks(folder, page, result):
    """All banks of the machine are drawn, idle ones too; of values that are not known, those that were used."""
    tips = lambda page: [t for t in page.text if re.fullmatch(r"gpu\.channel\[0\]\.dram, bank \d+: [\d,]+ atoms", t)]
    of = result["total"]["instances"]["gpu.channel[0].dram"]
    atoms = [r + w for r, w in zip(of["bank_reads"], of["bank_writes"])]
    used = max(i for i, n in enumerate(atoms) if n > 0) + 1
    banks = result["resolved"]["gpu.channel[*].dram.nbk"]
    check(used < banks == 16, f"{used} banks used of {banks}: nothing is tested")
    check(tips(page) == [f"gpu.channel[0].dram, bank {i}: {n:,} atoms" for i, n in enumerate(atoms[:banks])], f"banks: {tips(page)}")
    path = os.path.join(folder, "banks.json")
    for resolved, most in (({}, used), ({"a.nbk": 2}, used), ({"a.nbk": 1e300}, 64), ({"a.nbk": -5, "b.nbk": 20, "c.nbk": "x"}, 20)):
        shown = tips(report(os.path.join(folder, "banks.html"), write(path, dict(result, resolved=resolved))))
        check(len(shown) == most, f"{resolved}: {len(shown)} banks, not {most}")


def check_launch_only(folder, plain):
    """A kernel of which no cycle is left without its launch has no rates, and no point."""
    for launch in (1, 2):
        result = load(plain)
        k = result["kernels"][0]
        k["launch_cycles"] = launch * k["cycles"]
        page = report(os.path.join(folder, "launch.html"), write(os.path.join(folder, "launch.json"), result))
        check_sane(page)
        row = page.row("roofline", "1 vecadd")
        check(all(cell == -1 for cell in row), f"roofline of a launch: {row}")
        check(not any(t == "circle" and "point" in a.get("class", "") for t, a in page.tags), "a point of a launch")
        check(page.row("memory", "1 vecadd")[6:8] == [-1, -1], "DRAM's rate in a launch")
    del result["kernels"][0]["launch_cycles"], result["total"]["launch_cycles"], result["total"]["bound_by"]
    page = report(os.path.join(folder, "launch.html"), write(os.path.join(folder, "launch.json"), result))
    near(page.row("roofline", "1 vecadd")[0], k["thread_instructions"] / k["cycles"], "a result without launch_cycles")
    check("Of the cycles" not in page.says() and "Bound by" not in page.says(), "figures that an older result lacks")


def check_names_of_runs(folder, a):
    """What is there once for each run says of which."""
    for results, wanted in (([a], {"The same as a table", "SM by SM as a table"}),
                            ([a, a], {r + t for r in "AB" for t in (": The same as a table", ": SM by SM as a table")})):
        page = report(os.path.join(folder, "names.html"), *results)
        shown = [t for t in page.text if t.endswith(" as a table")]
        check(len(shown) == len(wanted) and set(shown) == wanted, f"heads of tables: {shown}")


def check_database(folder, plain):
    """A database has a page of its own, not one beside results."""
    db, page = os.path.join(folder, "runs.db"), os.path.join(folder, "db.html")
    warpwright("db", "import", db, plain)
    done = warpwright("report", plain, db, "-o", page, status=2)
    check(done.stderr.startswith(f"warpwright: report: '{db}' is a database, and a page is of one") and not os.path.exists(page), f"a database: {done.stderr}")
    done = warpwright("report", plain, "-o", page, "--over", "trace", status=2)
    check(done.stderr == "warpwright: report: --over has no effect on results of runs; expected a database\n", f"no experiment: {done.stderr}")


def check_instructions(page, result):
    """Every instruction in its order, the hottest first in a table of their own."""
    pcs = result["kernels"][0]["pcs"]
    heads = [c["text"] for c in page.table("program")["rows"][0]]
    rows = page.table("program")["rows"][1:]
    check([float(r[0]["v"]) for r in rows] == [p["pc"] for p in pcs] and len(pcs) > 10, "order of the program")
    total = result["kernels"][0]["counters"]
    slots = sum(total["warp_scheduler.cause"].values()) + total["warp_scheduler.single_issue"] + total["warp_scheduler.dual_issue"]
    for row, pc in zip(rows, pcs):
        cell = lambda name, r=row: float(r[heads.index(name)]["v"])
        cost = sum(pc.get("slots", {}).values())
        check(row[1]["text"] == pc["opcode"] and cell("issued") == pc.get("issues", 0), f"instruction {pc['pc']}")
        check(cell("issue slots, used and lost") == cost, f"slots of instruction {pc['pc']}")
        near(cell("of the kernel"), 100 * cost / slots, f"share of instruction {pc['pc']}")
        if "latency" in pc:
            near(cell("mean latency, cycles"), pc["latency"]["sum"] / pc["requests"], f"latency of instruction {pc['pc']}")
    want = sorted((sum(p.get("slots", {}).values()) for p in pcs), reverse=True)[:10]
    check(sorted(float(r[heads.index("issue slots, used and lost")]["v"]) for r in page.table("hottest")["rows"][1:]) == sorted(want),
          "the hottest ten")
    states = {r[0]["text"]: float(r[1]["v"]) for r in page.table("warps")["rows"][1:]}
    check(sum(states.values()) == sum(result["kernels"][0]["warps"]["stalls"].values()), f"states of warps: {states}")


def check_two(folder, a, b):
    page = report(os.path.join(folder, "two.html"), a, b)
    check_closed(page)
    check_sane(page)
    one, other = load(a), load(b)
    want = {p for p in one["resolved"] if one["resolved"][p] != other["resolved"][p]}
    check({r[0]["text"] for r in page.table("settings")["rows"][1:]} == want and want, f"settings: {want}")
    path = sorted(want)[0]
    unused = report(os.path.join(folder, "unused.html"), a, write(os.path.join(folder, "unused.json"), dict(other, unused=[path])))
    cells = [[c["text"] for c in r[1:]] for r in unused.table("settings")["rows"] if r[0]["text"] == path]
    check([c.endswith(" (unused)") for c in cells[0]] == [False, True], f"a value that is not used: {cells}")
    clocks = dict(other["resolved"], core_clock=1410e6, dram_clock=3502.25e6, l2_clock=950.0)
    clocked = report(os.path.join(folder, "clocked.html"), a, write(os.path.join(folder, "clocked.json"), dict(other, resolved=clocks)))
    cells = {r[0]["text"]: r[2]["text"] for r in clocked.table("settings")["rows"][1:] if r[0]["text"] in clocks}
    check([cells.get(c) for c in ("core_clock", "dram_clock", "l2_clock")] == ["1410 MHz", "3502.25 MHz", "950 Hz"], f"clocks: {cells}")
    steps = page.table("steps")["rows"][1:]
    check("SM had no CTA" in [r[0]["text"] for r in steps] and "during launch, in the tail, or because none was left for it" in page.says(), "SMs without a CTA")
    near(sum(float(r[3]["v"]) for r in steps), other["total"]["cycles"] - one["total"]["cycles"], "steps of the waterfall")
    check(page.row("headline", "cycles")[:2] == [one["total"]["cycles"], other["total"]["cycles"]], "cycles side by side")
    other["inputs"][0]["sha256"] = "0" * 64
    other["inputs"].append({"kind": "module", "file": HOSTILE, "sha256": None})
    page = report(os.path.join(folder, "inputs.html"), a, write(os.path.join(folder, "inputs.json"), other))
    check_sane(page)
    files = [[c["text"] for c in r] for r in page.table("inputs")["rows"][1:]]
    check(len(files) == 2 and files[0] == [f"{one['inputs'][0]['kind']} {one['inputs'][0]['file']}", one["inputs"][0]["sha256"][:12], "0" * 12]
          and files[1][1] == "-", f"files that differ: {files}")
    same = report(os.path.join(folder, "same.html"), a, a)
    check("All values of the machine are the same." in same.says(), "a run differs from itself")
    check(not any("steps" in t["class"] for t in same.tables), "steps from a run to itself")


def check_missing(folder, plain):
    page = report(os.path.join(folder, "plain.html"), plain)
    check_closed(page)
    check_sane(page)
    for option in ("--intervals N", "--pcs", "--stats '*'"):
        check(option + " of warpwright run adds them" in page.says(), f"does not tell of {option}")
    check(not any("data-chart" in a for _, a in page.tags), "an empty chart")


def check_texts(folder, plain):
    """Whatever a text says, it is text; and there is always a page."""
    result = load(plain)
    for where in ("trace", "platform", "version", "status"):
        result[where] = HOSTILE
    result["total"]["bound_by"] = HOSTILE
    result["config"] = result["command"] = [HOSTILE]
    result["kernels"][0]["name"] = HOSTILE
    result["resolved"][HOSTILE] = HOSTILE
    result["total"]["counters"]["warp_scheduler.cause"][HOSTILE] = 5
    result["intervals"] = {"every": 10, "statistics": [HOSTILE, "warp_scheduler.cause." + HOSTILE, HOSTILE + "sm[0]:warp_insns"], "rows": [[10, 1, 2, 3]]}
    result["total"]["instances"] = {HOSTILE + str(i): {"type": "cache.l2", "accesses": i} for i in range(3)}
    result["kernels"][0]["pcs"] = [{"pc": 0, "opcode": HOSTILE, "registers": HOSTILE, "slots": {HOSTILE: 3}, "issues": 1}]
    bad = write(os.path.join(folder, "hostile.json"), result)
    page = report(os.path.join(folder, "hostile.html"), bad, plain)
    check_closed(page)
    check_sane(page)
    shown = page.table("hottest")["rows"][1][1]["text"]
    check(shown.startswith("</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"), f"opcode: {shown[:80]}")
    big = {"schema": result["schema"], "kernels": [], "total": {"counters": {}}}
    check_sane(report(os.path.join(folder, "least.html"), write(os.path.join(folder, "least.json"), big)))
    big["kernels"] = [{"name": f"k{i}", "uid": i, "cycles": i, "counters": {}} for i in range(5000)]
    page = report(os.path.join(folder, "many.html"), write(os.path.join(folder, "many.json"), big))
    check("the 60 longest of 5000 kernels" in page.says(), "5000 kernels")
    check(page.row("kernels", "4999 k4999")[0] == 4999, "the longest kernel")
    big["total"]["counters"] = {"warp_scheduler.single_issue": 2**64 - 1, "warp_scheduler.cause": {"x": 2**64 - 1}}
    big["total"]["cycles"] = 2**64 - 1
    check_sane(report(os.path.join(folder, "numbers.html"), write(os.path.join(folder, "numbers.json"), big)))


def check_refused(folder, plain):
    """One line that names file and member, status 2, no page."""
    good = load(plain)
    good["intervals"] = {"every": 5, "statistics": ["a.b"], "rows": [[5, 1], [10, 2]]}
    good["kernels"][0]["pcs"] = [{"pc": 0, "opcode": "NOP"}]
    wrong = [
        (("intervals",), 3, "'intervals' is of the wrong kind"), (("intervals", "rows", 1), [4, 1], "a later cycle than"),
        (("intervals", "rows", 1), [10], "'intervals.rows[1]'"), (("intervals", "rows", 0, 1), "x", "'intervals.rows[0]'"),
        (("intervals", "rows", 0, 1), [1], "'intervals.rows[0]'"),
        (("intervals", "statistics"), [1], "'intervals.statistics'"), (("intervals", "every"), -1, "'intervals.every'"),
        (("kernels", 0), [], "'kernels[0]'"), (("kernels", 0, "name"), 4, "'kernels[0].name'"), (("kernels", 0, "cycles"), -1, "'kernels[0].cycles'"),
        (("kernels", 0, "cycles"), "7", "'kernels[0].cycles'"), (("kernels", 0, "launch_cycles"), "7", "'kernels[0].launch_cycles'"),
        (("total", "tail_cycles"), [], "'total.tail_cycles'"), (("total", "bound_by"), 7, "'total.bound_by'"), (("kernels", 0, "counters"), [], "'kernels[0].counters'"),
        (("kernels", 0, "pcs"), {}, "'kernels[0].pcs'"), (("kernels", 0, "pcs", 0), 1, "'kernels[0].pcs[0]'"),
        (("kernels", 0, "pcs", 0, "l1"), 1, "'kernels[0].pcs[0].l1'"), (("kernels", 0, "pcs", 0, "opcode"), [], "pcs[0].opcode'"),
        (("kernels", 0, "pcs", 0), {"opcode": "NOP"}, "an object with 'pc'"),
        (("kernels", 0, "warps"), [], "'kernels[0].warps'"), (("kernels", 0, "pcs", 0, "kernel"), "x", "pcs[0].kernel'"),
        (("total", "instances"), [], "'total.instances'"), (("total", "instances"), {"p": {}}, "'total.instances.p'"),
        (("total", "counters", "fifo.puts"), "many", "'total.counters.fifo.puts'"), (("trace",), 1, "'results.trace'"),
        (("total", "cycles"), 1.5, "'total.cycles'"), (("total", "cycles"), None, "'total.cycles'"), (("partial",), "yes", "'partial'"),
        (("inputs",), [3], "'inputs[0]'"), (("modules",), ["m"], "'modules'"), (("modules",), {"m": [1]}, "'modules.m'"), (("unused",), 3, "'unused'"), (("intervals", "rows", 0, 1), 0.5, "'intervals.rows[0]'"),
        (("command",), "warpwright run", "'command'"), (("resolved",), [], "'resolved'"), (("schema",), "x", "schema is 'x'"),
    ]
    path, page = os.path.join(folder, "wrong.json"), os.path.join(folder, "wrong.html")
    for keys, value, says in wrong:
        bad = copy.deepcopy(good)
        at = bad
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value
        done = warpwright("report", write(path, bad), "-o", page, status=2)
        check(done.stderr.startswith("warpwright: " + path) and says in done.stderr and "expected" in done.stderr and
              done.stderr.count("\n") == 1, f"{keys}: {done.stderr}")
        check(not os.path.exists(page), f"{keys}: left a page")
    for text in ("", "[" * 100000, json.dumps(good)[:5000], '{"schema": "warpwright-results-1"}', "\0", "{}"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = warpwright("report", write(path + "2", good), path, "-o", page, status=2)
        check(path in done.stderr and done.stderr.count("\n") == 1 and not os.path.exists(page), f"{text[:20]!r}: {done.stderr}")


def check_modules(folder, plain):
    """Statistics of the types of modules, of all runs side by side; no such part where there was no module."""
    result = load(plain)
    result["modules"] = {"mine": ["my.type", "my.other"], "idle": ["no.type"]}
    result["total"]["counters"] |= {"my.type.a": 5, "my.type.none": 0, "my.type.words": {"x<y": 3, "y": 0}, "my.type.classes": [0, 7],
                                    "my.typewriter.a": 9, "my.other.b": 11}
    one = write(os.path.join(folder, "mine.json"), result)
    result["total"]["counters"]["my.type.a"] = 6
    del result["total"]["counters"]["my.other.b"]
    other = write(os.path.join(folder, "mine2.json"), result)
    rows = {"my.type.a": ["5", "6", "-"], "my.type.none": ["0", "0", "-"], "my.type.words.x<y": ["3", "3", "-"], "my.type.classes[1]": ["7", "7", "-"],
            "my.other.b": ["11", "-", "-"]}
    for files, n in (([one], 1), ([one, other, plain], 3)):
        page = report(os.path.join(folder, "mine.html"), *files)
        check_closed(page)
        check_sane(page)
        tables = [t["rows"] for t in page.tables if t["caption"] == "mine"]
        check(len(tables) == 1, f"{n} runs: tables of a module: {len(tables)}")
        found = {row[0]["text"]: [cell["text"] for cell in row[1:]] for row in tables[0][1:]}
        check(found == {name: cells[:n] for name, cells in rows.items()}, f"{n} runs: statistics of a module: {found}")
        check("idle: no run has a component of its types." in page.says(), f"{n} runs: a module that nothing is of")
        check(any(a.get("href") == "#modules" for _, a in page.tags), f"{n} runs: no way to the part of modules")
    page = report(os.path.join(folder, "mine.html"), plain)
    check(not any(a.get("id") == "modules" or a.get("href") == "#modules" for _, a in page.tags), "a part of modules without any")


def check_other_parts(folder, trace):
    """Of parts that are not there, or whose type counts otherwise, no figure is told, and none is a ceiling."""
    for value, absent, levels in (("channel.memory=dram.fixed", (5, 6, 7, 8), ["L1", "L2"]), ("gpu.ideal_memory=true", (2, 3, 4, 5, 6, 7, 8), ["L1"]),
                                  ("sm.has_l1d=false", (0, 1), ["L2", "DRAM"])):
        path = os.path.join(folder, "other.json")
        run("-c", "rtx3070", "-s", value, "-o", path, trace)
        page = report(os.path.join(folder, "other.html"), path)
        row = page.row("memory", "1 vecadd")
        check([i for i, cell in enumerate(row[:9]) if cell == -1] == list(absent), f"{value}: {row}")
        row = page.row("roofline", "1 vecadd")
        check([level for i, level in enumerate(("L1", "L2", "DRAM")) if row[4 + 3 * i] != -1] == levels, f"{value}: {row}")


def check_modern(folder):
    """Modern SMs have sub-cores, of which each issues one instruction a cycle: a roof, and a waterfall in cycles."""
    a, b, trace = os.path.join(folder, "ma.json"), os.path.join(folder, "mb.json"), os.path.join(ROOT, "tests/traces/modern-gemm")
    run("-c", "rtx3080_modern", "-o", a, trace)
    run("-c", "rtx3080_modern", "-s", "gpu.channels=8", "-o", b, trace)
    page = report(os.path.join(folder, "modern.html"), a, b)
    check_closed(page)
    check_sane(page)
    one, other = load(a), load(b)
    for result, n in ((one, 0), (other, 1)):
        k = result["kernels"][0]
        row = page.row("roofline", f"{k['uid']} {k['name']}", "AB"[n] + ": ")
        work = k["cycles"] - k["launch_cycles"]
        near(row[1], 100 * k["thread_instructions"] / work / (68 * 4 * 32), "share of the issue slots of 68 SMs with 4 sub-cores")
        near(row[4], 100 * row[3] / (68 * 4 * 32), "of the L1's ceiling: 4 accesses of 32 bytes an SM")
    steps = page.table("steps")["rows"]
    check("A, cycles" in [c["text"] for c in steps[0]], f"waterfall of modern SMs: {[c['text'] for c in steps[0]]}")
    near(sum(float(r[3]["v"]) for r in steps[1:]), other["total"]["cycles"] - one["total"]["cycles"], "steps of modern SMs")
    for result in (one, other):  # nobody knows how many schedulers: slots, which are whole, and the reason
        result["resolved"] = {k: v for k, v in result["resolved"].items() if not k.endswith("sub_cores")}
    page = report(os.path.join(folder, "slots.html"), write(os.path.join(folder, "sa.json"), one), write(os.path.join(folder, "sb.json"), other))
    steps = page.table("steps")["rows"]
    check("A, slots" in [c["text"] for c in steps[0]] and not any("." in c["text"] for r in steps[1:] for c in r[1:4]), f"steps in slots: {steps[1]}")
    check("no roofline: the number and issue width of an SM's schedulers are not known" in page.says(), "why there is no roofline")


def check_places(folder):
    """Parts are beside those that do the same work: L1Ds are not measured by caches of instructions, nor cut from them."""
    path, trace = os.path.join(folder, "places.json"), os.path.join(ROOT, "samples/vecadd")
    run("-c", "rtx3080_modern", "--stats", "*", "-o", path, trace)
    result = load(path)
    page = report(os.path.join(folder, "places.html"), path)
    check_sane(page)
    tables = {t["caption"]: [r[0]["text"] for r in t["rows"][1:]] for t in page.tables if t["class"] == "sort instances"}
    title = "First-level caches gpu.cluster[*].sm[*].%s one by one: "
    for place, n, says in (("l1d[*]", 68, "all near their mean"), ("core[*].l0i_tags", 272, ""), ("constants[*]", 68, "none used")):
        found = [rows for caption, rows in tables.items() if caption.startswith(title % place + says)]
        check(len(found) == 1 and len(found[0]) == n, f"{place}: {list(tables)}")
        check(found and all(re.sub(r"\[\d+\]", "[*]", row).endswith(place) for row in found[0]), f"{place}: other parts among them")
    check(any(c.startswith("SMs one by one: ") for c in tables), f"one place: {list(tables)}")
    check(any(t == "details" and "open" in a for t, a in page.tags), "what is marked is not in sight")
    both = report(os.path.join(folder, "places.html"), path, path)
    check(not any(t == "details" and "open" in a for t, a in both.tags), "tables of several runs are open")
    # more than a table has rows: all count for the mean
    result["total"]["instances"] = {f"a[{i}].l1": {"type": "cache.l1", "accesses": 1000 if i >= 512 else 1} for i in range(600)}
    page = report(os.path.join(folder, "places.html"), write(path, result))
    check(len(page.table("instances", "First-level caches one by one: 600 of 600 far from their mean, marked; the first 512")["rows"]) == 513, "600 parts")
    near(page.row("instances", "a[0].l1")[2], 100 * (1 / ((512 + 88000) / 600) - 1), "from the mean of all")
    # each in a place of its own
    result["total"]["instances"] = {f"{name}.l1": {"type": "cache.l1", "accesses": i} for i, name in enumerate("abc")}
    page = report(os.path.join(folder, "places.html"), write(path, result))
    check(len(page.table("instances", "First-level caches one by one: ")["rows"]) == 4, "places of one part each")


def check_order(folder, plain):
    """Causes stand in one order, whichever run met them; kernels of machines that differ in much come before the values."""
    one, other = load(plain), load(plain)
    one["total"]["counters"]["warp_scheduler.cause"].update(no_warp=0, barrier=0)
    other["total"]["counters"]["warp_scheduler.cause"].update(barrier=7, unit_sfu=7)
    paths = [write(os.path.join(folder, n + ".json"), r) for n, r in (("one", one), ("other", other))]
    page = report(os.path.join(folder, "order.html"), *paths)
    names = [r[0]["text"] for r in page.table("slots")["rows"][1:]]
    check(names[:3] == ["issued", "no warp", "waiting at a CTA barrier"] and names.index("SFU taken") < names.index("memory unit taken"), f"order: {names}")
    shown = [t for t in page.text if re.fullmatch(r"[+-][\d,]+\.\d|0\.0", t)]
    table = [r[3]["text"] for r in page.table("steps")["rows"][1:]]
    check([s.lstrip("+") for s in shown[:len(table)]] == table and table, f"waterfall {shown} and table {table}")
    check(not any(t == "summary" for t, _ in page.tags), "few settings are folded")
    other["resolved"].update({f"x[{i}]": i for i in range(41)})
    write(paths[1], other)
    page = report(os.path.join(folder, "order.html"), *paths)
    check("41 values of the machine differ" in page.says(), "many settings are not folded")


def check_partial(folder, trace):
    """A kernel that did not end is told as one; rounding is that of the summary."""
    path = os.path.join(folder, "partial.json")
    done = warpwright("run", "-c", "rtx3070", "--max-cycles", "6000", "--progress=none", "-o", path, trace, status=1)
    page = report(os.path.join(folder, "partial.html"), path)
    check(page.row("kernels", "1 vecadd (not finished)")[0] == 6000, "a kernel that did not end")
    check("5,001   83.4 %" in done.stdout and "5,001 (83.4 %) are launch" in page.says(), f"5,001 of 6,000: {done.stdout}")


def check_names(folder, plain):
    """A name of a file that is not UTF-8 is shown as names of traces are."""
    name, page = os.path.join(os.fsencode(folder), b"n\xe9.json"), os.path.join(folder, "name.html")
    with open(plain, "rb") as old, open(name, "wb") as new:
        new.write(old.read())
    warpwright("report", name, plain, "-o", page)
    with open(page, "rb") as file:
        text = file.read()
    check(b"n\xef\xbf\xbd.json" in text and b"\xe9" not in text.replace("\u00e9".encode(), b""), "the name of a file is not in the page")
    check_sane(Page(text.decode("utf-8")))


def check_no_gpu(folder):
    """Of a machine that replays no trace nothing is told that only GPUs have, and no option named that it was given or does not take."""
    path, platform = os.path.join(folder, "none.json"), os.path.join(ROOT, "tutorial/05-statistics.plat")
    for words in (["--stats", "*", "--intervals", "4"], []):
        run("-p", platform, *words, "-o", path)
        page = report(os.path.join(folder, "none.html"), path)
        check_closed(page)
        check_sane(page)
        says = page.says()
        check(f"{platform}, without a trace" in says and f" on {platform}" not in says, "the heading of a machine without a trace")
        for text in ("of issue slots used", "--pcs", "--stats '*' of", "--intervals N of", "CTAs", "IPC", "bank conflicts"):
            check(text not in says, f"a page without a GPU says '{text}'")
        for text in ("no SMs, slices and channels", "no warps", "neither caches nor DRAM"):
            check(text in says, f"a page without a GPU does not say '{text}'")
        check(("no chart shows any" if words else "no SMs, caches or DRAM to draw charts of") in says, "what it says of intervals")
        check(not any("data-chart" in a for _, a in page.tags), "an empty chart")
    run("-c", "rtx3070", "--stats", "gpu.dispatcher", "-o", path, os.path.join(ROOT, "samples/vecadd"))
    says = report(os.path.join(folder, "none.html"), path).says()
    check("--stats selected no SMs, slices or channels" in says and "--pcs of" in says, "parts that are none of those")


def main():
    with tempfile.TemporaryDirectory() as folder:
        plain, a, b = (os.path.join(folder, name + ".json") for name in ("plain", "a", "b"))
        trace = os.path.join(ROOT, "samples/vecadd")
        run("-c", "rtx3070", "-o", plain, trace)
        run("-c", "rtx3070", "--intervals", "100", "--stats", "*", "--pcs", "-o", a, trace)
        run("-c", "rtx3070", "-s", "sm.scheduler=scheduler.gto", "-s", "gpu.kernels.launch_latency=10", "-o", b, trace)
        page = report(os.path.join(folder, "a.html"), a)
        result = load(a)
        check_closed(page)
        check_sane(page)
        check_figures(page, result)
        check_time(page, result)
        check_instructions(page, result)
        check_instances(page, result)
        check_banks(folder, page, result)
        check_two(folder, a, b)
        check_launch_only(folder, plain)
        check_names_of_runs(folder, a)
        check_database(folder, plain)
        check_modules(folder, plain)
        check_other_parts(folder, trace)
        check_missing(folder, plain)
        check_texts(folder, plain)
        check_refused(folder, plain)
        check_modern(folder)
        check_places(folder)
        check_order(folder, plain)
        check_partial(folder, trace)
        check_names(folder, plain)
        check_no_gpu(folder)
        report(os.path.join(folder, "again.html"), a)
        with open(os.path.join(folder, "a.html"), "rb") as one, open(os.path.join(folder, "again.html"), "rb") as other:
            check(one.read() == other.read(), "the same result gives other bytes")
    sys.exit(1 if failed else 0)


main()
