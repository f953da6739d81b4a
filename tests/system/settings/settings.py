#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes simulations: runs small traces with values that a user may write, asleep and awake.

Usage: settings.py single  [-c CONFIG]... [--only TEXT] [--part I/N]     every parameter at single other values
       settings.py random  [-c CONFIG]... [--seed S] [--runs N]          1 to 12 values, modules, option files
       settings.py options [-c CONFIG]... [--only TEXT] [--part I/N]     every option of the importer at other values
       settings.py latency [-c CONFIG]... [--seed S] [--part I/N]        every channel at latencies 0 to 3
       settings.py run CONFIG TRACE [ARG]...                             one case, and what is found in it

Which parameters there are and what they take comes from `warpwright inspect --json`. A run passes if it completes, or is
refused before time starts with one line and status 2; asleep and with --no-sleep it must give the same results, cycle for
cycle and token for token (fingerprint). What is found is printed with the command that shows it, and the status is 1:

  crash      a signal, an assertion, an internal error, a sanitizer's report
  hang       the machine stopped though the values are legal
  late       the values were refused, but only while running
  message    a refusal that is not one line, or a status that is not 0 or 2
  differs    asleep and awake are not the same
  time       more than 60 s of processor time, 600 with sanitizers (the cycles of a run are limited)

The command is build/release/bin/warpwright, or $WARPWRIGHT; -j N runs N cases at a time.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = pathlib.Path(os.environ.get("WW_SOURCE_DIR", here.parents[2]))
tool = os.path.abspath(os.environ.get("WARPWRIGHT", root / "build/release/bin/warpwright"))
traces = root / "tests/traces"

CYCLES = 60000  # a run's; the traces below need 6,000 to 8,000
SECONDS = 60
# Loads, stores, local and shared memory, atomics, asynchronous copies, barriers, copies from the host, several kernels.
TRACES = ["random-mem-1005", "random-cpa-1025", "random-loc-1030", "random-atom-1020", "random-mb-1037", "random-conf-1011",
          "random-0302", "micro-icache"]
CONFIGS = sorted(p.stem for p in (root / "configs").glob("*.conf"))
SMALL = ["-s", "gpu.clusters=2"]

# Refusals while running that no start can foresee: what the trace asks for is not in the machine.
OF_THE_TRACE = re.compile(r"no unit|executes|latency of|shared memory|registers|threads|warps of a CTA|CTA of|expected an opcode|barrier|address")
# A trap that the reference has, too: the last writes stay in a write queue of their own, and an L2 that passes writes on waits for them.
PASSED_ON = ("has_l2=false", "texture_only=true", "l2[*].write=", "l2[*].write_allocate=")

# Another one: asynchronous copies past the L1 on few SMs (-gpgpu_gmem_skip_L1D 1 -gpgpu_n_clusters 2) stop the reference, too.
COPIES_PAST_L1 = "gmem_skip_l1=true"


def trapped(case):
    conf = (root / "configs" / f"{case.config}.conf").read_text(encoding="utf-8")
    if "-cpa-" in case.trace and any(COPIES_PAST_L1 in v for v in case.values):
        return True
    queue = re.search(r"separate_write_queue *= *true", conf) or any("separate_write_queue=true" in v for v in case.values)
    return queue and any(p in v for p in PASSED_ON for v in case.values)


class Case:
    """A machine, a trace and values."""

    def __init__(self, config, trace, values=(), args=()):
        self.config, self.trace, self.values, self.args = config, trace, list(values), list(args)
        listing = traces / trace / "kernel.sass.xz"  # packed, so it has to be named
        self.listing = ["--sass", str(listing)] if trace and listing.exists() else []
        # Longer than an eighth of the hang limit of 50,000 cycles: several one after the other may look like a hang.
        self.slow = any(int(n) > 6000 for v in self.values if "latency" in v or ".dram." in v for n in re.findall(r"[0-9]+", v.split("=")[1]))

    def command(self, verb="run"):
        line = [tool, verb, "-c", self.config]
        if self.config != "minimal":  # which has one
            line += SMALL
        line += self.args + (self.listing if verb == "run" else [])
        for v in self.values:
            line += ["-s", v]
        return line

    def text(self):
        return shlex.join(self.command() + [str(traces / self.trace)]).replace(tool, "warpwright").replace(f"{root}/", "")


