#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every check of tools/ that reads sources is shown a tree that it must accept, and faults that it must find."""

import ast
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
    "kernel/include/warpwright/base.h": "#pragma once\n#include <glib.h>\n/** A thing. */\ntypedef struct WwThing { int n; } WwThing;\n"
                                        "/** 0. */\nint ww_base(void);\n",
    "kernel/src/base.c": "#include \"base-priv.h\"\n#include <gmodule.h>\n#include <warpwright/base.h>\nint ww_base(void)\n{\n    return 0;\n}\n",
    "kernel/src/base-priv.h": "#pragma once\n#include <warpwright/base.h>\n",
    "ports/include/ports/fifo.h": "#pragma once\n#include <warpwright/base.h>\n"
                                  "/** How many fit. */\nstatic inline int ww_fifo_room(const WwThing *t)\n{\n    return t->n;\n}\n",
    "components/issue/gto.c": "#include \"gto-priv.h\"\n#include <ports/fifo.h>\n",
    "components/issue/gto-priv.h": "#pragma once\n",
    "components/components.c": "#include \"issue/gto-priv.h\"\n",
    "trace/include/trace/trace.h": "#pragma once\n#include <ports/fifo.h>\n",
    "trace/src/trace.c": "#include <lzma.h>\n#include <trace/trace.h>\n",
    "platforms/src/p.c": "#include <trace/trace.h>\n",
    "monitor/src/m.c": "#include <event2/event.h>\n",
    "cli/main.c": "#include <event2/event.h>\n#include <trace/trace.h>\n",
    "tests/unit/kernel/main.c": "#include \"base-priv.h\"\nint main(void)\n{\n    return ww_base();\n}\n",
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
        self.catches(self.check, "monitor/src/x.c", "#include <jansson.h>\n", "only in cli, report")
        self.catches(self.check, "cli/x.c", "#include <gelf.h>\n", "only in trace")

    def test_comments_are_not_code(self):
        self.passes(self.check, {"kernel/src/x.c": "/*\n#include <ports/fifo.h>\n*/\n// #include <ports/fifo.h>\n"})


class Arrows(unittest.TestCase):
    def test_contributing_says_what_is_checked(self):
        """The arrows of CONTRIBUTING.md, followed to their ends, are BELOW of check-layering."""
        with open(f"{ROOT}/tools/check-layering", encoding="utf-8") as file:
            code = next(node.value for node in ast.parse(file.read()).body
                        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "BELOW")
        below = eval(compile(ast.Expression(code), "BELOW", "eval"))  # a dict of names: set() is no literal
        with open(f"{ROOT}/CONTRIBUTING.md", encoding="utf-8") as file:
            text = next(p for p in file.read().split("\n\n") if " <- " in p)
        drawn = {folder: set() for folder in below}
        for arrow in re.sub(r"\s+", " ", text).strip().rstrip(".").split(";"):
            low, high = (re.findall(r"`(\w+)`", side) for side in arrow.split(" <- "))
            for folder in high:
                self.assertIn(folder, drawn)
                drawn[folder].update(low)
        for _ in drawn:
            for folders in drawn.values():
                folders.update(*(drawn[f] for f in list(folders)))
        self.assertEqual(drawn, below)


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
        self.catches(self.check, "other/include/other/x.h", "#pragma once\n", "other/ is not known")

    said = """#pragma once
#include <glib.h>
/** @file What it is about. */

/** A thing, defined below. */
typedef struct WwOpaque WwOpaque;
typedef struct WwLater WwLater;
struct _GList;
/** Bytes. */
#define WW_BYTES 8u
#define WW_WORDS \\
    2u

#define WW_BITS 64u /**< Of all. */
#define WW_LONG \\
    9u /**< Of two lines. */

/** Room for them. */
struct WwLater {
    int n; /* first */
};
/** Is told of one. */
typedef void (*WwFn)(void *user, WwLater *later);
/** Four. */
typedef struct { int v[4]; } WwFour[2] __attribute__((aligned(16)));
/** Kinds. */
enum { WW_ONE, WW_TWO };
/** Three. */
typedef enum WwKind { WW_THREE } WwKind;
/** A table. */
extern const int ww_table[3];
/** Never NULL. */
void *ww_take(WwFn fn, int n) G_GNUC_ALLOC_SIZE(2);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwLater, g_free)
/**
 * Twice.
 */
static inline __attribute__((always_inline)) int ww_twice(int n)
{
    if (n != 0) {
        return 2 * n;
    }
    return 0;
}
G_STATIC_ASSERT(sizeof(WwLater) ==
                sizeof(int)); /* no holes */
"""

    def test_comments(self):
        """Of every kind of declaration: it passes with its comment, and not without."""
        self.passes(self.check, {"kernel/include/warpwright/x.h": self.said})
        faults = [("#pragma once\n/** @file Of the file alone. */\nint x(void);\n", "function x"),
                  (self.said.replace("struct WwLater {", "struct WwOther {").replace("WwLater", "WwThird"), "name WwThird")]
        for comment, what in [("/** A thing, defined below. */", "name WwOpaque"), ("/** Bytes. */", "macro WW_BYTES"), ("/**< Of all. */", "macro WW_BITS"),
                              ("/** Room for them. */", "type WwLater"), ("/** Is told of one. */", "type WwFn"), ("/** Four. */", "type WwFour"),
                              ("/** Kinds. */", "type enum"), ("/** Three. */", "type WwKind"), ("/** A table. */", "variable ww_table"),
                              ("/** Never NULL. */", "function ww_take"), ("/**\n * Twice.\n */", "function ww_twice")]:
            self.assertEqual(self.said.count(comment), 1)
            faults += [(self.said.replace(comment, instead), what) for instead in ["", "/* plain */", comment.replace("/**<", "/**") + "\n"]]
        # What one header says of a struct would do for all: each has its own.
        headers = {f"kernel/include/warpwright/x{i}.h": source.replace("WwOpaque", f"WwOpaque{i}x") for i, (source, _) in enumerate(faults)}
        status, text = run(self.check, headers)
        self.assertEqual(status, 1, text)
        for path, (_, what) in zip(headers, faults):
            self.assertTrue(re.search(f"^{path}:.*{what}\\w* has no comment", text, re.M), f"{path}: {what}\n{text}")


