#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages say is true: transcripts are run, quoted code and named tests exist, links lead somewhere.

    ```console            each line `$ COMMAND` is run, in order, and prints what follows; a line `...` stands for
                          any lines. The whole page shares one scratch folder that looks like the tree. Only
                          stdout counts, and the status must be 0, unless the command says 2>&1.
    ```c PATH, ```plat PATH   lines of that file, also an .xz, in order; `...` stands for any lines between
    ```... installed      commands of a newcomer, in an empty folder with an installed Warpwright: installed.py
    `/room/test/path`     a test that the test program of that room lists
    `folder/path`         a file of the tree, or a header as it is included
    docs/reference.md     what `warpwright inspect --markdown` prints

`test_pages.py --fill` writes what commands print now into the pages.
"""

import glob
import lzma
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True # of the next line
from installed import HANGS, Newcomer, instrumented

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
BUILD = os.environ.get("WW_BUILD_DIR") or os.path.join(ROOT, "build", "release")
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(BUILD, "bin", "warpwright")
# All but the reference, which is checked as a whole, and what is measured in seconds.
PAGES = ["README.md"] + sorted("docs/" + os.path.basename(f) for f in glob.glob(ROOT + "/docs/*.md")
                               if os.path.basename(f) not in ("reference.md", "performance.md"))
REFERENCE = "docs/reference.md"
# What `./dev run` does when it is told nothing.
DEV_RUN = "warpwright run -c rtx3070 samples/vecadd"

problems = []


def wrong(page, line, text):
    problems.append(f"{page}:{line}: {text}")


def blocks(lines):
    """(first line number, info words, lines) of every fenced block."""
    at = 0
    while at < len(lines):
        if lines[at].startswith("```"):
            end = at + 1
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            yield at + 1, lines[at][3:].split(), lines[at + 1:end]
            at = end
        at += 1


def matches(expected, got):
    """Do the lines fit, `...` standing for any number of lines?"""
    if not expected:
        return not got
    if expected[0] == "...":
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and expected[0].rstrip() == got[0].rstrip() and matches(expected[1:], got[1:])


def shape(line):
    """A line without its figures: what stays when results move."""
    return re.sub(r"[\d,.#%\s]+", "", line)


def refreshed(expected, got):
    """What was printed, cut as @expected is; None when it has another shape."""
    if "..." not in expected:
        return got
    new, at = [], 0
    for line in expected:
        if line != "...":
            found = next((i for i in range(at, len(got)) if shape(got[i]) == shape(line)), None)
            if found is None:
                return None
            line, at = got[found], found + 1
        new.append(line)
    return new


def run(command, place):
    """(status, lines of stdout, stderr) of a command; the place is a folder and the environment."""
    folder, env = place
    command = DEV_RUN if command == "./dev run" else command
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANGS, check=False)
    out = done.stdout.decode(errors="replace").rstrip("\n").split("\n")
    while out and not out[-1]:
        out.pop()
    return done.returncode, out, done.stderr.decode(errors="replace")


def transcript(page, number, lines, place, fill, seen=lambda command: None):
    """Runs the commands of one block; the block as it should be."""
    true, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("$ "):
            wrong(page, number + at + 1, "expected a command, '$ ...'")
            return lines
        first, command = at, lines[at][2:]
        while command.endswith("\\"):
            at += 1
            command = command[:-1] + lines[at].strip()
        at += 1
        start = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        expected = lines[start:at]
        while expected and not expected[-1]:
            expected.pop()
        seen(command)
        status, got, err = run(command, place)
        wanted = fill and not matches(expected, got) and refreshed(expected, got)
        true += lines[first:start] + (wanted or expected)
        if status != 0 and "2>&1" not in command:
            wrong(page, number + first + 1, f"'{command}' ends with status {status}: {err}")
        elif not wanted and not matches(expected, got):
            wrong(page, number + first + 1, f"'{command}' prints:\n" + "\n".join(got))
    return true


def quotation(page, number, path, lines):
    """Quoted code stands in that file, in that order."""
    try:
        with (lzma.open if path.endswith(".xz") else open)(os.path.join(ROOT, path), "rt", encoding="utf-8") as f:
            text = [line.rstrip() for line in f]
    except OSError as e:
        wrong(page, number, str(e))
        return
    chunk, chunks = [], []
    for line in lines + ["..."]:
        if line.strip() == "...":
            chunks.append(chunk)
            chunk = []
        else:
            chunk.append(line.rstrip())
    at = 0
    for chunk in chunks:
        found = next((i for i in range(at, len(text)) if text[i:i + len(chunk)] == chunk), None)
        if found is None:
            wrong(page, number, f"{path} does not say:\n" + "\n".join(chunk))
            return
        at = found + len(chunk)


def listed_tests():
    """Every test path that the built programs list."""
    names = set()
    for program in glob.glob(os.path.join(BUILD, "tests", "test_*")):
        if os.access(program, os.X_OK) and os.path.isfile(program):
            out = subprocess.run([program, "-l"], stdout=subprocess.PIPE, timeout=HANGS, check=False).stdout.decode()
            names.update(out.split())
    return names


def check_names(page, lines, tests):
    for i, line in enumerate(lines, 1):
        for name in re.findall(r"`(/[a-z_]+(?:/[a-z0-9_.*-]+)+)`", line):
            if not any(t.startswith(name[:name.index("/", 1) + 1]) for t in tests):
                continue # of a program that was not built, or no test
            pattern = re.compile(re.escape(name).replace(r"\*", ".*") + r"(/.*)?$")
            if not any(pattern.match(t) for t in tests):
                wrong(page, i, f"there is no test {name}")


def anchors(path):
    with open(path, encoding="utf-8") as f:
        heads = re.findall(r"^#+ +(.*)$", re.sub(r"```.*?```", "", f.read(), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def check_links(page, lines):
    inside = False
    for i, line in enumerate(lines, 1):
        inside ^= line.startswith("```")
        for target in [] if inside else re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), name)) if name else os.path.join(ROOT, page)
            if not os.path.exists(path):
                wrong(page, i, f"link to {target}: there is no such file")
            elif anchor and anchor not in anchors(path):
                wrong(page, i, f"link to {target}: there is no such heading")


FOLDERS = "|".join(sorted(f for f in os.listdir(ROOT) if f[0] != "." and f != "build" and os.path.isdir(os.path.join(ROOT, f))))


def check_paths(page, lines):
    """Files of the tree that a page names are there. WORDS in capitals stand for names; what a line says was elsewhere may be gone."""
    for i, line in enumerate(lines, 1):
        for path in re.findall(r"(?<!was )`((?:%s)/[\w./-]+)`" % FOLDERS, line):
            folder = path.split("/")[0]
            there = (path, os.path.join(folder, "include", path), path + ".c")
            if not re.search(r"\b[A-Z]{3,}\b", path) and not any(os.path.exists(os.path.join(ROOT, p)) for p in there):
                wrong(page, i, f"there is no {path}")


def check_fuzzers(page):
    """The table of targets has each of them, and no other."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        table = f.read().split("| Target | What is read |", 1)[1].split("\n\n", 1)[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.M)
    there = [re.search(r"fuzz_(\w+)\.c$", f).group(1) for f in glob.glob(ROOT + "/tests/meta/fuzz/fuzz_*.c")]
    if sorted(named) != sorted(there):
        wrong(page, 1, f"the table of fuzzers differs from tests/meta/fuzz in {sorted(set(named) ^ set(there))}")


