#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In a browser: no error, charts have drawn, tables sort, keys and ranges work. Skipped where there is no Chromium."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import ROOT, check, failed, run, warpwright

# Written behind a copy of the page whose policy was taken out: what a user does, and what came of it.
PROBE = """
window.addEventListener('error', (e) => { document.body.dataset.error = e.message; });
addEventListener('load', () => setTimeout(function () {
  const said = {}, cells = (t, i) => Array.from(t.tBodies[0].rows).map((r) => r.cells[i].textContent);
  said.drawn = Array.from(document.querySelectorAll('[data-chart] canvas')).filter(function (c) {
    const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
    return seen.size > 3;
  }).length;
  said.charts = document.querySelectorAll('[data-chart] canvas').length;
  const table = document.querySelector('table.slots'), buttons = table.tHead.querySelectorAll('button');
  const column = Array.from(buttons).findIndex((b) => b.textContent.includes('slots'));
  const before = cells(table, column).map((t) => Number(t.replaceAll(',', '')));
  buttons[column].click();
  said.down = cells(table, column).map((t) => Number(t.replaceAll(',', ''))).every((v, i, all) => i === 0 || all[i - 1] >= v);
  said.sorted = table.tHead.rows[0].cells[column].getAttribute('aria-sort');
  buttons[column].click();
  said.up = cells(table, column).map((t) => Number(t.replaceAll(',', ''))).every((v, i, all) => i === 0 || all[i - 1] <= v);
  said.same = before.length === cells(table, column).length;
  said.dram = Math.max(...WW.dram(WW.intervals(JSON.parse(document.getElementById('data').textContent).runs[0])));
  said.ticks = WW.ticks([16990, 16995, 17000], WW.short).concat(WW.ticks([5000, 10000], WW.short));
  said.over = [];  // texts of pictures that lie over one another; those along a slope have larger boxes than themselves
  document.querySelectorAll('main svg:not(.key)').forEach(function (picture) {
    const texts = Array.from(picture.querySelectorAll('text')).filter((t) => !/rotate\\((?!-90)/.test(t.getAttribute('transform') || ''));
    const boxes = texts.map((t) => t.getBoundingClientRect());
    for (let i = 0; i < boxes.length; i++) for (let k = 0; k < i; k++) {
      const a = boxes[i], b = boxes[k];
      if (a.width > 0 && b.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
        said.over.push(texts[k].textContent + ' | ' + texts[i].textContent);
      }
    }
  });
  const ipc = document.querySelector('[data-chart=ipc]');
  for (let i = 0; i < 52; i++) ipc.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  setTimeout(function () {
    said.read = ipc.querySelector('.u-legend').textContent;
    WW.setRange(5000, 5300);
    said.range = document.querySelector('[data-range]').textContent;
    ipc.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    said.wide = document.documentElement.scrollWidth <= innerWidth;
    document.body.dataset.said = JSON.stringify(said);
  }, 200);
}, 300));
"""

# What stands in the chart of L1D hits at (cycle, percent): is anything drawn there?
GAPS = """
addEventListener('load', () => setTimeout(function () {
  const place = document.querySelector('[data-chart=l1]'), canvas = place.querySelector('canvas');
  const over = place.querySelector('.u-over').getBoundingClientRect(), at = canvas.getBoundingClientRect();
  const d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const ink = function (cycle, percent) {
    const x = Math.round(over.left - at.left + over.width * cycle / END), y = Math.round(over.top - at.top + over.height * (1 - percent / 100));
    for (let i = y - 3; i <= y + 3; i++) {
      const p = 4 * (i * canvas.width + x);
      if (d[p + 3] > 200 && Math.abs(d[p + 2] - d[p]) > 60) return true;  // grid and ground are grey
    }
    return false;
  };
  document.body.dataset.said = JSON.stringify(POINTS.map((p) => ink(p[0], p[1])));
}, 300));
"""


def dump(chromium, page, width, folder):
    done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=4000",
                           "--user-data-dir=" + os.path.join(folder, "profile"), f"--window-size={width},900", "--dump-dom", "file://" + page],
                          capture_output=True, text=True, errors="replace", timeout=600, check=False)
    for line in done.stderr.split("\n"):
        check("CONSOLE" not in line, f"{os.path.basename(page)} at {width}: {line}")
    return done.stdout


def probed(page, probe, script):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(probe, "w", encoding="utf-8") as file:
        file.write(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace("</body>", f"<script>{script}</script></body>"))


