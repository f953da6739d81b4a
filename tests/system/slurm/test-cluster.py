#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
A sweep on Slurm itself: docs/experiments.md as it stands there, with a node that is lost in the middle; then what is refused and what fails. Skipped unless
WW_TEST_FULL is set, this is root, and Slurm and gnuplot are there.
"""
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

sys.dont_write_bytecode = True
import cluster

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
RUNS, MOST_COMMANDS = 48, 6
failures = []


def skip(why):
    print(f"{why}: skipped")
    sys.exit(77)


if "WW_TEST_FULL" not in os.environ:
    skip("only with ./dev test --full")
if cluster.lacks():
    skip(cluster.lacks())
if shutil.which("gnuplot") is None:
    skip("no gnuplot (package gnuplot-nox)")


def check(good, what, *more):
    if not good:
        failures.append(what)
        print("FAILED:", what, *more)


def rows(db, what="number, key, axes, fingerprint, cycles", where="state = 'done'"):
    with sqlite3.connect(f"file:{os.path.join(work, db)}?mode=ro", uri=True, timeout=20) as c:
        return c.execute(f"SELECT {what} FROM runs WHERE {where} ORDER BY number").fetchall()


def done_in(db):
    try:
        return len(rows(db, "key"))
    except sqlite3.OperationalError:
        return 0  # not there yet


def sweep(*words, status=0):
    p = subprocess.run([COMMAND, "sweep", *words], cwd=work, env=env, capture_output=True, text=True, timeout=300)
    check(p.returncode == status, f"sweep {' '.join(words)}: status {p.returncode}, not {status}", p.stdout, p.stderr)
    return p.stdout + p.stderr


def stop_in_the_middle(node):
    """A task of that node, stopped after some of its runs and before the last: its process, and its part of the database."""
    end = time.time() + 120
    while time.time() < end:
        for pid in slurm.tasks(node):
            words = cluster.words_of(pid)
            if "--tasks" not in words:
                continue
            part, numbers = words[words.index("--db") + 1], words[words.index("--tasks") + 1]
            n = sum(int(last or first) - int(first) + 1 for first, _, last in (r.partition("-") for r in numbers.split(",")))
            if done_in(part) < 1:
                continue
            os.kill(pid, signal.SIGSTOP)
            if done_in(part) < n:
                return pid, part
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.02)
    raise SystemExit("FAILED: no task was seen in the middle\n" + slurm.logs())


def with_a_node_lost(command):
    """Runs a command; a node goes while it does."""
    p = subprocess.Popen(["bash", "-c", "exec " + command], cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    pid, part = stop_in_the_middle("n1")
    before = rows(part, "key, start, seconds, cycles")
    check(re.search(r"\d+ tasks? runs? on n1", sweep("docs/examples/paper.sweep", "--status")), "--status says where tasks run")
    slurm.lose("n1")
    check(slurm.gone(pid), "the node is lost")
    said = p.communicate(timeout=600)[0]
    check(p.returncode == 0, command, said)
    check("down" in slurm.call("sinfo", "--noheader", "--nodes=n1", "--format=%t"), "Slurm has seen that")
    after = rows("paper.db", "key, start, seconds, cycles")
    check(before and set(before) <= set(after), "what the lost node had done is not run again", len(before))
    return said


def experiment():
    """The page's commands."""
    with open(os.path.join(ROOT, "docs/experiments.md"), encoding="utf-8") as f:
        page = f.read()
    commands = re.search(r"```sh experiment slurm\n(.*?)```", page, re.S).group(1).strip().split("\n")
    check(len(commands) <= MOST_COMMANDS, f"at most {MOST_COMMANDS} commands", commands)
    lost = 0
    for command in commands:
        words = command.split("#")[0].strip()
        if "a node is lost" in command:
            lost += 1
            with_a_node_lost(words)
            continue
        r = subprocess.run(["bash", "-c", words], cwd=work, env=env, capture_output=True, text=True, timeout=600)
        check(r.returncode == 0, words, r.stdout, r.stderr)
    check(lost == 1, "a node was lost")
    sweep("docs/examples/paper.sweep", "--db", "local.db", "--progress", "none")
    check(len(rows("paper.db")) == RUNS and rows("paper.db") == rows("local.db"), "the same results as without Slurm", len(rows("paper.db")))
    check(len(rows("paper.db", where="1")) == RUNS, "and nothing else")
    check(not os.path.exists(os.path.join(work, "paper.db.slurm")), "nothing else is left")
    with open(os.path.join(work, "speedup.md"), encoding="utf-8") as f:
        text = f.read()
    check(text in page, "the page has this table", text)
    with open(os.path.join(work, "speedup.svg"), encoding="utf-8") as f:
        svg = f.read()
    xml.dom.minidom.parseString(svg)
    check(all(word in svg for word in ("sgemm", "vecadd", "gto", "oldest")), "the figure names traces and schedulers")


