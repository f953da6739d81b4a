#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of machines: of every platform of the tree, whole and in parts, no boxes or texts overlap, text stays in its box, edges begin and end at
boxes, cross none, and do not lie on each other; all parts and edges are there; the same bytes each time; the figures of a run are those of its file."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
SVG = "{http://www.w3.org/2000/svg}"
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        if len(failures) < 40:
            print("FAILED: " + what)


def run(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=300)


def widths():
    """Of characters, in hundredths of the size: those of a wide font, from the source."""
    text = open(ROOT + "/cli/picture_text.c").read()
    tables = re.findall(r"    \{\n([\d,\s]+)\n    \}", text)
    return [[int(n) for n in t.replace(",", " ").split()] for t in tables]


WIDTHS = widths()


def text_box(t):
    bold = "bold" in t.get("class", "")
    size = float(t.get("font-size"))
    w = sum(WIDTHS[bold][ord(c) - 32] if 32 <= ord(c) < 127 else 100 for c in t.text or "") * size / 100
    x, y = float(t.get("x")), float(t.get("y"))
    left = x - w / 2 if t.get("text-anchor") == "middle" else x
    return (left, y - 0.75 * size, left + w, y + 0.22 * size)


def rect_box(r):
    x, y = float(r.get("x")), float(r.get("y"))
    return (x, y, x + float(r.get("width")), y + float(r.get("height")))


def overlap(a, b, by=0.3):
    return a[0] < b[2] - by and b[0] < a[2] - by and a[1] < b[3] - by and b[1] < a[3] - by


def inside(a, b, by=0.6):
    return b[0] - by <= a[0] and b[1] - by <= a[1] and a[2] <= b[2] + by and a[3] <= b[3] + by


def points_of(path):
    """Corners of a path: the turning points themselves, not the rounding."""
    numbers = re.findall(r"([MLQ])([-\d. ]+)", path)
    points = []
    for kind, rest in numbers:
        n = [float(v) for v in rest.split()]
        points.append((n[0], n[1]))
    # L before a Q and the end of the Q are on the lines between corners
    return [p for i, p in enumerate(points) if numbers[i][0] != "L" or i in (0, len(points) - 1)]


def polygon_tip(polygon):
    return tuple(float(v) for v in polygon.get("points").split()[0].split(","))


