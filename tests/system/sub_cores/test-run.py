#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of sub-cores of a modern SM as of any machine: saved at several cycles and restored on another number of threads they come to the same; a trace without
the listing that the machine goes by, and a listing that the machine has no use for, are one clear line each; a hang is explained down to who counted up the counter that a warp waits for, and to the
unit that keeps that instruction; the grid barrier of a cooperative launch runs as it was traced; one SM is drawn."""

import json
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


GRID_SYNC = """{pc}0 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0
{pc}1 00000001 0 MEMBAR.SC.GPU 0 0
{pc}2 00000001 0 ERRBAR 0 0
{pc}3 00000001 1 R5 ATOMG.E.ADD.STRONG.GPU 2 R2 R5 4 1 0x7fb130000000 0
{polls}{pc}8 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0
"""
POLL = """{pc}4 00000001 1 R6 LDG.E.STRONG.GPU 1 R2 4 1 0x7fb130000000 0
{pc}5 00000001 0 CCTL.IVALL 0 0
{pc}6 00000001 1 R7 LOP3.LUT 2 R6 R5 0
{pc}7 ffffffff 0 BRA 0 0
"""
HEAD = """-kernel name = cooperative
-kernel id = 1
-grid dim = ({ctas},1,1)
-block dim = (64,1,1)
-shmem = 0
-nregs = 16
-binary version = {version}
-cuda stream id = 0
-shmem base_addr = 0x00007fb139000000
-local mem base_addr = 0x00007fb137000000
-nvbit version = 1.7
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = x
"""


def cooperative(folder):
    """A grid barrier is what the compiler made of it, an atomic and a loop that polls: it is replayed as traced, and nobody waits for CTAs that have no room yet."""
    ctas, polls = 12, lambda cta: 1 + cta % 5
    for version, config in ((86, "rtx3080_modern"), (86, "rtx3070"), (70, "qv100")):
        trace = os.path.join(folder, "cooperative-%s" % config)
        os.mkdir(trace)
        with open(os.path.join(trace, "kernelslist.g"), "w") as f:
            f.write("kernel-1.traceg\n")
        with open(os.path.join(trace, "kernel-1.traceg"), "w") as f:
            f.write(HEAD.format(ctas=ctas, version=version))
            for cta in range(ctas):
                f.write("\n#BEGIN_TB\n\nthread block = %d,0,0\n" % cta)
                for warp in range(2):
                    lines = GRID_SYNC.format(pc=1, polls=POLL.format(pc=1) * polls(cta)) + GRID_SYNC.format(pc=2, polls=POLL.format(pc=2) * polls(cta + 2)) + "300 ffffffff 0 EXIT 0 0\n"
                    f.write("\nwarp = %d\ninsts = %d\n%s" % (warp, lines.count("\n"), lines))
                f.write("\n#END_TB\n")
        wanted = sum(2 * (11 + 4 * polls(cta) + 4 * polls(cta + 2)) for cta in range(ctas))
        result = os.path.join(folder, "x.json")
        cycles = []
        for most in (1, 32):
            status, out, err = call("run", "-c", config, *QUIET, "-s", "gpu.clusters=1", "-s", "sm.ctas.max_ctas=%d" % most, "-o", result, trace)
            total = json.load(open(result))["total"] if status == 0 else {}
            check(total.get("warp_instructions") == wanted, "a grid barrier on %s, %d CTAs at a time: %d %s, %s; expected %d instructions" % (config, most, status, err, total.get("warp_instructions"), wanted))
            cycles.append(total.get("cycles", 0))
        check(cycles[0] > cycles[1] > 0, "a grid barrier on %s: %s cycles, one CTA at a time and all at once" % (config, cycles))


def main():
    with tempfile.TemporaryDirectory() as folder:
        checkpoints(folder)
        listings(folder)
        hang(folder)
        cooperative(folder)
    status, out, err = call("inspect", *MACHINE, "--only", "sm", "--svg")
    check(status == 0 and all('data-path="gpu.cluster[*].sm[*].core[*].%s"' % part in out for part in ("issue", "control", "read", "writeback", "stream")), "the picture of an SM: %s" % err)
    print("\n".join(wrong + ["%d differences" % len(wrong)]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