def refusals():
    """What a real sbatch refuses; and a task that Slurm ends."""
    with open(os.path.join(work, "one.sweep"), "w", encoding="utf-8") as out:
        out.write("config qv100\nslurm --partition=short\naxis trace: tests/traces/vecadd-sm70, tests/traces/hotspot-sm70\n")
    text = sweep("one.sweep", "--on", "slurm", "--slurm-option", "--partition=none", status=2)
    check("warpwright: sbatch refuses: " in text and "partition" in text and not os.path.exists(os.path.join(work, "one.db.slurm")), "a refusal", text)
    slurm.call("scontrol", "update", "nodename=n2", "state=drain", "reason=test")
    sweep("one.sweep", "--on", "slurm", "--slurm-tasks", "2")
    text = sweep("one.sweep", "--on", "slurm", status=2)
    number = re.search(r"Slurm has this sweep still \(job (\d+): 2 wait", text)
    check(number, "it is not submitted twice", text)
    job = number.group(1) if number else "0"
    slurm.call("scontrol", "update", f"jobid={job}", "arraytaskthrottle=1")
    check("ArrayTaskThrottle=1" in slurm.call("scontrol", "show", "job", job), "one task at once")
    slurm.call("scancel", job)
    slurm.call("scontrol", "update", "nodename=n2", "state=resume")
    end = time.time() + 120
    while os.path.exists(os.path.join(work, "one.db.slurm/runs")) and time.time() < end:
        time.sleep(0.2)
    with open(os.path.join(work, "one.db.slurm/collect.log"), encoding="utf-8") as f:
        text = f.read()
    check("0 of 2 runs are done, 0 failed; in one.db" in text and "2 runs of the job are left, of tasks 1, 2:" in text, "what scancel leaves is told", text)
    text = sweep("one.sweep", "--on", "slurm", "--wait", "--progress", "none")
    check("one: 2 of 2 runs done; in one.db" in text and len(rows("one.db")) == 2, "and done by the same command", text)


work = tempfile.mkdtemp(prefix="slurm-experiment-")
place = tempfile.mkdtemp(prefix="slurm-")
slurm = None
try:
    slurm = cluster.Cluster(place)
    env = dict(slurm.env, XDG_CACHE_HOME=os.path.join(work, "cache"))
    env["PATH"] = os.path.dirname(COMMAND) + os.pathsep + env["PATH"]
    for name in ("docs", "samples", "tests"):
        os.symlink(os.path.join(ROOT, name), os.path.join(work, name))
    experiment()
    refusals()
    if failures:
        print(slurm.logs())
finally:
    if slurm is not None:
        slurm.end()
        check(all(slurm.gone(pid) for pid in slurm.tasks()), "no process of a job is left")
    shutil.rmtree(place)
    shutil.rmtree(work)
sys.exit(1 if failures else 0)