class Picture:
    def __init__(self, text, what):
        self.what = what
        self.root = ET.fromstring(text)
        self.page = (0, 0, float(self.root.get("width")), float(self.root.get("height")))
        self.boxes = {}     # path -> (class, box)
        self.parts = []
        self.groups = []
        self.texts = []
        self.edges = []
        self.read(self.root, None)

    def read(self, node, owner):
        for child in node:
            if child.tag == SVG + "g" and "edge" in child.get("class", "").split():
                if "legend" not in child.get("class"):
                    self.edges.append(child)
                continue
            if child.tag == SVG + "g":
                path = child.get("data-path")
                if path is not None:
                    face = [r for r in child.findall(SVG + "rect") if r.get("class") == "face"][0]
                    kind = child.get("class").split()[0]
                    box = rect_box(face)
                    check(path not in self.boxes, f"{self.what}: {path} is drawn twice")
                    self.boxes[path] = (kind, box)
                    (self.groups if kind == "group" else self.parts).append((path, box, owner))
                    self.read(child, path)
                else:
                    self.read(child, owner)
            elif child.tag == SVG + "text":
                self.texts.append((child, owner))

    def check_boxes(self):
        for i, (path, box, owner) in enumerate(self.parts):
            check(inside(box, self.page), f"{self.what}: {path} leaves the page")
            for other, obox, oowner in self.parts[i + 1:]:
                if owner == other or oowner == path:  # what stands in a slot
                    check(inside(obox if oowner == path else box, box if oowner == path else obox), f"{self.what}: {other} leaves {path}")
                else:
                    check(not overlap(box, obox), f"{self.what}: {path} and {other} overlap")
            for group, gbox, _ in self.groups:
                check(inside(box, gbox) or not overlap(box, gbox), f"{self.what}: {path} stands across the border of {group}")
                if path.startswith(group + "."):
                    check(inside(box, gbox), f"{self.what}: {path} is not in {group}")
        for i, (group, box, _) in enumerate(self.groups):
            for other, obox, _ in self.groups[i + 1:]:
                nested = other.startswith(group + ".")
                check(inside(obox, box) if nested else not overlap(box, obox), f"{self.what}: groups {group} and {other}")

    def check_texts(self):
        boxes = [(t.text, text_box(t), owner) for t, owner in self.texts]
        for text, box, owner in boxes:
            limit = self.boxes[owner][1] if owner else self.page
            check(inside(box, limit), f"{self.what}: '{text}' leaves {owner or 'the page'}: {box} in {limit}")
        for i, (text, box, _) in enumerate(boxes):
            for other, obox, _ in boxes[i + 1:]:
                check(not overlap(box, obox), f"{self.what}: '{text}' and '{other}' overlap")
        for text, box, owner in boxes:
            for path, pbox, _ in self.parts:
                if path != owner and not (owner or "").startswith(path + "."):
                    check(not overlap(box, pbox), f"{self.what}: '{text}' lies on {path}")

    def segments(self, edge):
        points = points_of(edge.find(SVG + "path").get("d"))
        points[-1] = polygon_tip(edge.find(SVG + "polygon"))
        return points, list(zip(points, points[1:]))

    def check_edges(self):
        all_segments = []
        for edge in self.edges:
            source, target = edge.get("data-from"), edge.get("data-to")
            name = f"{self.what}: {source} -> {target}"
            check(source in self.boxes and target in self.boxes, f"{name}: an end is not drawn")
            points, segments = self.segments(edge)
            for point, path in ((points[0], source), (points[-1], target)):
                x1, y1, x2, y2 = self.boxes[path][1]
                at_side = (abs(point[0] - x1) < 0.6 or abs(point[0] - x2) < 0.6) and y1 - 0.6 <= point[1] <= y2 + 0.6
                check(at_side, f"{name} does not end at a side of {path}: {point}, box {self.boxes[path][1]}")
            for (ax, ay), (bx, by) in segments:
                check(abs(ax - bx) < 1.2 or abs(ay - by) < 1.2, f"{name} is not at right angles: {(ax, ay)} to {(bx, by)}")
                line = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
                for path, box, _ in self.parts:
                    grown = (line[0] - 0.1, line[1] - 0.1, line[2] + 0.1, line[3] + 0.1)
                    check(not overlap(grown, box, 0.7), f"{name} crosses {path}")
                all_segments.append((name, source, target, line))
            # a group is entered only by an edge of something in it
            for group, box, _ in self.groups:
                if not source.startswith(group + ".") and not target.startswith(group + "."):
                    for (ax, ay), (bx, by) in segments:
                        line = (min(ax, bx) - 0.1, min(ay, by) - 0.1, max(ax, bx) + 0.1, max(ay, by) + 0.1)
                        check(not overlap(line, box, 0.7), f"{name} crosses the group {group}")
        for i, (name, s, t, a) in enumerate(all_segments):
            for other, os_, ot, b in all_segments[i + 1:]:
                if name == other:
                    continue
                level = a[3] - a[1] < 1.2 and b[3] - b[1] < 1.2 and abs(a[1] - b[1]) < 1.0
                plumb = a[2] - a[0] < 1.2 and b[2] - b[0] < 1.2 and abs(a[0] - b[0]) < 1.0
                along = (min(a[2], b[2]) - max(a[0], b[0])) if level else (min(a[3], b[3]) - max(a[1], b[1])) if plumb else 0
                check(along < 3, f"{name} lies on {other}")


def wires_of(words):
    """Patterns of parts, and of channel ends, as the tree says."""
    text = json.loads(run("inspect", *words, "--json").stdout)
    star = lambda path: re.sub(r"\[\d+\]", "[*]", path)
    return {star(c["path"]) for c in text["components"]}


def check_picture(words, what):
    done = run("inspect", *words, "--svg")
    check(done.returncode == 0, f"{what}: {done.stderr}")
    if done.returncode != 0:
        return None
    picture = Picture(done.stdout, what)
    picture.check_boxes()
    picture.check_texts()
    picture.check_edges()
    check(done.stdout == run("inspect", *words, "--svg").stdout, f"{what}: other bytes the second time")
    return picture


def has_machine(path):
    return re.search(r"^machine ", open(path).read(), re.M) or "platforms/" in path and not path.endswith(("/sm.plat", "/sm_modern.plat", "/sm_sub_cores.plat"))


