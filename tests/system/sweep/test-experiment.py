#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/experiments.md as it stands there: its commands, two of them killed in the middle, and the figure and the table that come of it."""
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
TRACES, CONFIGS, SCHEDULERS = 8, 2, 3
failures = []

with open(os.path.join(os.environ["WW_BUILD_DIR"], "CMakeCache.txt"), encoding="utf-8") as f:
    if re.search(r"^WW_SANITIZE:\w+=(?!OFF|$)", f.read(), re.M):
        sys.exit(77)  # test-sweep.py looks for what a sanitizer finds; this one would take minutes
if shutil.which("gnuplot") is None:
    sys.exit(77)


def check(good, what, *more):
    if not good:
        failures.append(what)
        print("FAILED:", what, *more)


with open(os.path.join(ROOT, "docs/experiments.md"), encoding="utf-8") as f:
    page = f.read()
commands = re.search(r"```sh experiment\n(.*?)```", page, re.S).group(1).strip().split("\n")
work = tempfile.mkdtemp(prefix="experiment-")
for name in ("docs", "samples", "tests"):
    os.symlink(os.path.join(ROOT, name), os.path.join(work, name))
env = dict(os.environ, PATH=os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"],
           XDG_CACHE_HOME=os.path.join(work, "cache"))


def rows(what):
    with sqlite3.connect(f"file:{os.path.join(work, 'paper.db')}?mode=ro", uri=True, timeout=20) as c:
        return c.execute(f"SELECT {what} FROM runs WHERE state = 'done' ORDER BY number").fetchall()


def done():
    try:
        return len(rows("key"))
    except sqlite3.OperationalError:
        return 0


def kill_after(command, n):
    """Runs a command until the database has n runs, then kills it and all that it has begun."""
    p = subprocess.Popen(["bash", "-c", "exec " + command], cwd=work, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.time() + 200
    while done() < n and p.poll() is None and time.time() < end:
        time.sleep(0.02)
    check(p.poll() is None, f"killed in the middle ({done()} done)", command)
    p.send_signal(signal.SIGKILL)
    p.wait()
    return rows("key, start, seconds, cycles")


check(len(commands) <= 6, "at most six commands", commands)
before, kills = [], 0
for command in commands:
    words = command.split("#")[0].strip()
    if "kill -9" in command:
        kills += 1
        now = kill_after(words, 7 if kills == 1 else 19)
        check(set(before) <= set(now), "what was done stays")
        before = now
        continue
    r = subprocess.run(["bash", "-c", words], cwd=work, env=env, capture_output=True, text=True, timeout=500)
    check(r.returncode == 0, words, r.stdout, r.stderr)
check(kills == 2, "killed twice")
now = rows("key, start, seconds, cycles")
check(len(now) == TRACES * CONFIGS * SCHEDULERS, "all runs are done", len(now))
check(set(before) <= set(now), "nothing was run twice")

# the figures themselves: speed-ups over lrr, one row a trace and their geometric mean
cycles = {(t, c, s): n for t, c, s, n in rows("axes->>'trace', axes->>'config', axes->>'scheduler', cycles")}
with open(os.path.join(work, "speedup.md"), encoding="utf-8") as f:
    text = f.read()
    check(text in page, "the page has this table", text)
    table = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines()]
head = table[0]
body = {row[0]: dict(zip(head[1:], row[1:])) for row in table[2:]}
where = re.search(r"--where config=(\w+)", "\n".join(commands))
for trace in {t for t, _, _ in cycles}:
    for scheduler in ("gto", "oldest"):
        ratio = cycles[trace, where.group(1), "lrr"] / cycles[trace, where.group(1), scheduler]
        said = body.get(trace, {}).get(scheduler, "")
        check(said and abs(float(said) - ratio) < 0.006, f"{trace} {scheduler}: {ratio}", said, table)
check(len(body) == TRACES + 1, "a row a trace, and their mean", table)
svg = xml.dom.minidom.parse(os.path.join(work, "speedup.svg"))
text = " ".join(n.firstChild.data for n in svg.getElementsByTagName("text") if n.firstChild is not None and n.firstChild.nodeType == 3)
with open(os.path.join(work, "speedup.svg"), encoding="utf-8") as f:
    whole = f.read()
check(all(word in whole for word in ("sgemm", "vecadd", "gto", "oldest")), "the figure names traces and schedulers", text[:500])
if not failures:
    shutil.rmtree(work)
sys.exit(1 if failures else 0)
