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


def dump(chromium, page, width, folder):
    done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=4000",
                           "--user-data-dir=" + os.path.join(folder, "profile"), f"--window-size={width},900", "--dump-dom", "file://" + page],
                          capture_output=True, text=True, errors="replace", timeout=120, check=False)
    for line in done.stderr.split("\n"):
        check("CONSOLE" not in line, f"{os.path.basename(page)} at {width}: {line}")
    return done.stdout


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
        with open(page, encoding="utf-8") as file:
            text = file.read()
        with open(probe, "w", encoding="utf-8") as file:
            file.write(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace("</body>", f"<script>{PROBE}</script></body>"))
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
    sys.exit(1 if failed else 0)


main()