def check_platforms():
    n = 0
    for path in sorted(glob.glob(ROOT + "/platforms/*.plat") + glob.glob(ROOT + "/tutorial/*.plat") + glob.glob(ROOT + "/docs/examples/*.plat") + [ROOT + "/tests/system/sub_cores/rig.plat"]):
        if run("inspect", "-p", path, "--depth", "1").returncode != 0:
            continue  # parts to import
        n += 1
        picture = check_picture(["-p", path], os.path.basename(path))
        patterns = wires_of(["-p", path])
        check(patterns == {p for p, _, _ in picture.parts}, f"{path}: parts {sorted(patterns ^ {p for p, _, _ in picture.parts})} are not drawn, or not there")
    check(n >= 15, f"only {n} platforms")
    for config in ("qv100", "rtx3070", "titanx", "kepler-titan"):
        check_picture(["-c", config], config)
        check_picture(["-c", config, "--only", "sm"], config + " sm")
        check_picture(["-c", config, "--only", "channel"], config + " channel")
        for depth in ("1", "2"):
            check_picture(["-c", config, "--depth", depth], f"{config} depth {depth}")
    check_picture(["-c", "rtx3070", "--sms", "2"], "two SMs")
    check_picture(["-c", "rtx3070", "-s", "sm.has_l1i=true"], "an instruction cache")
    sm = check_picture(["-c", "qv100", "--only", "sm"], "sm")
    layers = [sm.boxes["gpu.cluster[*].sm[*]." + p][1][0] for p in
              ("fetch", "fetch_buffer", "decode", "pool", "issue[*]", "id_oc_sp", "collector", "oc_ex_sp", "sp[*]", "ex_wb", "writeback")]
    check(layers == sorted(layers), f"the pipeline does not go from left to right: {layers}")


def check_unlike(folder):
    """Elements that are not alike: how many there are at least and at most, and each of them alone."""
    machine = ["-p", ROOT + "/docs/examples/clusters.plat"]
    whole = check_picture(machine, "clusters that differ")
    text = run("inspect", *machine, "--svg").stdout
    for name in ("issue \u00d72\u20138", "sm \u00d71\u20132", "int \u00d72\u20138", "cluster \u00d78", "id_oc_spec \u00d78"):
        check(f">{name}<" in text, f"'{name}' is not in the picture of clusters that differ")
    check(len(whole.boxes) > 40, "clusters that differ: parts are missing")
    for words, each in ((machine, r"some \d+ parts"), (["-c", "qv100"], r"\d+ parts")):
        for form in ("--svg", "--dot"):
            shown = run("inspect", *words, "--depth", "2", form).stdout
            found = re.findall(r'(?:class="bold"[^>]*>sm|<B>sm\[\*\]</B>).{0,120}?>((?:some )?\d+ parts)', shown)
            check(found != [] and re.fullmatch(each, found[0]), f"{words} {form}: SMs have {found}; expected {each}")
    for words, title in ((machine, "clusters with qv100"), ([], "qv100")):
        own = run("inspect", *words, "-c", "qv100", "--depth", "1", "--svg").stdout
        check(f"<title>{title}</title>" in own, f"the title is not '{title}': that of a platform of the user's choice names platform and config")
    results = os.path.join(folder, "clusters.json")
    trace = ROOT + "/tests/traces/histogram-sm70"
    check(run("run", *machine, "--stats", "*", "-o", results, "--report=none", "--progress=none", trace).returncode == 0, "a run of clusters that differ")
    issued = {}
    for only, shown, issues in (("cluster[1]", "gpu.cluster[1]", 8), ("cluster[5]", "gpu.cluster[5]", 4), ("cluster[3..8].sm[1]", "gpu.cluster[3].sm[1]", 2)):
        said = run("inspect", *machine, "--only", only)
        check(f"only {shown}: " in said.stdout and f"x {issues}  Issues" in said.stdout and "note" not in said.stderr, f"--only {only}: {said.stdout[:90]} {said.stderr}")
        alone = run("inspect", *machine, "--only", only, "--svg", "--with", results).stdout
        check(f">{shown}, with the figures of" in alone, f"--only {only}: its picture is of something else")
        issued[only] = re.search(r">issues ([0-9.]+) %<", alone).group(1)
    check(issued["cluster[1]"] != issued["cluster[5]"], f"figures are those of all clusters: {issued}")
    first = run("inspect", *machine, "--only", "cluster")
    check("8 elements that are not alike: this is gpu.cluster[0]; --only" in first.stderr and "only gpu.cluster[0]: " in first.stdout, f"--only cluster: {first.stderr}")
    for only in ("cluster[9]", "cluster[4294967296]", "cluster[1..4294967296", "cluster[0x1]", "cluster[-1]", "cluster[1", "cluster[1..", "cluster[ 1]"):
        none = run("inspect", *machine, "--only", only)
        check(none.returncode == 2 and "fits none of the 8 elements of gpu.cluster[*]; expected" in none.stderr and not none.stdout, f"--only {only}: {none.stderr}")
    most = run("inspect", *machine, "--only", "cluster[7..99999999999999999999]")
    check("only gpu.cluster[7]: " in most.stdout, f"--only cluster[7..]: {most.stdout[:90]} {most.stderr}")
    check("several types" in run("inspect", "-c", "two_schedulers", "--svg").stdout.split("issue[*].policy: ")[1][:20], "one type of several is told")
    units = run("run", *machine, "--progress=none", trace).stdout
    check("int (3.38 an SM)" in units, "the mean number of units an SM is told with three figures")
    bare = os.path.join(folder, "bare.plat")
    with open(bare, "w") as f:
        f.write("machine m { domain core = 1GHz; phases { main : core; } s : source { count = 9; } k : sink; s.out -> k.in; }\n")
    check(run("run", "-p", bare, "--stats", "*", "-o", results, "--report=none").returncode == 0, "a run of a machine without a trace")
    check(">with the figures of" in run("inspect", "-p", bare, "--svg", "--with", results).stdout, "a machine without a doc begins with a comma")


