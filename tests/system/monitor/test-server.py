#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who the server of --monitor lets in, and what it does with slow, huge, many and hostile requests."""
import os
import random
import socket
import stat
import subprocess
import tempfile
import time
import unittest

from client import HANGS, SOURCE, WARPWRIGHT, Run

TRACE = os.path.join(SOURCE, "samples", "vecadd")
WORDS = ["-c", "rtx3070", "--report=none", "--monitor-wait=start", TRACE]
TOKEN = "a-token-of-30-characters-12345"


def raw(run, data, seconds=HANGS, family=socket.AF_INET):
    """What comes back until the other end closes (it does so with who says nothing for five seconds), or b"..." + b"<open>"."""
    with socket.socket(family) as s:
        s.connect(("::1" if family == socket.AF_INET6 else "127.0.0.1", run.port))
        s.settimeout(seconds)
        out = b""
        try:
            s.sendall(data)
            while True:
                got = s.recv(65536)
                if not got:
                    return out
                out += got
        except socket.timeout:
            return out + b"<open>"
        except ConnectionError:
            return out


def request(path="/api/run", method="GET", host="127.0.0.1", body=None, **headers):
    lines = ["%s %s HTTP/1.1" % (method, path)]
    if host is not None:
        lines.append("Host: " + host)
    lines += ["%s: %s" % (k.replace("_", "-"), v) for k, v in headers.items()]
    if body is not None:
        lines.append("Content-Length: %d" % len(body))
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + (body or b"")


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else answer[:80]


