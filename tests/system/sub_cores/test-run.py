#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of sub-cores of a modern SM as of any machine: saved at several cycles and restored on another number of threads they come to the same; a trace without
the listing that the machine goes by, and a listing that the machine has no use for, are one clear line each; a hang is explained down to who counted up the counter that a warp waits for, and to the
unit that keeps that instruction; one SM is drawn."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(HERE, "../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
CONFIG = ["-c", "rtx3080_modern"]
MACHINE = ["-p", os.path.join(HERE, "rig.plat"), *CONFIG]
QUIET = ["--report=none", "--progress=none"]
wrong = []


def call(*words):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.strip()


def check(good, what):
    if not good:
        wrong.append(what)


def checkpoints(folder):
    trace = os.path.join(HERE, "records", "fu-sfu")
    words = ["run", *MACHINE, *QUIET, "--fingerprint", "--sass", os.path.join(trace, "kernel.sass.xz")]
    file = os.path.join(folder, "run.ckpt")
    whole = call(*words, trace)
    check(whole[0] == 0 and whole[1].startswith("fingerprint "), "a run: %s" % (whole,))
    for cycle in (5, 1600, 2070, 2100, 2140, 2200):
        saved = call(*words, "--checkpoint", file, "--checkpoint-at", str(cycle), trace)
        check(saved == whole, "saved at %d: %s; expected %s" % (cycle, saved, whole))
        restored = call(*words, "--restore", file, "-j", "2", trace)
        check(restored == whole, "restored from cycle %d: %s; expected %s" % (cycle, restored, whole))


def changed(folder, text):
    """The rig with another text of the SM."""
    with open(os.path.join(folder, "sm_modern.plat"), "w") as f:
        f.write(text)
    shutil.copy(os.path.join(ROOT, "platforms/modern.plat"), folder)
    return shutil.copy(os.path.join(HERE, "rig.plat"), folder)


def listings(folder):
    trace = os.path.join(folder, "bare")
    os.mkdir(trace)
    for name in ("kernelslist.g", "kernel-1.traceg.xz"):
        shutil.copy(os.path.join(HERE, "records", "fu-sfu", name), trace)
    sass = os.path.join(HERE, "records", "fu-sfu", "kernel.sass.xz")
    status, out, err = call("run", *MACHINE, *QUIET, trace)
    check(status == 0 and "note: no listing is beside the trace" in err and err.count("\n") == 0, "no listing: %s" % err)
    text = open(os.path.join(ROOT, "platforms/sm_modern.plat")).read()
    check("bits.otherwise => unlisted.dependence;" in text, "sm_modern.plat: another way to say what is asked otherwise")
    text = text.replace("bits.otherwise => unlisted.dependence;", "")
    strict = changed(folder, "\n".join(line for line in text.splitlines() if "unlisted" not in line) + "\n")
    status, out, err = call("run", "-p", strict, *CONFIG, *QUIET, trace)
    check(status == 2 and "no listing is beside the trace, and gpu.cluster[0].sm[0].bits goes by" in err and err.count("\n") == 0, "no listing, and nothing else: %d %s" % (status, err))
    status, out, err = call("run", "-p", strict, *CONFIG, *QUIET, "--sass", sass, trace)
    check(status == 0 and err == "", "a listing: %d %s" % (status, err))
    status, out, err = call("run", "-c", "rtx3070", *QUIET, "--sass", sass, trace)
    check(status == 0 and "note: no part of this machine goes by control bits" in err, "a listing that nobody uses: %d %s" % (status, err))


def hang(folder):
    text = open(os.path.join(ROOT, "platforms/sm_modern.plat")).read()
    for before, after in (("sfu    : fu.sfu;", "sfu    : fault.fu; bus : result_bus; sfu.bus => bus;"),
                          ("= {u}.warps for u in fixed, others;", "= {u}.warps for u in fixed, mem, dp, queued;"),
                          ("= {u}.dependence for u in others;", "= {u}.dependence for u in mem, dp, queued;")):
        check(text.count(before) == 1, "sm_modern.plat: no line '%s'" % before)
        text = text.replace(before, after)
    bad, trace = changed(folder, text), os.path.join(HERE, "records", "fu-sfu")
    for more in ([], ["--no-sleep", "--hang-limit=2000"]):
        status, out, err = call("run", "-p", bad, *CONFIG, *QUIET, "--sass", os.path.join(trace, "kernel.sass.xz"), *more, trace)
        check(status == 1, "a hang: status %d: %s" % (status, err))
        lines = err.split("\n")
        for part in ("sm[0].pool (warp_pool) waits for gpu.cluster[0].sm[0].core[0].issue (issue_stage): warp 0 waits for the issue of NOP",
                     "core[0].issue (issue_stage) waits for gpu.cluster[0].sm[0].bits (dependence.control_bits): NOP (pc 10) of warp 0 waits for a dependence counter",
                     "sm[0].bits (dependence.control_bits) waits for gpu.cluster[0].sm[0].core[0].sfu_latch (register_set): SB0 of warp 0 is 1: MUFU.RCP (pc 0) counted it up last",
                     "[knot] gpu.cluster[0].sm[0].core[0].sfu (fault.fu)"):
            check(any(part in line for line in lines), "a hang %s: no line '%s' in\n%s" % (more, part, err))


def main():
    with tempfile.TemporaryDirectory() as folder:
        checkpoints(folder)
        listings(folder)
        hang(folder)
    status, out, err = call("inspect", *MACHINE, "--only", "sm", "--svg")
    check(status == 0 and all('data-path="gpu.cluster[*].sm[*].core[*].%s"' % part in out for part in ("issue", "control", "read", "writeback", "stream")), "the picture of an SM: %s" % err)
    print("\n".join(wrong + ["%d differences" % len(wrong)]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