def check_figures(folder):
    path = os.path.join(folder, "run.json")
    sums = os.path.join(folder, "sums.json")
    base = ["run", "-c", "rtx3070", "--report=none", "--progress=none"]
    check(run(*base, "--stats", "*", "-o", path, ROOT + "/samples/vecadd").returncode == 0, "the run")
    check(run(*base, "-o", sums, ROOT + "/samples/vecadd").returncode == 0, "the run without --stats")
    results = json.load(open(path))
    picture = check_picture(["-c", "rtx3070", "--with", path], "with figures")
    check_picture(["-c", "rtx3070", "--depth", "2", "--with", path], "depth 2 with figures")
    # tokens of each channel are the sums of its instances' puts, on the edges that join it
    puts = {}
    for instance, own in results["total"]["instances"].items():
        if own["type"] == "fifo":
            pattern = re.sub(r"\[\d+\]", "[*]", instance)
            puts[pattern] = puts.get(pattern, 0) + own["puts"]
    seen = 0
    for edge in picture.edges:
        title = edge.find(SVG + "title").text
        tokens = re.search(r"\n(\d+) tokens", title)
        for end in ("data-from", "data-to"):
            others = [e for e in picture.edges if e.get(end) == edge.get(end)]
            if edge.get(end) in puts and len(others) == 1:
                check(tokens and int(tokens.group(1)) == puts[edge.get(end)], f"{title}: expected {puts[edge.get(end)]} tokens")
                seen += 1
    check(seen > 10, "no edges with figures")
    counters = results["total"]["counters"]
    slots = counters["warp_scheduler.single_issue"] + counters["warp_scheduler.dual_issue"]
    all_slots = slots + sum(counters["warp_scheduler.cause"].values())
    texts = [t.text for t, owner in picture.texts if owner and owner.endswith(".issue[*]")]
    check(f"issues {slots * 100 / all_slots:.1f} %" in texts, f"issue slots: {texts}")
    most = max(counters["warp_scheduler.cause"].values())
    check(f"{most * 100 / all_slots:.0f} %" in texts, f"the cause of most lost slots: {texts}")
    into = [e for e in picture.edges if e.get("data-from").endswith(".int[*]")][0]
    issued = sum(own["issued"] for name, own in results["total"]["instances"].items() if re.search(r"\.int\[\d+\]$", name))
    check(f"\n{issued} tokens" in into.find(SVG + "title").text, "tokens out of the integer units")
    # without --stats: what the sums tell
    picture = check_picture(["-c", "rtx3070", "--with", sums], "with sums")
    texts = [t.text for t, owner in picture.texts if owner and owner.endswith(".issue[*]")]
    check(f"issues {slots * 100 / all_slots:.1f} %" in texts, f"issue slots from sums: {texts}")
    # what hit a line on its way found no data: it is no hit, as in the summary
    for own in results["total"]["instances"].values():
        if own["type"] == "cache.l2":
            own.update(accesses=8, misses=2, pending_hits=1)
    changed = os.path.join(folder, "hits.json")
    json.dump(results, open(changed, "w"))
    texts = [t.text for t, owner in check_picture(["-c", "rtx3070", "--with", changed], "hits").texts if owner and owner.endswith(".l2[*]")]
    check("hits 62.5 %" in texts, f"hits of the L2: {texts}")
    # errors
    broken = os.path.join(folder, "broken.json")
    for text, says in (("{", "expected results of warpwright run"), ('{"schema": "x"}', "schema is 'x'"), ("[]", "no 'schema'; expected 'warpwright-results-1'"),
                       ('{"schema": "warpwright-results-1", "kernels": [], "total": {"counters": {}}}', "no figures of any part"),
                       ('{"schema": "warpwright-results-1", "kernels": [], "total": {"counters": {}, "instances": {"a[": {"b": []}, "gpu.map": 3}}}', None)):
        open(broken, "w").write(text)
        done = run("inspect", "-c", "rtx3070", "--svg", "--with", broken)
        if says:
            check(done.returncode == 2 and done.stdout == "" and says in done.stderr and done.stderr.count("\n") == 1, f"{text}: {done.stderr}")
        else:
            check(done.returncode in (0, 2), f"{text}: {done.returncode}, {done.stderr}")
    for words, says in ((["-c", "rtx3070", "--with", path], "expected --svg"), (["--svg"], "expected -p PLATFORM"),
                        (["-c", "rtx3070", "--svg", "--dot"], "at most one of"), (["-c", "rtx3070", "--svg", "--with", "/no/file"], "/no/file")):
        done = run("inspect", *words)
        check(done.returncode == 2 and says in done.stderr, f"{words}: {done.stderr}")