def hits_in(result, spans):
    """Data accesses of the L1Ds in these intervals alone, half of them hits; caches of instructions of the same type hit always."""
    names = ["cache.l1." + name for name in ("accesses", "misses", "pending_hits", "outcomes.INST_ACC_R.HIT")]
    columns = [1 + result["intervals"]["statistics"].index(name) for name in names]
    for i, row in enumerate(result["intervals"]["rows"]):
        for column, value in zip(columns, (60, 10, 0, 40) if i in spans else (40, 0, 0, 40)):
            row[column] = value
    return result


def check_gaps(chromium, folder, a, b):
    """A value is drawn as long as its interval, also before a gap and at the end; two runs of other intervals keep their gaps."""
    page, probe = os.path.join(folder, "gaps.html"), os.path.join(folder, "gaps-probe.html")
    results = []
    for path, spans in ((a, {10}), (b, {16, 17})):
        with open(path, encoding="utf-8") as file:
            results.append(hits_in(json.load(file), spans))
        with open(path + ".gaps.json", "w", encoding="utf-8") as file:
            json.dump(results[-1], file)
    rows = [result["intervals"]["rows"] for result in results]
    for n, points in ((1, [(rows[0][9][0] + 50, True), (rows[0][9][0] - 50, False), (rows[0][10][0] + 50, False)]),
                      (2, [(rows[0][9][0] + 50, True), (rows[0][10][0] + 50, False), (rows[1][14][0], False), (rows[1][18][0] + 20, False)] +
                          [(rows[1][15][0] + x, True) for x in range(10, 200, 20)])):
        end = max(r[-1][0] for r in rows[:n])
        warpwright("report", *(path + ".gaps.json" for path in (a, b)[:n]), "-o", page)
        probed(page, probe, GAPS.replace("END", str(end)).replace("POINTS", json.dumps([[x, 50] for x, _ in points])))
        said = re.search(r'data-said="([^"]*)"', dump(chromium, probe, 1200, folder))
        said = json.loads(html.unescape(said.group(1))) if said else []
        drawn = [ink for _, ink in points]
        dashes = n == 2  # the second run's line is dashed: most of it is there
        check(said[:4] == drawn[:4] and (not dashes or sum(said[4:]) >= 5), f"{n} runs with gaps: {said}, not {drawn}")


# The end of each chart that is drawn, as its keys read it: the cursor at the last x.
ENDS = """
addEventListener('load', () => setTimeout(function () {
  const places = Array.from(document.querySelectorAll('[data-chart]')).filter((p) => p.querySelector('canvas'));
  places.forEach((p) => p.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true })));
  setTimeout(function () {
    const over = [], texts = document.querySelectorAll('svg.roofline text:not([transform])');
    texts.forEach(function (a, i) {
      for (let k = 0; k < i; k++) {
        const one = a.getBoundingClientRect(), b = texts[k].getBoundingClientRect();
        if (one.left < b.right && b.left < one.right && one.top < b.bottom && b.top < one.bottom) over.push(texts[k].textContent + ' | ' + a.textContent);
      }
    });
    document.body.dataset.said = JSON.stringify({ over: over, texts: texts.length, ends: places.map(function (p) {
      const rect = p.querySelector('.u-over').getBoundingClientRect(), line = p.querySelector('.u-cursor-x').getBoundingClientRect();
      return [p.dataset.chart + p.dataset.run, Math.round(line.left - rect.right), p.querySelector('.u-legend').textContent];
    }) });
  }, 200);
}, 300));
"""


def check_many_kernels(chromium, folder, a):
    """Numbers of kernels in the roofline do not lie upon each other; a shorter run's charts go on to the end of the longer one, and are empty there."""
    path, page, probe = (os.path.join(folder, name) for name in ("nw.json", "nw.html", "nw-probe.html"))
    run("-c", "rtx3070", "--intervals", "5000", "-o", path, os.path.join(ROOT, "tests/traces/nw-sm86"))
    warpwright("report", a, path, "-o", page)
    probed(page, probe, ENDS)
    said = re.search(r'data-said="([^"]*)"', dump(chromium, probe, 1200, folder))
    said = json.loads(html.unescape(said.group(1))) if said else {"over": ["no answer"], "ends": [], "texts": 0}
    check(said["over"] == [] and said["texts"] > 20, f"texts over one another: {said['over']}")
    check(len(said["ends"]) == 9 and all(abs(left) <= 2 for _, left, _ in said["ends"]), f"charts end elsewhere: {said['ends']}")
    for name, _, read in said["ends"]:
        check("168,648" in read, f"{name} reads {read} at the end")
        check(name != "slots0" or "%" not in read, f"{name} has slots behind its end: {read}")


