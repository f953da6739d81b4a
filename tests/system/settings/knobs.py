#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds dead knobs: parameters of a machine of which no other value moves anything.

Usage: knobs.py [-c CONFIG]... [--only TEXT] [--draw N] [--list] [-j N]

Each parameter of each config asked for (every shipped one, if none) gets other legal values, one at a time, until something moves: results, statistics or the fingerprint of
one of a few traces, or the machine is refused. Each element of a list counts as a parameter. A run that does not end in time or crashes says
nothing: it is a finding of its own.

  reach.txt   what else a parameter needs to come into play: values of others (a part that is off, a queue that never fills), a trace
  still.txt   parameters that may stay still, each with its reason

A row of either file that is not needed is a finding, too; a run over everything tells; so is a row of reach.txt with which the machine is
refused before anything else changes. --draw N takes N parameters, the same in every run. --list prints what does not move in the form of still.txt.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import random
import re
import sys
import tempfile

import knob_traces
import settings

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = ["random-mem-1005", "random-mb-1037", "random-atom-1020", "random-all-1040"]  # of tests/traces, beside those of knob_traces.py
# First for configs of modern SMs: records that have a listing, from tests/system/modern_machines and sub_cores.
MODERN = ["random-04", "random-13", "random-28", "kern-gemm", "mem-misc", "fu-texture", "fu-tensor-f32", "const-mix", "const-ldc", "const-uldc", "mem-ldgsts",
          "mem-ldsm", "sync-membar", "ctl-stall", "ctl-yield"]
RECORDS = [os.path.join(HERE, "..", room, "records") for room in ("modern_machines", "sub_cores")]
MOST = 5  # values tried
CONFIGS = settings.CONFIGS  # all that are shipped
REFUSED = 2  # the status


class Broken(Exception):
    """A run that shows nothing: past its time, or crashed."""


def outcome(case):
    """What a run leaves, as far as it is not what its values were: the status, and a hash of results and report."""
    with tempfile.TemporaryDirectory() as folder:
        status, out, _ = settings.launch(case.command() + [f"--max-cycles={settings.CYCLES}", "--fingerprint", "--report=accelsim", "-o",
                                                           f"{folder}/x.json", str(settings.traces / case.trace)])
        if status is None or status < 0:
            how = f"no end within {settings.SECONDS} s of processor time" if status is None else f"signal {-status}"
            raise Broken(f"{how}: {case.text()}")
        try:
            with open(f"{folder}/x.json", encoding="utf-8") as f:
                data = json.load(f)
        except (OSError, ValueError):
            return status, None
        kept = [out] + [data.get(key) for key in ("status", "fingerprint", "kernels", "total")]
        return status, hashlib.sha256(json.dumps(kept).encode()).hexdigest()


class Row:
    """A line `[CONFIG|CONFIG/]PATTERN: TEXT` of a file, `!CONFIG|CONFIG/` for all others; `...` stands for anything, `*` in a config too. Told by its place."""

    def __init__(self, name, number, line):
        self.at = f"{name}:{number}"
        pattern, _, text = line.partition(":")
        self.text = text.strip()
        where, _, what = pattern.rpartition("/")
        self.others = where.startswith("!")
        self.configs = where.lstrip("!").split("|") if where else None
        self.pattern = re.compile(re.escape(what).replace(r"\.\.\.", ".*"))
        self.used = False
        self.with_all = []  # rows whose values go before its own

    def words(self, config):
        return [w for row in [*self.with_all, self] if row.of(config) for w in row.text.split()]

    def matches(self, config, path):
        return self.of(config) and self.pattern.fullmatch(path) is not None

    def of(self, config):
        return self.configs is None or any(fnmatch.fnmatchcase(config, c) for c in self.configs) != self.others


def rows_of(name):
    """The rows of a file; `@NAME: TEXT` and `CONFIG/+: TEXT` are none, but @NAME stands for that text, or it goes before that of each row of a config."""
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        lines = [(i, line.strip()) for i, line in enumerate(f, 1) if line.strip() and not line.startswith("#")]
    names = dict(line.split(": ", 1) for _, line in lines if line.startswith("@"))
    rows = [Row(name, i, line) for i, line in lines if not line.startswith("@")]
    for row in rows:
        while used := [n for n in names if n in row.text.split()]:
            row.text = " ".join(names[w] if w in used else w for w in row.text.split())
        row.with_all = [r for r in rows if r.pattern.pattern == re.escape("+")]
    return [row for row in rows if row not in row.with_all]


