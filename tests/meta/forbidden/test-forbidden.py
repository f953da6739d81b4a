#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing forbidden runs in a tick (tools/check-forbidden), and the check sees what is put into any file that does.

test-forbidden.py ROOTS LIBRARY ARCHIVE MODULE...: the program that prints the roots, libwarpwright.so, libwarpwright.a, modules.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["WW_SOURCE_DIR"]
BUILD = os.environ["WW_BUILD_DIR"]
ROOTS, LIBRARY, ARCHIVE = sys.argv[1:4]
MODULES = sys.argv[4:]
CHECK = f"{SOURCE}/tools/check-forbidden"
# Files that once were outside of the check; with WW_TEST_FULL=1 every file is tried.
SOME = ["components/cache/tags.c", "components/dram/frfcfs_banks.c", "components/interconnect/routed_switch.c", "ports/src/inst.c",
        "modules/ccws/monitor.c"]
FAULT = " g_free(g_malloc(1)); "


def done(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def check(folder, library, archives, modules, *options):
    """Status and output of the check over these objects."""
    roots = f"{folder}/roots"
    said = done(ROOTS, *modules, env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(library)})
    if said.returncode != 0:
        raise RuntimeError(said.stderr)
    with open(roots, "w", encoding="utf-8") as file:
        file.write(said.stdout)
    cold = [word for archive in archives for word in ("--cold", archive)]
    checked = done(sys.executable, CHECK, "--roots", roots, *cold, *options, library, *modules)
    return checked.returncode, checked.stdout + checked.stderr


def commands():
    with open(f"{BUILD}/compile_commands.json", encoding="utf-8") as file:
        rows = json.load(file)
    return {os.path.relpath(row["file"], SOURCE): shlex.split(row["command"]) for row in rows
            if "/tests/" not in row["file"] or "forbidden" in row["command"]}


def text_of(path):
    with open(f"{SOURCE}/{path}", encoding="utf-8") as file:
        return file.read()


def with_fault(path, function):
    """The text of a file of the tree with an allocation at the head of a function; None where there is no such text."""
    text = text_of(path)
    head = re.search(rf"^(?:[\w*][\w *()]*[ *])?\*?{function}\([^;{{}}]*\)\s*\{{", text, re.M)
    return text[:head.end()] + FAULT + text[head.end():] if head else None


def compiled(folder, n, path, text, command):
    """Compiles the text as the file is compiled; returns the object."""
    source, out = f"{folder}/{n}/{os.path.basename(path)}", f"{folder}/{n}/{os.path.basename(path)}.o"
    os.mkdir(f"{folder}/{n}")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    if command[0].endswith("ccache"):
        command = command[1:]
    words = command[:command.index("-o")]
    made = done(*words, f"-ffile-prefix-map={source}={path}", "-iquote", f"{SOURCE}/{os.path.dirname(path)}", "-w", "-o", out, "-c", source,
                cwd=BUILD)
    if made.returncode != 0:
        raise RuntimeError(made.stderr)
    return out


class Forbidden(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_tree(self):
        status, text = check(self.folder, LIBRARY, [ARCHIVE], MODULES)
        self.assertEqual(status, 0, text)

    def test_every_file(self):
        """An allocation in a function of each file that has one is found there."""
        status, text = check(self.folder, LIBRARY, [ARCHIVE], MODULES, "--functions")
        self.assertEqual(status, 0, text)
        wanted = {}
        for line in text.splitlines():
            path, _, function = line.partition(":")
            if path.endswith(".c") and (path in SOME or os.environ.get("WW_TEST_FULL") == "1"):
                changed = with_fault(path, function) if path not in wanted else None
                if changed is not None:
                    wanted[path] = (function, changed)
        self.assertTrue(set(SOME) <= set(wanted), sorted(wanted))
        how = commands()
        library, modules, objects, touched = f"{self.folder}/libwarpwright.so.0", list(MODULES), [], set()
        for n, (path, (_, changed)) in enumerate(sorted(wanted.items())):
            if path.startswith("modules/"):
                touched.add(os.path.dirname(path))
            else:
                objects.append(compiled(self.folder, n, path, changed, how[path]))
        for folder in sorted(touched):
            name = os.path.basename(folder)
            sources = [f"{folder}/{s}" for s in sorted(os.listdir(f"{SOURCE}/{folder}")) if s.endswith(".c") and not s.startswith("test_")]
            parts = [compiled(self.folder, f"{name}-{n}", path, wanted[path][1] if path in wanted else text_of(path), how[path])
                     for n, path in enumerate(sources)]
            i = [os.path.basename(m) for m in modules].index(f"{name}.so")
            modules[i] = f"{self.folder}/{name}.so"
            self.assertEqual(done("cc", "-shared", "-o", modules[i], *parts).returncode, 0)
        # the first definition of a symbol counts: the changed file's
        linked = done("cc", "-shared", "-Wl,-soname,libwarpwright.so.0", "-Wl,--allow-multiple-definition", "-o", library, *objects,
                      "-Wl,--whole-archive", ARCHIVE, "-Wl,--no-whole-archive", *shlex.split(done(
                          "pkg-config", "--libs", "glib-2.0", "gmodule-no-export-2.0", "libevent_core", "libevent_extra", "liblzma",
                          "libzstd", "libelf").stdout), "-lm")
        self.assertEqual(linked.returncode, 0, linked.stderr)
        status, text = check(self.folder, library, [ARCHIVE], modules)
        self.assertEqual(status, 1, text)
        for path, (function, _) in wanted.items():
            self.assertRegex(text, re.escape(f"{path}: {function}() runs in a tick and allocates or frees: g_malloc") +
                             r"\n    [\w.]+.*: .*\b" + function)
        self.assertIn("ccws", text)
        print(f"{len(wanted)} files", file=sys.stderr)


class Kernel(unittest.TestCase):
    def test_it_takes_no_signal(self):
        """Who embeds the library keeps its signals: handlers are the monitor's. Threads of the library's own have a stack for them (sigaltstack)."""
        called = set(re.findall(r" U (\w+)", done("nm", "-u", f"{BUILD}/kernel/libww_kernel.a").stdout))
        self.assertIn("mmap", called)
        self.assertFalse(called & {"sigaction", "signal", "bsd_signal", "signalfd", "backtrace"}, called)


class Exceptions(unittest.TestCase):
    def test_exceptions_are_needed(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = text_of("tools/forbidden.allow")
            for change, expected in [
                (lines + "components/cache/tags.c:tags_probe may allocates nothing\n", "needs no exception"),
                (lines + "components/cache/tags.c:no_reason may\n", "expected FILE:FUNCTION, once"),
                (re.sub(r"(?m)^.*:make_room .*$", "", lines), r"make_room\(\) runs in a tick and allocates or frees"),
                (re.sub(r"(?m)^.*:ww_clock_next_of_lanes .*$", "", lines), "computes in floating point"),
                (re.sub(r"(?m)^.*:give_back .*$", "", lines), r"give_back\(\) runs in a tick and locks"),
            ]:
                with open(f"{folder}/allow", "w", encoding="utf-8") as file:
                    file.write(change)
                status, text = check(folder, LIBRARY, [ARCHIVE], MODULES, "--allow", f"{folder}/allow")
                self.assertNotEqual(status, 0, text)
                self.assertRegex(text, expected)

    def test_without_roots_it_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/roots", "w", encoding="utf-8"):
                pass
            self.assertNotEqual(done(sys.executable, CHECK, "--roots", f"{folder}/roots", *MODULES).returncode, 0)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
