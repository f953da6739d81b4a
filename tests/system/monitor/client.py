# SPDX-License-Identifier: Apache-2.0
"""A run with --monitor, and a client of its API."""
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

WARPWRIGHT = os.environ["WARPWRIGHT"]
SOURCE = os.environ["WW_SOURCE_DIR"]
HANGS = 300  # seconds after which something does not come to an end, on a host with much to do, too


class Run:
    """`warpwright run --monitor WORDS...`, killed when it is left."""

    def __init__(self, *words, token=None, env=None, listen="--monitor"):
        self.token = token
        self.said = []
        call = [WARPWRIGHT, "run", listen, "--progress=none", *words]
        self.process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        errors="replace", env=dict(os.environ, **(env or {})))
        self.url = None
        for line in self.process.stderr:
            self.said.append(line)
            match = re.search(r"monitor: (http://\S+/)", line)
            if match:
                self.url = match[1]
                break
        if self.url is None:
            raise AssertionError("no page: status %d\n%s" % (self.process.wait(), "".join(self.said)))
        self.port = int(re.search(r":(\d+)/$", self.url)[1])
        self.out = ""
        self.threads = [threading.Thread(target=self._read_err), threading.Thread(target=self._read_out)]
        for t in self.threads:
            t.daemon = True
            t.start()

    def _read_err(self):
        for line in self.process.stderr:
            self.said.append(line)

    def _read_out(self):
        self.out = self.process.stdout.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for t in self.threads:
            t.join()
        self.process.stdout.close()
        self.process.stderr.close()

    @property
    def err(self):
        return "".join(self.said)

    def ask(self, path, body=None, headers=None):
        """(status, JSON): GET, or POST with a body."""
        head = {"X-Warpwright": "1"} if body is not None else {}
        if self.token:
            head["Authorization"] = "Bearer " + self.token
        head.update(headers or {})
        request = urllib.request.Request(self.url.rstrip("/") + path, None if body is None else json.dumps(body).encode(), head)
        try:
            with urllib.request.urlopen(request, timeout=HANGS) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as e:
            with e:
                return e.code, json.loads(e.read())

    def get(self, path):
        status, value = self.ask(path)
        if status != 200:
            raise AssertionError("GET %s: %d %s" % (path, status, value))
        return value

    def post(self, url, **body):
        status, value = self.ask(url, body)
        if status != 200:
            raise AssertionError("POST %s %s: %d %s" % (url, body, status, value))
        return value

    def until(self, wanted):
        """GET /api/run until wanted(answer)."""
        end = time.monotonic() + HANGS
        while True:
            state = self.get("/api/run")
            if wanted(state):
                return state
            if time.monotonic() > end:
                raise AssertionError("it did not come to that: %s" % state)
            time.sleep(0.005)

    def paused(self):
        """Until it pauses or is over."""
        return self.until(lambda s: s["state"] != "running")

    def until_said(self, part):
        """Until it has said that on stderr, which another thread reads."""
        end = time.monotonic() + HANGS
        while part not in self.err:
            if time.monotonic() > end:
                raise AssertionError("it does not say '%s': %s" % (part, self.err))
            time.sleep(0.005)

    def end(self, status):
        """Waits for the end of the process."""
        self.process.wait(HANGS)
        for t in self.threads:
            t.join()
        if self.process.returncode != status:
            raise AssertionError("status %d, expected %d\n%s" % (self.process.returncode, status, self.err))

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
