# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder share: the files of the tree, C without its comments, reporting."""

import argparse
import os
import re
import subprocess
import sys

SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}


def root_from_arguments(doc):
    """The tree to check: this one, or the one of --root (the self-test's)."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=doc.strip().splitlines()[0])
    parser.add_argument("--root", default=here, help="tree to check (default: this one)")
    return os.path.abspath(parser.parse_args().root)


def files(root, *extensions):
    """Paths relative to root, sorted: what git tracks or would; every file where there is no git."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
                         capture_output=True, check=False) if os.path.exists(root + "/.git") else None
    if git is not None and git.returncode == 0:
        found = [os.fsdecode(name) for name in git.stdout.split(b"\0") if name]
    else:
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS]
            found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(f for f in set(found)
                  if (not extensions or f.endswith(extensions)) and os.path.isfile(os.path.join(root, f)))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def without_comments(text, keep_strings=False):
    """C text of the same length and lines, with comments (and what is inside strings) blanked."""
    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token if keep_strings else token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def finish(name, problems, looked_at):
    """Prints what is wrong and ends the check; a check that looked at nothing has not passed."""
    for problem in problems:
        print(problem)
    if not problems and looked_at == 0:
        problems = ["nothing"]
        print(f"{name}: found nothing to check")
    print(f"{name}: {looked_at} checked, {len(problems)} wrong" if problems else
          f"{name}: {looked_at} checked, ok")
    sys.exit(1 if problems else 0)
