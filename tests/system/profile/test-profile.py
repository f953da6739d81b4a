#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/profile and run --profile-turns say: rows add up, turns are those of the run, and docs/performance.md shows such a table. What
bench/growth says, of traces and machines that are small. And what runs of the code behind options that nobody asked for.

`test-profile.py --fill` writes what the sample costs now into the page. Host instructions are compared with nothing but each other.
"""

import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
BUILD = os.environ.get("WW_BUILD_DIR") or os.path.join(ROOT, "build", "release")
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(BUILD, "bin", "warpwright")
PAGE = os.path.join(ROOT, "docs/performance.md")
PROFILE = os.path.join(ROOT, "tools/profile")
SMALL = ["-c", "rtx3070", os.path.join(ROOT, "tests/traces/micro-ffma-chain-sm86")]
SAMPLE = ["-c", "rtx3070", os.path.join(ROOT, "samples/vecadd")]  # what the page shows
GROUPS = ["components", "kernel", "ports", "other parts", "libraries"]
OF_OPTIONS = re.compile(r"components/pcs/|pcs\w*\.[ch]:|warp_scheduler_tell|:telling_|kernel/src/(log\w*|tap|past)\.c:|ports/src/said|(^|/)(events|monitor)/")
HEAD = ["instructions", "a turn", "L1 misses", "LL", "turns", "nothing", "one", "settled"]


def check(good, what):
    if not good:
        sys.exit(what)


def call(*line):
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "WARPWRIGHT": COMMAND})
    check(done.returncode == 0, f"{' '.join(line)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def instrumented():
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as f:
        return re.search(r"^WW_SANITIZE:STRING=.|^WW_COVERAGE:BOOL=ON", f.read(), re.M)


def counts():
    """Does valgrind run the command? It is not there, or does not read what another compiler says for debuggers."""
    return shutil.which("valgrind") is not None and subprocess.run(["valgrind", "--tool=none", COMMAND, "--version"], stdout=subprocess.DEVNULL,
                                                                   stderr=subprocess.DEVNULL, check=False).returncode == 0


def table(text):
    """[(indent, name, millions, percent, figures of turns or None)] and the line below."""
    lines = text.rstrip("\n").split("\n")
    check(re.split(r"\s{2,}|(?<=misses)\s+", lines[0].strip()) == HEAD, f"head: {lines[0]}")
    check(lines[-2] == "", "no empty line before the last")
    rows = []
    for line in lines[1:-2]:
        at = re.match(r"( *)(.*?)\s+([\d,]+\.\d) M +(\d+\.\d) %(.*)$", line)
        check(at, f"row: {line}")
        figures = [int(n.replace(",", "")) for n in at[5].split()]
        check(len(figures) in (2, 7), f"row: {line}")
        rows.append((len(at[1]), at[2], float(at[3].replace(",", "")), float(at[4]), figures[-4:] if len(figures) == 7 else None))
    return rows, lines[-1]


def check_table(text):
    rows, last = table(text)
    check([r[1] for r in rows if r[0] == 0] == [*GROUPS, "all"], "groups")
    sums, now = collections.defaultdict(float), None
    for indent, name, millions, _, _ in rows:
        now = name if indent == 0 else now
        sums[now if indent else ""] += millions
    whole = {name: millions for indent, name, millions, _, _ in rows if indent == 0}
    for group in GROUPS:
        n = sum(1 for r in rows)
        check(abs(sums[group] - whole[group]) <= 0.05 * n, f"rows of {group}: {sums[group]} of {whole[group]}")
    check(abs(sum(whole[g] for g in GROUPS) - whole["all"]) <= 0.5, "groups add up to all")
    names = {r[1] for r in rows}
    check({"sched", "warp_scheduler"} <= names and any(n.startswith("libc") for n in names), f"rows {sorted(names)}")
    check(re.fullmatch(r"[\d,]+ cycles, [\d,]+ warp instructions, [\d,]+ activations: [\d,]+ host instructions an activation,"
                       r" [\d,]+ a warp instruction", last), f"last line: {last}")
    return rows, last


def check_turns(folder):
    """The CSV against the run's own figures, and against types that are known."""
    turns, out = f"{folder}/turns.csv", f"{folder}/out.json"
    run = [COMMAND, "run", "-j", "1", "--report=none", "--progress=none"]
    counted = call(*run, "--fingerprint", "--profile-turns", turns, *SMALL)
    check(counted == call(*run, "--fingerprint", *SMALL), "another fingerprint when turns are counted")
    call(*run, "--host", "-o", out, "--profile-turns", turns, *SMALL)  # without: what is watched has more turns
    with open(turns, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    check(list(rows[0]) == ["type", "entry", "components", "turns", "nothing", "one", "again", "settled"], f"columns {list(rows[0])}")
    with open(out, encoding="utf-8") as f:
        result = json.load(f)
    steps = {("cache.l1", "cycle"), ("operand_collector", "step")}  # in other components' turns
    ran = sum(int(r["turns"]) for r in rows)
    check(ran >= result["host"]["activations"] > 0, f"{ran} turns for {result['host']['activations']}")
    for r in rows:
        n, nothing, one, again = (int(r[c]) for c in ("turns", "nothing", "one", "again"))
        check(nothing + one <= n and again <= n and int(r["components"]) > 0, f"row {r}")
    check(steps - {(r["type"], r["entry"]) for r in rows} == set(), "no row of a step")
    settled = sum(int(r["settled"]) for r in rows if r["type"] == "warp_scheduler")
    issue = [r for r in rows if r["type"] == "warp_scheduler"]
    check(len(issue) == 1 and settled > 0 and int(issue[0]["turns"]) > 0, f"schedulers: {issue}")
    return ran, result


def check_growth():
    lines = call(os.path.join(ROOT, "bench/growth"), "--sms", "1,3", "--lengths", "600,2400", "--parts", "--config", "rtx2060").splitlines()
    rows = [[int(n.replace(",", "")) for n in line.split()] for line in lines[1:5]]
    check([r[:2] for r in rows] == [[1, 600], [3, 600], [1, 2400], [3, 2400]], f"rows {rows}")
    for sms, insns, start, count, each in rows:
        check(start > 1e6 and count > 1e5 and abs(each - count / (insns - 120)) <= 1, f"row {sms} {insns} {start} {count} {each}")
    costs = [r[4] for r in rows]
    at = re.fullmatch(r"most over least (\d+\.\d\d), goal 1.15", lines[-1])
    check(at and abs(float(at[1]) - max(costs) / min(costs)) < 0.02, f"last line: {lines[-1]}")
    parts = [line.split() for line in lines if "/" in line]
    check(len(parts) >= 10 and all(abs(int(m.replace(",", "")) - int(n.replace(",", "")) - int(d.replace(",", ""))) <= 1
                                   for *_, n, m, d in parts), f"parts {parts}")


def of_options(folder, *options):
    """The share of host instructions in the code behind --pcs, --events and --monitor."""
    out = f"{folder}/callgrind"
    call("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", COMMAND, "run", "--report=none", "--progress=none", *options, *SMALL)
    text = call("callgrind_annotate", "--threshold=100", "--show=Ir", out)
    rows = [(int(n.replace(",", "")), where) for n, where in re.findall(r"^ *([\d,]+) \([\d ]+\.\d+%\)  (\S+:\S+)", text, re.M)]
    check(len(rows) > 100, "callgrind_annotate says something else than it did")
    return sum(n for n, where in rows if OF_OPTIONS.search(where)) / sum(n for n, _ in rows)


def check_options(folder):
    off = of_options(folder)
    check(off < 0.001, f"options that are off take {100 * off:.3f} % of the host instructions")
    for options in ["--pcs"], ["--events", f"{folder}/events"]:  # else the pattern fits nothing
        on = of_options(folder, *options)
        check(on > 5 * off and on > 0.005, f"{options[0]} takes {100 * on:.2f} %: is its code elsewhere?")


def page_block():
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    at = re.search(r"```console\n\$ \./dev profile\n(.*?)```", text, re.S)
    check(at, f"{PAGE}: no block that begins with $ ./dev profile")
    return text, at


def fill():
    text, at = page_block()
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(text[:at.start(1)] + call(PROFILE, *SAMPLE) + text[at.end(1):])


def main():
    if "--fill" in sys.argv[1:]:
        fill()
        return
    rows, last = check_table(page_block()[1][1])
    kinds = {line.split()[0] for line in call(COMMAND, "list", "types").splitlines() if line.strip()}
    shown = [r for r in rows if r[4]]
    check(len(shown) > 5 and all(set(r[1].removesuffix("...").split(", ")) <= kinds for r in shown
                                 if r[0] and not r[1].endswith("...") and " more" not in r[1]), "the page names a type that is not there")
    with tempfile.TemporaryDirectory() as folder:
        ran, result = check_turns(folder)
    if instrumented() or not counts():
        print("instrumented build, or no valgrind that runs it: the table was not made")
        sys.exit(77)
    rows, last = check_table(call(PROFILE, "--least", "0.2", *SMALL))
    everything = next(r for r in rows if r[1] == "all")
    check(everything[4][0] == ran, f"{everything[4][0]} turns in the table for {ran}")
    check(last.startswith(f"{result['total']['cycles']:,} cycles, {result['total']['warp_instructions']:,} warp instructions,"
                          f" {result['host']['activations']:,} activations"), f"last line: {last}")
    with tempfile.TemporaryDirectory() as folder:
        check_options(folder)
    check_growth()
    done = subprocess.run([PROFILE, "-c", "nothing", SMALL[2]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "WARPWRIGHT": COMMAND})
    check(done.returncode == 1 and done.stdout == "" and done.stderr.startswith("profile: the run: warpwright: "), f"bad config: {done}")


main()
