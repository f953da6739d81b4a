#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Out of memory, too few file descriptors or queued signals: whatever the limit, one line and status 2, or the run is complete.
Files get their names when nothing is left to do that could fail for want of memory."""
import os
import resource
import subprocess
import sys
import tempfile

WARPWRIGHT = os.environ["WARPWRIGHT"]
SOURCE = os.environ["WW_SOURCE_DIR"]
SMALL = os.path.join(SOURCE, "samples", "vecadd")
LARGE = os.path.join(SOURCE, "samples", "sgemm")
# A sanitizer takes terabytes of addresses for itself.
SANITIZED = os.path.basename(os.environ.get("WW_BUILD_DIR", "")) in ("asan", "tsan", "debug", "clang")


# Refuses all allocations from one on, so that no memory is left for what a failure does.
REFUSE = os.path.join(os.environ["G_TEST_BUILDDIR"], "modules", "refuse.so")


def limited(kind):
    def apply(n):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(kind, (n, n))
    return apply


def run(what, n, call, folder, limit=None, more=None):
    """The status; -1 with a line on stderr when the command ended otherwise than it may."""
    before = set(os.listdir(folder))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.run([WARPWRIGHT] + call, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False,
                           preexec_fn=limit and (lambda: limit(n)), env=dict(os.environ, **(more or {})), cwd=folder, timeout=600)
        err.seek(0)
        text = err.read().decode("utf-8", "replace")
    # Below a line about a file is an excerpt, indented: which descriptor is one too many depends on who reads ahead when.
    told = [l for l in text.split("\n") if l and not l.startswith(("warpwright: note: ", "host: ", "    "))]
    if p.returncode == 127 and "shared librar" in text:
        return 2  # the system could not even start it
    left = set(os.listdir(folder)) - before
    for name in left:
        os.remove(os.path.join(folder, name))
    wrong = None
    if p.returncode not in (0, 2):
        wrong = "status %d" % p.returncode
    elif p.returncode == 2 and (len(told) != 1 or not told[0].startswith("warpwright: ")):
        wrong = "not one line"
    elif p.returncode == 2 and left:
        wrong = "left %s" % ", ".join(sorted(left))
    elif p.returncode == 0 and told:
        wrong = "done, but something is told"
    if wrong:
        print("%s with %s of %d: %s\n%s" % (" ".join(call), what, n, wrong, text), file=sys.stderr)
        return -1
    return p.returncode


def named_last(folder):
    """What is wrong with a run that gets no memory from the first file's name on; "": nothing, all are there and the report is whole."""
    call = [WARPWRIGHT, "run", "-c", "rtx3070", "--max-ctas", "4", "--intervals", "500", "--pcs", "-o", "r.json", "-o", "r.csv", "--events", "e.log",
            "--view", "v.kanata", SMALL]
    texts = []
    for more in {}, {"LD_PRELOAD": REFUSE, "REFUSE_NAMED": "1"}:
        with tempfile.TemporaryDirectory(dir=folder) as at:
            p = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=dict(os.environ, **more), cwd=at, timeout=600)
            left = sorted(os.listdir(at))
            if p.returncode != 0 or any(not os.path.getsize(os.path.join(at, name)) for name in left):
                return "status %d, files %s\n%s" % (p.returncode, left, p.stderr.decode("utf-8", "replace"))
            texts.append((left, p.stdout))
    return "" if texts[0] == texts[1] and len(texts[0][0]) >= 4 else "other files or another report: %s, %s" % (texts[0][0], texts[1][0])


def more_is_enough(folder):
    """Where a run with several threads was not complete, though one was with less memory; 0: nowhere."""
    call = ["run", "-c", "rtx3070", "-j", "2", "--max-ctas", "2", "--events", "e.log", LARGE]
    enough = 0
    for mib in range(80, 400, 10):
        status = run("memory", mib << 20, call, folder, limited(resource.RLIMIT_AS))
        if status != 0 and enough:
            return mib
        enough = enough or status == 0
    return 0 if enough else 400


def main():
    calls = [
        ["run", "-c", "rtx3070", "--max-cycles", "20000", "--max-ctas", "8", "--report=accelsim", "-o", "r.json", SMALL],
        ["run", "-c", "rtx3070", "--max-ctas", "2", "--events", "e.log", LARGE],
        ["inspect", "-c", "qv100", "--json"],
        ["inspect", "-c", "qv100", "--order"],
        ["list", "types"],
        ["trace", "info", LARGE],
    ]
    seen = {0: 0, 2: 0, -1: 0}
    with tempfile.TemporaryDirectory() as folder:
        wrong = "" if SANITIZED else named_last(folder)
        if wrong:
            sys.exit("no memory behind the first name: %s" % wrong)
        mib = 0 if SANITIZED else more_is_enough(folder)
        if mib:
            sys.exit("not complete with %d MiB" % mib)
        for call in [] if SANITIZED else calls[:2]:
            if run("a file", 1, call, folder, more={"LD_PRELOAD": REFUSE, "REFUSE_MADE": "1"}) != 2:
                sys.exit("no memory from where a file is made")
        for call in calls:
            for mib in [] if SANITIZED else [8, 12, 14, 16, 20, 28, 40, 64, 80, 96, 128, 200, 600]:
                seen[run("memory", mib << 20, call, folder, limited(resource.RLIMIT_AS))] += 1
            for n in range(3, 14):
                seen[run("file descriptors", n, call, folder, limited(resource.RLIMIT_NOFILE))] += 1
            for n in range(3):
                seen[run("queued signals", n, call, folder, limited(resource.RLIMIT_SIGPENDING))] += 1
            # the first ones are the start of the process, of which nothing here has begun
            for n in [] if SANITIZED else [int(100 * 1.8 ** k) for k in range(16)]:
                seen[run("allocations", n, call, folder, more={"LD_PRELOAD": REFUSE, "REFUSE_FROM": str(n)})] += 1
    print("%d runs complete, %d refused, %d wrong" % (seen[0], seen[2], seen[-1]))
    if seen[-1] or not seen[0] or not seen[2]:
        sys.exit(1)


if __name__ == "__main__":
    main()
