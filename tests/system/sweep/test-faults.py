#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpwright sweep` where the system refuses: descriptors, processes, memory, room on the disk, a folder, a lock; runs that are killed, signals at any
moment. Whatever it is: it comes to an end, with 0 only if every run is in the database, else with a word; nothing half written is left; and the same
command, when all is well again, completes with the same results. A sample; WW_TEST_FULL takes all."""
import contextlib
import fcntl
import os
import random
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
TRACES = os.path.join(os.environ["WW_SOURCE_DIR"], "tests/traces")
FULL = "WW_TEST_FULL" in os.environ
# A sanitizer takes terabytes of addresses for itself.
BUILD = os.path.basename(os.environ.get("WW_BUILD_DIR", ""))
SANITIZED = BUILD in ("asan", "tsan", "debug", "clang")
REFUSE = os.path.join(os.environ.get("WW_BUILD_DIR", ""), "tests/system/cli/modules/refuse.so")
HANGS = 600  # seconds after which something does not come to an end, on a host with much to do, too
NOBODY = 61234 + os.getpid() % 4000  # a user without processes, whose limit of them is that of this test's alone, not of another copy
ROOT = os.geteuid() == 0
SEED = int(os.environ.get("WW_TEST_SEED", "0")) or random.randrange(1 << 30)
draw = random.Random(SEED)
wrong = []
seen = {}
cases = 0

if ROOT and "WW_TEST_OWN_MOUNTS" not in os.environ:  # small disks that nobody else sees
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["WW_TEST_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])

work = tempfile.mkdtemp(prefix="faults-")
os.chmod(work, 0o755)
for trace in ("micro-exit", "micro-bar"):
    shutil.copytree(os.path.join(TRACES, trace), os.path.join(work, "t", trace))
with open(os.path.join(work, "a.sweep"), "w", encoding="utf-8") as f:
    f.write("config minimal\naxis trace: t/micro-*\naxis l of memory.latency: 20, 30\n")
LATENCIES = 5 if SANITIZED else 40  # a run takes thirty times as long then
LONG = "config minimal\naxis trace: t/micro-*\naxis l of memory.latency: " + ", ".join(str(20 + n) for n in range(LATENCIES)) + "\n"
with open(os.path.join(work, "long.sweep"), "w", encoding="utf-8") as f:
    f.write(LONG)


def environment(at, more=None):
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(at, "cache"), LC_ALL="C.UTF-8", **(more or {}))
    for word in ("NO_COLOR", "COLUMNS", "WARPWRIGHT_PATH", "WW_TEST_OWN_MOUNTS"):
        env.pop(word, None)
    return env


class Case:
    """A folder of its own with a database that is to be."""

    def __init__(self, what, of="a", at=None):
        global cases
        cases += 1
        self.what, self.of = what, of
        self.at = at or os.path.join(work, f"case-{cases}")
        os.makedirs(self.at, exist_ok=True)
        os.chmod(self.at, 0o777)
        self.db = os.path.join(self.at, "r.db")

    def words(self, jobs, *more):
        return [COMMAND, "sweep", os.path.join(work, self.of + ".sweep"), "--db", self.db, "--jobs", str(jobs), "--memory", "4 GiB", "--progress", "none",
                *more]

    def start(self, jobs=2, more=(), env=None, limit=None, **how):
        def apply():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit:
                limit()
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        return subprocess.Popen(self.words(jobs, *more), cwd=self.at, env=environment(self.at, env), stdin=subprocess.DEVNULL, text=True, preexec_fn=apply,
                                **how)

    def rows(self, what="number, axes, state, machine, cycles, (SELECT sum(value) FROM statistics s WHERE s.run = runs.run)"):
        if not os.path.exists(self.db):
            return []
        with contextlib.closing(sqlite3.connect(f"file:{self.db}?mode=ro", uri=True, timeout=20)) as c:
            try:
                return c.execute(f"SELECT {what} FROM runs ORDER BY number").fetchall()
            except sqlite3.OperationalError as e:
                if "no such table" in str(e):
                    return []  # it was ended before it made them
                raise

    def bad(self, why, *more):
        wrong.append(f"{self.what}: {why}")
        print(f"FAILED: {self.what}: {why}", *more)

    def end(self, p, allowed=(0, 1, 2), seconds=HANGS):
        """Waits and looks at what it says and leaves."""
        try:
            out, err = p.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            p.kill()
            self.bad("does not come to an end", p.communicate())
            return None
        self.judge(p.returncode, out or "", err or "", allowed)
        return p.returncode

    def judge(self, status, out, err, allowed):
        kind = self.what.split(" ")[0]
        seen.setdefault(kind, {}).setdefault(status, 0)
        seen[kind][status] += 1
        if status == 127 and "shared librar" in err:
            return  # the system could not even start it
        told = [l for l in err.split("\n") if l and not l.startswith("warpwright: note: ") and not l.startswith("failed: ")]
        if status not in allowed:
            self.bad(f"status {status}", out, err)
        if status in (0, 1) and "interrupted: " not in err:
            self.complete(status, out, err)
        if status == 0 and told:
            self.bad("done, but something is told", err)
        if status == 2 and (len(told) != 1 or not told[0].startswith("warpwright: ")):
            self.bad("not one line", err)
        if status == 1 and len(told) != ("interrupted: " in err):
            self.bad("not one line of an interruption", err)

    def complete(self, status, out, err):
        if not os.path.exists(self.db):
            self.bad(f"status {status}, but no database", out, err)
            return
        rows = self.rows()
        failed = sum(r[2] == "failed" for r in rows)
        if len(rows) != len(reference[self.of]) or (status == 1) != (failed != 0) or any(r[2] not in ("done", "failed") for r in rows):
            self.bad(f"status {status}, but {len(rows)} runs, {failed} failed", rows, out, err)
        if any(r != s for r, s in zip(rows, reference[self.of]) if r[2] == "done"):
            self.bad("other results", rows)

    def left(self, killed=False, log=False):
        """Of files: the database; with @p log its log, which does not go into it where it finds no room; what is there when a process had no time."""
        aside = {"r.db-wal", "r.db-shm", "r.db-journal", "r.db.lock"} if killed else {"r.db-wal", "r.db-shm"} if log else set()
        there = set()
        for folder, _, names in os.walk(self.at):
            there |= {os.path.relpath(os.path.join(folder, n), self.at) for n in names}
        more = there - aside - {"r.db", "cache/warpwright/hashes"}
        if more:
            self.bad(f"left {sorted(more)}")

    def again(self, retry=True, **how):
        """Without the fault."""
        p = self.start(2, ["--retry"] if retry else [], **how)
        out, err = p.communicate(timeout=HANGS)
        if p.returncode != 0 or self.rows() != reference[self.of]:
            self.bad(f"again, without: status {p.returncode}", out, err, self.rows())
        self.left()
        if not os.path.ismount(self.at) and not wrong:
            shutil.rmtree(self.at)


reference = {}
for text in ("a", "long"):
    case = Case("reference", text)
    out, err = case.start().communicate(timeout=HANGS)
    reference[text] = case.rows()
    if any(r[2] != "done" or not r[5] for r in reference[text]) or len(reference[text]) != {"a": 4, "long": 2 * LATENCIES}[text]:
        sys.exit(f"no reference: {out} {err}")


def some(values, n):
    """All of them, or n: the first, the last, and what is drawn."""
    values = list(values)
    n = max(n // 3, 3) if SANITIZED else n
    return values if FULL or len(values) <= n else [values[0], *sorted(draw.sample(values[1:-1], n - 2)), values[-1]]


def limit_of(kind, n, user=None):
    def apply():
        resource.setrlimit(kind, (n, n))
        if user:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
    return apply


def can_be(user):
    """Can that one run the command, wherever it lies?"""
    try:
        return ROOT and subprocess.run([COMMAND, "--version"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                                       preexec_fn=limit_of(resource.RLIMIT_CORE, 0, user)).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def limited(what, kind, values, user=None, jobs=(1, 2, 4), exhausted=False):
    for n in values:
        j = draw.choice(jobs)
        c = Case(f"{what} {n} -j {j}")
        status = c.end(c.start(j, limit=limit_of(kind, n, user)))
        c.left(exhausted and status == 2, kind == resource.RLIMIT_FSIZE and status == 2)
        c.again(limit=limit_of(resource.RLIMIT_CORE, 0, user))


def killed_runs():
    """Runs that somebody kills: each once, and one again and again."""
    for always in (False, True) if not FULL else (False, True) * 5:
        c = Case(f"killed run, {'always' if always else 'some'}", "long")
        # what looks for leaks at the end is a child, too: without it the sweep would wait for ever
        p = c.start(2, env={"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"})
        end = time.time() + 90
        while p.poll() is None and time.time() < end:
            try:
                with open(f"/proc/{p.pid}/task/{p.pid}/children", encoding="ascii") as f:
                    children = [int(n) for n in f.read().split()]
            except OSError:
                break
            for pid in children:
                if always or draw.random() < 0.3:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            time.sleep(0.002)
        c.end(p)
        c.left()
        c.again()


def signals():
    for k in range(60 if FULL else 3 if SANITIZED else 7):
        number = draw.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL))
        c = Case(f"signal {number}", "long")
        p = c.start(2, env={"TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":report_thread_leaks=0"})  # who ends like this waits for none
        time.sleep(draw.uniform(0, 0.6))
        p.send_signal(number)
        c.end(p, (0, 1, 128 + number, -number))
        c.left(number == signal.SIGKILL)
        c.again(retry=False)


def locks():
    """Another one writes for a moment; another sweep works on it."""
    for k in range(12 if FULL else 1 if SANITIZED else 3):
        c = Case("locked for a moment", "long")
        make = c.start(2, ["--tasks", "1"])
        make.communicate(timeout=HANGS)
        p = c.start(2)
        time.sleep(draw.uniform(0, 0.4))
        other = sqlite3.connect(c.db, timeout=20, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(0.5)
            other.execute("ROLLBACK")
        except sqlite3.OperationalError as e:
            if "locked" not in str(e):
                c.bad("the other one", e)
        other.close()
        c.end(p, (0,))
        c.again(retry=False)
    c = Case("lock of another sweep")
    with open(c.db + ".lock", "w", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        if c.end(c.start()) != 2:
            c.bad("two at once")
    c.again(retry=False)


def locked_for_good():
    """Begun early, as it waits for ten seconds."""
    c = Case("locked for good", "long")
    c.start(2, ["--tasks", "1"]).communicate(timeout=HANGS)
    other = sqlite3.connect(c.db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return c, c.start(2), other


def disks():
    """A disk that is full, of any size."""
    if not (ROOT and "WW_TEST_OWN_MOUNTS" in os.environ):
        print("no small disks: needs root")
        return
    for kib in some([4, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 384, 512, 1024], 7):
        at = os.path.join(work, f"disk-{kib}")
        os.makedirs(at)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "faults", at], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            print("no small disks: cannot mount")
            return
        c = Case(f"disk of {kib} KiB", "long", at)
        c.left(log=c.end(c.start(draw.choice((1, 2, 4)))) == 2)
        subprocess.run(["mount", "-o", "remount,size=64m", at], check=True)
        c.again()
        subprocess.run(["umount", "-l", at], check=True)
    at = os.path.join(work, "readonly")
    os.makedirs(at)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "faults", at], check=True)
    c = Case("readonly disk", at=at)
    subprocess.run(["mount", "-o", "remount,ro", at], check=True)
    if c.end(c.start()) != 2:
        c.bad("not refused")
    c.left()
    subprocess.run(["mount", "-o", "remount,rw", at], check=True)
    c.again(retry=False)
    c = Case("disk that gets full", "long", at)
    os.remove(c.db)
    p = c.start(2)
    time.sleep(draw.uniform(0, 0.4))
    fill = os.path.join(at, "fill")
    with open(fill, "wb", buffering=0) as f:
        try:
            while f.write(bytes(4096)):
                pass
        except OSError:
            pass
    status = c.end(p)
    os.remove(fill)
    c.left(log=status == 2)
    c.again()
    subprocess.run(["umount", "-l", at], check=True)


def folders():
    if not ROOT or can_be(NOBODY):
        c = Case("folder that cannot be written")
        os.chmod(c.at, 0o555)
        if c.end(c.start(limit=limit_of(resource.RLIMIT_CORE, 0, NOBODY if ROOT else None))) != 2:
            c.bad("not refused")
        c.left()
        os.chmod(c.at, 0o777)
        c.again(retry=False)
    c = Case("cache that is a file")
    with open(os.path.join(c.at, "cache"), "w", encoding="ascii"):
        pass
    if c.end(c.start()) != 0:
        c.bad("not done")
    c = Case("empty database")  # as of a sweep that was killed before it had made tables
    with open(c.db, "w", encoding="ascii"):
        pass
    if c.end(c.start()) != 0:
        c.bad("not done")
    c = Case("database that goes", "long")
    p = c.start(2)
    end = time.time() + 60
    while len(c.rows("number")) < 4 and p.poll() is None and time.time() < end:
        time.sleep(0.01)
    p.send_signal(signal.SIGSTOP)
    more = p.poll() is None and len(c.rows("number")) < len(reference["long"])  # else it has written all
    os.remove(c.db)
    p.send_signal(signal.SIGCONT)
    if more:
        c.end(p, (1, 2))
    else:
        p.communicate(timeout=HANGS)
    c.again()


def streams():
    for name, how in (("stdout full", {"stdout": open("/dev/full", "w", encoding="ascii")}), ("stderr full", {"stderr": open("/dev/full", "w", encoding="ascii")})):
        c = Case(name)
        c.end(c.start(**how), (0, 2))
        c.again(retry=False)
    c = Case("no streams at all")
    p = subprocess.Popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *c.words(2)], cwd=c.at, env=environment(c.at))
    c.end(p, (0,))
    c.again(retry=False)


def allocations():
    if SANITIZED or not os.path.exists(REFUSE):
        return
    for n in some([int(100 * 1.35 ** k) for k in range(30)], 5):
        c = Case(f"allocations {n}")
        c.end(c.start(env={"LD_PRELOAD": REFUSE, "REFUSE_FROM": str(n)}))
        c.left(True)
        c.again()


def main():
    slow = locked_for_good()
    limited("descriptors", resource.RLIMIT_NOFILE, some(range(3, 61), 16))
    limited("signals", resource.RLIMIT_SIGPENDING, some(range(8), 4))
    if can_be(NOBODY) and not SANITIZED:  # whose check for leaks is a process
        limited("processes", resource.RLIMIT_NPROC, some(range(1, 12), 7), NOBODY)
    if not SANITIZED:
        limited("memory", resource.RLIMIT_AS, [mib << 20 for mib in some([8, 14, 20, 28, 30, 34, 36, 40, 44, 48, 56, 64, 72, 80, 96, 128, 200, 600], 8)],
                exhausted=True)
        allocations()
    limited("filesize", resource.RLIMIT_FSIZE, some([*([] if BUILD == "tsan" else [0]), 100, 4096, 8192, 16384, 20000, 32768, 40000, 65536, 80000, 100000, 131072, 200000, 400000, 1 << 22], 9))
    disks()
    folders()
    streams()
    killed_runs()
    signals()
    locks()
    c, p, other = slow
    if c.end(p) != 2:
        c.bad("not refused")
    other.close()
    c.again()
    print(f"{cases} cases, statuses {seen}; WW_TEST_SEED={SEED}")
    if wrong:
        sys.exit(f"{len(wrong)} wrong; what they left is in {work}")
    if not all(any(s == 0 for s in seen[kind]) and any(s != 0 for s in seen[kind]) for kind in ("descriptors", "filesize")):
        sys.exit("no limit was met, or all were")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