# Of an experiment: the table of runs sorted by its second column; means stay below it.
SORTS = """
addEventListener('load', () => setTimeout(function () {
  const table = document.querySelector('table.matrix'), names = () => Array.from(table.rows).slice(1).map((r) => r.cells[0].textContent);
  const before = names();
  table.tHead.querySelectorAll('button')[2].click();
  document.body.dataset.said = JSON.stringify({ before: before, after: names(), wide: document.documentElement.scrollWidth <= innerWidth });
}, 300));
"""


def check_experiment(chromium, folder, a, b):
    """The page of an experiment as it is, and how it sorts; it is as wide as the window, whatever names are."""
    files, page, probe = [], os.path.join(folder, "experiment.html"), os.path.join(folder, "experiment-probe.html")
    for path, by in ((a, 1), (b, 2)):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for i, name in enumerate(("slow", "fast", "middle")):
            result["trace"], files = name, [*files, os.path.join(folder, f"{by}-{name}.json")]
            result["command"][-1] = name
            result["total"]["cycles"] = 10000 + (i * by * 3000) % 8000
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(result, file)
    warpwright("db", "import", os.path.join(folder, "e.db"), *files, "-e", "y" * 190)
    warpwright("report", os.path.join(folder, "e.db"), "-o", page)
    check('data-ready="0"' in dump(chromium, page, 1280, folder), "columns that sort, with the policy")
    probed(page, probe, SORTS)
    for width in (1280, 480):
        said = re.search(r'data-said="([^"]*)"', dump(chromium, probe, width, folder))
        said = json.loads(html.unescape(said.group(1))) if said else {}
        check(said.get("wide") is True and said.get("before") == ["slow", "fast", "middle", "geometric mean"] and
              said.get("after") == ["middle", "slow", "fast", "geometric mean"], f"an experiment at {width}: {said}")


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("SKIP: no Chromium here (./dev setup installs it: package chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        a, b, page, probe = (os.path.join(folder, name) for name in ("a.json", "b.json", "page.html", "probe.html"))
        trace = os.path.join(ROOT, "samples/vecadd")
        run("-c", "rtx3070", "--intervals", "100", "-o", a, trace)
        run("-c", "rtx3070", "-s", "sm.scheduler=scheduler.gto", "--intervals", "100", "-o", b, trace)
        warpwright("report", a, b, "-o", page)
        out = dump(chromium, page, 360, folder)  # as it is: with its policy
        ready = re.search(r'<html[^>]* data-ready="(\d+)"', out)
        check(ready is not None and int(ready.group(1)) == 9, f"charts with the policy: {ready and ready.group(1)}")
        probed(page, probe, PROBE)
        out = dump(chromium, probe, 360, folder)
        said = re.search(r'data-said="([^"]*)"', out)
        check("data-error" not in out, "a script failed")
        check(said is not None, "the probe did not run")
        said = json.loads(html.unescape(said.group(1))) if said else {}
        check(said.get("charts") == 9 and said.get("drawn") == 9, f"charts that have drawn: {said}")
        check(said.get("down") and said.get("up") and said.get("same") and said.get("sorted") == "descending", f"sorting: {said}")
        # the interval in which the first CTAs began
        check("cycle5,0" in re.sub(r"[\s:]", "", said.get("read", "")) or "5,100" in said.get("read", ""), f"arrow keys: {said.get('read')}")
        check("from cycle 5,000 to 5,300" in said.get("range", "") and "issued" in said.get("range", ""), f"range: {said.get('range')}")
        check(said.get("wide") is True, "wider than a phone")
        # 16 channels, each a command in 4 command clocks of 3.5005 GHz, core 1.132 GHz: 12.37, and one more of each in an interval
        check(12 < said.get("dram", 0) <= 16 * (3500.5 / 1132 / 4 + 1 / 100), f"more than DRAM can move: {said.get('dram')}")
        check(said.get("ticks") == ["16,990", "16,995", "17,000", "5k", "10k"], f"an axis: {said.get('ticks')}")
        check(said.get("over") == [], f"texts over one another: {said.get('over')}")
        run("-c", "rtx3070", "-s", "sm.scheduler=scheduler.gto", "--intervals", "130", "-o", b, trace)
        check_experiment(chromium, folder, a, b)
        check_gaps(chromium, folder, a, b)
        check_many_kernels(chromium, folder, a)
    sys.exit(1 if failed else 0)


main()
