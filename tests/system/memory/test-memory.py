#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Long traces in little memory: many thread blocks, and one warp with many instructions, as text and as packs. The text is never stored."""
import lzma
import os
import resource
import subprocess
import sys
import tempfile
import unittest

WARPWRIGHT = os.environ["WARPWRIGHT"]
SANITIZED = os.path.basename(os.environ.get("WW_BUILD_DIR", "")) in ("asan", "tsan")
MOST_MIB = 300 # most of it the thread blocks that 80 SMs hold

HEADER = """-kernel name = k
-kernel id = 1
-grid dim = (%d,1,1)
-block dim = (%d,1,1)
-shmem = 0
-nregs = 32
-binary version = 70
-cuda stream id = 0
-accelsim tracer version = 5

#traces format = x



"""


def blocks(n):
    """Thread blocks of 8 warps with 100 loads each, 200 KB of text a block."""
    yield HEADER % (n, 256)
    lines = "".join("%04x ffffffff 1 R%d LDS 1 R2 4 0%s 0 \n" % (i * 16, 4 + i % 8, " 0x%x" % (4096 + i * 64) * 32) for i in range(100))
    warps = "".join("warp = %d\ninsts = 101\n%s0640 ffffffff 0 EXIT 0 0 0 \n\n" % (w, lines) for w in range(8))
    for i in range(n):
        yield "%s#BEGIN_TB\n\nthread block = %d,0,0\n\n%s#END_TB\n" % ("\n" if i else "", i, warps)
    yield "\n"


def warp(n):
    """One warp, whose loop walks through memory."""
    yield HEADER % (1, 32) + "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %d\n" % (n + 1)
    for first in range(0, n, 100):
        yield "".join("%04x ffffffff 1 R5 LDG.E 1 R2 4 1 0x%x 4 0 \n" % (i * 16, 0x7F0000000000 + (first + i) * 128) if i % 10 == 3 else
                      "%04x ffffffff 1 R%d FFMA 2 R4 R4 0 0 \n" % (i * 16, 5 + i % 20) for i in range(100))
    yield "fff0 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n\n"


def write(path, pieces):
    with lzma.open(path, "wb", preset=0) as f:
        for piece in pieces:
            f.write(piece.encode())


def peak(*words, status=0):
    """MiB of the command at most."""
    read, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        p = subprocess.run([WARPWRIGHT] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        said = "" if p.returncode == status else p.stderr.decode()
        os.write(end, ("%d %d %s" % (p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, said)).encode())
        os._exit(0)
    os.close(end)
    with os.fdopen(read) as f:
        code, kib, said = f.read().split(" ", 2)
    os.waitpid(pid, 0)
    if int(code) != status:
        raise AssertionError("%s: status %s\n%s" % (" ".join(words), code, said))
    return int(kib) / 1024


class Memory(unittest.TestCase):
    def look(self, pieces):
        with tempfile.TemporaryDirectory() as folder:
            text, pack = os.path.join(folder, "kernel-1.traceg.xz"), os.path.join(folder, "t.wwpack")
            write(text, pieces)
            for words in (["trace", "check", text], ["trace", "pack", "--level=3", "-o", pack, text], ["trace", "check", pack]):
                self.assertLess(peak(*words), MOST_MIB, words)
            self.assertLess(os.path.getsize(pack), 10000)
            for path in (text, pack):
                run = ["run", "-c", "qv100", "--report=none", "--max-cycles=5000", path]
                self.assertLess(peak(*run, status=1), MOST_MIB, run)

    @unittest.skipIf(SANITIZED, "a sanitizer keeps what is freed")
    def test_blocks(self):
        self.look(blocks(8000))

    @unittest.skipIf(SANITIZED, "a sanitizer keeps what is freed")
    def test_warp(self):
        self.look(warp(10000000))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
