# SPDX-License-Identifier: Apache-2.0
"""What tests of reports share: running the command, reading a page strictly."""

import html.parser
import os
import subprocess

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
VOID = {"meta"}
failed = []


def check(good, what):
    if not good:
        print(what, flush=True)
        failed.append(what)


def warpwright(*words, status=0):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, errors="replace", timeout=300, check=False)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def run(*words):
    return warpwright("run", "--progress=none", "--report=none", *words)


class Page(html.parser.HTMLParser):
    """Every tag is closed in its order; tables as rows of cells, a cell its text and what `data-v` says."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.tables, self.scripts, self.styles, self.notes = [], [], [], [], [], []
        self.text, self.cell = [], None
        self.feed(text)
        self.close()
        check(not self.open, f"left open: {self.open}")

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        check(len(names) == len(set(names)), f"<{tag}>: an attribute twice")
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append({"class": attrs.get("class", ""), "caption": "", "rows": []})
        elif tag == "tr":
            self.tables[-1]["rows"].append([])
        elif tag in ("td", "th"):
            self.cell = {"text": "", "v": attrs.get("data-v"), "tag": tag, "scope": attrs.get("scope")}
            self.tables[-1]["rows"][-1].append(self.cell)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open:
            self.open.pop()
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside in ("script", "style"):
            (self.scripts if inside == "script" else self.styles).append(data)
        elif self.cell is not None:
            self.cell["text"] += data
        elif inside == "caption":
            self.tables[-1]["caption"] += data
        self.text.append("" if inside in ("script", "style") else data)

    def table(self, kind, caption=""):
        """The first table of a class whose caption has that text."""
        found = [t for t in self.tables if kind in t["class"].split() and caption in t["caption"]]
        check(bool(found), f"no table {kind} {caption}")
        return found[0] if found else {"rows": [[]]}

    def row(self, kind, name, caption=""):
        """The cells behind a row's name, numbers as `data-v` has them."""
        for row in self.table(kind, caption)["rows"][1:]:
            if row[0]["text"] == name:
                return [float(c["v"]) if c["v"] is not None else c["text"] for c in row[1:]]
        check(False, f"table {kind} {caption}: no row {name}")
        return []

    def says(self):
        return " ".join(" ".join(self.text).split())
