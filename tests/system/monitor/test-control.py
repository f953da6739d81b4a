#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a client of --monitor sees and does: it pauses where it should, and never changes a result."""
import json
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from client import SOURCE, WARPWRIGHT, Run

TRACE = os.path.join(SOURCE, "samples", "vecadd")
SEVERAL = os.path.join(SOURCE, "tests", "traces", "micro-two-kernels")
RING = os.path.join(SOURCE, "docs", "examples", "ring.plat")
SMALL = ["-c", "rtx3070", "--report=none"]


def plain(*words):
    return subprocess.run([WARPWRIGHT, "run", "--progress=none", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=300)


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Control(unittest.TestCase):
    def test_begins_paused_and_steps(self):
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            state = run.get("/api/run")
            self.assertEqual((state["state"], state["cycle"], state["paused"]["kind"]), ("paused", 0, "start"))
            run.until_said("paused until the page lets it go on")
            at = 0
            for n in [1, 1, 10, 700, 1]:
                run.post("/api/step", cycles=n)
                state = run.paused()
                at += n
                self.assertEqual((state["cycle"], state["paused"]["kind"], state["paused"]["cycle"]), (at, "step", at))
            run.post("/api/step")
            self.assertEqual(run.paused()["cycle"], at + 1)
            run.post("/api/until", cycle=5100)
            state = run.paused()
            self.assertEqual((state["cycle"], state["paused"]["kind"]), (5100, "cycle"))
            self.assertEqual(run.ask("/api/until", {"cycle": 5100})[0], 400)
            run.post("/api/continue")
            run.end(0)

    def test_until_kernel(self):
        with Run("-c", "qv100", "--report=none", "--monitor-wait", SEVERAL) as run:
            kernels = []
            for n in [1, 2]:
                run.post("/api/until", kernel=n)
                state = run.paused()
                self.assertEqual((len(state["kernels"]), state["paused"]["kind"]), (n, "kernel"))
                kernels.append(state["kernels"][-1])
                self.assertEqual(state["kernels"][-1]["end"], state["cycle"])
            self.assertEqual(run.ask("/api/until", {"kernel": 2})[0], 400)
            run.post("/api/continue")
            state = run.until(lambda s: s["over"])
            self.assertEqual(state["state"], "done")
            self.assertEqual([k["number"] for k in kernels], [1, 2])
            run.post("/api/release")
            run.end(0)

    def test_until_statistic(self):
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            for every, value in [(1, 20), (64, 3000)]:
                run.post("/api/until", statistic="warp_pool.warp_insns", op=">=", value=value, every=every)
                state = run.paused()
                self.assertEqual(state["paused"]["kind"], "condition")
                self.assertEqual(state["cycle"] % every, 0)
                got = run.get("/api/samples")
                column = got["statistics"].index("warp_pool.warp_insns") + 1
                sums = sum(row[column] for row in got["rows"])
                self.assertGreaterEqual(sums, value)
                self.assertIn("is %d" % sums, state["paused"]["text"])
            path = "gpu.cluster[0].sm[0].pool"
            now = self.stat(run, path, "warp_insns")
            run.post("/api/until", statistic=path + ":warp_insns", value=now + 5, every=1)
            run.paused()
            self.assertGreaterEqual(self.stat(run, path, "warp_insns"), now + 5)
            self.assertLess(self.stat(run, path, "warp_insns"), now + 12)

    def parts(self, run, kind):
        """All components of a type, by way of the tree."""
        found, groups = [], [""]
        while groups:
            for child in run.get("/api/tree?path=" + groups.pop())["children"]:
                if child.get("type") == kind:
                    found.append(child)
                if child["children"]:
                    groups.append(child["path"])
        return found

    def stat(self, run, path, name):
        row = [s for s in run.get("/api/component?path=" + path)["statistics"] if s["name"] == name]
        return sum(row[0]["values"])

    def test_breakpoint_is_where_the_log_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            plain(*SMALL, "--events", log, "--events-filter=kind=issue,path=gpu.cluster[[]3].*".replace("[[]", "["), TRACE)
            with open(log, encoding="utf-8") as f:
                lines = [line.rstrip("\n").split("\t") for line in f]
        ticks = []
        for line in lines:
            if not ticks or ticks[-1][0] != int(line[0]):
                ticks.append((int(line[0]), line))
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            found = run.post("/api/breakpoints", path="gpu.cluster[3].*", kind="issue")
            self.assertEqual((found["path"], found["kind"], found["unit"], found["hits"]), ("gpu.cluster[3].*", "issue", None, 0))
            for cycle, line in ticks[:5]:
                run.post("/api/continue")
                state = run.paused()
                self.assertEqual((state["paused"]["kind"], state["cycle"]), ("breakpoint", cycle + 1))
                self.assertEqual(state["paused"]["text"], "breakpoint %d: %s issue, unit %s, cycle %d: %s"
                                 % (found["id"], line[2], line[3], cycle, line[4]))
            self.assertGreaterEqual(run.get("/api/breakpoints")["breakpoints"][0]["hits"], 5)
            run.post("/api/breakpoints/remove", id=found["id"])
            self.assertEqual(run.ask("/api/breakpoints/remove", {"id": found["id"]})[0], 404)
            warp = [line for line in lines if line[3] == "7" and int(line[0]) > ticks[4][0]][0]
            run.post("/api/breakpoints", path=warp[2], kind="issue", unit=7)
            none = run.post("/api/breakpoints", path="gpu.*", kind="cta", unit=-1)["id"]
            self.assertEqual(run.get("/api/breakpoints")["breakpoints"][-1]["unit"], -1)
            run.post("/api/breakpoints/remove", id=none)
            run.post("/api/continue")
            self.assertEqual(run.paused()["cycle"], int(warp[0]) + 1)
            self.assertEqual(run.get("/api/run")["breakpoints"], 1)

    def test_waits_and_hang(self):
        with Run("-p", RING, "--report=none", "--monitor-wait=end") as run:
            state = run.until(lambda s: s["over"])
            self.assertEqual(state["state"], "hang")
            waits = run.get("/api/waits")
            self.assertTrue(waits["hang"])
            self.assertEqual({w["on_type"]: w["on_channel"] for w in waits["waits"]}, {"fifo": True, "delay": False})
            trail = [(w["who"], w["on"], w["knot"]) for w in waits["waits"] if w["trail"] is not None]
            self.assertEqual(trail, [("feed", "back", False), ("back", "a", True), ("a", "there", False), ("there", "b", False),
                                     ("b", "back", False)])
            for line in ["[knot] back (fifo) waits for a (delay)", "b (delay) waits for back (fifo)"]:
                self.assertIn(line, waits["text"])
            full = {c["path"]: (c["used"], c["capacity"]) for c in run.get("/api/channels")["channels"]}
            self.assertEqual(full["back"], (2, 2))
            self.assertEqual(run.ask("/api/continue", {})[0], 409)
            run.post("/api/release")
            run.end(1)
            self.assertIn("hang in cycle 7", run.err)

    def test_many_waits(self):
        """More waits than an answer has: the tree counts all, and a part behind the first 4000 says its own."""
        with Run("-c", "rtx3080_modern", "--report=none", "--monitor-wait", os.path.join(SOURCE, "samples/vecadd")) as run:
            run.paused()
            run.post("/api/until", cycle=2050)
            run.until(lambda s: s["state"] == "paused" and s["cycle"] == 2050)
            waits = run.get("/api/waits?limit=4000")
            self.assertEqual(len(waits["waits"]), 4000)
            self.assertGreater(waits["all"], 4000)
            self.assertEqual(sum(c["waits"] for c in run.get("/api/tree")["children"]), waits["all"])
            last = [c for c in run.get("/api/tree?path=gpu.cluster[67].sm[0]")["children"] if c["waits"]]
            self.assertTrue(last)
            self.assertTrue(run.get("/api/component?path=" + next(c for c in last if "type" in c)["path"])["waits"])
            run.post("/api/release")
            run.end(0)

    def test_looking(self):
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            run.post("/api/until", cycle=5600)
            run.paused()
            tree = run.get("/api/tree")
            self.assertEqual(sum(tree["children"][0]["states"].values()) + len(tree["children"]) - 1, run.get("/api/run")["components"])
            issue = [p for p in run.get("/api/tree?path=gpu.cluster[0].sm[0]")["children"] if p.get("type") == "warp_scheduler"][0]
            self.assertEqual(issue["children"], 1) # its policy
            one = run.get("/api/component?path=" + issue["path"])
            self.assertEqual((one["type"], one["path"], one["cycle"]), ("warp_scheduler", issue["path"], 5600))
            self.assertIn(one["state"], ["due", "rests", "asleep", "gated"])
            self.assertEqual(one["entries"][0]["name"], "issue")
            self.assertTrue(any(w["port"] == "policy" and w["peer"].endswith(".policy") for w in one["wires"]))
            causes = [s for s in one["statistics"] if s["name"] == "cause"][0]
            self.assertEqual(len(causes["labels"]), len(causes["values"]))
            channels = run.get("/api/channels?under=gpu.cluster[0]&limit=5000")
            self.assertTrue(all(c["path"].startswith("gpu.cluster[0]") for c in channels["channels"]))
            self.assertEqual(channels["all"], len(channels["channels"]))
            self.assertTrue(all(c["used"] <= c["capacity"] or c["capacity"] == 0 for c in channels["channels"]))
            some = run.get("/api/channels?least=1&limit=5000")
            self.assertEqual(some["used"], len(some["channels"]))
            self.assertEqual(len(run.get("/api/waits?limit=3")["waits"]), 3)

    def test_samples_add_up(self):
        with Run(*SMALL, "--monitor-wait", TRACE) as run:
            rows, names, generation, since = [], None, 0, 0
            run.post("/api/continue")
            while True:
                over = run.get("/api/run")["over"]
                got = run.get("/api/samples" + ("?since=%d&generation=%d" % (since, generation) if names else ""))
                if got["all"]:
                    rows, names = [], got["statistics"]
                rows += got["rows"]
                generation, since = got["generation"], rows[-1][0] if rows else 0
                if over:
                    break
            self.assertEqual([r[0] for r in rows], sorted({r[0] for r in rows}))
            self.assertEqual(rows[-1][0], run.get("/api/run")["cycle"])
            column = names.index("warp_pool.warp_insns") + 1
            whole = sum(self.stat(run, p["path"], "warp_insns") for p in self.parts(run, "warp_pool"))
            self.assertEqual(sum(r[column] for r in rows), whole)
            each = [i for i, n in enumerate(names) if n.endswith(":warp_insns")]
            self.assertEqual(len(each), 46)
            self.assertEqual(sum(r[i + 1] for r in rows for i in each), whole)

    def test_documented(self):
        """Every endpoint, and every member of every answer, is in docs/monitor.md."""
        with open(os.path.join(SOURCE, "docs", "monitor.md"), encoding="utf-8") as f:
            doc = f.read()
        with open(os.path.join(SOURCE, "cli", "live_api.c"), encoding="utf-8") as f:
            paths = re.findall(r'\{"(/api/[a-z/]+)", (\w+), (\w+),', f.read())
        self.assertGreater(len(paths), 10)
        for path, get, post in paths:
            for method, there in [("GET", get), ("POST", post)]:
                self.assertEqual("| `%s %s` |" % (method, path) in doc, there != "NULL", (method, path))
        words = set(re.findall(r"`([a-z_]+)`", doc))

        def check(value, where):
            if isinstance(value, dict):
                for key, inner in value.items():
                    self.assertIn(key, words, where)
                    check(inner, where + "/" + key)
            elif isinstance(value, list):
                for inner in value[:5]:
                    check(inner, where)

        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            run.post("/api/breakpoints", path="gpu.kernels")
            run.post("/api/until", cycle=5500)
            while run.paused()["cycle"] < 5500:
                run.post("/api/until", cycle=5500)
            for path in ["run", "samples", "tree", "tree?path=gpu.cluster[0].sm[0]", "component?path=gpu.cluster[0].sm[0].issue[0]", "channels?least=1",
                         "component?path=gpu.cluster[0].sm[0].id_oc_sp", "waits", "breakpoints"]:
                check(run.get("/api/" + path), path)
            check(run.post("/api/step"), "step")

    def test_refusals(self):
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            for path, body, status, part in [
                    ("/api/nothing", None, 404, "there is no /api/nothing"),
                    ("/nothing", None, 404, "docs/monitor.md"),
                    ("/api/pause", None, 405, "asked for with POST"),
                    ("/api/run", {}, 405, "looked at with GET"),
                    ("/api/run?x=1", None, 400, "'x' is unknown"),
                    ("/api/step", {"cycle": 3}, 400, "'cycle' is unknown; expected 'cycles'"),
                    ("/api/step", {"cycles": 0}, 400, "a whole number from 1 on"),
                    ("/api/step", {"cycles": -1}, 400, "a whole number"),
                    ("/api/step", {"cycles": 1.5}, 400, "a whole number"),
                    ("/api/step", {"cycles": "3"}, 400, "a whole number"),
                    ("/api/step", {"cycles": None}, 400, "a whole number"),
                    ("/api/step", [1], 400, "no JSON object: it begins otherwise"),
                    ("/api/step", {"cycles": 1 << 64}, 400, "no JSON object: too big integer"),
                    ("/api/until", {}, 400, "until what"),
                    ("/api/until", {"cycle": 5, "kernel": 1}, 400, "until what"),
                    ("/api/until", {"cycle": 5, "value": 1}, 400, "until what"),
                    ("/api/until", {"cycle": 0}, 400, "is over"),
                    ("/api/until", {"statistic": "warp_pool.nothing", "value": 1}, 400, "statistic 'warp_pool.nothing'"),
                    ("/api/until", {"statistic": "gpu:x", "value": 1}, 400, "statistic 'gpu:x'"),
                    ("/api/until", {"statistic": "warp_pool.warp_insns"}, 400, "without a value"),
                    ("/api/until", {"statistic": "warp_pool.warp_insns", "value": 1, "op": "~"}, 400, "op '~' is unknown"),
                    ("/api/until", {"statistic": "warp_pool.warp_insns", "value": 1, "every": 0}, 400, "from 1 on"),
                    ("/api/breakpoints", {"path": "nowhere"}, 400, "path 'nowhere' is that of no component"),
                    ("/api/breakpoints", {"kind": "issue"}, 400, "path '' is that of no component"),
                    ("/api/breakpoints", {"path": "gpu.kernels", "kind": "isue"}, 400, "kind 'isue' is unknown, did you mean 'issue'?; expected"),
                    ("/api/breakpoints", {"path": "gpu.kernels", "kynd": "issue"}, 400, "'kynd' is unknown; expected 'path', 'kind', 'unit'"),
                    ("/api/breakpoints", {"path": "x" * 600}, 400, "1 to 512 characters"),
                    ("/api/breakpoints", {"path": "a\0b"}, 400, "no JSON object"),
                    ("/api/breakpoints/remove", {"id": 3}, 404, "no breakpoint 3"),
                    ("/api/hold", {"seconds": 100000}, 400, "more than 3600"),
                    ("/api/component", None, 400, "path '' is that of no component"),
                    ("/api/component?path=gpu", None, 400, "path 'gpu' is that of no component"),
                    ("/api/component?path=%3Cscript%3E", None, 404, "nothing at path '<script>'"),
                    ("/api/tree?path=gpu.x", None, 404, "nothing at path 'gpu.x'"),
                    ("/api/channels?limit=6000", None, 400, "expected 0 to 5000"),
                    ("/api/channels?under=x", None, 404, "nothing at path 'x'"),
                    ("/api/waits?limit=-1", None, 400, "expected 0 to 4000"),
                    ("/api/samples?since=x", None, 400, "since 'x' is no such number"),
                    ("/api/waits?limit", None, 400, "malformed"),
                    ("/api/waits?limit=1&limit=2", None, 400, "malformed"),
                    ("/api/waits?limit=%00", None, 400, "malformed"),
                    ("/api/waits?limit=%ff", None, 400, "malformed")]:
                with self.subTest(path=path, body=body):
                    got = run.ask(path, body)
                    self.assertEqual(got[0], status, got)
                    self.assertIn(part, got[1]["error"])
            for i in range(64):
                run.post("/api/breakpoints", path="gpu.kernels", kind="issue", unit=i)
            self.assertIn("64 breakpoints", run.ask("/api/breakpoints", {"path": "*"})[1]["error"])


class Ends(unittest.TestCase):
    def test_ends_when_nobody_asks_for_more(self):
        with Run(*SMALL, TRACE) as run:
            run.end(0)

    def test_lease(self):
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            run.post("/api/hold", seconds=3600)
            run.post("/api/continue")
            self.assertTrue(run.until(lambda s: s["over"])["held"])
            run.post("/api/hold", seconds=1)
            run.end(0)
            self.assertIn("stays until it is closed", run.err)

    def test_interrupted_while_paused(self):
        with Run(*SMALL, "--monitor-wait", TRACE) as run:
            run.post("/api/until", cycle=5200)
            run.paused()
            run.interrupt()
            run.end(1)
            self.assertIn("interrupted in cycle 5,200; results are partial", run.err)

    def test_pauses_are_no_host_time(self):
        """What the host took is told without the time in which it waited for a client: at the start, after a step, and when it is interrupted."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "x.json")
            begin = time.monotonic()
            with Run(*SMALL, "--monitor-wait=start", "--host", "-o", out, TRACE) as run:
                run.paused()
                time.sleep(1)
                run.post("/api/step", cycles=5200)
                run.paused()
                time.sleep(1)
                run.post("/api/step", cycles=10)
                run.paused()
                time.sleep(1)
                run.interrupt()
                run.end(1)
                took = time.monotonic() - begin
            with open(out) as f:
                self.assertLess(json.load(f)["host"]["seconds"], took - 2.5)

    def test_interrupted_while_held(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "x.json")
            with Run(*SMALL, "--monitor-wait=end", "-o", out, TRACE) as run:
                run.until(lambda s: s["over"])
                self.assertTrue(os.path.exists(out)) # results do not wait
                run.interrupt()
                run.end(0)

    def test_released_and_held_at_once(self):
        """A page that is still open, and asks for its few seconds in that moment, does not keep what somebody has ended."""
        with Run(*SMALL, "--monitor-wait=end", TRACE) as run:
            run.until(lambda s: s["over"])
            run.process.send_signal(signal.SIGSTOP)  # both have come when it looks
            asked = [socket.create_connection(("127.0.0.1", run.port)) for _ in range(2)]
            for s, path, body in zip(asked, ("release", "hold"), ("{}", '{"seconds": 3600}')):
                s.sendall(("POST /api/%s HTTP/1.1\r\nHost: localhost\r\nX-Warpwright: 1\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)).encode())
            run.process.send_signal(signal.SIGCONT)
            run.end(0)
            for s in asked:
                s.close()

    def test_released_while_paused(self):
        with Run(*SMALL, "--monitor-wait", TRACE) as run:
            run.post("/api/release")
            run.end(0)

    def test_released_with_breakpoints(self):
        """Nobody is there who could go on: it does not stop at those that are left."""
        with Run(*SMALL, "--monitor-wait=start", TRACE) as run:
            run.post("/api/breakpoints", path="*", kind="issue")
            run.post("/api/continue")
            self.assertEqual(run.paused()["paused"]["kind"], "breakpoint")
            run.post("/api/release")
            run.end(0)


class SameResults(unittest.TestCase):
    """A client that does all there is to do at random, next to a run without one: fingerprint, JSON, event log, checkpoint."""

    def order(self, run, url, **body):
        """It may be over by now, however early: then it says so."""
        status, answer = run.ask(url, body)
        self.assertTrue(status == 200 or (status == 409 and "the run is over" in answer["error"]), answer)

    def act(self, run, rng, state):
        paths = ["gpu.kernels", "gpu.cluster[0].sm[0].issue[1]", "gpu.cluster[1].sm[0].pool", "gpu.cluster[2]*", "gpu.channel*", "*"]
        step = rng.randrange(12)
        if step == 0:
            self.order(run, "/api/step", cycles=rng.choice([1, 3, 50, 400]))
        elif step == 1:
            cycle = state["cycle"] + rng.randrange(1, 2000)
            status, answer = run.ask("/api/until", {"cycle": cycle})
            self.assertTrue(status == 200 or "is over" in answer["error"], answer) # it may be, of a run that goes on
        elif step == 2:
            self.order(run, "/api/until", statistic="warp_pool.warp_insns", value=rng.randrange(1, 40000), every=rng.choice([1, 7, 100]))
        elif step == 3:
            run.ask("/api/until", {"kernel": rng.choice([1, 2])})
        elif step == 4 and state["breakpoints"] < 3:
            body = {"path": rng.choice(paths), "kind": rng.choice(["issue", "fetch", "take", "cta", "fill", "put"])}
            if rng.random() < 0.3:
                body["unit"] = rng.randrange(8)
            run.ask("/api/breakpoints", body)
        elif step in (5, 4):
            for b in run.get("/api/breakpoints")["breakpoints"]:
                run.post("/api/breakpoints/remove", id=b["id"])
        elif step == 6:
            self.order(run, "/api/pause")
        elif step == 7:
            run.get("/api/waits?limit=4000")
        elif step == 8:
            run.get("/api/channels?limit=5000")
            run.ask("/api/component?path=" + rng.choice(paths[:3]))
        elif step == 9:
            run.get("/api/tree?path=gpu.cluster[0].sm[0]")
        else:
            run.get("/api/samples")
            self.order(run, "/api/continue")

    def compare(self, seed, *words):
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            name = [os.path.join(folder, n) for n in ["a.json", "b.json", "a.log", "b.log"]]
            done = plain("--fingerprint", "-o", name[0], "--events", name[2], "--events-filter=kind=kernel,cta,issue", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            with Run("--fingerprint", "-o", name[1], "--events", name[3], "--events-filter=kind=kernel,cta,issue",
                     "--monitor-wait", *words) as run:
                for _ in range(80):
                    self.act(run, rng, run.get("/api/run"))
                run.post("/api/release")
                run.end(0)
                self.assertEqual(run.out, done.stdout)
            self.assertEqual(read(name[0]), read(name[1]))
            self.assertEqual(read(name[2]), read(name[3]))

    def test_sample(self):
        for seed in range(2):
            with self.subTest(seed=seed):
                self.compare(seed, "-c", "rtx3070", TRACE)

    def test_other_machines(self):
        for seed, words in enumerate([["-c", "qv100", "-j", "2", SEVERAL],
                                      ["-c", "qv100", os.path.join(SOURCE, "tests", "traces", "spmv-sm70")]]):
            with self.subTest(words=words):
                self.compare(seed + 10, *words)

    def test_checkpoint(self):
        """One that was made of a run with breakpoints goes on as the run did that nobody looked at."""
        with tempfile.TemporaryDirectory() as folder:
            saved, a, b = [os.path.join(folder, n) for n in ["saved", "a.json", "b.json"]]
            words = [*SMALL, "--fingerprint"]
            self.assertEqual(plain(*words, "-o", a, TRACE).returncode, 0)
            with Run("--monitor-wait=start", "--checkpoint", saved, "--checkpoint-at", "5300", "-o", b, *words, TRACE) as run:
                found = run.post("/api/breakpoints", path="*", kind="take")
                run.post("/api/continue")
                run.paused()
                run.post("/api/breakpoints", path="gpu.kernels", kind="take", unit=10**6)
                run.post("/api/breakpoints/remove", id=found["id"])
                run.post("/api/until", cycle=5299)
                run.paused()
                run.post("/api/step", cycles=1)
                self.assertEqual(run.paused()["cycle"], 5300)
                run.post("/api/continue")
                run.end(0)
            self.assertEqual(read(a), read(b))
            done = plain("--restore", saved, "-o", b, *words, TRACE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(read(a), read(b))


if __name__ == "__main__":
    unittest.main()