def launch(line):
    """Status (None: it took too long), stdout, stderr. Its own processor time counts, so that other work on the machine does not."""
    try:
        done = subprocess.run(["prlimit", f"--cpu={SECONDS}", *line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=20 * SECONDS)
    except subprocess.TimeoutExpired:
        return None, "", ""
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, "", ""
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def results(path):
    """The results without what says how they were made."""
    try:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
    except (OSError, ValueError):
        return None
    for key in ("command", "command_line", "host"):
        data.pop(key, None)
    return data


def first_difference(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{path}.{key}")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{path}[{i}]")
    return f"{path}: {str(a)[:60]} asleep, {str(b)[:60]} awake"


def judge(case, status, err, traps=True):
    """What is wrong with the end of one run: (class, text) or None; and whether there are results to compare."""
    mine = [line for line in err.splitlines() if re.match(r"warpwright: (?!note:|.*warning:)", line)]
    if status is None:
        return ("time", f"more than {SECONDS} s of processor time"), False
    if status < 0 or "runtime error" in err or "Sanitizer" in err or "signal" in err or "failed with signal" in err:
        what = next((line for line in err.splitlines() if "runtime error" in line or "ERROR:" in line or "internal" in line), err.strip()[-300:])
        return ("crash", f"status {status}: {what}"), False
    if status == 0:
        return None, True
    if status == 1:
        if "--max-cycles" in err:
            return None, True
        if ("stuck in cycle" in err and case.slow) or (traps and trapped(case)):
            return None, False
        return ("hang", err.strip()[:400]), False
    if status != 2:
        return ("message", f"status {status}: {err.strip()[:300]}"), False
    if len(mine) != 1 or "internal" in err or "assert" in err:
        return ("message" if "assert" not in err else "crash", f"{len(mine)} lines: {err.strip()[:300]}"), False
    start, _, _ = launch(case.command("inspect") + ["--order"])
    if start == 0 and not OF_THE_TRACE.search(err):
        return ("late", err.strip()[:400]), False
    return None, False


def examine(case, traps=True):
    """Both runs of a case: (class, text) or None."""
    with tempfile.TemporaryDirectory() as folder:
        line = case.command() + [f"--max-cycles={CYCLES}", "--fingerprint", "--report=none", str(traces / case.trace)]
        status, _, err = launch(line + ["-o", f"{folder}/asleep.json"])
        found, more = judge(case, status, err, traps)
        if found or not more:
            return found
        other, _, err = launch(line + ["-o", f"{folder}/awake.json", "--no-sleep"])
        found, more = judge(case, other, err, traps)
        if found:
            return found[0], f"awake: {found[1]}"
        a, b = results(f"{folder}/asleep.json"), results(f"{folder}/awake.json")
        if a is None or b is None:
            return "message", "no results were written"
        return None if a == b else ("differs", first_difference(a, b))


# ---- values --------------------------------------------------------------------------------------------------------


def inspected(config, extra=()):
    status, out, err = launch(Case(config, "", args=extra).command("inspect") + ["--json"])
    if status != 0:
        sys.exit(f"settings.py: {config}: {err.strip()}")
    return json.loads(out)


def families():
    """Type -> the other types of its family, which may stand in its place."""
    status, out, err = launch([tool, "inspect", "--json"])
    if status != 0:
        sys.exit(f"settings.py: {err.strip()}")
    by_family = {}
    for t in json.loads(out):
        by_family.setdefault(t["family"], []).append(t["name"])
    return {name: names for names in by_family.values() for name in names}


def numbers(text):
    m = re.match(r"^-?[0-9.]+(e[+-]?[0-9]+)?", text)
    scale = {"GHz": 1e9, "MHz": 1e6, "kHz": 1e3, "Hz": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    unit = text[m.end():].strip() if m else ""
    return float(m.group()) * scale.get(unit, 1) if m else 0.0


def whole_values(setting):
    low = int(setting.get("min", 0))
    high = int(setting.get("max", 2**64 - 1 if setting["kind"] == "u64" else 2**32 - 1))
    now = int(numbers(setting["value"]))
    near = {low, low + 1, low + 2, low + 3, high, high - 1, now - 1, now + 1, now // 2, now * 2, now * 4, now // 4, (low + high) // 2}
    near |= {2**k for k in (3, 5, 6, 8, 10, 16)} | {3, 7, 27}
    return sorted(v for v in near if low <= v <= high and v != now)


def other_values(setting, kin):
    """Values that the parameter takes and does not have."""
    kind, now = setting["kind"], setting["value"]
    if setting["path"].endswith(("].clusters", "gpu.clusters")):
        return []  # the machine stays small
    if kind == "bool":
        return ["false" if now == "true" else "true"]
    if kind == "choice":
        return [c for c in setting["choices"] if c != now]
    if kind in ("uint", "u64"):
        return [str(v) for v in whole_values(setting)]
    if kind == "real":
        v = numbers(now)
        return [repr(x) for x in (v / 2, v * 2, v * 1.01, v / 3) if setting.get("min", 0) <= x <= setting.get("max", 1e12)]
    if kind == "list":
        v = [int(x) for x in re.findall(r"[0-9]+", now)]
        least, most = int(setting.get("min", 0)), int(setting.get("max", 2**32 - 1))
        lists = [[], [least], [most], v[:-1], v + v[-1:], [min(2 * x, most) for x in v], [max(x // 2, least) for x in v], v[::-1]]
        return ["[" + ", ".join(map(str, x)) + "]" for i, x in enumerate(lists) if x != v and x not in lists[:i]]
    plain = now.strip('"')
    if plain in kin:
        return [t for t in kin[plain] if t != plain]
    return ['""', f'"{plain[:len(plain) // 2]}"', f'"{plain}{plain}"']


def all_values(config, kin):
    return [f"{s['path']}={v}" for s in inspected(config)["settings"] for v in other_values(s, kin)]


# ---- option files --------------------------------------------------------------------------------------------------


def importer_options():
    """Name and built-in default of every option that the importer models."""
    text = (root / "compat/src/options.c").read_text(encoding="utf-8")
    return re.findall(r'\{\s*"(-[a-zA-Z0-9_:]+)",\s*"([^"]*)"', text)


def option_values(default):
    """Texts of the same form: each number at others."""
    found = list(re.finditer(r"[0-9]+", default))
    values = []
    for m in found:
        v = int(m.group())
        for other in sorted({0, 1, 2, 3, v + 1, max(v - 1, 0), v // 2, v * 2, 8, 64, 1000} - {v}):
            values.append(default[:m.start()] + str(other) + default[m.end():])
    for m in re.finditer(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", default):  # letters of a cache's policies
        values += [default[:m.start()] + c + default[m.end():] for c in "NSRBTELFDAWXPCI" if c != m.group()]
    return values


# ---- modules -------------------------------------------------------------------------------------------------------

MODULES = {
    "ccws": ["sm.scheduler=scheduler.ccws"],
    "criticality": ["sm.scheduler=scheduler.criticality"],
    "random": ["sm.scheduler=scheduler.random"],
}


def build_modules(folder):
    """The example schedulers as shared objects."""
    made = {}
    flags = subprocess.run(["pkg-config", "--cflags", "glib-2.0"], capture_output=True, text=True, check=True).stdout.split()
    for name in MODULES:
        sources = [str(p) for p in (root / "modules" / name).glob("*.c") if not p.name.startswith("test_")]
        out = f"{folder}/{name}.so"
        line = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-std=gnu11", "-I", str(root / "kernel/include"), "-I",
                str(root / "ports/include"), *flags, *sources, "-o", out]
        if subprocess.run(line, capture_output=True, check=False).returncode == 0:
            made[name] = out
    return made


# ---- what is run ---------------------------------------------------------------------------------------------------


def trace_of(i):
    return TRACES[i % len(TRACES)]


def single_cases(configs, only):
    kin = families()
    for config in configs:
        values = [v for v in all_values(config, kin) if only in v]
        for i, v in enumerate(values):
            yield Case(config, trace_of(i), [v])


def random_cases(configs, seed, runs, modules):
    kin = families()
    of = {c: all_values(c, kin) for c in configs}
    by_path = {c: sorted({v.split("=")[0] for v in of[c]}) for c in configs}
    values = {c: {} for c in configs}
    for c in configs:
        for v in of[c]:
            values[c].setdefault(v.split("=")[0], []).append(v)
    for i in range(runs):
        r = random.Random(f"{seed}/{i}")
        config = r.choice(configs)
        some = [r.choice(values[config][p]) for p in r.sample(by_path[config], r.randint(1, 12))]
        args = []
        if modules and r.random() < .2:
            name = r.choice(sorted(modules))
            args = ["-m", modules[name]]
            some += MODULES[name]
        if r.random() < .1:
            args += ["--sms", str(r.randint(1, 2))]
        yield Case(config, trace_of(r.randrange(100)), some, args)


def option_cases(configs, only, folder):
    for config in configs:
        for k, (name, default) in enumerate(importer_options()):
            if only not in name:
                continue
            for i, v in enumerate(option_values(default)):
                path = f"{folder}/{config}-{k}-{i}.config"
                pathlib.Path(path).write_text(f"{name} {v}\n", encoding="utf-8")
                yield Case(config, trace_of(i), [], ["--gpgpusim", path])


def latency_cases(configs, seed):
    """Every channel alone at 1 and 3, and some settings of all of them drawn."""
    for config in configs:
        paths = [s["path"] for s in inspected(config)["settings"] if s["owner"] == "fifo" and s["path"].endswith(".latency")]
        i = 0
        for p in paths:
            for n in (1, 3):
                yield Case(config, trace_of(i), [f"{p}={n}"])
                i += 1
            yield Case(config, trace_of(i), [f"{p}={i % 3 + 1}", p[:-len("latency")] + f"depth={1 + i % 4}"])
        for k in range(8):
            r = random.Random(f"{seed}/{config}/{k}")
            yield Case(config, trace_of(k), [f"{p}={r.randint(0, 3)}" for p in paths])


def part_of(cases, text):
    i, n = map(int, text.split("/")) if text else (0, 1)
    return itertools.islice(cases, i, None, n)


def report(cases, jobs):
    """Runs the cases and prints what they show: how many, and how many findings."""
    n = found = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        queue = iter(cases)
        waiting = {}
        while True:
            for case in itertools.islice(queue, 2 * jobs - len(waiting)):
                waiting[pool.submit(examine, case)] = case
            if not waiting:
                return n, found
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                case, result = waiting.pop(future), future.result()
                n += 1
                if result is not None:
                    found += 1
                    print(f"{result[0]}: {case.text()}\n    {result[1]}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=["single", "random", "options", "latency", "run"])
    p.add_argument("rest", nargs="*")
    p.add_argument("-c", dest="configs", action="append")
    p.add_argument("--only", default="")
    p.add_argument("--part", default="")
    p.add_argument("--seed", default="1")
    p.add_argument("--runs", type=int, default=1000)
    p.add_argument("-j", dest="jobs", type=int, default=1)
    a = p.parse_intermixed_args()
    configs = a.configs or CONFIGS
    with tempfile.TemporaryDirectory() as folder:
        if a.mode == "single":
            cases = single_cases(configs, a.only)
        elif a.mode == "random":
            cases = random_cases(configs, a.seed, a.runs, build_modules(folder))
        elif a.mode == "options":
            cases = option_cases(configs, a.only, folder)
        elif a.mode == "latency":
            cases = latency_cases(configs, a.seed)
        else:
            cases = [Case(a.rest[0], a.rest[1], a.rest[2:])]
        n, found = report(part_of(cases, a.part), a.jobs)
    print(f"{n} cases, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
