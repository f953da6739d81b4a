#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes one rule of the model at a time and sees whether the tests notice.

Usage: test-mutation.py [TEXT]
       test-mutation.py --check     only whether each mutation fits one place of the tree, and its tests are there

mutations.txt says what is changed and which tests should tell; README.md how it is written. A copy of the tree, in build/mutation, is
built and tested as it is; then, for each mutation, with one rule changed. A paragraph a mutation: what was changed, and the test that
noticed, or SURVIVED. Exit status 1 if one survived or fits no place any more. Only mutations whose file or text contains TEXT.
"""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COPY = os.path.join(ROOT, "build", "mutation", "tree")
BUILD = os.path.join(ROOT, "build", "mutation", "build")

LEAST_TIMEOUT = 60  # seconds that a test may take in any case,
SLOWER = 8          # or so many times what it took without a mutation: a mutation may make a run endless
MOST_MEMORY = 8 << 30

# ---- the table -----------------------------------------------------------------------------------------------------


def mutations():
    """[(file, before, after, tests)]"""
    found, file, tests, before = [], None, None, None
    with open(os.path.join(HERE, "mutations.txt")) as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            head = re.match(r"([\w./-]+): (\S.*)$", line)
            if not line or line.startswith("#"):
                continue
            if line.startswith("- ") and file and before is None:
                before = line[2:]
            elif line.startswith("+") and before is not None:
                found.append((file, before, line[2:], tests))
                before = None
            elif head and before is None:
                file, tests = head.group(1), head.group(2).split()
            else:
                sys.exit(f"mutations.txt:{number}: expected 'FILE: TEST...', then pairs of '- before' and '+ after'")
    if before is not None:
        sys.exit(f"mutations.txt: '{before}' at the end is replaced by nothing")
    return found


# ---- the copy ------------------------------------------------------------------------------------------------------


def files_of_tree():
    """The files that belong to the tree: what git knows or does not ignore; without git all but build/."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True)
    if names.returncode == 0:
        return {n for n in names.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, n))}
    return files_below(ROOT, {"build", ".git"})


def files_below(folder, without=()):
    found = set()
    for path, folders, names in os.walk(folder):
        if path == folder:
            folders[:] = [f for f in folders if f not in without]
        found |= {os.path.relpath(os.path.join(path, n), folder) for n in names}
    return found


def copy_tree():
    """The files of the tree as they are now; what did not change keeps its time, so that little is built again."""
    wanted = files_of_tree()
    for name in wanted:
        there, here = os.path.join(ROOT, name), os.path.join(COPY, name)
        os.makedirs(os.path.dirname(here), exist_ok=True)
        with open(there, "rb") as f:
            new = f.read()
        if not os.path.exists(here) or open(here, "rb").read() != new:
            shutil.copy(there, here)
    for name in files_below(COPY) - wanted:
        os.remove(os.path.join(COPY, name))


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


# ---- building and testing ------------------------------------------------------------------------------------------


def run(call, timeout=None, **more):
    """(exit status, output); None when it took longer than that and was ended, with all that it had started."""
    child = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace", start_new_session=True, **more)
    try:
        log, _ = child.communicate(timeout=timeout)
        return child.returncode, log
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def build(targets):
    status, log = run(["cmake", "--build", BUILD, "--target", *targets])
    return status == 0, log


def needs_command(test):
    """Do these tests start the command?"""
    if "/" in test:
        return True
    folder = next(path for path, _, _ in os.walk(os.path.join(COPY, "tests")) if os.path.basename(path) == test)
    return any("WARPWRIGHT" in open(os.path.join(folder, name)).read() for name in os.listdir(folder) if name.endswith(".c"))