def check_sources():
    """References from the sources to headings of the pages."""
    known = {}
    for folder in ("kernel", "ports", "components", "trace", "testing", "platforms", "results", "compat", "configs", "monitor", "cli"):
        for where, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if not name.endswith((".c", ".h", ".plat", ".conf")):
                    continue
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                for page, anchor in re.findall(r"(docs/[a-z-]+\.md)(?:#([a-z0-9-]+))?", text):
                    if page not in known:
                        full = os.path.join(ROOT, page)
                        known[page] = anchors(full) if os.path.exists(full) else None
                    shown = os.path.relpath(path, ROOT)
                    if known[page] is None:
                        wrong(shown, 1, f"refers to {page}, which is not there")
                    elif anchor and anchor not in known[page]:
                        wrong(shown, 1, f"refers to {page}#{anchor}: there is no such heading")


def check_reference(fill):
    """docs/reference.md is what the command generates."""
    made = subprocess.run([COMMAND, "inspect", "--markdown"], stdout=subprocess.PIPE, timeout=HANGS, check=True).stdout
    path = os.path.join(ROOT, REFERENCE)
    if fill:
        with open(path, "wb") as f:
            f.write(made)
        return
    with open(path, "rb") as f:
        if f.read() != made:
            wrong(REFERENCE, 1, "not what `warpwright inspect --markdown` prints now; tests/system/tutorial/test_pages.py --fill")


def scratch(folder):
    """A folder that looks like the tree, in which commands may write: the place for run()."""
    tree = os.path.join(folder, "tree")
    os.makedirs(os.path.join(tree, "build"))
    for name in os.listdir(ROOT):
        if name not in ("build", ".git"):
            os.symlink(os.path.join(ROOT, name), os.path.join(tree, name))
    env = dict(os.environ, PATH=os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8",
               XDG_CACHE_HOME=os.path.join(folder, "cache"))
    env.pop("WARPWRIGHT_PATH", None)
    return tree, env


def check_blocks(page, folder, fill):
    """Runs and compares what the page's blocks say; the number of commands."""
    path = os.path.join(ROOT, page)
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    n, here, newcomer = 0, scratch(folder), None
    for number, info, inner in list(blocks(lines)):
        if info == ["sh", "install"] and not instrumented(BUILD):
            newcomer = Newcomer(BUILD, folder, inner)
        elif info == ["sh", "installed"] and newcomer:
            newcomer.run_all(inner, run)
        elif info == ["console"] or (info == ["console", "installed"] and newcomer):
            n += sum(line.startswith("$ ") for line in inner)
            true = transcript(page, number, inner, newcomer.place(), fill, newcomer.seen) if info[1:] else \
                transcript(page, number, inner, here, fill)
            if fill and true != inner:
                fill_page(path, " ".join(info), inner, true)
        elif len(info) == 2 and info[0] in ("c", "plat", "sweep", "traceg"):
            quotation(page, number, info[1], inner)
    for text in newcomer.check(run) if newcomer else []:
        wrong(page, 1, text)
    return n


def main():
    fill = "--fill" in sys.argv
    tests = listed_tests()
    n = 0
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            lines = f.read().split("\n")
        check_names(page, lines, tests)
        check_links(page, lines)
        check_paths(page, lines)
        with tempfile.TemporaryDirectory() as folder:
            n += check_blocks(page, folder, fill)
    for page in ("CHANGES.md", "CONTRIBUTING.md", "docs/performance.md"):
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            check_paths(page, f.read().split("\n"))
    check_fuzzers("docs/testing.md")
    check_sources()
    check_reference(fill)
    for p in problems:
        print(p)
    print(f"{n} commands in {len(PAGES)} pages, {len(problems)} problems")
    sys.exit(1 if problems else 0)


def fill_page(path, info, old, new):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    start = f"```{info}\n"
    text = text.replace(start + "\n".join(old) + "\n```", start + "\n".join(new) + "\n```", 1)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
