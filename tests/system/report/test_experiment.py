#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of an experiment says what `table` says of the same database, takes any name for what it is, says what it leaves out, and writes nothing else."""

import csv
import hashlib
import json
import os
import random
import resource
import shlex
import sqlite3
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import HOSTILE, check, check_closed, check_sane, failed, report, warpwright

TRACES = ("a/vecadd/x", "a/sgemm/x", "a/bfs/x", "a/nw/x")
SCHEDULERS = ("scheduler.lrr", "scheduler.gto", "scheduler.oldest")
WAYS = ("4", "2", "16")


def result(trace, cycles, options=(), **more):
    """Known figures; those of slots and caches follow from the cycles."""
    counters = {"warp_scheduler.single_issue": cycles, "warp_scheduler.dual_issue": 0, "warp_scheduler.cause": {"no_warp": 3 * cycles // 2, "barrier": 500},
                "cache.l1.outcomes": {"GLOBAL_ACC_R.HIT": cycles % 97, "GLOBAL_ACC_R.MISS": 40, "INST_ACC_R.HIT": 10 ** 6},
                "dram.frfcfs.n_rd": cycles // 3, "dram.frfcfs.row_hits": cycles % 31, "dram.frfcfs.selections": 50}
    total = {"cycles": cycles, "thread_instructions": 64000, "warp_instructions": 2000, "ctas": 4, "sms": 80, "launch_cycles": cycles // 5, "counters": counters}
    command = ["warpwright", "run", "-c", "qv100", *[w for s in options for w in ("-s", s)], trace]
    return {"schema": "warpwright-results-1", "version": "0.1.0", "status": "done", "partial": False, "trace": trace, "platform": "gpu", "config": ["qv100"],
            "command": command, "resolved": {"gpu.clusters": 80}, "kernels": [], "total": total, **more}


def make(folder, name, runs, *words):
    """A database of these results."""
    files = []
    for i, run in enumerate(runs):
        files.append(os.path.join(folder, f"{name}-{i:04}.json"))
        with open(files[-1], "w", encoding="utf-8") as file:
            json.dump(run, file)
    db = os.path.join(folder, name + ".db")
    warpwright("db", "import", db, *files, *words)
    for path in files:
        os.remove(path)
    return db


def table(folder, *words):
    """{row: {column: number}}"""
    path = os.path.join(folder, "t.csv")
    warpwright("table", *words, "-o", path)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return {row[0]: {c: float(v) for c, v in zip(rows[0][1:], row[1:]) if v != ""} for row in rows[1:]}


def product(seed=1):
    drawn = random.Random(seed)
    return [result(t, drawn.randint(1000, 9000), (f"sm.scheduler={s}", f"l1.ways={w}")) for t in TRACES for w in WAYS for s in SCHEDULERS]


def near(a, b, what):
    check(isinstance(a, float) and abs(a - b) <= 2e-8 * max(abs(a), abs(b), 1), f"{what}: {a}, not {b}")


def check_figures(folder):
    """Speed-ups, means, shares and other figures are those of `table`, also by the commands that the page names."""
    db = make(folder, "product", product())
    page = report(os.path.join(folder, "product.html"), db)
    check_closed(page, 1)
    check_sane(page)
    says = page.says()
    check("36 runs done" in says and "0 failed" in says and "4 traces" in says and "9 combinations of values" in says, f"counts: {says[:400]}")
    where = ("--where", "l1.ways=4")  # the base of the other axis: the first run's
    runs = table(folder, db, *where, "--rows", "trace", "--columns", "sm.scheduler", "--baseline", "sm.scheduler=scheduler.lrr")
    for trace in ("vecadd", "sgemm", "bfs", "nw", "geometric mean"):
        row = page.row("matrix", trace)
        heads = [c["text"] for c in page.table("matrix")["rows"][0][1:]]
        for scheduler in ("lrr", "gto", "oldest"):
            name = f"l1.ways=4 {scheduler}" + (" (base)" if scheduler == "lrr" else "")
            order = heads.index(name) if name in heads else heads.index(f"{scheduler} l1.ways=4" + (" (base)" if scheduler == "lrr" else ""))
            near(row[order], runs[trace][scheduler], f"{trace} on {name}")
    commands = [shlex.split(t) for t in page.text if t.startswith("warpwright table") and "--over" in t]
    check(len(commands) == 2, f"commands: {commands}")
    for words in commands:
        axis, means = words[words.index("--rows") + 1], table(folder, *words[2:])
        for value, figures in means.items():
            if value != "geometric mean":
                shown = value + (" (base)" if value in ("lrr", "4") else "")
                near(page.row("values", shown, axis)[0], figures["cycles"], f"{axis} {value}")
    check_combinations(folder, db, page)
    return db


def check_combinations(folder, db, page):
    for scheduler in ("lrr", "gto", "oldest"):
        for ways in WAYS:
            names = [row[0]["text"] for row in page.table("figures")["rows"][1:]]
            name = next(n for n in names if scheduler in n and n.replace(scheduler, "").strip() == f"l1.ways={ways}")
            where = ("--where", f"sm.scheduler=scheduler.{scheduler}", "--where", f"l1.ways={ways}", "--rows", "sm.scheduler", "--over", "trace")
            row, heads = page.row("figures", name), [c["text"] for c in page.table("figures")["rows"][0][1:]]
            ask = lambda *words, where=where: next(iter(next(iter(table(folder, db, *where, *words).values())).values()))
            near(row[heads.index("IPC")], ask("--measure", "ipc"), "IPC")
            hits = ask("--average", "arithmetic", "--measure", "dram.frfcfs.row_hits/dram.frfcfs.selections")
            near(row[heads.index("DRAM row hits")], 100 * hits, "row hits")
            runs = [r["total"] for r in product() if r["command"][4:8] == ["-s", f"sm.scheduler=scheduler.{scheduler}", "-s", f"l1.ways={ways}"]]
            l1 = [r["cycles"] % 97 / (r["cycles"] % 97 + 40) for r in runs]
            near(row[heads.index("L1D hits")], 100 * sum(l1) / 4, "hits of data, without those of instructions")
            near(row[heads.index("DRAM accesses per 1,000 cycles")], sum(1000 * (r["cycles"] // 3) / r["cycles"] for r in runs) / 4, "DRAM")
            check_shares(page, name, runs)


def check_shares(page, name, runs):
    heads = [c["text"].replace(" (base)", "") for c in page.table("shares")["rows"][0][1:]]
    column = heads.index(name)
    shares = {"issued": 0, "no warp": 0, "waiting at a CTA barrier": 0, "SM had no CTA": 0}
    for r in runs:
        issued, none = r["cycles"], 3 * r["cycles"] // 2
        idle, slots = r["launch_cycles"] / r["cycles"], issued + none + 500
        for label, part in (("issued", issued), ("no warp", none), ("waiting at a CTA barrier", 500)):
            shares[label] += 100 * (1 - idle) * part / slots / len(runs)
        shares["SM had no CTA"] += 100 * idle / len(runs)
    for label, share in shares.items():
        near(page.row("shares", label)[column], share, f"{label} of {name}")
    check([row[0]["text"] for row in page.table("shares")["rows"][1:]] == list(shares), "the order of causes")


def level(v):
    """How strong the colour of a speed-up is, and of which end."""
    steps = sum(max(v, 1 / v) > step for step in (1.01, 1.03, 1.1, 1.3))
    return f"d{4 + steps if v >= 1 else 4 - steps}"


def check_best(page):
    """The fastest of a row is marked, colours say how fast, the extremes are named, and their runs can be made again."""
    check(sum(t == "b" and a.get("class") == "best" for t, a in page.tags) == len(TRACES) + 1, "one is marked in each row, and in the key")
    cells = [a for t, a in page.tags if t == "td" and a.get("class", "").startswith("d") and a["class"] != "d"]
    check(len(cells) == 36 and all(a["class"] == level(float(a["data-v"])) for a in cells), "colours")
    check(len({a["class"] for a in cells}) > 4 and all("cycles, run" in a["title"] for a in cells), "colours of all kinds")
    values = {(r["trace"], *r["command"][5:8:2]): r["total"]["cycles"] for r in product()}
    faster = lambda key: values[key[0], "sm.scheduler=scheduler.lrr", "l1.ways=4"] / values[key]
    for what, key in (("largest", max(values, key=faster)), ("least", min(values, key=faster))):
        line = f"warpwright run -c qv100 -s {key[1]} -s {key[2]} {key[0]} --intervals 1000 --pcs -o FILE.json"
        check(any(f"The run of the {what} speed-up" in t for t in page.text) and line in page.text, f"no command for {key}")
    for row in page.table("matrix")["rows"][1:-1]:
        values = [float(c["v"]) for c in row[1:]]
        check(max(values) > min(values), "all alike")
    best = page.row("combinations", next(r[0]["text"] for r in page.table("combinations")["rows"][1:] if "(base)" not in r[0]["text"]))
    check(best[2] >= best[0] >= best[4] and best[3] in ("vecadd", "sgemm", "bfs", "nw"), f"extremes: {best}")


def check_base(folder, db):
    """Another base, one of each axis; runs that are chosen; another name that means are over."""
    path = os.path.join(folder, "base.html")
    page = report(path, db, "--baseline", "gto", "--baseline", "l1.ways=16")
    check("The base is" in page.says() and page.says().count("(base)") > 2, "a base")
    base = [c["text"] for c in page.table("matrix")["rows"][0] if "(base)" in c["text"]]
    check(len(base) == 1 and "gto" in base[0] and "l1.ways=16" in base[0], f"base: {base}")
    page = report(path, db, "--where", "l1.ways=2,4", "--full-names")
    check("24 runs done" in page.says() and "scheduler.gto" in page.says() and "a/vecadd/x" in page.says(), "chosen runs, full names")
    page = report(path, db, "--over", "l1.ways", "--where", "trace=*vecadd*")
    check([row[0]["text"] for row in page.table("matrix")["rows"][1:]] == ["2", "4", "16", "geometric mean"], "numbers in their order")
    page = report(path, db, "--where", "l1.ways=2", "--where", "sm.scheduler=gto")
    check("nothing to compare it with" in page.says() and "1 machine" in page.says(), "one machine")
    check_sane(page)
    with open(path, "rb") as one:
        first = one.read()
    report(path, db, "--where", "l1.ways=2", "--where", "sm.scheduler=gto")
    with open(path, "rb") as other:
        check(first == other.read(), "the same runs give other bytes")


def check_missing(folder):
    """Runs that failed, were cut or are not there: counted, named, and not among means."""
    runs = product()
    del runs[-1]
    runs[1]["status"], runs[1]["partial"] = "limit", True
    runs[4]["status"] = runs[5]["status"] = runs[13]["status"] = "hang"
    db = make(folder, "missing", runs)
    with sqlite3.connect(db) as sql:
        for number, text in ((5, "it <hangs>\nin cycle 7"), (6, "out of memory"), (14, "out of memory")):
            sql.execute("UPDATE run SET error = ? WHERE number = ?", (text, number))
    sql.close()
    page = report(os.path.join(folder, "missing.html"), db)
    check_sane(page)
    says = page.says()
    check("32 runs done" in says and "3 failed" in says and "1 without a run" in says and "Partial runs, which a limit cut: 1." in says, f"counts: {says[:600]}")
    rows = [[c["text"] for c in row] for row in page.table("failures")["rows"][1:]]
    check([(r[0], r[1]) for r in rows] == [("out of memory", "2"), ("it <hangs>\nin cycle 7", "1")] and "trace=a/vecadd/x" in rows[1][2], f"errors: {rows}")
    check("Means are over 1 of 4 values of trace: the others lack a run of some combination." in says, "what means are over")
    cells = [c["text"] for row in page.table("matrix")["rows"][1:] for c in row]
    check(cells.count("failed") == 3 and cells.count("-") == 1, "cells without a run")
    check(sum(c.endswith("*") for c in cells) == 1, "the partial run is marked")
    check(all(float(row[2]["v"]) == 1 for row in page.table("combinations")["rows"][1:]), "means over one trace")
    with sqlite3.connect(db) as sql:
        sql.execute("UPDATE run SET state = 'failed' WHERE axes LIKE '%gto%' AND axes LIKE '%\"16\"%'")
    sql.close()
    page = report(os.path.join(folder, "missing.html"), db)
    check("Without a bar, for lack of figures: 1 of these combinations." in page.says() and len(page.table("bars")["rows"]) == 9, "a combination that failed")
    check(page.row("combinations", next(r[0]["text"] for r in page.table("combinations")["rows"] if "gto" in r[0]["text"] and "16" in r[0]["text"]))[1] == 0, "its mean")
    check_sane(page)
    with sqlite3.connect(db) as sql:
        sql.execute("UPDATE run SET state = 'failed'")
    sql.close()
    page = report(os.path.join(folder, "missing.html"), db)
    check("0 runs done 35 failed" in page.says() and "no reason is known" in page.says(), "nothing but failures")
    check_sane(page)


def check_own(folder):
    """No trace has all: each combination has its own ones, and the page says so."""
    drawn = random.Random(3)
    runs = [result(t, drawn.randint(1000, 9000), (f"l1.ways={w}",)) for i, t in enumerate(TRACES) for k, w in enumerate(("2", "4", "8", "16", "32"))
            if w == "2" or k != i + 1]
    page = report(os.path.join(folder, "own.html"), make(folder, "own", runs))
    check("No trace has a run of every combination" in page.says(), "own means")
    for ways in ("4", "8", "16", "32"):
        check(page.row("combinations", f"l1.ways={ways}")[1] == 3, f"three traces of {ways}")


def check_texts(folder):
    """Any name of anything is text, and a word of a command."""
    runs = [result(HOSTILE + t, 1000 + i * 7 + k, (f"x.{HOSTILE[:60]}={v}",), version=HOSTILE) for i, t in enumerate("ab") for k, v in enumerate(("1", HOSTILE + "'"))]
    runs[3]["status"] = "hang"
    db = make(folder, "te'xt <&>", runs, "-e", HOSTILE[:150])
    with sqlite3.connect(db) as sql:
        sql.execute("UPDATE run SET error = ? WHERE state = 'failed'", (HOSTILE,))
        sql.execute("UPDATE experiment SET source = ?", (HOSTILE + "\n" * 30000,))
    sql.close()
    page = report(os.path.join(folder, "texts.html"), db)
    check_closed(page, 1)
    check_sane(page)
    check(all(t not in ("img", "a:script") for t, _ in page.tags) and page.says().count("alert(1)") > 5, "hostile text")
    check("These are the first 20000 of" in page.says(), "the source is cut")
    check(os.path.getsize(os.path.join(folder, "texts.html")) < 200000, "a page of few runs")


def fill(db, traces, combinations):
    """Makes of the first run many."""
    drawn = random.Random(7)
    sql = sqlite3.connect(db)
    columns = [row[1] for row in sql.execute("PRAGMA table_info(run)")]
    first = dict(zip(columns, sql.execute("SELECT * FROM run LIMIT 1").fetchone()))
    sql.execute("DELETE FROM run")
    rows = []
    for n in range(traces * combinations):
        t, c = divmod(n, combinations)
        axes = {"trace": f"t{t}", "a": f"v{c % 10}", "b": f"v{c // 10}"}
        key = hashlib.sha256(str(n).encode()).hexdigest()
        run = dict(first, id=n + 1, number=n + 1, key=key, trace=f"t{t}", axes=json.dumps(axes, separators=(",", ":")), cycles=drawn.randint(1000, 9000))
        if n % 100 == 99:
            run.update(state="failed", error=f"error {n}", cycles=None, counters=None, counter_values=None)
        rows.append([run[c] for c in columns])
    sql.executemany(f"INSERT INTO run VALUES ({','.join('?' * len(columns))})", rows)
    sql.commit()
    sql.close()


def check_many(folder):
    """20,000 runs: a page of a reasonable size in seconds, which says what it leaves out."""
    db, path = make(folder, "many", [result("t", 1000)]), os.path.join(folder, "many.html")
    fill(db, 200, 100)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    page = report(path, db)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime  # of a processor: what else the machine does is none of it
    check(took < 60, f"{took:.1f} s for 20,000 runs")
    check(os.path.getsize(path) < 400000, f"{os.path.getsize(path)} bytes")
    says = page.says()
    for text in ("40 of 100 combinations are shown: the base and the fastest.", "12 of 100 combinations are shown",
                 "100 of 200 values of trace are shown: those whose speed-ups differ most.", "20 of 200 errors are shown: those of the most runs."):
        check(text in says, f"not said: {text}")
    check_sane(page)
    means = [float(row[1]["v"]) for row in page.table("combinations")["rows"][1:]]
    check(means[0] == 1 and means[1:] == sorted(means[1:], reverse=True) and len(means) == 40, "the fastest first")
    best = table(folder, db, "--where", "b=v0", "--rows", "a", "--baseline", "a=v0", "--over", "trace")
    check(len(best) == 11, "table of the same")


def check_refused(folder, db):
    """One line, status 2, and no page."""
    path = os.path.join(folder, "no.html")
    two, empty, cut = (os.path.join(folder, name) for name in ("two.db", "empty.db", "cut.db"))
    twice = [result("t", 100), result("t", 200)]
    same = make(folder, "same", twice)
    warpwright("db", "merge", two, db)
    make(folder, "two", [result("t", 100)], "-e", "other")
    warpwright("db", "merge", empty, db)
    for name, change in ((empty, "DELETE FROM run; DELETE FROM experiment"),):
        sql = sqlite3.connect(name)
        sql.executescript(change)
        sql.close()
    with open(db, "rb") as file, open(cut, "wb") as out:
        out.write(file.read()[:50000])
    for words, says in (
            ((two,), "has 2 experiments, and a page is of one: no --experiment given; expected other or results"),
            ((two, "-e", "othr"), "has no --experiment 'othr', did you mean 'other'?; expected other or results"),
            ((empty,), "has no runs; expected an experiment"),
            ((cut,), "is damaged"),
            ((db, db), "is a database, and a page is of one"),
            ((db, "--where", "trace=none"), "no run with results fits --where 'trace=none'"),
            ((db, "--over", "none"), "no run has 'none'"),
            ((db, "--baseline", "none"), "no run that fits has the value of --baseline 'none'"),
            ((db, "--baseline", "a/bfs/x"), "is of 'trace', over which means are taken"),
            ((db, "--baseline", "gto", "--baseline", "lrr"), "--baseline 'lrr' is the second of 'sm.scheduler'; expected one"),
            ((same,), "several runs are in one cell ('t' of trace)"),
            ((db, "-o", os.path.join(folder, "nowhere/a.html")), "cannot write"),
            ((os.path.join(folder, "none.db"),), "cannot be read")):
        before = sorted(os.listdir(folder))
        done = warpwright("report", *words, *(() if "-o" in words else ("-o", path)), status=2)
        check(says in done.stderr and done.stderr.count("\n") == 1 and done.stdout == "", f"{words}: {done.stderr}")
        check(sorted(os.listdir(folder)) == before, f"{words}: left something behind")


def main():
    with tempfile.TemporaryDirectory() as folder:
        db = check_figures(folder)
        check_best(report(os.path.join(folder, "product.html"), db))
        check_base(folder, db)
        check_missing(folder)
        check_own(folder)
        check_texts(folder)
        check_many(folder)
        check_refused(folder, db)
    sys.exit(1 if failed else 0)


main()
