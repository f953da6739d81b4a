# SPDX-License-Identifier: Apache-2.0
"""What tests of reports share: running the command, reading a page strictly."""

import base64
import hashlib
import html.parser
import os
import re
import subprocess

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
COMMAND = os.environ.get("WARPWRIGHT") or os.path.join(ROOT, "build/release/bin/warpwright")
VOID = {"meta"}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u202e\u0007 \ufffd" + "x" * 300
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


def report(page, *results):
    warpwright("report", *results, "-o", page)
    with open(page, encoding="utf-8", newline="") as file:
        return Page(file.read())


def check_closed(page, scripts=3):
    """Nothing from elsewhere; what may run is named by its hash, and that is what is there."""
    policy = next((a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"), "")
    check(policy.startswith("default-src 'none';") and "unsafe" not in policy and "http" not in policy, f"policy: {policy}")
    sha = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
    types = [a.get("type") for t, a in page.tags if t == "script"]
    for kind, text in zip(types, page.scripts):
        check(kind == "application/json" or sha(text) in policy, "a script that the policy does not name")
    check(len(types) == scripts and len(page.styles) == 1 and sha(page.styles[0]) in policy, f"scripts {types}, styles {len(page.styles)}")
    for tag, attrs in page.tags:
        check(tag not in ("img", "link", "iframe", "object", "base", "form", "image", "use", "foreignobject"), f"<{tag}>")
        for name, value in attrs.items():
            check(not name.startswith("on") and name not in ("src", "style", "srcdoc", "action", "xlink:href"), f"<{tag} {name}>")
            check(name != "href" or re.fullmatch(r"#\w+", value), f"<{tag} href={value}>")


def check_sane(page):
    """What screen readers need."""
    for table in page.tables:
        check(table["caption"] != "" and table["rows"], f"a table without caption or rows: {table['class']}")
        check(all(c["tag"] == "th" and c["scope"] == "col" for c in table["rows"][0]), f"{table['caption']}: heads")
        for row in table["rows"][1:]:
            check(len(row) == len(table["rows"][0]), f"{table['caption']}: a row of {len(row)} cells")
            check(row[0]["scope"] == "row" and all(c["tag"] == "td" for c in row[1:]), f"{table['caption']}: a row's head")
    ids = [a["id"] for _, a in page.tags if "id" in a]
    check(len(ids) == len(set(ids)), "an id twice")
    check(all(a["href"][1:] in ids for t, a in page.tags if t == "a"), "a link to nowhere")
    check(all("aria-label" in a or a.get("aria-hidden") == "true" for t, a in page.tags if t == "svg"), "a picture without a name")
