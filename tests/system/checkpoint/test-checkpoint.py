#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that go on from a checkpoint, in a new process, end with the bytes of the uninterrupted run: report, fingerprint, results.

Usage: test-checkpoint.py [SEED]

Moments, threads and windows are drawn. Processes are killed at drawn moments, too: a few, a hundred with WW_TEST_FULL.
"""

import lzma
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
FULL = "WW_TEST_FULL" in os.environ
SANITIZED = os.path.basename(os.environ.get("WW_BUILD_DIR", "")) in ("asan", "tsan")
TRACES = os.path.join(ROOT, "tests/traces")
# One SM reads CTA after CTA: a checkpoint stands in the middle of a file.
ONE_SM = ["--sms", "1"]
RUNS = [
    ("sgemm-sm70", ["-c", "qv100"]),
    ("random-atom-1024", ["-c", "qv100", "--report=accelsim"]),
    ("random-mem-1007", ["-c", "rtx2060", *ONE_SM]),
    ("fresh-conc-0835b7", ["-c", "qv100", "--report=none", "--no-sleep"]),
    ("transpose-sm86", ["-c", "rtx3070"]),
    ("drawn-titanx-20015", ["-c", "titanx"]),
    ("fresh-icache-2c0179", ["-c", "qv100", "--report=accelsim"]),
    ("wide-700171", ["-c", "v100", "-s", "gpu.concurrent_kernels=true", "--report=none"]),  # kernels of two binary versions
    ("histogram-sm70", ["-c", "v100", "-p", os.path.join(ROOT, "docs/examples/two_ldst.plat")]),
]
EVERY, LOG_EVERY = ("200", "300") if FULL else ("500", "4000")  # cycles from checkpoint to checkpoint; one takes some 30 ms
LONG = ("sgemm-sm70", "transpose-sm86")  # minutes under a sanitizer, which the others show as much
failed = []


def say(text):
    print(text, flush=True)
    failed.append(text)


def start(*words, **more):
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([COMMAND, "run", "--progress=none", "--fingerprint", *words], **how)


def run(*words):
    process = start(*words)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err.decode()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def unpacked(name, check=True):
    """What is in a zstd file. Without @check, None where it is none, is damaged or goes on behind its end."""
    shown = subprocess.run(["zstd", "-dcq", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=check)
    return shown.stdout if shown.returncode == 0 else None


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def plain_copy(trace, to):
    os.mkdir(to)
    for name in os.listdir(os.path.join(TRACES, trace)):
        data = read(os.path.join(TRACES, trace, name))
        if name.endswith(".xz"):
            name, data = name[:-3], lzma.decompress(data)
        write(os.path.join(to, name), data.replace(b".traceg.xz", b".traceg"))
    return to


class Case:
    """A trace and options; what the uninterrupted run gives."""

    def __init__(self, folder, trace, options):
        self.folder, self.options = folder, options
        self.trace = trace if os.path.isabs(trace) else os.path.join(TRACES, trace)
        self.name = f"{os.path.basename(trace)} {' '.join(options)}"
        self.expected = self.run()
        if self.expected[0] != 0:
            sys.exit(f"{self.name}: {self.expected}")
        self.cycles = max(map(int, re.findall(rb'"cycles": *(\d+)', self.expected[2])))

    def words(self, *more):
        return [*self.options, *more, "-o", os.path.join(self.folder, "out.json"), self.trace]

    def run(self, *more):
        results = os.path.join(self.folder, "out.json")
        if os.path.exists(results):
            os.unlink(results)
        code, out, err = run(*self.words(*more))
        return code, out, read(results) if os.path.exists(results) else b"", err

    def expect(self, got, what):
        if got[:3] != self.expected[:3]:
            say(f"{self.name}: {what}: status {got[0]}, stdout {'equal' if got[1] == self.expected[1] else 'differs'}, results "
                f"{'equal' if got[2] == self.expected[2] else 'differ'}: {got[3].strip()}")


def drawn_ways(draw):
    ways = draw.choice([[], [], ["-j", "2"], ["-j", "4", "--threads-from=0"]])
    return ways + draw.choice([[], [], [], ["--no-windows"]])


def check_moments(draw, case):
    """Checkpoints at drawn cycles, and at the first ones; each in a process of its own; one of a run that was restored itself."""
    at = sorted({draw.choice([0, 1]), *(draw.randrange(case.cycles) for _ in range(20 if FULL else 2))})
    name = os.path.join(case.folder, "c%c")
    case.expect(case.run(*drawn_ways(draw), "--checkpoint", name, "--checkpoint-at", ",".join(map(str, at))), "with checkpoints")
    there = sorted((int(f[1:]) for f in os.listdir(case.folder) if f.startswith("c")))
    if len(there) < len(at):
        say(f"{case.name}: asked for checkpoints at {at}, got {there}")
    for cycle in there:
        case.expect(case.run(*drawn_ways(draw), "--restore", name.replace("%c", str(cycle))), f"restored at {cycle}")
    middle, later = there[len(there) // 2], os.path.join(case.folder, "later")
    case.run("--restore", name.replace("%c", str(middle)), "--checkpoint", later, "--checkpoint-at", str((middle + case.cycles) // 2))
    case.expect(case.run("--restore", later), f"restored at {middle}, and again later")
    for cycle in there:
        os.unlink(name.replace("%c", str(cycle)))


def check_ahead(draw, case):
    """With threads the kernel that comes is open already, and CTAs of it are read: who goes on has them, or reads on."""
    name = os.path.join(case.folder, "ahead")
    for at in [draw.randrange(case.cycles) for _ in range(10 if FULL else 2)]:
        case.expect(case.run("-j", "2", "--checkpoint", name, "--checkpoint-at", str(at)), f"with threads and a checkpoint at {at}")
        for ways in ([], ["-j", "2"]):
            case.expect(case.run(*ways, "--restore", name), f"restored {' '.join(ways)} at {at}, made with threads")
        os.unlink(name)


def check_apart(case):
    """What threads were told each for itself is put together before it is saved: who goes on may have one, and no windows."""
    name, at = os.path.join(case.folder, "c%c"), [5300, 6219, 7000, 9000, 12513]
    case.run("-j", "4", "--threads-from=0", "--checkpoint", name, "--checkpoint-at", ",".join(map(str, at)))
    for cycle in at:
        case.expect(case.run("--no-windows", "--restore", name.replace("%c", str(cycle))), f"restored without windows at {cycle}, made with threads")
        os.unlink(name.replace("%c", str(cycle)))


def check_kills(draw, case, count):
    """kill -9 at any moment: what is left is a complete checkpoint, or none."""
    name = os.path.join(case.folder, "kill")
    began = time.monotonic()
    case.run("--checkpoint", name, "--checkpoint-every", EVERY)
    took, restored = time.monotonic() - began, 0
    for _ in range(count):
        if os.path.exists(name):
            os.unlink(name)
        process = start(*case.words("--checkpoint", name, "--checkpoint-every", EVERY))
        time.sleep(draw.random() * took)
        process.kill()
        process.communicate()
        if os.path.exists(name):
            restored += 1
            case.expect(case.run("--restore", name), "restored after kill -9")
    for left in os.listdir(case.folder):
        if left.startswith(".kill."):
            os.unlink(os.path.join(case.folder, left))
    print(f"{case.name}: killed {count} times, {restored} checkpoints were there")


def handles(pid, number):
    """Is the program far enough to know the signal?"""
    try:
        mask = re.search(rb"SigCgt:\s*(\w+)", read(f"/proc/{pid}/status"))
    except OSError:
        return False
    return mask is not None and int(mask[1], 16) >> (number - 1) & 1 != 0


def check_signal(case):
    """SIGUSR2: a checkpoint now; without --checkpoint, a line that says why not."""
    name, said = os.path.join(case.folder, "asked"), os.path.join(case.folder, "said")
    for words, there in (["--checkpoint", name], True), ([], False):
        with open(said, "wb") as file:
            process = start(*case.words(*words), stderr=file)
        # until it simulates, whenever that is; before that, it says that it does not
        while process.poll() is None and not (os.path.exists(name) if there else b"without --checkpoint FILE" in read(said)):
            time.sleep(0.01)
            if handles(process.pid, signal.SIGUSR2):
                process.send_signal(signal.SIGUSR2)
        out, _ = process.communicate()
        err = read(said)
        if process.returncode != 0 or out != case.expected[1]:
            say(f"{case.name}: SIGUSR2: status {process.returncode}: {err.decode()}")
        if there and os.path.exists(name):
            case.expect(case.run("--restore", name), "restored after SIGUSR2")
            os.unlink(name)
        elif not there and b"without --checkpoint FILE" not in err:
            say(f"{case.name}: SIGUSR2 without --checkpoint: {err.decode()}")


def refuse(words, expected, what):
    code, out, err = run(*words)
    lines = [line for line in err.splitlines() if not line.startswith("warpwright: note:")]
    if code != 2 or out != b"" or len(lines) != 1 or not re.search(expected, lines[0]):
        say(f"{what}: status {code}, expected 2 and one line like '{expected}': {err}")


def lines_of(log):
    """The text of a log, plain or compressed (frames, of which each checkpoint ends one)."""
    return unpacked(log) if log.endswith(".zst") else read(log)


def check_log(draw, folder, file="log", kills=3):
    """The event log goes on where it stood: of a process that was killed, or of one that ended."""
    log, name = os.path.join(folder, file), os.path.join(folder, "logged")
    words = ["-c", "qv100", *ONE_SM, "--events", log, "--events-filter=kind=issue,put,cta", os.path.join(TRACES, "random-atom-1024")]
    run(*words)
    expected = lines_of(log)
    began = time.monotonic()
    run("--checkpoint", name, "--checkpoint-every", LOG_EVERY, *words)
    took = time.monotonic() - began
    if lines_of(log) != expected:
        say("an event log differs with checkpoints")
    run("--restore", name, *words)
    if lines_of(log) != expected:
        say("an event log differs that was gone on with when it was complete")
    for _ in range(kills):
        os.unlink(log)
        os.unlink(name)
        process = start("--checkpoint", name, "--checkpoint-every", LOG_EVERY, *words)
        while process.poll() is None and not os.path.exists(name):  # however long that takes now
            time.sleep(0.005)
        time.sleep(took * 0.6 * draw.random())
        process.kill()
        process.communicate()
        got = run(*drawn_ways(draw), "--restore", name, *words)
        if got[0] != 0 or lines_of(log) != expected:
            say(f"an event log differs that was gone on with after kill -9: {got}")
    run("--checkpoint", name, "--checkpoint-at", "100000", *words)  # the last that was killed may have left one from before the first event
    here = sorted(os.listdir(folder))
    refuse(["-s", "sm.warps=16", "--restore", name, *words], "parameter gpu.*warps differs .64 in the checkpoint, 16 here.", "an event log of another machine")
    whole = read(log)
    write(log, b"x" * len(whole))
    refuse(["--restore", name, *words], "its first [0-9]* bytes are not those that the run had written", "an event log that is another one")
    write(log, whole[:1000])
    refuse(["--restore", name, *words], "neither it nor '.*partial' has the", "an event log that is not there")
    if read(log) != whole[:1000] or sorted(os.listdir(folder)) != here:
        say(f"a refused run left something: {here}, then {sorted(os.listdir(folder))}")
    write(log + ".partial", whole[1:2000])
    refuse(["--restore", name, *words], "neither it nor '.*partial' has the", "an event log that is half there")
    if read(log + ".partial") != whole[1:2000]:
        say("a refused run changed the part of an event log")
    os.unlink(log + ".partial")


def check_all_at_once(draw, folder):
    """Statistics over time, the log of everything with them in it, figures of instructions and results: all files are those of a run in one piece."""
    files = [os.path.join(folder, name) for name in ("at.json", "at.csv", "at.intervals.csv", "at.log")]
    name = os.path.join(folder, "at")
    words = ["-c", "qv100", *ONE_SM, "--intervals", "500", "--pcs", "--stats", "*", "-o", files[0], "-o", files[1], "--events", files[3],
             os.path.join(TRACES, "random-atom-1024")]

    def all_of(*more):
        for file in files:
            if os.path.exists(file):
                os.unlink(file)
        code, out, err = run(*more, *words)
        missing = [file for file in files if not os.path.exists(file)]
        return code, out, err if code or missing else "", missing or [read(file) for file in files]

    expected = all_of()
    cycles = max(map(int, re.findall(rb'"end_cycle": *(\d+)', read(files[0]))))
    if b"\tinterval\t" not in read(files[3]):
        say("a log has no statistics over time")
    for at in (draw.randrange(500, cycles) // 500 * 500, draw.randrange(cycles)):  # where an interval ends, and somewhere
        if all_of("--checkpoint", name, "--checkpoint-at", str(at)) != expected:
            say(f"statistics over time, log or results differ with a checkpoint at {at}")
        got = all_of_restored(name, words, files)
        if got != expected:
            say(f"statistics over time, log or results differ of a run that was restored at {at}: {got[:3]}")


def all_of_restored(name, words, files):
    """As it goes on behind a process that is gone: the log is there, the results are not."""
    for file in files[:3]:
        os.unlink(file)
    code, out, err = run("--restore", name, *words)
    missing = [file for file in files if not os.path.exists(file)]
    return code, out, err if code or missing else "", missing or [read(file) for file in files]


def check_damage(draw, case, name):
    """A checkpoint with another bit, or a shorter one, is refused.

    One bit in some 1,500 changes nothing: a match at another distance with the same bytes, say. Then nothing changes in the run either.
    """
    whole, content = read(name), unpacked(name)
    idle = 8 * 4 + 4  # "unused" in the frame's header: a decoder passes over it (RFC 8878, 3.1.1.1.1.3)
    for i in range(200 if FULL else 13):
        damaged = bytearray(whole)
        bit = draw.randrange(8 * len(damaged)) if i > 0 else idle
        if i % 2:
            del damaged[bit // 8:]
        else:
            damaged[bit // 8] ^= 1 << bit % 8
        write(name + ".bad", damaged)
        if unpacked(name + ".bad", check=False) == content:
            case.expect(case.run("--restore", name + ".bad"), f"restored with bit {bit} of the checkpoint changed")
        else:
            refuse(case.words("--restore", name + ".bad"), "checkpoint", f"a checkpoint damaged at bit {bit} of {8 * len(whole)}")


def check_refusals(draw, folder):
    """What is not the run of the checkpoint, or no checkpoint."""
    trace = plain_copy("random-mem-1007", os.path.join(folder, "t"))
    case = Case(folder, trace, ["-c", "qv100", *ONE_SM])
    name = os.path.join(folder, "checkpoint")
    case.run("--checkpoint", name, "--checkpoint-at", str(case.cycles // 2))
    restore = ["--restore", name, "-o", os.path.join(folder, "out.json")]
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    for words, expected in [
            (["-c", "rtx2060", *ONE_SM, *restore, trace], "another run: config 'configs/qv100.conf' is in the checkpoint only; expected"),
            (["-c", "qv100", "-c", "qv100", *ONE_SM, *restore, trace],
             "another run: config 'configs/qv100.conf' comes 1 time in the checkpoint and 2 times here; expected"),
            (["-c", "qv100", "-c", "rtx2060", *ONE_SM, *restore, trace], "another run: (config 'configs/rtx2060.conf' is in this run only|parameter .* differs)"),
            (["-c", "qv100", "--sms", "2", *restore, trace], "another run: parameter gpu.clusters differs .1 in the checkpoint, 2 here.; expected"),
            (["-c", "qv100", *ONE_SM, "-s", "sm.warps=16", *restore, trace],
             "another run: parameter gpu.cluster.*warps differs .64 in the checkpoint, 16 here.; expected"),
            (["-c", "qv100", *ONE_SM, "-s", "sm.scheduler=scheduler.gto", *restore, trace], "another run: "),
            (["-c", "qv100", *ONE_SM, "--max-ctas=3", *restore, trace], "another run: --max-ctas differs .none in the checkpoint, 3 here.; expected"),
            (["-c", "qv100", *ONE_SM, "--report=accelsim", *restore, trace], "another run: --report differs"),
            (["-c", "qv100", *ONE_SM, "--kernels=1", *restore, trace], "another run: --kernels differs .none in the checkpoint, 1 here.; expected"),
            (["-c", "qv100", *ONE_SM, "--pcs", *restore, trace], "another run: --pcs differs .none in the checkpoint, given here.; expected"),
            (["-c", "qv100", *ONE_SM, "--restore", name, trace], "another run: -o differs"),
            (["-c", "qv100", *ONE_SM, *restore, os.path.join(TRACES, "random-mem-1005")], "another run: the trace's list differs"),
            (["-c", "qv100", *ONE_SM, "--restore", os.path.join(folder, "nothing"), trace], "nothing: cannot open: No such file"),
            (["-c", "qv100", *ONE_SM, "--restore", folder, trace], "is no file; expected a complete checkpoint"),
            (["-c", "qv100", *ONE_SM, "--restore", fifo, trace], "is no file; expected a complete checkpoint"),
            (["-c", "qv100", *ONE_SM, "--restore", "/dev/zero", trace], "/dev/zero: is no file; expected a complete checkpoint"),
            (["-c", "qv100", *ONE_SM, "--restore", os.path.join(trace, "kernelslist.g"), trace], "is not zstd data, or damaged"),
            (["-c", "qv100", *ONE_SM, *restore, "--events", os.path.join(folder, "e"), trace], "another run: --events differs"),
            (["-c", "qv100", "--checkpoint", name, "--events", "/dev/null", trace], "'/dev/null': is no file"),
            (["-c", "qv100", "--checkpoint-every=5", trace], "--checkpoint-every says when, but not where to"),
            (["-c", "qv100", "--checkpoint-at=5", trace], "--checkpoint-at says when, but not where to"),
            (["-c", "qv100", "--checkpoint", name, "--checkpoint-every=0", trace], "--checkpoint-every 0; expected 1 or more"),
            (["-c", "qv100", "--checkpoint", name, "--checkpoint-every=x", trace], "--checkpoint-every 'x'"),
            (["-c", "qv100", "--checkpoint", name, "--checkpoint-at=5,,7", trace], "--checkpoint-at ''"),
            (["-c", "qv100", "--checkpoint", "/nowhere/at/all", "--checkpoint-at=5", trace], "cannot write the checkpoint '/nowhere/at/all'")]:
        refuse(words, expected, " ".join(words))
    check_damage(draw, case, name)
    # The same file under another name: that is told, not that it lacks.
    for copy in ("first.conf", "second.conf"):
        shutil.copy(os.path.join(ROOT, "configs", "qv100.conf"), os.path.join(folder, copy))
    first, second = (os.path.join(folder, copy) for copy in ("first.conf", "second.conf"))
    named = os.path.join(folder, "named")
    case = Case(folder, trace, ["-c", first, *ONE_SM])
    case.run("--checkpoint", named, "--checkpoint-at", "100")
    refuse(["-c", second, *ONE_SM, "--restore", named, "-o", os.path.join(folder, "out.json"), trace],
           r"another run: config '.*first\.conf' has another name here, config '.*second\.conf', with the same contents; expected", "another name")
    # One copy with a value of its own: what differs is named, not another parameter of the group, and a value that is no other one, too.
    own, split = "gpu.cluster[3].sm[0].warps", os.path.join(folder, "split")
    other = Case(folder, "micro-exit", ["-c", "qv100", "-s", own + "=16"])
    other.run("--checkpoint", split, "--checkpoint-at", "100")
    other.expect(other.run("--restore", split), "restored with a copy of its own")
    for more, expected in [
            ([], r"parameter gpu.cluster\[0\.\.3\].sm\[\*\].warps is in the checkpoint only; expected"),
            (["-s", own + "=32"], r"parameter gpu.cluster\[3\].sm\[\*\].warps differs .16 in the checkpoint, 32 here.; expected"),
            (["-s", own + "=16", "-s", "gpu.cluster[5].sm[0].warps=64"],
             r"the division of gpu.cluster differs .\[0\.\.3\] \[3\] \[4\.\.80\] in the checkpoint, \[0\.\.3\] \[3\] \[4\] \[5\] \[6\.\.80\] here.; expected")]:
        refuse(["-c", "qv100", *more, "--restore", split, "-o", os.path.join(folder, "out.json"), other.trace], "another run: " + expected, " ".join(more))
    whole = read(name)
    for more, expected in [(b"garbage", "has something behind its end"), (whole, "has something behind its end")]:
        write(name + ".bad", whole + more)
        refuse(["-c", "qv100", *ONE_SM, *restore[2:], "--restore", name + ".bad", trace], expected, "more than a checkpoint")
    write(name + ".bad", subprocess.run(["zstd", "-q", "--no-check"], input=unpacked(name), stdout=subprocess.PIPE, check=True).stdout)
    refuse(["-c", "qv100", *ONE_SM, *restore[2:], "--restore", name + ".bad", trace], "has no check sum", "a checkpoint without a check sum")
    for facts, expected in [
            (struct.pack("=Q", 1 << 60), "says more than 1,048,576 facts"),
            (struct.pack("=Q", 1 << 20) + (struct.pack("=Q", 60000) + b"name\t".ljust(60000, b"x")) * 2000, "has facts of more than 64 MiB")]:
        packed = subprocess.run(["zstd", "-q", "--check"], input=b"wwckpt01" + bytes(16) + facts, stdout=subprocess.PIPE, check=True)
        write(name + ".bad", packed.stdout)
        refuse(["-c", "qv100", *ONE_SM, *restore[2:], "--restore", name + ".bad", trace], expected, expected)
    kernel = next(os.path.join(trace, f) for f in os.listdir(trace) if "traceg" in f)
    text = read(kernel)
    write(kernel, text[: len(text) // 2] + text[len(text) // 2:].replace(b"1", b"2"))
    refuse(["-c", "qv100", *ONE_SM, *restore, trace], "is not what the checkpoint was made with", "a trace that has changed")
    write(kernel, text[: len(text) // 4] + b"\n" * (len(text) - len(text) // 4))
    refuse(["-c", "qv100", *ONE_SM, *restore, trace], "checkpoint", "a trace that is shorter")


def check_compressed(draw, folder):
    """The same from a file that is plain, and from some that have to be decompressed again up to where reading stood."""
    plain = plain_copy("random-mem-1007", os.path.join(folder, "plain"))
    check_moments(draw, Case(folder, plain, ["-c", "qv100", *ONE_SM]))
    for form in "zst", "xz":
        packed = os.path.join(folder, form)
        subprocess.run([COMMAND, "trace", "recompress", f"--format={form}", "-o", packed, plain], check=True, stdout=subprocess.DEVNULL)
        check_moments(draw, Case(folder, packed, ["-c", "qv100", *ONE_SM]))


def check_failed(folder):
    """In the tick in which a kernel ends the next one cannot be opened: the run has failed, though it says the end first. Nobody goes on from there."""
    trace = plain_copy("micro-two-kernels", os.path.join(folder, "failed"))
    saved, options = os.path.join(folder, "failed.ckpt"), ["-c", "qv100", "--report=none"]
    first = Case(folder, os.path.join(trace, "kernel-1.traceg"), options)
    write(os.path.join(trace, "kernel-2.traceg"), b"no header\n")
    for at in range(first.cycles - 2, first.cycles + 3):
        for ways in (["-j", "1"], ["-j", "2"]):
            status, _, err = run(*options, *ways, "--checkpoint", saved, "--checkpoint-at", str(at), trace)
            if os.path.exists(saved):
                again, _, err = run(*options, "--restore", saved, trace)
                os.unlink(saved)
                status = max(status, again)
            if status != 2 or "kernel-2.traceg:1: 'no header'" not in err:
                say(f"saved where the run fails, at {at} {ways}: status {status}: {err.strip()}")


def check_beyond(folder):
    """What a run does not reach is told, and only that."""
    case = Case(folder, "micro-exit", ["-c", "qv100"])
    name, end = os.path.join(folder, "beyond"), case.cycles
    for at, says in [("1", None), (f"1,{end + 1000000}", "no checkpoint was made at cycle [0-9,]+ .--checkpoint-at.: the run ended in cycle [0-9,]+$"),
                     (f"{end + 5},{end + 6},{end + 7}", "no checkpoint was made at cycle [0-9,]+, nor at 2 later ones .--checkpoint-at.: ")]:
        got = case.run("--checkpoint", name, "--checkpoint-at", at)
        case.expect(got, f"with checkpoints at {at}")
        if bool(says and re.search("^warpwright: note: " + says, got[3], re.M)) != ("no checkpoint" in got[3]) or (says is not None) != ("no checkpoint" in got[3]):
            say(f"checkpoints at {at} of {end}: {got[3]}")
    got = case.run("--restore", name, "--checkpoint", name + ".more", "--checkpoint-at", "1")
    if "no checkpoint" in got[3]:
        say(f"restored behind --checkpoint-at: {got[3]}")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="warpwright-checkpoint-") as folder:
        for trace, options in RUNS:
            if FULL or not (SANITIZED and trace in LONG):
                check_moments(draw, Case(folder, trace, options))
        check_ahead(draw, Case(folder, "transpose-sm86", ["-c", "rtx3070"]))
        check_ahead(draw, Case(folder, "micro-two-kernels", ["-c", "qv100", "--report=none"]))
        check_compressed(draw, folder)
        case = Case(folder, "random-atom-1024", ["-c", "qv100"])
        check_apart(case)
        check_kills(draw, case, 100 if FULL else 6)
        check_signal(case)
        check_log(draw, folder)
        check_log(draw, folder, "log.zst", 1)
        check_all_at_once(draw, folder)
        check_refusals(draw, folder)
        check_failed(folder)
        check_beyond(folder)
    print(f"checkpoints: seed {seed}, {len(failed)} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