def check_machines(folder):
    """Figures are those of the machine that is drawn: of another they are refused, other values of its parts are told."""
    trace, sm = ROOT + "/samples/vecadd", ["-c", "rtx3070", "--only", "sm", "--svg"]
    runs = {"other.json": ["-c", "rtx4090"], "parts.json": ["-c", "rtx3070", "--sms", "1"], "value.json": ["-c", "rtx3070", "-s", "sm.ldst.l1_latency=7"],
            "memory.json": ["-c", "rtx3070", "-s", "channel.memory=dram.fixed"],
            "two.json": ["-c", "rtx3070", "-s", "sm.ldst.l1_latency=7", "-s", "gpu.clusters=3"], "type.json": ["-c", "rtx3070", "-s", "sm.scheduler=scheduler.gto"]}
    for name, words in runs.items():
        done = run("run", *words, "--stats", "*", "--report=none", "--progress=none", "-o", os.path.join(folder, name), trace)
        check(done.returncode == 0, f"{name}: {done.stderr}")
    copy = os.path.join(folder, "mine.conf")  # the same machine by another name
    open(copy, "w").write('include "rtx3070.conf"\n')
    done = run("run", "-c", copy, "--stats", "*", "--report=none", "--progress=none", "-o", os.path.join(folder, "same.json"), trace)
    check(done.returncode == 0, f"a config of one's own: {done.stderr}")
    for name, status, says in (
            ("same.json", 0, None),
            ("value.json", 0, r"has 1 other value than that of the picture: [\w.\[\]*]+\.ldst\.l1_latency is 7 there, \d+ in the picture"),
            ("two.json", 0, r"has 2 other values than that of the picture: gpu\.clusters is 3 there, 46 in the picture"),
            ("other.json", 2, r"these are figures of gpu with rtx4090, the picture is of gpu with rtx3070: core_clock is 2520 MHz there, 1132 MHz in the picture; expected"),
            ("parts.json", 0, r"has 4 other values than that of the picture: gpu\.clusters is 1 there, 46 in the picture"),
            ("type.json", 0, r"has 1 other value than that of the picture: \S+\.scheduler is scheduler\.gto there, scheduler\.lrr in the picture")):
        path = os.path.join(folder, name)
        done = run("inspect", *sm, "--with", path)
        check(done.returncode == status and (done.stdout == "") == (status != 0), f"{name}: status {done.returncode}")
        kind = "note: " if status == 0 else ""
        good = re.fullmatch(f"warpwright: {kind}{re.escape(path)}: .*{says}.*\n", done.stderr) if says else done.stderr == ""
        check(good, f"{name}: {done.stderr}")
    # parts that the picture has and the machine had not, or of another type
    for name, words, says in (("parts.json", [], r"has no \S+, as the picture has at \S+: gpu\.clusters is 1 there, 46 in the picture; expected"),
                              ("memory.json", ["--only", "channel"], r"\.dram is of type dram\.fixed there, of dram\.frfcfs in the picture; expected")):
        path = os.path.join(folder, name)
        done = run("inspect", "-c", "rtx3070", "--svg", *words, "--with", path)
        check(done.returncode == 2 and done.stdout == "" and re.fullmatch(f"warpwright: {re.escape(path)}: .*{says}.*\n", done.stderr), f"{name}: {done.stderr}")
    # sums over types, and a result that does not say what its machine was
    result = json.load(open(os.path.join(folder, "other.json")))
    for change in (lambda r: r["total"].pop("instances"), lambda r: r.pop("config"), lambda r: r.pop("resolved")):
        change(result)
        json.dump(result, open(os.path.join(folder, "less.json"), "w"))
        done = run("inspect", *sm, "--with", os.path.join(folder, "less.json"))
        named, known = "config" in result, "resolved" in result
        check(done.returncode == (2 if named else 0) and done.stderr.count("\n") == (1 if known else 0), f"less than a result: {done.stderr}")
    bad = os.path.join(os.fsencode(folder), b"n\xe9.json")
    os.rename(os.path.join(folder, "same.json"), bad)
    done = subprocess.run([COMMAND, "inspect", *sm, "--with", bad], capture_output=True)
    check(done.returncode == 0 and b"n\xef\xbf\xbd.json" in done.stdout and ET.fromstring(done.stdout.decode("utf-8")) is not None, "a name that is not UTF-8")