class Knob:
    """A parameter, or an element of a list."""

    def __init__(self, config, name, path, values, now):
        self.config, self.name, self.path, self.values, self.now = config, name, path, values, now


def spread(values):
    """Few of many values, from far apart."""
    return values if len(values) <= MOST else [values[i * (len(values) - 1) // (MOST - 1)] for i in range(MOST)]


def elements(config, s):
    """Each element of a list alone."""
    now = [int(x) for x in re.findall(r"[0-9]+", s["value"])]
    least, most = int(s.get("min", 0)), int(s.get("max", 2**32 - 1))
    for i, v in enumerate(now):
        others = sorted({x for x in (least, v + 1, 2 * v + 3, v // 2, max(v - 1, 0), most) if least <= x <= most} - {v})
        values = ["[" + ", ".join(map(str, now[:i] + [x] + now[i + 1:])) + "]" for x in others]
        yield Knob(config, f"{s['path']}[{i}]", s["path"], values, s["value"])


def knobs_of(config, kin):
    for s in settings.inspected(config)["settings"]:
        if s["path"].endswith("gpu.clusters"):
            yield Knob(config, s["path"], s["path"], ["1", "3"], "2")  # the machines of this test have two
        elif s["kind"] == "list" and re.search("[0-9]", s["value"]):
            yield from elements(config, s)
        else:
            yield Knob(config, s["path"], s["path"], spread(settings.other_values(s, kin)), s["value"])


def values_of(row, config):
    return [w for w in row.words(config) if not w.startswith("trace=")] if row else []


def record(name):
    """The path of a record of that name, else the name, which is then a trace of tests/traces."""
    return next((os.path.abspath(p) for p in (os.path.join(r, name) for r in RECORDS) if os.path.isdir(p)), name)


class Search:
    """Looks for a value that moves something; remembers what did."""

    def __init__(self, reach, folder, eager=False):
        """eager: tries rows first, the last one first as it says most; then nobody learns which are needed."""
        self.reach, self.eager = reach, eager
        self.traces = [os.path.join(folder, name) for name in knob_traces.make(folder)] + TRACES
        self.modern = [record(name) for name in MODERN]
        self.base = {}
        self.broken = {}  # place -> run
        self.parts = {}  # (config, values) -> components
        self.refused = collections.defaultdict(dict)  # (row, config) -> trace -> was it by the row, run
        self.found = collections.defaultdict(list)  # name -> (row, trace) that moved it in other configs,
        self.index = {}  # and which of the values

    def unchanged(self, config, trace, values):
        key = config, trace, tuple(values)
        if key not in self.base:
            try:
                self.base[key] = outcome(settings.Case(config, trace, values))
            except Broken as e:
                self.base[key] = e
        if isinstance(self.base[key], Broken):
            raise self.base[key]
        return self.base[key]

    def starts(self, row, values, config, trace):
        """Can it be told here whether something moves? What a row is refused with, a value that undoes the row would seem to move."""
        if not row or self.unchanged(config, trace, values)[0] != REFUSED:
            return True
        by_row = self.unchanged(config, trace, [])[0] != REFUSED
        self.refused[row, config][trace] = by_row, settings.Case(config, trace, values).text()
        return False

    def findings(self):
        """What is wrong with rows and runs that were tried."""
        found = [f"{at}: {text}" for at, text in self.broken.items()]
        for (row, config), runs in self.refused.items():
            by_row = [text for by_row, text in runs.values() if by_row]
            if by_row:
                found.append(f"{row.at}: with this row {config} is refused: {by_row[0]}")
            elif len(runs) == len(self.traces_of(row, config)):
                found.append(f"{row.at}: no trace runs on {config} with this row: {next(iter(runs.values()))[1]}")
        return found

    def usual(self, config):
        """The traces that are tried: a modern SM shows most of its parameters by a listing only."""
        return self.modern + self.traces if "_modern" in config else self.traces

    def traces_of(self, row, config):
        """Those that it names, ours, records of modern SMs or of tests/traces; the usual ones, if it names none."""
        ours = {os.path.basename(t): t for t in self.traces}
        named = [w[len("trace="):] for w in row.words(config) if w.startswith("trace=")]
        return [ours.get(name) or record(name) for name in named] or self.usual(config)

    def moves_in(self, knob, row, values, trace):
        if not self.starts(row, values, knob.config, trace):
            return False
        before = self.unchanged(knob.config, trace, values)
        others = list(enumerate(knob.values + [knob.now] if values else knob.values))  # what else is set may change this one, too
        others.sort(key=lambda other: other[0] != self.index.get(knob.name))
        for i, v in others:
            if outcome(settings.Case(knob.config, trace, values + [f"{knob.path}={v}"])) != before:
                self.index[knob.name] = i
                return True
        return False

    def has(self, config, values, path):
        """Is there what the parameter belongs to, with these values? One of a part that is off moves nothing: that need not be tried."""
        key = config, tuple(values)
        if key not in self.parts:
            status, out, _ = settings.launch(settings.Case(config, "", values).command("inspect") + ["--json"])
            self.parts[key] = [c["path"] for c in json.loads(out)["components"]] if status == 0 else None
        owner = re.sub(r"\\\[[^]]*\]", r"\[[0-9]+\]", re.escape(path.rpartition(".")[0]))
        parts = self.parts[key]  # None: refused, which the run tells
        return parts is None or owner == "" or any(re.match(owner + r"(\.|$)", part) for part in parts)

    def places(self, knob):
        """Rows of reach.txt (None: none is needed) and traces, in the order in which they are tried."""
        plain, tried = [(None, t) for t in self.usual(knob.config)], []
        if not self.has(knob.config, [], knob.path):
            plain = []
        for row in self.reach[::-1] if self.eager else self.reach:
            if row.matches(knob.config, knob.name) and self.has(knob.config, values_of(row, knob.config), knob.path):
                tried += [(row, t) for t in self.traces_of(row, knob.config)]
        tried = tried + plain if self.eager else plain + tried
        first = [p for p in self.found[knob.name] if p in tried]
        return first + [p for p in tried if p not in first]

    def moves(self, knob):
        """Does something move it? Marks the row that was needed. A broken run ends the search: it is a finding, but not that nothing moves."""
        for row, trace in self.places(knob):
            values = values_of(row, knob.config)
            try:
                if not self.moves_in(knob, row, values, trace):
                    continue
            except Broken as e:
                self.broken[f"{knob.config}: {knob.name}" + (f", {row.at}" if row else "")] = str(e)
                return True
            if (row, trace) not in self.found[knob.name]:
                self.found[knob.name].insert(0, (row, trace))
            if row:
                row.used = True
            return True
        return False


def examine(knobs, jobs, lists=False, eager=False):
    """Prints what is found; how many findings, and the rows. What may stay still is looked for in one config only, the row's first: is it dead there?"""
    reach, still = rows_of("reach.txt"), rows_of("still.txt")
    excuse = {(k.config, k.name): [r for r in still if r.matches(k.config, k.name)][:1] for k in knobs}
    seen, some, bad = set(), [], 0
    for knob in knobs:
        excused = [(r.at, knob.name) for r in excuse[knob.config, knob.name]]
        if not excused or not (excused[0] in seen or lists):
            some.append(knob)
        seen.update(excused)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        search = Search(reach, folder, eager)
        for knob, moved in zip(some, pool.map(search.moves, some)):
            rows = excuse[knob.config, knob.name]
            for row in rows:
                row.used |= not moved
            if not moved and not rows:
                bad += 1
                print(f"{knob.config}/{knob.name}: {knob.now}" if lists else
                      f"{knob.config}: {knob.name} = {knob.now}: no other value moves anything ({', '.join(knob.values)})", flush=True)
    for found in search.findings():
        print(found, flush=True)
    return bad + len(search.findings()), reach + still


def drawn(knobs, number):
    """Some of those that are known to move something, the same in every run."""
    still = rows_of("still.txt")
    alive = [k for k in knobs if not any(r.matches(k.config, k.name) for r in still)]
    return random.Random("knobs").sample(alive, min(number, len(alive)))


def unneeded(rows):
    n = 0
    for row in rows:
        if not row.used and any(row.of(c) for c in CONFIGS):
            n += 1
            print(f"{row.at}: {row.pattern.pattern}: not needed, or there is no such parameter")
    return n


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-c", dest="configs", action="append")
    p.add_argument("--only", default="")
    p.add_argument("--draw", type=int)
    p.add_argument("--list", action="store_true")
    p.add_argument("-j", dest="jobs", type=int, default=1)
    a = p.parse_args()
    kin = settings.families()
    knobs = [k for c in a.configs or CONFIGS for k in knobs_of(c, kin) if a.only in k.name]
    knobs = drawn(knobs, a.draw) if a.draw else knobs
    bad, rows = examine(knobs, a.jobs, a.list, a.draw is not None)
    if not (a.configs or a.only or a.draw or a.list):
        bad += unneeded(rows)
    print(f"{len(knobs)} parameters, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
