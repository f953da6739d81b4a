#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every check of tools/ that reads sources is shown a tree that it must accept, and faults that it must find."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"

# A small tree that no check has anything against.
GOOD = {
    "kernel/include/warpwright/base.h": "#pragma once\n#include <glib.h>\ntypedef struct WwThing { int n; } WwThing;\n",
    "kernel/src/base.c": "#include \"base-priv.h\"\n#include <gmodule.h>\n#include <warpwright/base.h>\n",
    "kernel/src/base-priv.h": "#pragma once\n#include <warpwright/base.h>\n",
    "ports/include/ports/fifo.h": "#pragma once\n#include <warpwright/base.h>\n"
                                  "static inline int ww_fifo_room(const WwThing *t)\n{\n    return t->n;\n}\n",
    "components/issue/gto.c": "#include \"gto-priv.h\"\n#include <ports/fifo.h>\n",
    "components/issue/gto-priv.h": "#pragma once\n",
    "components/components.c": "#include \"issue/gto-priv.h\"\n",
    "trace/include/trace/trace.h": "#pragma once\n#include <ports/fifo.h>\n",
    "trace/src/trace.c": "#include <lzma.h>\n#include <trace/trace.h>\n",
    "platforms/src/p.c": "#include <trace/trace.h>\n",
    "monitor/src/m.c": "#include <event2/event.h>\n",
    "cli/main.c": "#include <event2/event.h>\n#include <trace/trace.h>\n",
    "tests/unit/kernel/main.c": "#include \"base-priv.h\"\n",
}


def run(check, files):
    """Exit status and output of a check over GOOD changed by files."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**GOOD, **files}.items():
            os.makedirs(os.path.dirname(f"{root}/{path}") or root, exist_ok=True)
            with open(f"{root}/{path}", "w", encoding="utf-8") as file:
                file.write(text if path.endswith((".md", ".txt")) or text.startswith("!") else SPDX + text)
        done = subprocess.run([f"{ROOT}/tools/{check}", "--root", root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Checks(unittest.TestCase):
    def passes(self, check, files):
        status, text = run(check, files)
        self.assertEqual(status, 0, text)

    def catches(self, check, path, source, expected):
        status, text = run(check, {path: source})
        self.assertEqual(status, 1, text)
        self.assertTrue(re.search("^" + re.escape(path) + ".*" + expected, text, re.M), text)


class Layering(Checks):
    check = "check-layering"

    def test_good(self):
        self.passes(self.check, {})

    def test_upwards(self):
        for path, header in [
            ("kernel/src/x.c", "<ports/fifo.h>"),
            ("kernel/include/warpwright/x.h", "<ports/fifo.h>"),
            ("ports/src/x.c", "<trace/trace.h>"),
            ("components/issue/x.c", "<trace/trace.h>"),
            ("components/issue/x.c", "<platforms/platform.h>"),
            ("trace/src/x.c", "<components/components.h>"),
            ("platforms/src/x.c", "<compat/import.h>"),
            ("compat/src/x.c", "<monitor/monitor.h>"),
            ("monitor/src/x.c", "<compat/import.h>"),
            ("modules/x.c", "<trace/trace.h>"),
        ]:
            self.catches(self.check, path, f"#include {header}\n", ":2: includes .* may include only")

    def test_private(self):
        self.catches(self.check, "ports/src/x.c", "#include <warpwright/base-priv.h>\n", "private to kernel/")
        self.catches(self.check, "ports/src/x.c", "#include \"base-priv.h\"\n", "private to kernel/")
        self.catches(self.check, "ports/src/x.c", "#include \"../../kernel/src/base-priv.h\"\n", "private to kernel/")

    def test_between_components(self):
        for header in ["../issue/gto-priv.h", "gto-priv.h", "issue/gto-priv.h"]:
            self.catches(self.check, "components/memory/x.c", f"#  include \"{header}\"\n", "only through ports")
        self.catches(self.check, "components/memory/x.c", "#include <components/issue.h>\n", "only through ports")

    def test_libraries(self):
        self.catches(self.check, "components/issue/x.c", "#include <event2/event.h>\n", "only in cli, monitor")
        self.catches(self.check, "platforms/src/x.c", "#include <lzma.h>\n", "only in trace")
        self.catches(self.check, "ports/src/x.c", "#include <glib-object.h>\n", "no folder")

    def test_comments_are_not_code(self):
        self.passes(self.check, {"kernel/src/x.c": "/*\n#include <ports/fifo.h>\n*/\n// #include <ports/fifo.h>\n"})


class Headers(Checks):
    check = "check-headers"

    def test_good(self):
        self.passes(self.check, {})

    def test_faults(self):
        for source, why in [
            ("#pragma once\nuint32_t x(void);\n", "does not compile alone"),
            ("#include <glib.h>\ntypedef struct X { int n; } X;\n", "does not compile alone"),  # no guard
            ("#pragma once\n#include <ports/fifo.h>\n", "does not compile alone"),  # a folder above
        ]:
            self.catches(self.check, "kernel/include/warpwright/x.h", source, why)


class Length(Checks):
    check = "check-length"

    def test_length(self):
        self.passes(self.check, {"kernel/src/x.c": "\n" * 699})
        self.catches(self.check, "kernel/src/x.c", "\n" * 700, ":701: 701 lines")


class Words(Checks):
    check = "check-words"

    def test_words(self):
        self.passes(self.check, {"docs/x.md": "User-agent: it works/plays here.\n"})
        for word in ["see /wor" + "k/main/x", "a .librar" + "y folder", "the agen" + "t wrote this", "TO" + "DO later",
                     "asked Clau" + "de", "in shared/trace" + "s/x", "in /roo" + "t/x"]:
            self.catches(self.check, "docs/x.md", f"first\n{word}\n", ":2: speaks of")

    def test_spdx(self):
        self.catches(self.check, "kernel/src/x.c", "!", ":1: expected a line SPDX")


class Vacuous(unittest.TestCase):
    def test_an_empty_tree_does_not_pass(self):
        for name in sorted(os.listdir(f"{ROOT}/tools")):
            if name.startswith("check-") and name != "check-forbidden":  # which looks at what was built: tests/meta/forbidden
                with tempfile.TemporaryDirectory() as root:
                    done = subprocess.run([f"{ROOT}/tools/{name}", "--root", root], capture_output=True, check=False)
                    self.assertEqual(done.returncode, 1, name)


class Packages(unittest.TestCase):
    def test_each_is_explained(self):
        with open(f"{ROOT}/docs/dependencies.md", encoding="utf-8") as file:
            explained = file.read()
        with open(f"{ROOT}/tools/packages", encoding="utf-8") as file:
            rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(len(row), 2, row)
            self.assertIn(f"`{row[1]}`", explained)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