def targets_of(tests):
    found = {f"test_{t}" for t in tests if "/" not in t}
    return sorted(found | ({"warpwright"} if any(needs_command(t) for t in tests) else set()))


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fails(test, timeout=None):
    """How a test fails, or ''. A test is a room, or parity/TEXT: the traces whose name contains TEXT."""
    environment = dict(os.environ, WARPWRIGHT=os.path.join(BUILD, "bin/warpwright"), WW_SOURCE_DIR=COPY)
    environment.pop("WW_TEST_FULL", None)
    if test.startswith("parity/"):
        call = [os.path.join(COPY, "tests/system/parity/test-parity.py"), test[len("parity/"):]]
    else:
        call = ["ctest", "--test-dir", BUILD, "-R", f"^{re.escape(test)}$", "--no-tests=error", "--output-on-failure"]
    status, log = run(call, timeout, env=environment, preexec_fn=limit_memory)
    if status is None:
        return f"no end within {timeout:.0f} s"
    return "" if status == 0 else log[-2000:] or f"exit status {status}"


# ---- mutations -----------------------------------------------------------------------------------------------------


def misfit(root, file, before):
    """Why a mutation cannot be made in the tree below @root, or ''."""
    path = os.path.join(root, file)
    if not os.path.isfile(path):
        return "there is no such file"
    with open(path) as f:
        n = f.read().count(before)
    return "" if n == 1 else f"fits {n} places, expected 1"


def check():
    """Says which mutations fit no place or several, or name tests that there are not; how many."""
    rooms = {os.path.basename(path) for path, _, names in os.walk(os.path.join(ROOT, "tests")) if any(n.endswith(".c") for n in names)}
    bad = 0
    for file, before, _, tests in mutations():
        why = [misfit(ROOT, file, before)] + [f"there is no test room {t}" for t in tests if "/" not in t and t not in rooms]
        for text in filter(None, why):
            print(f"{file}: {before.strip()}\n    {text}")
            bad += 1
    return bad


def verdict_on(file, before, after, tests, timeouts):
    """What became of one mutation, and whether a test noticed."""
    path = os.path.join(COPY, file)
    if misfit(COPY, file, before):
        return misfit(COPY, file, before), False
    with open(path) as f:
        text = f.read()
    try:
        write(path, text.replace(before, after))
        good, log = build(targets_of(tests))
        if not good:
            errors = [line for line in log.splitlines() if "error" in line]
            return f"does not build: {errors[0] if errors else log[-200:]}", False
        for test in tests:
            how = fails(test, timeouts[test])
            if how:
                return f"noticed by {test}{' (' + how + ')' if how.startswith('no end') else ''}", True
        return "SURVIVED", False
    finally:
        write(path, text)


def prepare(tests):
    """Builds and runs the tests as they are; how long each may take with a mutation."""
    copy_tree()
    status, log = run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWW_WERROR=OFF"])
    if status:
        sys.exit(log[-2000:])
    good, log = build(targets_of(tests))
    if not good:
        sys.exit(log[-2000:])
    timeouts, broken = {}, []
    for test in tests:
        start = time.monotonic()
        how = fails(test)
        if how:
            print(how)
            broken.append(test)
        timeouts[test] = max(LEAST_TIMEOUT, SLOWER * (time.monotonic() - start))
    if broken:
        sys.exit(f"fails without any mutation: {' '.join(broken)}")
    return timeouts


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("ended"))  # through what restores the file
    text = sys.argv[1] if len(sys.argv) > 1 else ""
    if text == "--check":
        sys.exit(check() != 0)
    chosen = [m for m in mutations() if text in m[0] + " " + m[1] + " " + m[2]]
    if not chosen:
        sys.exit(f"no mutation has '{text}' in it")
    timeouts = prepare(sorted({t for m in chosen for t in m[3]}))
    bad, start = 0, time.monotonic()
    for file, before, after, tests in chosen:
        begun = time.monotonic()
        verdict, noticed = verdict_on(file, before, after, tests, timeouts)
        bad += not noticed
        print(f"{file}: {before.strip()}  ->  {after.strip()}\n    {verdict} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(chosen)} mutations, {bad} not noticed, {time.monotonic() - start:.0f} s")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
