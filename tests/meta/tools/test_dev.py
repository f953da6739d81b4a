#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several `./dev` at once in one tree, whose cmake notes when it begins and ends: one builds a folder at a time."""

import os
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
WAITS = "== waiting for another ./dev, which builds {}\n"

# Stands for cmake: notes what it is told in $NOTES. A build lasts until $GO is there, and fails if $FAIL is. Its
# product lasts until it is told to end.
CMAKE = r"""#!/bin/bash
echo "begin $1 $2" >>"$NOTES"
if [ "$1" = --build ]; then
    until [ -e "$GO" ]; do sleep 0.02; done
    mkdir -p "$2/bin"
    printf '#!/bin/bash\necho "runs $*" >>"$NOTES"\nread -r line\n' >"$2/bin/warpwright"
    chmod +x "$2/bin/warpwright"
    [ ! -e "$FAIL" ] || exit 3
fi
echo "end $1 $2" >>"$NOTES"
"""


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        at = self.folder.name
        os.makedirs(f"{at}/tools")
        os.makedirs(f"{at}/path")
        with open(f"{ROOT}/dev", encoding="utf-8") as file:
            self.write("dev", file.read())
        self.write("tools/packages", "# none\n")
        self.write("path/cmake", CMAKE)
        self.env = {**os.environ, "PATH": f"{at}/path:{os.environ['PATH']}", "NOTES": f"{at}/notes", "GO": f"{at}/go",
                    "FAIL": f"{at}/fail"}
        self.running = []
        self.addCleanup(self.end)

    def end(self):
        self.write("go", "")
        for dev in self.running:
            dev.communicate()

    def write(self, name, text):
        with open(f"{self.folder.name}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
            os.chmod(file.name, 0o755)

    def notes(self):
        try:
            with open(self.env["NOTES"], encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def dev(self, *words):
        dev = subprocess.Popen([f"{self.folder.name}/dev", *words], env=self.env, text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.running.append(dev)
        return dev

    def wait_for(self, note):
        for _ in range(30000):
            if note in self.notes():
                return
            time.sleep(0.02)
        self.fail(f"no {note!r} in {self.notes()}")

    def waiting(self, preset):
        """A ./dev that has said that it waits."""
        dev = self.dev("build", preset)
        self.assertEqual(dev.stdout.readline(), WAITS.format(preset))
        return dev

    def test_one_waits_for_the_other(self):
        first = self.dev("build", "release")
        self.wait_for("begin --build build/release")
        second = self.waiting("release")
        self.assertEqual(len(self.notes()), 3, self.notes())  # it has not configured, either
        self.write("go", "")
        self.assertEqual(first.communicate()[0], "== building release\n== build/release/bin/warpwright\n")
        self.assertEqual(second.communicate()[0], "== building release\n== build/release/bin/warpwright\n")
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        once = [f"{word} {of}" for of in ("--preset release", "--build build/release") for word in ("begin", "end")]
        self.assertEqual(self.notes(), once * 2)

    def test_other_folders_do_not_wait(self):
        self.dev("build", "release")
        self.wait_for("begin --build build/release")
        self.dev("build", "debug")
        self.wait_for("begin --build build/debug")

    def test_a_run_holds_nothing(self):
        self.write("go", "")
        run = self.dev("run", "one")
        self.wait_for("runs run one")
        self.assertNotIn("waiting", self.dev("build").communicate(timeout=600)[0])
        run.communicate("\n")
        self.assertEqual(run.returncode, 0)

    def test_a_build_that_fails(self):
        self.write("fail", "")
        first = self.dev("build", "release")
        self.wait_for("begin --build build/release")
        second = self.waiting("release")
        self.write("go", "")
        for dev in (first, second):
            text = dev.communicate()[0]
            self.assertEqual((dev.returncode, text), (3, "== building release\n"))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
