#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes one rule of the model at a time and sees whether the tests notice.

Usage: test-mutation.py [TEXT]

mutations.txt says what is changed and which tests should tell; README.md how it is written. A copy of the tree, in build/mutation, is
built and tested as it is; then, for each mutation, with one line changed. A line a mutation: what was changed, and the test that
noticed, or SURVIVED. Exit status 1 if one survived or fits no place any more. Only mutations whose text contains TEXT.
"""

import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
COPY = os.path.join(ROOT, "build", "mutation", "tree")
BUILD = os.path.join(ROOT, "build", "mutation", "build")


def mutations():
    """[(file, line of mutations.txt, before, after, tests)]"""
    found, file, tests, before = [], None, None, None
    with open(os.path.join(HERE, "mutations.txt")) as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            head = re.match(r"(\S+): (.+)$", line)
            if line.startswith("- "):
                before = line[2:]
            elif line.startswith("+ ") and before is not None:
                found.append((file, number, before, line[2:], tests))
                before = None
            elif head:
                file, tests = head.group(1), head.group(2).split()
            else:
                sys.exit(f"mutations.txt:{number}: expected 'FILE: TEST...', '- before' or '+ after'")
    return found


def copy_tree():
    """The files of the tree as they are now; what did not change keeps its time, so that little is built again."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if names.returncode:
        sys.exit("not a git checkout: nothing says which files belong to the tree")
    for name in names.stdout.splitlines():
        there, here = os.path.join(ROOT, name), os.path.join(COPY, name)
        if not os.path.isfile(there):
            continue
        os.makedirs(os.path.dirname(here), exist_ok=True)
        with open(there, "rb") as f:
            new = f.read()
        if not os.path.exists(here) or open(here, "rb").read() != new:
            shutil.copy(there, here)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def build(targets):
    done = subprocess.run(["cmake", "--build", BUILD, "--target", *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return done.returncode == 0, done.stdout


def targets_of(tests):
    return sorted({"warpwright" if "/" in t else "test_" + t for t in tests})


def fails(test):
    """A test is a room, or parity/TEXT: the traces whose name contains TEXT."""
    environment = dict(os.environ, WARPWRIGHT=os.path.join(BUILD, "bin/warpwright"), WW_SOURCE_DIR=COPY)
    environment.pop("WW_TEST_FULL", None)
    if test.startswith("parity/"):
        call = [os.path.join(COPY, "tests/parity/test-parity.py"), test[len("parity/"):]]
    else:
        call = ["ctest", "--test-dir", BUILD, "-R", f"^{re.escape(test)}$", "--timeout", "300", "--no-tests=error"]
    return subprocess.run(call, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0


def survives(file, before, after, tests):
    """The verdict on one mutation, and whether it is bad."""
    path = os.path.join(COPY, file)
    with open(path) as f:
        text = f.read()
    if text.count(before) != 1:
        return f"fits {text.count(before)} places, expected 1", True
    try:
        write(path, text.replace(before, after))
        good, log = build(targets_of(tests))
        if not good:
            errors = [line for line in log.splitlines() if "error" in line]
            return f"does not build: {errors[0] if errors else log[-200:]}", True
        noticed = next((t for t in tests if fails(t)), None)
        return (f"noticed by {noticed}", False) if noticed else ("SURVIVED", True)
    finally:
        write(path, text)


def main():
    text = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [m for m in mutations() if text in m[0] + m[2] + m[3]]
    if not chosen:
        sys.exit(f"no mutation has '{text}' in it")
    copy_tree()
    subprocess.run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWW_WERROR=OFF",
                    "-DCMAKE_C_FLAGS_RELEASE=-O1"], check=True, stdout=subprocess.DEVNULL)
    everything = sorted({t for m in chosen for t in m[4]})
    good, log = build(targets_of(everything))
    if not good:
        sys.exit(log[-2000:])
    for test in everything:
        if fails(test):
            sys.exit(f"{test} fails without any mutation")
    bad, start = 0, time.monotonic()
    for file, number, before, after, tests in chosen:
        verdict, wrong = survives(file, before, after, tests)
        bad += wrong
        print(f"{file}: {before.strip()}  ->  {after.strip()}\n    {verdict}", flush=True)
    print(f"{len(chosen)} mutations, {bad} not noticed, {time.monotonic() - start:.0f} s")
    sys.exit(bad != 0)


main()
