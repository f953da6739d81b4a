# SPDX-License-Identifier: Apache-2.0
"""A page's commands as a newcomer types them: with an installed Warpwright, in an empty folder.

    ```sh install         run once as it is, in a folder that holds the build as build/release, with a HOME of its own; where it
                          ends, with the variables that it exports, is where the rest runs. That folder must be empty.
    ```console installed  commands and what they print, as in every transcript
    ```sh installed       commands that print nothing; a here-document is one command

They must write, build, run and compare a scheduler that beats GTO on qv100, in few commands and few lines of C, and leave
what is installed as it was.
"""

import hashlib
import os
import re
import subprocess

HANGS = 600  # seconds after which a command does not come to an end, on a host with much to do, too
MOST_COMMANDS = 12
MOST_LINES_OF_C = 60


def instrumented(build):
    """Sanitizers and coverage do not go into a program built elsewhere."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as f:
        return re.search(r"^(WW_SANITIZE:STRING=.+|WW_COVERAGE:BOOL=ON)$", f.read(), re.M) is not None


def commands(lines):
    """The commands of an sh block, each a list of lines."""
    at = 0
    while at < len(lines):
        first, end = at, re.search(r"<<'(\w+)'", lines[at])
        while end and lines[at] != end.group(1):
            at += 1
        while lines[at].endswith("\\"):
            at += 1
        at += 1
        yield lines[first:at]


def contents(folder):
    """A digest of each file below the folder."""
    digests = {}
    for where, _, files in os.walk(folder):
        for path in (os.path.join(where, name) for name in files):
            with open(path, "rb") as f:
                digests[path] = hashlib.sha256(f.read()).digest()
    return digests


class Newcomer:
    """One page's folder, its commands so far, and the C that they wrote."""

    def __init__(self, build, folder, lines):
        home = os.path.join(folder, "home")
        os.makedirs(os.path.join(home, "tree", "build"))
        os.symlink(build, os.path.join(home, "tree", "build", "release"))
        self.env = {k: v for k, v in os.environ.items() if not re.match(r"WARPWRIGHT|WW_|G_TEST|CMAKE|PKG_CONFIG", k)}
        self.env.update(HOME=home, LC_ALL="C.UTF-8")
        script = "set -e\n" + "\n".join(lines) + "\nprintf '\\n%s\\n' \"$PWD\" \"$PREFIX\" \"$PATH\"\n"
        done = subprocess.run(["bash", "-c", script], cwd=os.path.join(home, "tree"), env=self.env, check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=HANGS)
        self.folder, prefix, path = done.stdout.decode().split("\n")[-6:-1:2]
        self.env.update(PREFIX=prefix, PATH=path)
        self.tree = os.path.join(home, "tree")
        self.commands, self.c = [], 0
        self.problems = ["the folder is not empty"] if os.listdir(self.folder) else []
        self.installed = contents(prefix)

    def place(self):
        return self.folder, self.env

    def seen(self, text):
        """Counts a command: each part of a chain is one."""
        head = text.split("\n")[0]
        self.commands += [part for part in re.split(r"&&|\|\||;", head) if part.strip()]
        if re.search(r"\.[ch]\b", head) and "<<" in head:
            self.c += len(text.split("\n")) - 2

    def run_all(self, lines, run):
        """Runs an sh block."""
        for command in commands(lines):
            self.seen("\n".join(command))
            status, out, err = run("\n".join(command), self.place())
            if status != 0 or out:
                self.problems.append(f"'{command[0]}' ends with status {status}: " + "\n".join(out) + err)

    def check(self, run):
        """What all of them together must have come to."""
        wrong = self.problems
        if len(self.commands) > MOST_COMMANDS:
            wrong.append(f"{len(self.commands)} commands, expected at most {MOST_COMMANDS}")
        if not 0 < self.c <= MOST_LINES_OF_C:
            wrong.append(f"{self.c} lines of C, expected at most {MOST_LINES_OF_C}")
        if contents(self.env["PREFIX"]) != self.installed:
            wrong.append("the commands change what is installed")
        last = next((c.split() for c in reversed(self.commands) if c.startswith("warpwright compare")), None)
        if last is None:
            return wrong + ["nothing is compared"]
        text = "\n".join(run(" ".join(last), self.place())[1])
        machines = re.findall(r"^[AB]  .* on gpu with (\w+)$", text, re.M)
        if machines != ["qv100", "qv100"]:
            wrong.append(f"compares runs on {machines}, expected qv100 twice")
        who = re.search(r"scheduler: A scheduler\.gto, B scheduler\.(\w+)$", text, re.M)
        if who is None or not os.path.isdir(os.path.join(self.folder, who.group(1))):
            wrong.append("does not compare GTO (A) with the new scheduler (B)")
        cycles = re.search(r"^  cycles +([\d,]+) +([\d,]+)", text, re.M)
        gto, mine = (int(c.replace(",", "")) for c in cycles.groups()) if cycles else (0, 0)
        if mine >= gto:
            wrong.append(f"the new scheduler takes {mine} cycles, GTO {gto}: expected fewer")
        print(f"from an empty folder: {len(self.commands)} commands, {self.c} lines of C, {mine} cycles instead of {gto}")
        return wrong
