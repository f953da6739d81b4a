# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through its debugging pipe: nothing but the standard library."""
import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]
HANGS = 300  # seconds after which something does not come, on a host with much to do, too


def find():
    """The browser's path, or None."""
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    def __init__(self, url, width=1400, height=1000, dark=False):
        self.folder = tempfile.TemporaryDirectory()
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self.write, self.read = ours_out, ours_in
        self.ids, self.rest, self.logs = itertools.count(1), b"", []

        def descriptors():
            os.dup2(theirs_in, 13)
            os.dup2(theirs_out, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + self.folder.name,
             "--window-size=%d,%d" % (width, height), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=descriptors)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Page.enable")
        self.call("Log.enable")
        self.look(width, height, dark)
        self.call("Page.navigate", url=url)

    def look(self, width, height, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def _message(self, end):
        while b"\0" not in self.rest:
            if not select.select([self.read], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError("the browser does not answer")
            got = os.read(self.read, 1 << 20)
            if not got:
                raise AssertionError("the browser has ended")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        number = next(self.ids)
        message = {"id": number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        end = time.monotonic() + HANGS
        while True:
            got = self._message(end)
            if got.get("id") == number:
                if "error" in got:
                    raise AssertionError("%s: %s" % (method, got["error"]))
                return got["result"]
            if got.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                self.logs.append(got["params"])

    def js(self, text):
        """The value of an expression in the page."""
        got = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise AssertionError("%s: %s" % (text, got["exceptionDetails"]))
        return got["result"].get("value")

    def until(self, text):
        """Waits until an expression is true; its value."""
        end = time.monotonic() + HANGS
        while True:
            value = self.js("(() => { try { return %s; } catch (e) { return null; } })()" % text)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError("it did not come to %s\n%s" % (text, self.js("document.body.innerText")[:2000]))
            time.sleep(0.05)

    def click(self, selector):
        """A click of the mouse where the element is, when it no longer moves: what is still loading above it would push it away from under the mouse."""
        where = ("(() => { const s = %s, e = document.querySelector(s);"
                 " if (!window.hits) { window.hits = {}; document.addEventListener('click', function (event) {"
                 "   for (const k in window.hits) if (event.target.closest(k)) window.hits[k]++; }, true); }"
                 " window.hits[s] = window.hits[s] || 0; if (!e) return [0, 0, false, window.hits[s]];"
                 " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                 " const x = r.x + Math.min(r.width, 60) / 2, y = r.y + r.height / 2, at = document.elementFromPoint(x, y);"
                 " return [x, y, at !== null && (at === e || e.contains(at)), window.hits[s]]; })()" % json.dumps(selector))
        end = time.monotonic() + HANGS
        before, place = None, self.js(where)
        hits = place[3]
        while place[3] == hits:
            time.sleep(0.1)
            before, place = place, self.js(where)
            if place[2] and place == before:
                for kind in ["mousePressed", "mouseReleased"]:
                    self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
                place = self.js(where)
            if time.monotonic() > end:
                raise AssertionError("no click reached %s: %s" % (selector, place))

    def type(self, selector, text):
        self.js("document.querySelector(%s).focus(); document.querySelector(%s).select()" % (json.dumps(selector), json.dumps(selector)))
        self.call("Input.insertText", text=text)

    def shot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        self.folder.cleanup()