def check_checks():
    """Faults put into a picture are found."""
    global failures
    text = run("inspect", "-c", "qv100", "--only", "sm", "--svg").stdout
    face = re.search(r'<g class="part[^>]*data-path="[^"]*\.fetch">.*?(<rect x="([\d.]+)"[^>]*class="face"/>)', text, re.S)
    path = re.search(r'<path d="M([\d.]+) ([\d.]+)L', text)
    faults = {
        "a box that is moved": text.replace(face.group(1), face.group(1).replace(f'x="{face.group(2)}"', 'x="620"')),
        "a longer name": text.replace(">writeback<", ">writebackwritebackwriteback<"),
        "a title too long": text.replace(">qv100</text>", ">" + "qv100" * 60 + "</text>"),
        "an edge that begins elsewhere": text.replace(path.group(0), path.group(0).replace("M" + path.group(1), "M3")),
        "an edge aslant": text.replace(path.group(0), path.group(0).replace(path.group(2), "7")),
        "an edge of nothing": text.replace('data-from="gpu.cluster[*].sm[*].fetch"', 'data-from="gpu"', 1),
    }
    before = failures
    for fault, faulty in faults.items():
        failures = []
        picture = Picture(faulty, "faulty, and found to be (" + fault + ")")
        try:
            picture.check_boxes()
            picture.check_texts()
            picture.check_edges()
        except KeyError:
            failures.append("an end that is not there")
        if faulty == text or not failures:
            before.append(fault)
            print(f"FAILED: {fault} is not found")
    failures = before


PICTURES = {  # of docs/pictures: of the run that README shows
    "sm.svg": ["-c", "rtx3070", "--only", "sm", "--svg", "--with", "vecadd.json"],
    "gpu.svg": ["-c", "rtx3070", "--depth", "2", "--svg", "--with", "vecadd.json"],
}


def check_docs(folder, fill):
    done = subprocess.run([COMMAND, "run", "-c", "rtx3070", "--report=none", "--progress=none", "--stats", "*", "-o", "vecadd.json", ROOT + "/samples/vecadd"],
                          cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, f"the run of the sample: {done.stderr}")
    for name, words in PICTURES.items():
        text = subprocess.run([COMMAND, "inspect", *words], cwd=folder, capture_output=True, text=True).stdout
        path = os.path.join(ROOT, "docs", "pictures", name)
        if fill:
            open(path, "w").write(text)
        check(open(path).read() == text, f"docs/pictures/{name} is not what the command draws; {__file__} --fill makes it so")


def main():
    if sys.argv[1:] == ["--fill"]:
        with tempfile.TemporaryDirectory() as folder:
            check_docs(folder, True)
        return 0
    check_checks()
    check_platforms()
    with tempfile.TemporaryDirectory() as folder:
        check_figures(folder)
        check_unlike(folder)
        check_machines(folder)
        check_docs(folder, False)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