def refused(*words, env=None, code=2):
    done = subprocess.run([WARPWRIGHT, "run", "--progress=none", "--report=none", *words, "-c", "rtx3070", TRACE],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=HANGS,
                          env=dict(os.environ, **(env or {})))
    if done.returncode != code or done.stderr.count("\n") != 1 or done.stdout:
        raise AssertionError("status %d: %s" % (done.returncode, done.stderr))
    return done.stderr


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = Run(*WORDS)

    @classmethod
    def tearDownClass(cls):
        cls.run_.__exit__()

    def check(self, data, wanted, part=b""):
        got = raw(self.run_, data)
        self.assertEqual(status(got), wanted, got[:300])
        self.assertIn(part, got)
        return got

    def test_headers_of_every_answer(self):
        for data, wanted in [(request("/"), 200), (request("/script.js"), 200), (request("/style.css"), 200), (request(), 200),
                             (request("/nothing"), 404), (request("/api/pause"), 405), (request(host="evil.example"), 403)]:
            got = self.check(data, wanted)
            head, body = got.split(b"\r\n\r\n", 1)
            head = head.lower()
            for line in [b"content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'", b"frame-ancestors 'none'",
                         b"x-content-type-options: nosniff", b"x-frame-options: deny", b"referrer-policy: no-referrer",
                         b"cross-origin-resource-policy: same-origin", b"cache-control: no-store", b"connection: close"]:
                self.assertIn(line, head)
            self.assertNotIn(b"access-control", head)
            self.assertIn(b"content-length: %d" % len(body), head)

    def test_page_asks_for_nothing_elsewhere(self):
        page = raw(self.run_, request("/")).split(b"\r\n\r\n", 1)[1]
        self.assertNotIn(b"//", page.replace(b"http://www.w3.org/2000/svg", b""))
        self.assertNotIn(b"style=", page)
        self.assertNotRegex(page, rb"<script(?! src=\"script\.js\")")

    def test_names(self):
        for host in ["127.0.0.1", "localhost", "LOCALHOST:1", "127.0.0.1:9", "127.3.2.1", "[::1]:80"]:
            self.check(request(host=host), 200)
        for host in ["evil.example", "evil.example:%d" % self.run_.port, "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
                     "[::2]", "", "127.0.0.1@evil.example", "0x7f000001", "[::1"]:
            self.check(request(host=host), 403 if host else 403, b"not a name of this server")
        self.check(request(host=None), 400)
        self.check(b"GET /api/run HTTP/1.1\r\nHost: localhost\r\nhOST: evil.example\r\n\r\n", 400)

    def test_origins(self):
        own = "127.0.0.1:%d" % self.run_.port
        self.check(request(host=own, Origin="http://" + own), 200)
        self.check(request(host=own, Sec_Fetch_Site="same-origin"), 200)
        self.check(request(host=own, Sec_Fetch_Site="none"), 200)
        self.check(request("/", host=own, Sec_Fetch_Site="cross-site"), 200) # a link to the page
        for headers in [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "https://" + own}, {"Origin": ""},
                        {"Origin": "http://127.0.0.1:1"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}]:
            self.check(request(host=own, **headers), 403, b"another origin")
            self.check(request("/api/pause", "POST", own, b"{}", X_Warpwright="1", **headers), 403, b"another origin")

    def test_post_needs_its_header(self):
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json"]:
            self.check(request("/api/step", "POST", body=b"{}", Content_Type=kind), 403, b"X-Warpwright")
        self.assertEqual(self.run_.get("/api/run")["cycle"], 0)

    def test_methods(self):
        for method in ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "FOO", "get"]:
            self.check(request(method=method), 501)
        self.assertNotEqual(status(raw(self.run_, b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 1)), 200)

    def test_malformed(self):
        for path in ["http://evil.example/api/run", "*", "/%", "/%00", "/api/run?%zz=1", "/api/run?a", "/api/run?=1&&"]:
            got = raw(self.run_, request(path))
            self.assertIn(status(got), (400, 404), (path, got[:200]))
        for data in [b"\r\n\r\n", b"garbage\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", b"\0" * 100 + b"\r\n\r\n",
                     b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + b"x" * 300 + b"\r\n\r\n",
                     request("/api/step", "POST", Content_Length="-1", X_Warpwright="1"),
                     request("/api/step", "POST", Content_Length="99999999999999999999", X_Warpwright="1")]:
            self.assertNotIn(b"200 OK", raw(self.run_, data, 1))
        for body in [b"{", b"[]", b"\xff", b"{\"cycles\": 1, \"cycles\": 2}", b"[" * 4000, b"{\"cycles\": 1e999}", b"null"]:
            self.check(request("/api/step", "POST", body=body, X_Warpwright="1"), 400)
        rng = random.Random(1)
        for _ in range(200):
            data = bytearray(request("/api/tree?path=gpu", X_Warpwright="1"))
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            raw(self.run_, bytes(data), 0.02)
        self.assertEqual(self.run_.get("/api/run")["cycle"], 0)

    def test_huge(self):
        self.check(request("/api/step", "POST", body=b"{" + b" " * 5000 + b"}", X_Warpwright="1"), 413)
        self.check(b"POST /api/step HTTP/1.1\r\nHost: localhost\r\nX-Warpwright: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
                   + b"400\r\n" + b"x" * 1024 + b"\r\n" + (b"400\r\n" + b"x" * 1024 + b"\r\n") * 8, 413)
        for data in [b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", request(X="a" * 9000), b"a" * 100000]:
            self.assertNotIn(b"200 OK", raw(self.run_, data, 1))
        self.check(request("/api/component?path=" + "x" * 7000), 404)
        self.assertEqual(self.run_.get("/api/run")["cycle"], 0)

    def test_many(self):
        """Those who only hold connections give way to whoever asks, and do not keep descriptors."""
        held = []
        for _ in range(150):
            s = socket.create_connection(("127.0.0.1", self.run_.port))
            held.append(s)
            s.sendall(b"GET / HTTP/1.1\r\n")
            if len(held) % 30 == 0:
                self.assertEqual(self.run_.get("/api/run")["state"], "paused")
        open_ = len(os.listdir("/proc/%d/fd" % self.run_.process.pid))
        self.assertLess(open_, 110)
        for s in held:
            s.close()
        self.run_.get("/api/run")
        end = time.monotonic() + HANGS
        while len(os.listdir("/proc/%d/fd" % self.run_.process.pid)) >= 20:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_idle(self):
        """Hundreds that never ask for anything keep nobody waiting: not for the five seconds that each 64 of them have."""
        begin, held = time.monotonic(), []
        for _ in range(400):
            held.append(socket.create_connection(("127.0.0.1", self.run_.port), timeout=HANGS))
        self.assertEqual(self.run_.get("/api/run")["state"], "paused")
        self.assertLess(time.monotonic() - begin, 15)
        for s in held:
            s.close()

    def test_slow(self):
        """One that sends a byte now and then is let go after five seconds, whatever it sends."""
        with socket.create_connection(("127.0.0.1", self.run_.port)) as s:
            begin = time.monotonic()
            s.settimeout(0.2)
            closed = False
            while not closed and time.monotonic() - begin < HANGS:
                try:
                    s.sendall(b"X" if time.monotonic() - begin > 0.1 else b"GET / HTTP/1.1\r\nX: ")
                    closed = s.recv(10) == b""
                except socket.timeout:
                    pass
                except ConnectionError:
                    closed = True
            self.assertTrue(closed)
            self.assertGreater(time.monotonic() - begin, 4)

    def test_does_not_read(self):
        """One that does not read its answers holds nobody up: not for the thirty seconds that it has."""
        held = [socket.create_connection(("127.0.0.1", self.run_.port)) for _ in range(8)]
        for s in held:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            s.sendall(request("/api/channels?limit=5000"))
        begin = time.monotonic()
        for _ in range(20):
            self.run_.get("/api/run")
        self.assertLess(time.monotonic() - begin, 25)
        for s in held:
            s.close()

    def test_one_request_a_connection(self):
        got = raw(self.run_, request("/api/run") * 3)
        self.assertEqual(got.count(b"HTTP/1.1 200"), 1)


class Tokens(unittest.TestCase):
    def test_token(self):
        with Run(*WORDS, token=TOKEN, env={"WARPWRIGHT_MONITOR_TOKEN": TOKEN}) as run:
            self.assertEqual(run.get("/api/run")["cycle"], 0)
            self.assertNotIn(TOKEN, run.err)
            self.assertEqual(status(raw(run, request("/"))), 200) # the page has nothing to hide: it asks for the token
            for headers in [{}, {"Authorization": "Bearer"}, {"Authorization": "Bearer x"}, {"Authorization": "Basic " + TOKEN},
                            {"Authorization": "Bearer " + TOKEN + "x"}, {"Authorization": "Bearer " + TOKEN[:-1]},
                            {"Authorization": "Bearer " + TOKEN[:-1] + "x"}]:
                for data in [request(**headers), request("/api/step", "POST", body=b"{}", X_Warpwright="1", **headers)]:
                    got = raw(run, data)
                    self.assertEqual(status(got), 401)
                    self.assertIn(b"WWW-Authenticate: Bearer", got)
            self.assertEqual(status(raw(run, request(host="evil.example", Authorization="Bearer " + TOKEN))), 403)
            self.assertEqual(run.get("/api/run")["cycle"], 0)

    def test_token_file_and_beyond_loopback(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "token")
            with open(name, "w", encoding="utf-8") as f:
                f.write(TOKEN + "\n")
            os.chmod(name, stat.S_IRUSR)
            with Run("--monitor-token", name, *WORDS, token=TOKEN, listen="--monitor=0.0.0.0:0") as run:
                self.assertRegex(run.url, r"^http://0\.0\.0\.0:\d+/$")
                self.assertEqual(run.get("/api/run")["cycle"], 0)
                for host in ["simulator.lab.example:1234", "10.1.2.3"]:
                    self.assertEqual(status(raw(run, request(host=host, Authorization="Bearer " + TOKEN))), 200)
                    self.assertEqual(status(raw(run, request(host=host))), 401)
                    self.assertEqual(status(raw(run, request(host=host, Authorization="Bearer " + TOKEN, Origin="http://x"))), 403)

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(text):
                name = os.path.join(folder, "t")
                with open(name, "wb") as f:
                    f.write(text)
                return name
            for words, env, part in [
                    (["--monitor=0.0.0.0:0"], {}, "would let others than this machine in; expected a loopback address, or a token"),
                    (["--monitor=[::]:0"], {}, "would let others"),
                    (["--monitor=192.0.2.1:0"], {}, "would let others"),
                    (["--monitor=nowhere.example"], {}, "is no address; expected ADDR:PORT"),
                    (["--monitor=::1"], {}, "is no address"),
                    (["--monitor=[::1"], {}, "is no address"),
                    (["--monitor=127.0.0.1:x"], {}, "'x' is no port"),
                    (["--monitor=127.0.0.1:65536"], {}, "'65536' is no port"),
                    (["--monitor=192.0.2.1:0"], {"WARPWRIGHT_MONITOR_TOKEN": TOKEN}, "cannot listen at 192.0.2.1"),
                    (["--monitor"], {"WARPWRIGHT_MONITOR_TOKEN": "short"}, "WARPWRIGHT_MONITOR_TOKEN holds a token of 5 characters"),
                    (["--monitor", "--monitor-token", file(b"x" * 300)], {}, "a token of 300 characters"),
                    (["--monitor", "--monitor-token", os.path.join(folder, "none")], {}, "No such file or directory"),
                    (["--monitor", "--monitor-token", folder], {}, "Is a directory"),
                    (["--monitor-token", folder], {}, "--monitor-token has no effect without --monitor"),
                    (["--monitor-wait"], {}, "--monitor-wait has no effect without --monitor"),
                    (["--monitor", "--monitor-wait=never"], {}, "--monitor-wait 'never' is unknown")]:
                with self.subTest(words=words, env=env):
                    self.assertIn(part, refused(*words, env=env))
            for text, part in [(b"a token with blanks in it", "not all of them visible"), (b"sixteen-letters\0x", "holds a 0"), (b"", "of 0 characters")]:
                self.assertIn(part, refused("--monitor", "--monitor-token", file(text)))
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                s.listen()
                self.assertIn("Address already in use", refused("--monitor=127.0.0.1:%d" % s.getsockname()[1]))

    def test_six(self):
        try:
            with socket.socket(socket.AF_INET6) as s:
                s.bind(("::1", 0))
        except OSError:
            self.skipTest("no IPv6 here")
        with Run(*WORDS, listen="--monitor=[::1]:0") as run:
            self.assertRegex(run.url, r"^http://\[::1\]:\d+/$")
            self.assertEqual(status(raw(run, request(host="[::1]:%d" % run.port), family=socket.AF_INET6)), 200)


if __name__ == "__main__":
    unittest.main()
