#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpwright sweep`: what is run, what is not run again, and what is left after kill -9, Ctrl-C, limits and failures. docs/sweeps.md."""
import json
import lzma
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
BUILD = os.path.basename(os.environ.get("WW_BUILD_DIR", ""))
SANITIZED = BUILD in ("asan", "tsan")
TRACES = os.path.join(ROOT, "tests/traces")
HANGS = 600  # seconds after which something does not come to an end, on a host with much to do, too
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from terminal import run_on_terminal
failures = []
work = tempfile.mkdtemp(prefix="sweep-")
MODULES = os.path.join(os.environ["G_TEST_BUILDDIR"], "modules")
GATE = os.path.join(work, "gate")
env = dict(os.environ, XDG_CACHE_HOME=os.path.join(work, "cache"), WW_TEST_GATE=GATE)
for word in ("NO_COLOR", "COLUMNS", "WARPWRIGHT_PATH"):
    env.pop(word, None)


def check(good, what, *more):
    if not good:
        failures.append(what)
        print("FAILED:", what, *more)


def put(name, text):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def start(*words, **more):
    return subprocess.Popen([COMMAND, "sweep", *words], cwd=work, env=env, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def sweep(*words, status=0):
    p = start(*words)
    out, err = p.communicate(timeout=HANGS)
    check(p.returncode == status, f"sweep {' '.join(words)}: status {p.returncode}, not {status}", out, err)
    return out + err


def tool(*words):
    p = subprocess.run([COMMAND, *words], cwd=work, env=env, capture_output=True, text=True, timeout=HANGS)
    check(p.returncode == 0, f"{' '.join(words)}: status {p.returncode}", p.stdout, p.stderr)
    return p.stdout + p.stderr


def rows(db, what="number, state, start, seconds, error", where="1"):
    with sqlite3.connect(f"file:{os.path.join(work, db)}?mode=ro", uri=True, timeout=20) as c:
        return c.execute(f"SELECT {what} FROM runs WHERE {where} ORDER BY number").fetchall()


def count(db, state):
    try:
        return len(rows(db, where=f"state = '{state}'"))
    except sqlite3.OperationalError:
        return 0  # not there yet


def done(db):
    return count(db, "done")


def wait_for(what):
    end = time.time() + HANGS
    while not what():
        if time.time() > end:
            raise SystemExit("FAILED: nothing came of waiting")
        time.sleep(0.02)


def alive():
    """Runs that this test's sweeps began and that are there still; those of another copy of the test are in another folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
            folder = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            continue
        if folder == os.path.realpath(work) and b"run" in words:
            if b"--threads" not in words:  # else each would take all processors
                raise SystemExit(f"FAILED: a run of a sweep chooses its threads: {words}")
            found.append(int(pid))
    return found


def copy_traces(folder, *names):
    for name in names:
        shutil.copytree(os.path.join(TRACES, name), os.path.join(work, folder, name))


# ---- kill -9, twice: nothing is lost, nothing is run twice -------------------------------------------------------------

copy_traces("t", "micro-exit", "micro-bar")
copy_traces("k", "hotspot-sm70", "vecadd-sm70")
put("kill.sweep", f"config qv100\nmodule {MODULES}/gate.so\naxis trace: k/*\n"
    "axis latency of kernels.launch_latency: " + ", ".join(str(n) for n in range(1, 13)) + "\n")


def gate(tickets=None):
    """So many runs of kill.sweep may begin from now on; without a number all. It does not matter then how fast they are."""
    shutil.rmtree(GATE, ignore_errors=True)
    os.makedirs(GATE)
    for name in ["open"] if tickets is None else [f"ticket-{i}" for i in range(tickets)]:
        open(os.path.join(GATE, name), "w").close()


before = {}
for until in (4, 11):
    gate(until + 1 - len(before))  # one more than are waited for: it may be killed at any moment
    p = start("kill.sweep", "-j", "2", "--progress", "none")
    wait_for(lambda: (alive() and done("kill.db") >= until) or p.poll() is not None)
    check(p.poll() is None, "the sweep was over before it could be killed", p.communicate() if p.poll() is not None else "")
    p.kill()
    p.communicate()
    wait_for(lambda: not alive())
    now = {number: more for number, *more in rows("kill.db", where="state = 'done'")}
    check(len(now) >= until, "what was done is there", now)
    check(all(now.get(n) == more for n, more in before.items()), "what was done stays as it was", before, now)
    before = now
gate()
text = sweep("kill.sweep", "--progress", "none")
now = {number: more for number, *more in rows("kill.db")}
check(len(now) == 24 and all(state == "done" for state, *_ in now.values()), "all is done at last", now)
check(all(now[n] == more for n, more in before.items()), "nothing was run twice")
check(f"24 of 24 runs done; {24 - len(before)} run here" in text, "only the rest was run", text)
check("0 run here" in sweep("kill.sweep"), "a sweep that is done does nothing")
check(rows("kill.db", "sum(cycles) > 0, count(*)") == [(1, 24)], "cycles are there")
check(not os.path.exists(os.path.join(work, "kill.db.lock")), "no lock is left")

# ---- Ctrl-C ------------------------------------------------------------------------------------------------------------

gate(3)
p = start("kill.sweep", "--db", "int.db", "-j", "2", "--progress", "plain")
wait_for(lambda: done("int.db") >= 2)
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=HANGS)
left = re.search(r"interrupted: (\d+) runs? (?:is|are) left", err)
check(p.returncode == 1 and left is not None, "Ctrl-C ends it with 1 and a word", p.returncode, out, err)
check(not alive(), "Ctrl-C leaves no process")
check(left and done("int.db") + int(left.group(1)) == 24, "what is left is what is not done", left, done("int.db"))
check(rows("int.db", where="state != 'done'") == [], "what ran is not in the database", rows("int.db"))

# ---- what is left, while the first runs already take longer than expected ----------------------------------------------

gate(0)
p = start("kill.sweep", "--db", "slow.db", "-j", "2", "--progress", "plain")
line = next((said for said in p.stderr if "runs done" in said), "")  # after 5 s, in which nothing came to its end
p.terminate()
p.communicate(timeout=HANGS)
left = re.search(r"0 of 24 runs done, 2 running, about (\d+) (s|min) left$", line)
check(left and int(left.group(1)) * {"s": 1, "min": 60}[left.group(2)] >= 30, "the rest is expected to take as long", line)
gate()

# From the moment in which it has told its plan it says how far it came, whenever the signal comes; before, it has done nothing.
put("short.sweep", "config minimal\naxis trace: t/micro-*\naxis l of memory.latency: 20, 30, 40\n")
p = start("short.sweep", "--db", "plan.db", "--progress", "none")
told = p.stdout.readline()
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=HANGS)
check(told == "short: 6 runs (2 trace x 3 l)\n" and re.search(r"^short: \d of 6 runs done", out, re.M), "the summary behind the plan", told, out, err)
check(p.returncode == (1 if "interrupted: " in err else 0), "and its status", p.returncode, out, err)
ends = set()
for tenth in range(60):
    if tenth >= 12 and ends & {0, 1}:
        break  # later ones are for a host that is slow to begin, however slow
    p = start("short.sweep", "--db", f"at-{tenth}.db", "--progress", "none")
    time.sleep(0.02 * tenth if tenth < 12 else 0.02 * 1.2 ** tenth)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=HANGS)
    summary = re.search(r"^short: (\d) of 6 runs done", out, re.M)
    ends.add(p.returncode)
    if p.returncode in (0, 1):
        n = done(f"at-{tenth}.db")
        check(summary and int(summary[1]) == n and (n == 6) == (p.returncode == 0), "status and summary", tenth, p.returncode, out, err)
        check(("interrupted: " in err) == (p.returncode == 1), "what is left is told", tenth, p.returncode, err)
    else:  # -2: before there is a handler
        check(p.returncode in (130, -2) and out == "" and not os.path.exists(os.path.join(work, f"at-{tenth}.db")), "nothing was begun", tenth, p.returncode,
              out, err)
check(ends & {0, 1} and ends <= {0, 1, 130, -2}, "some had begun", ends)

# ---- inputs that change ------------------------------------------------------------------------------------------------

put("m.conf", "platform minimal\nmemory.latency = 77\n")
put("in.sweep", "config m.conf\naxis trace: t/micro-exit, t/micro-bar\naxis l of memory.latency: a = 20, b = 30\n")
check("4 of 4 runs done; 4 run here" in sweep("in.sweep"), "four runs")
put("in.sweep", "# the same\nconfig m.conf\naxis trace: t/micro-*\naxis other of memory.latency: c = 20, b = 30\n")
check("4 of 4 runs done; 0 run here" in sweep("in.sweep"), "other words for the same runs")
check(rows("in.db", "axes") == [('{"trace":"%s","other":"%s"}' % (t, v),) for t in ("micro-bar", "micro-exit") for v in "cb"],
      "are called so in the database", rows("in.db", "axes"))
with open(os.path.join(work, "t/micro-bar/kernelslist.g"), "a", encoding="utf-8") as out:
    out.write("\n")
check("4 of 4 runs done; 2 run here" in sweep("in.sweep"), "another trace runs again")
os.utime(os.path.join(work, "t/micro-bar/kernelslist.g"))
check("4 of 4 runs done; 0 run here" in sweep("in.sweep"), "another time is not another trace")
put("m.conf", "platform minimal\nmemory.latency = 78\n")
check("4 of 4 runs done; 4 run here" in sweep("in.sweep"), "another config runs all again")
check(len(rows("in.db")) == 4, "and takes the place of what was there", rows("in.db"))

# ---- failures, limits --------------------------------------------------------------------------------------------------

copy_traces("f", "micro-dadd-sm86", "micro-exit", "sgemm-sm70")
put("fail.sweep", "axis case {\n good { trace f/micro-exit; config minimal }\n bad { trace f/micro-dadd-sm86; config minimal }\n"
    " cut { trace f/micro-exit; config qv100; max-cycles 20 }\n}\n")
text = sweep("fail.sweep", status=1)
check("2 of 3 runs done, 1 failed" in text and "failed: run 2 (case=bad): f/" in text and "needs unit DP" in text,
      "a failure is told", text)
states = rows("fail.db", "state, error, exit_status, status")
check([s[0] for s in states] == ["done", "failed", "done"] and "needs unit DP" in states[1][1] and states[1][2] == 2 and
      states[2][3] == "limit", "and is in the database", states)
check("1 failed; 0 run here" in sweep("fail.sweep", status=1), "a failure is not run again")
check("1 failed; 1 run here" in sweep("fail.sweep", "--retry", status=1), "unless it is asked for")
text = sweep("fail.sweep", "--status", status=1)
check(re.search(r"failed\n  2  case=bad: .*needs unit DP", text), "--status says why", text)
text = sweep("--status", "--db", "fail.db", status=1)
check(re.match(r"fail: 2 runs done in .*, 1 failed\nfailed\n  fail 2  case=bad: .*needs unit DP", text), "--status of a database", text)
# A damaged database is told before the first run, not as what is wrong with runs.
shutil.copy(os.path.join(work, "fail.db"), os.path.join(work, "damaged.db"))
with sqlite3.connect(os.path.join(work, "damaged.db")) as c:
    c.execute("DELETE FROM name WHERE id = 7")
before = rows("damaged.db", "key, state")
put("damaged.sweep", "config qv100\naxis trace: f/micro-exit\ngpu.clusters = 2\n")
text = sweep("damaged.sweep", "--progress=none", status=2)
check(text.count("warpwright: ") == 1 and "'damaged.db' is damaged (its names " in text and "module" not in text, "a damaged database is told", text)
check(rows("damaged.db", "key, state") == before, "and no run of it has failed", rows("damaged.db", "key, state"))
# Limits are looked at every tenth of a second: what one is to stop runs for seconds.
put("f/sgemm-sm70/long.g", "kernel-1.traceg.xz\n" * 200)
put("slow.sweep", "config qv100\ntrace f/sgemm-sm70/long.g\ntime-limit 0.05 s\nset 0\n")
text = sweep("slow.sweep", status=2)
put("slow.sweep", "config qv100\ntrace f/sgemm-sm70/long.g\ntime-limit 0.05 s\n")
check("stopped after 0.1 s (time-limit)" in sweep("slow.sweep", status=1), "a time limit ends a run")
gate(0)
p = start("kill.sweep", "--db", "mark.db", "--jobs", "1", "--progress", "none")
wait_for(lambda: alive() and count("mark.db", "running") == 1)  # a run is in the database while it runs
p.terminate()
p.communicate(timeout=HANGS)
gate()
check(count("mark.db", "running") == 0, "and not when it was ended", rows("mark.db"))
put("stopped.sweep", "config qv100\ntrace f/sgemm-sm70/long.g\n")
text = sweep("stopped.sweep", "--memory-limit", "4 MiB", status=1)
check(re.search(r"stopped at \d+ MiB of memory \(memory-limit\)", text), "a limit of memory ends a run", text)
text = sweep("stopped.sweep", "--retry", "--memory", "5 MiB", status=1)
check(re.search(r"stopped at \d+ MiB of memory \(--memory\)", text), "so does the limit of all", text)
put("large.sweep", "config qv100\ntrace f/sgemm-sm70\n")
sweep("large.sweep")
put("large.sweep", "config qv100\ntrace f/sgemm-sm70\nmax-ctas 3\n")
text = sweep("large.sweep", "--memory", "5 MiB", status=1)
check("needs about" in text and "0 run here" in text, "what needed more before is not begun", text)
check("1 of 1 run done; 1 run here" in sweep("large.sweep", "--retry"), "where there is room it runs")
check(rows("large.db", "memory > 5e6, processor_seconds > 0") == [(1, 1)], "and what it needed is known", rows("large.db", "memory"))

# ---- parts, plans, options ---------------------------------------------------------------------------------------------

sweep("in.sweep", "--tasks", "2-3", "--db", "part.db")
check([r[0] for r in rows("part.db")] == [2, 3], "a part of the plan", rows("part.db"))
check(rows("part.db", "key") == rows("in.db", "key", "number IN (2, 3)"), "has the keys of the whole")
text = sweep("in.sweep", "--list")
check([line.split("\t")[0::2] for line in text.splitlines()] == [[str(n), "done"] for n in (1, 2, 3, 4)], "--list", text)
text = sweep("in.sweep", "--list", "--tasks", "1,3-4")
check([line.split("\t")[0::2] for line in text.splitlines()] == [[str(n), "done"] for n in (1, 3, 4)], "--list of a part with a gap", text)
some = 0
for n in range(4, 20):
    p = start("in.sweep", "--db", f"few{n}.db", "--jobs", "2", "--progress", "none",
              preexec_fn=lambda n=n: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
    out, err = p.communicate(timeout=HANGS)
    good = p.returncode == (0 if "4 of 4 runs done" in out + err else 1 if " failed; " in out + err else 2)
    check(p.returncode == 127 or (good and "[err]" not in err), f"with {n} file descriptors", p.returncode, out, err)
    some += p.returncode == 0
    if p.returncode == 1:
        left = set(rows(f"few{n}.db", "exit_status, error", "state = 'failed'"))
        check(left and all((code == 127) == error.startswith("cannot start a process: ") for code, error in left), f"why runs failed with {n} file descriptors", left)
check(some, "with few file descriptors")
text = sweep("in.sweep", "--dry-run", "--db", "none.db")
check("in: 4 runs (2 trace x 2 other)\n4 to do on" in text and not os.path.exists(os.path.join(work, "none.db")), "--dry-run", text)
text = sweep("t/micro-*", "-c", "minimal", "-a", "l of memory.latency: 1, 2", "--exclude", "trace=*bar l=1", "--db", "opt.db")
check(rows("opt.db", "axes->>'trace', axes->>'l', experiment") == [("micro-bar", "2", "opt"), ("micro-exit", "1", "opt"),
                                                                   ("micro-exit", "2", "opt")], "from options", rows("opt.db", "axes"))
shutil.copytree(os.path.join(work, "t/micro-exit"), os.path.join(work, "same/copy"))
text = sweep("t/micro-exit", "same/copy", "-c", "minimal", "--db", "same.db")
check("1 left out: the inputs are those of other runs" in text and done("same.db") == 1, "the same twice is run once", text)
os.makedirs(os.path.join(work, "elsewhere"))
p = subprocess.run([COMMAND, "sweep", "../in.sweep", "--db", "../in.db"], cwd=os.path.join(work, "elsewhere"), env=env,
                   capture_output=True, text=True, timeout=HANGS)
check("0 run here" in p.stdout, "names of files are those of the sweep's folder", p.stdout, p.stderr)

for name, says in ((b"f/n\xe9me", b"trace 'f/n\xef\xbf\xbdme'; expected a name in UTF-8"), (b'f/n"me', b"without quotes, backslashes and control characters"),
                   (b"f/n\\me", b"without quotes, backslashes and control characters"), (b"f/n\x01me", b"without quotes, backslashes and control characters")):
    p = subprocess.run([COMMAND, "sweep", name, "-c", "minimal", "--db", "name.db"], cwd=work, env=env, capture_output=True, timeout=HANGS)
    check(p.returncode == 2 and says in p.stderr and p.stderr.count(b"\n") == 1, "a name that no sweep could have", name, p.stderr)
shutil.copytree(os.path.join(work, "t/micro-exit"), os.path.join(work, "t/f\u00fcr"))
check("name: 1 of 1 run done; 1 run here" in sweep("t/f\u00fcr", "-c", "minimal", "--db", "name.db"), "a name that is not ASCII")
shutil.rmtree(os.path.join(work, "t/f\u00fcr"))

os.mkfifo(os.path.join(work, "pipe.sweep"))
p = start("pipe.sweep", "--db", "pipe.db", "--progress", "none")
put("pipe.sweep", "config minimal\naxis trace: t/micro-exit\n")  # waits for its reader
out, err = p.communicate(timeout=HANGS)
check(p.returncode == 0 and done("pipe.db") == 1, "a sweep from a pipe, whose text is there once", out, err)
with sqlite3.connect(os.path.join(work, "pipe.db")) as c:
    check(c.execute("SELECT source FROM experiment").fetchall() == [("config minimal\naxis trace: t/micro-exit\n",)], "and is kept")

# ---- what is expected -------------------------------------------------------------------------------------------------

# Without earlier runs it is the text that counts, not how well it could be compressed.
for name in ("packed", "plain"):
    shutil.copytree(os.path.join(TRACES, "sgemm-sm70"), os.path.join(work, "e", name))
packed = os.path.join(work, "e/plain/kernel-1.traceg.xz")
with open(packed, "rb") as f, open(packed[:-3], "wb") as out:
    out.write(lzma.decompress(f.read()))
os.remove(packed)
with open(os.path.join(work, "e/plain/kernelslist.g"), encoding="utf-8") as f:
    put("e/plain/kernelslist.g", f.read().replace(".traceg.xz", ".traceg"))
plan = {name: re.search(r"(about [^\n]*)", sweep("e/" + name, "-c", "qv100", "--dry-run", "--db", "e.db")).group(1) for name in ("packed", "plain")}
check(plan["packed"] == plan["plain"] and "size of traces" in plan["plain"], "the same text takes the same time", plan)
copy_traces("e", "spmv-sm70")  # of which it is two fifths, in fifteen times as many bytes
sweep("e/packed", "e/spmv-sm70", "-c", "qv100", "-j", "1", "--db", "order.db", "--progress", "none")
began = [name for _, name in sorted(rows("order.db", "run, axes->>'trace'"))]
check(began == ["packed", "spmv-sm70"], "the longest comes first", began)

# ---- no memory ---------------------------------------------------------------------------------------------------------

# A run that gets none has failed, in one line, and the sweep goes on.
put("memory.sweep", "config minimal\naxis trace: t/micro-exit, f/sgemm-sm70\n")
short = 0
for mib in range(60, 180, 8) if not SANITIZED else ():
    p = subprocess.run([COMMAND, "sweep", "memory.sweep", "--db", f"memory-{mib}.db", "--progress", "none"], cwd=work, env=env, capture_output=True,
                       text=True, timeout=HANGS, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)))
    if p.returncode == 2:  # the sweep itself got none
        check(re.fullmatch("warpwright: [^\n]*out of memory; expected [^\n]*\n", p.stderr), "too little memory for a sweep", mib, p.stderr)
        continue
    found = rows(f"memory-{mib}.db", "state, error, exit_status")
    check(len(found) == 2 and p.returncode == (1 if any(r[0] == "failed" for r in found) else 0), "all runs came to an end", mib, found, p.stdout, p.stderr)
    check(all((r[1] or "").startswith("out of memory; expected more of it") and r[2] == 2 for r in found if r[0] == "failed"), "and say why", mib, found)
    short += any(r[0] == "failed" for r in found)
check(short or "mib" not in globals(), "a sweep with memory whose runs have none", short)

# ---- machines that cannot be built -------------------------------------------------------------------------------------

# Values that do not go together are told before the first run, where each of them alone is all right.
put("with.sweep", "config qv100\ntrace t/micro-exit\naxis l of kernels.launch_latency: 1, 2\naxis i of l2.index: linear, ipoly\naxis n of l2.sets: 64, 48\n")
for words in ((), ("--dry-run",)):
    text = sweep("with.sweep", *words, status=2)
    check(re.fullmatch(r"warpwright: with\.sweep:5:24: i=ipoly n=48: .*index = ipoly with sets = 48; expected .*\n    'exclude i=ipoly n=48' leaves such runs out\n", text),
          "what does not go together", words, text)
check(not any(name.startswith("with.db") for name in os.listdir(work)), "and nothing is begun", os.listdir(work))
check("with: 3 of 3 runs done" in sweep("with.sweep", "--tasks", "1-3"), "what is not to be run is not tried")
check("with: 6 of 6 runs done; 3 run here" in sweep("with.sweep", "--exclude", "i=ipoly n=48"), "nor what is left out")
text = sweep("with.sweep", "--keep-going", "--db", "going.db", "--progress", "none", status=1)
check("with: 6 of 8 runs done, 2 failed" in text, "--keep-going: the others run", text)
check(all("index = ipoly with sets = 48" in e for s, e in rows("going.db", "state, error") if s == "failed"), "and say why", rows("going.db", "state, error"))
text = sweep("with.sweep", "--status", status=0)
check("8 runs" in text, "--status tries none", text)

# A module that crashes where a machine is sealed takes its run with it, not the sweep.
put("crash.sweep", "config qv100\ntrace t/micro-exit\naxis how {\n no {}\n yes { module " +
    os.path.join(os.environ["G_TEST_BUILDDIR"], "..", "cli", "modules", "crash.so") + "; sm.scheduler = scheduler.crash; policy.how = reset }\n}\n")
text = sweep("crash.sweep", "--progress", "none", status=1)
check("1 of 2 machines have been built" in text and "crash: 1 of 2 runs done, 1 failed" in text, "a machine that crashes", text)
what = "illegal instruction" if BUILD == "asan" else "segmentation fault"  # a null pointer is found first
check(f"crashed: {what} in crash_reset" in rows("crash.db", "error")[1][0], "is told with its run", rows("crash.db"))
# Nor does one that never comes to its end, nor those that it would have tried behind it.
if not SANITIZED:  # it computes for five seconds of a processor; in eight the other one comes to its end, beside other work, too
    put("busy.sweep", "config qv100\ntrace t/micro-exit\ntime-limit 8 s\naxis how {\n yes { module " +
        os.path.join(os.environ["G_TEST_BUILDDIR"], "..", "cli", "modules", "crash.so") + "; sm.scheduler = scheduler.crash; policy.how = init_loop }\n no {}\n}\n")
    text = sweep("busy.sweep", "--progress", "none", "--jobs", "1", status=1)
    check("0 of 2 machines have been built" in text and "busy: 1 of 2 runs done, 1 failed" in text, "a machine without an end", text)
    check(rows("busy.db", "error")[0][0] == "stopped after 8 s (time-limit)", "is ended as a run", rows("busy.db"))

# ---- what is noted of runs ---------------------------------------------------------------------------------------------

# Each note once, with how many runs have it: before the first run, by --dry-run, at the end, by --status; and with the results.
copy_traces("c", "micro-exit", "micro-dadd-sm86")
put("notes.sweep", "config qv100\naxis trace: c/*\naxis w of sm.l1d.ways: 16, 32, 64\n")
told = ["warpwright: note: 6 of 6 runs: '-s sm.l1d.ways=...' holds until a kernel's first CTA only, which divides L1D and shared memory anew; "
        "-s gpu.carve.adaptive=false keeps it", "warpwright: note: 3 of 6 runs (trace=micro-dadd-sm86): this trace is sm_86; qv100 is sm_70: try -c rtx3070"]
ends = ["warpwright: note: 3 of 6 runs (trace=micro-dadd-sm86): opcodes of Ampere go to SPEC4 (uniform), which no SM of this machine has: the first of them ends the run"]
for words in (("--dry-run",), ("--progress", "none"), (), ("--status",)):
    text = sweep("notes.sweep", *words)
    if "--dry-run" not in words:  # only a run knows what it replays
        told, ends = told + ends, []
    check(sorted(line for line in text.splitlines() if "note: " in line) == sorted(told), "notes of runs", words, text)
with sqlite3.connect(os.path.join(work, "notes.db")) as c:
    check([len(text.split("\n")) for text, in c.execute("SELECT text FROM note JOIN run ON run.id = note.run ORDER BY number")] == [3] * 3 + [1] * 3,
          "are kept with their results")
text = tool("db", "merge", "notes-merged.db", "notes.db") + tool("db", "list", "notes-merged.db", "-e", "notes")
check(text.count("(this trace is sm_86; ") == 3 and text.count("sm.l1d.ways=32' holds") == 2, "go into another database", text)
text = tool("db", "list", "in.db", "-e", "in")
check("done" in text and "(" not in text, "and are none of others", text)
for words in (("table", "--columns", "w"), ("table", "--measure", "ipc", "--measure", "cycles", "--where", "w=16"), ("plot", "--kind", "bars")):
    n = 2 if "--where" in words else 6
    text = tool(*words, "notes-merged.db")
    check(f"note: {n} of these runs have notes ('warpwright db list -e' has them), the first: " in text, "table and plot say so", words, text)
check("note: " not in tool("table", "in.db", "--columns", "trace"), "where there are any")
check("'-s sm.l1d.ways=16' holds" in tool("table", "notes.db", "--rows", "notes", "--where", "trace=micro-exit", "--full-names"), "they have a name")
tool("run", "-c", "qv100", "-s", "sm.l1d.ways=16", "--report=none", "-o", "noted.json", "c/micro-exit")
with open(os.path.join(work, "noted.json"), encoding="utf-8") as f:
    check([n[:32] for n in json.load(f)["notes"]] == ["'-s sm.l1d.ways=16' holds until "], "results have them")
check("note: 1 of these" in tool("table", "noted.json"), "of which a table says so, too")

# A value for every run that an axis replaces is noted, unless some value of the axis leaves it alone.
put("fixed.sweep", "config qv100\ntrace c/micro-exit\nsm.warps = 8\naxis w of sm.warps: 16, 64\naxis one of gpu.cluster[0].sm.warps: 16, 32\n")
text = sweep("fixed.sweep", "--dry-run")
check("note: fixed.sweep:3:1: 'sm.warps=8' changes nothing: axis 'w' (fixed.sweep:4:6) sets it" in text and text.count("note: ") == 1 and
      "4 runs (2 w x 2 one)" in text, "a value that an axis replaces", text)
put("fixed.sweep", "config qv100\ntrace c/micro-exit\nsm.warps = 8\naxis k {\n plain {}\n wide { sm.warps = 16 }\n}\n")
check("note: " not in sweep("fixed.sweep", "--dry-run"), "one that holds for some")

# ---- results that are none ---------------------------------------------------------------------------------------------

copy_traces("n", "micro-exit", "micro-bar")
put("none.sweep", "config minimal\naxis trace: n/*\naxis who { quiet { max-ctas 1000 } loud { module " +
    os.path.join(MODULES, "prints.so") + " } }\n")
text = sweep("none.sweep", "-j", "4", "--progress", "none", status=1)
check("none: 2 of 4 runs done, 2 failed" in text and "GLib" not in text, "runs whose module prints fail, the others do not", text)
check(all(("results of run" in (error or "")) == (state == "failed") for _, state, _, _, error in rows("none.db")), "and it is said why", rows("none.db"))

# ---- two at once -------------------------------------------------------------------------------------------------------

gate(1)
p = start("kill.sweep", "--db", "two.db", "--progress", "none")
wait_for(lambda: done("two.db") >= 1)
text = sweep("kill.sweep", "--db", "two.db", status=2)
check(re.search(r"another sweep works on this database: process \d+ on .*; expected it to end first", text), "one at a time", text)
check("kill: 24 runs" in sweep("kill.sweep", "--db", "two.db", "--status"), "but --status may look")
p.terminate()
p.communicate(timeout=HANGS)
gate()

# ---- the page ----------------------------------------------------------------------------------------------------------


def on_terminal(**more):
    text = run_on_terminal([COMMAND, "sweep", "kill.sweep", "--db", "page.db", "--tasks", "1-8"], streams=("stderr",), cwd=work,
                           env=dict(env, TERM="xterm", **more))[1]
    os.remove(os.path.join(work, "page.db"))
    return text


text = on_terminal()
check(re.search(r"kill: \d of 8 runs done, \d running", text) and "trace=hotspot-sm70 latency=" in text, "a live page", text)
check("\033[1m" in text and re.search(r"\033\[\d+A\r\033\[J$", text.rstrip("\r\n")), "which goes when it is over", text[-200:])
text = on_terminal(NO_COLOR="1")
check("\033[1m" not in text and "running" in text, "without colours", text)

shutil.rmtree(work)
sys.exit(1 if failures else 0)