class Length(Checks):
    check = "check-length"

    def test_length(self):
        self.passes(self.check, {"kernel/src/x.c": "\n" * 699})
        self.catches(self.check, "kernel/src/x.c", "\n" * 700, ":701: 701 lines")


class Views(Checks):
    check = "check-views"
    header = "ports/include/ports/x.h"

    def contract(self, functions, structs=""):
        return ("#pragma once\ntypedef struct WwFifo {\n    WwChannel ch;\n    int full;\n} WwFifo;\n"
                "typedef struct WwDeep {\n    int n;\n} WwDeep;\n"
                f"{structs}typedef struct WwXIf {{\n{functions}\n}} WwXIf;\n")

    def test_good(self):
        view = ("typedef struct WwView {\n    uint64_t mask;\n    const WwDeep *deep; /* of WwDeep *others */\n    WwOpaque *behind;\n"
                "    const uint64_t *sums;\n    void *priv;\n    WwInst *inst;\n} WwView;\n"
                "struct WwInst {\n    WwDeep *own;\n};\n").replace("    WwInst *inst;\n", "    const WwInst *inst;\n")
        functions = ("    const WwView *(*view)(void *self);\n    WwInst *(*take)(void *self, WwInst *inst, const WwView *of, GError **error);\n"
                     "    bool (*next)(void *self, WwDeep *out, const WwView **which);")
        self.passes(self.check, {self.header: self.contract(functions, view),
                                 "components/issue/x.c": "void f(const WwFifo *f, WwDeep *own, WwInst *i);\n",
                                 "tests/unit/x.c": "WwFifo *f; WwView *v = (WwView *)g;\n"})

    def test_tables(self):
        for function, why in [("WwDeep *(*view)(void *self);", "gives WwDeep"),
                              ("void (*put)(void *self, WwDeep *what);", "takes WwDeep"),
                              ("void (*put)(void *self, const WwInst *inst,\n        WwDeep *what);", "takes WwDeep"),
                              ("WwInst *(*peek)(void *self);", "gives WwInst"),
                              ("bool (*next)(void *self, WwDeep **which);", "takes WwDeep")]:
            self.catches(self.check, self.header, self.contract(function), why)

    def test_deep(self):
        structs = ("typedef struct WwInner {\n    WwDeep *open;\n} WwInner;\n"
                   "typedef struct WwView {\n    const WwInner *inner;\n} WwView;\n")
        shown = "    const WwView *(*view)(void *self);"
        self.catches(self.check, self.header, self.contract(shown, structs), "WwInner is shown, .* open points to is not const")
        structs = "typedef struct WwView {\n    uint64_t *sums;\n} WwView;\n"
        self.catches(self.check, self.header, self.contract(shown, structs), "sums points to is not const")

    def test_users(self):
        header = {self.header: self.contract("    const WwDeep *(*view)(void *self);")}
        for path, text, why in [("components/issue/x.c", "void f(void)\n{\n    WwFifo *f = in->peer;\n}\n", ":4: WwFifo"),
                                ("modules/m/m.c", "int n = ((WwFifo *)p)->full;\n", ":2: WwFifo"),
                                ("components/issue/x.c", "int n = ((WwDeep *)v)->n++;\n", ":2: a cast to WwDeep")]:
            status, text_of = run(self.check, {**header, path: text})
            self.assertEqual(status, 1, text_of)
            self.assertTrue(re.search("^" + re.escape(path) + why, text_of, re.M), text_of)


class Exports(Checks):
    check = "check-exports"
    header = "kernel/include/warpwright/thing.h"
    declared = "#pragma once\n/* ww_thing() is spoken of here */\nWW_API int ww_thing(int a,\n                    int b);\n"
    body = "int ww_thing(int a, int b)\n{\n    return a + b;\n}\n"

    def test_used(self):
        files = {self.header: self.declared, "kernel/src/thing.c": self.body}
        self.passes(self.check, {**files, "tests/unit/kernel/test_thing.c": "static void test(void)\n{\n    ww_thing(1, -1);\n}\n"})
        status, text = run(self.check, files)
        self.assertEqual(status, 1, text)
        self.assertIn(f"{self.header}:4: no C file uses ww_thing()", text)


class Words(Checks):
    check = "check-words"

    def test_words(self):
        self.passes(self.check, {"docs/x.md": "User-agent: it works/plays here.\n"})
        for word in ["see /wor" + "k/main/x", "a .librar" + "y folder", "the agen" + "t wrote this", "TO" + "DO later",
                     "asked Clau" + "de", "in shared/trace" + "s/x", "in /roo" + "t/x", 'fopen("/tm' + 'p/x.log")']:
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
