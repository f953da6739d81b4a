#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of --monitor in a real browser: it shows the run, and its buttons do what they say. With WW_SHOTS=FOLDER it leaves pictures there."""
import os
import shutil
import sys
import tempfile
import unittest

import browser
from client import SOURCE, Run

TRACE = os.path.join(SOURCE, "samples", "vecadd")
RING = os.path.join(SOURCE, "docs", "examples", "ring.plat")
TOKEN = "a-token-for-the-page-in-a-test"
STATE = "document.getElementById('state').textContent === '%s'"
CYCLE = "document.querySelector('#tiles b').textContent"


def shot(page, name):
    if os.environ.get("WW_SHOTS"):
        page.shot(os.path.join(os.environ["WW_SHOTS"], name), whole=False)


def choose(page, what, value):
    page.js("(() => { const e = document.getElementById('what-until'); e.value = %r; e.dispatchEvent(new Event('change')); })()" % what)
    page.type("#value", str(value))


class Page(unittest.TestCase):
    def test_what_works_has_no_cause(self):
        with Run("-c", "rtx3070", "--report=none", "--monitor-wait", os.path.join(SOURCE, "tests/traces/nw-sm86")) as run, browser.Browser(run.url) as page:
            page.until(STATE % "paused")
            choose(page, "cycle", 20000)
            page.click("#until button")
            page.until(CYCLE + " === '20,000'")
            page.until("/waits for nobody/.test(document.getElementById('graph').textContent)")
            self.assertNotIn("the cause", page.js("document.getElementById('graph').textContent"))
            self.assertFalse(page.js("document.querySelectorAll('#graph .cause').length"))

    def test_a_run(self):
        with Run("-c", "rtx3070", "--report=none", "--monitor-wait", TRACE) as run, browser.Browser(run.url) as page:
            page.until(STATE % "paused")
            self.assertEqual(page.js(CYCLE), "0")
            page.type("#cycles", "25")
            page.click("#step")
            page.until(CYCLE + " === '25'")
            self.assertIn("Steps done.", page.js("document.getElementById('why').textContent"))

            choose(page, "cycle", 5500)
            page.click("#until button")
            page.until(CYCLE + " === '5,500'")
            page.until("document.querySelectorAll('#chart-list figure').length >= 6 && document.querySelectorAll('.chart canvas').length >= 6")
            rows = page.js("[...document.querySelectorAll('#chart-ipc canvas')].map(c => c.toDataURL())")

            self.assertEqual(run.get("/api/run")["paused"]["kind"], "cycle")
            page.js("MON.tree.open('gpu.cluster[0].sm[0].issue[0]')")
            page.until("document.querySelector('#part h3').textContent === 'gpu.cluster[0].sm[0].issue[0]'")
            self.assertIn("warp_scheduler", page.js("document.getElementById('part').innerText"))
            self.assertEqual(page.js("document.getElementById('break-path').value"), "gpu.cluster[0].sm[0].issue[0]")
            page.type("#break-kind", "issue")
            page.click("#add-break button")
            page.until("document.querySelectorAll('#breaks tbody tr').length === 1")
            page.click("#toggle")
            page.until("/breakpoint 1: gpu.cluster\\[0\\].sm\\[0\\].issue\\[0\\] issue/.test(document.getElementById('why').textContent)")
            page.until("document.querySelectorAll('#part .delta').length > 0") # what it counted since
            page.click("#breaks button")
            page.until("document.querySelectorAll('#breaks tbody tr').length === 0")
            self.assertTrue(page.js("document.querySelectorAll('#channels tbody tr').length > 0"))
            shot(page, "monitor-light.png")

            choose(page, "statistic", 12000)
            page.type("#statistic", "warp_pool.warp_insns")
            page.click("#until button")
            page.until("/warp_pool.warp_insns is /.test(document.getElementById('why').textContent)")
            later = page.js("[...document.querySelectorAll('#chart-ipc canvas')].map(c => c.toDataURL())")
            self.assertNotEqual(rows, later) # charts move

            page.type("#statistic", "warp_pool.<b>no</b>")
            page.click("#until button")
            page.until("!document.getElementById('message').hidden")
            self.assertIn("warp_pool.<b>no</b>", page.js("document.getElementById('message').textContent"))
            self.assertEqual(page.js("document.querySelectorAll('#message b').length"), 0)

            for width, dark in [(360, False), (1400, True)]:
                page.look(width, 1000, dark)
                self.assertLessEqual(page.js("document.documentElement.scrollWidth"), width) # nothing sticks out
            shot(page, "monitor-dark.png")
            page.click("#toggle")
            page.until(STATE % "done")
            self.assertFalse(page.js("document.getElementById('release').hidden"))
            page.click("#release")
            run.end(0)
            page.until(STATE % "gone")
            self.assertEqual([e for e in page.logs if e.get("entry", {}).get("source") != "network"], [])

    def test_a_hang(self):
        with Run("-p", RING, "--report=none", "--monitor-wait=start") as run, browser.Browser(run.url, 700, 1000) as page:
            page.until(STATE % "paused")
            page.click("#toggle")
            page.until(STATE % "hang") # the page itself asked to be kept
            page.until("document.querySelectorAll('#graph g.knot').length === 4")
            self.assertEqual(page.js("[...document.querySelectorAll('#graph text.name')].map(e => e.textContent).join(' ')"), "feed back a there b")
            self.assertEqual(page.js("document.querySelectorAll('#graph path.knot').length"), 4)
            self.assertIn("The run hangs", page.js("document.getElementById('waits-text').textContent"))
            shot(page, "monitor-hang.png")
            run.post("/api/release")
            run.end(1)

    def test_many_kernels(self):
        """The number of kernels that have ended is right with more than the API tells, and without the one that a limit stopped."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(SOURCE, "tests/traces/micro-exit/kernel-1.traceg.xz"), folder)
            with open(os.path.join(folder, "kernelslist.g"), "w") as file:
                file.write(230 * "kernel-1.traceg.xz\n")
            for words, state, status, done in (([], "done", 0, "230 done"), (["--max-cycles", "1000"], "limit reached", 1, None)):
                with Run("-c", "rtx3070", "--sms", "1", "-s", "gpu.kernels.launch_latency=50", "--report=none", "--monitor-wait", *words, folder) as run, \
                        browser.Browser(run.url) as page:
                    page.until(STATE % "paused")
                    page.click("#toggle")
                    page.until(STATE % state)
                    last = run.get("/api/run")["kernels"][-1]
                    self.assertEqual(last["partial"], done is None)
                    self.assertEqual(page.js("document.querySelectorAll('#tiles li')[1].innerText").split("\n")[::-1],
                                     ["kernels", done or "%d done" % (last["number"] - 1)])
                    run.post("/api/release")
                    run.end(status)

    def test_texts_of_boxes(self):
        """What is said of who waits for whom stays in its box."""
        with Run("-c", "rtx3080_modern", "--report=none", "--monitor-wait", TRACE) as run, browser.Browser(run.url) as page:
            page.until(STATE % "paused")
            choose(page, "cycle", 2050)
            page.click("#until button")
            page.until("document.querySelectorAll('#graph .box').length > 5 && /2,050/.test(document.getElementById('waits-text').textContent)")
            out = page.js("[...document.querySelectorAll('#graph g text')].filter(t => { const b = t.parentNode.querySelector('.box').getBBox(), w = t.getBBox();"
                          " return w.x + w.width > b.x + b.width - 2; }).map(t => t.textContent)")
            self.assertEqual(out, [])

    def test_a_token(self):
        with Run("-c", "rtx3070", "--report=none", "--monitor-wait", TRACE, token=TOKEN, env={"WARPWRIGHT_MONITOR_TOKEN": TOKEN}) as run, \
                browser.Browser(run.url) as page:
            page.until("!document.getElementById('enter').hidden")
            page.type("#token", TOKEN)
            page.click("#enter button")
            page.until(STATE % "paused")
            self.assertTrue(page.js("document.getElementById('enter').hidden"))


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: there is no Chromium (Debian: chromium)")
        sys.exit(77)
    unittest.main()
