#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cubin with the words of a listing, which may be compressed.

Usage: make_cubin.py LISTING CUBIN

Of each function of the listing (what cuobjdump -sass prints; of one architecture) a section .text.NAME, with the words that stand behind its
instructions; around them the header, names and section headers of an ELF file as ptxas writes it.
"""

import lzma
import re
import struct
import sys

EM_CUDA = 190


def functions(text):
    """The architecture, and [name, bytes] of each function."""
    arch, found = 0, []
    for line in text.splitlines():
        which = re.search(r"(?:arch = |\.target\s+|code for )sm_(\d+)", line)
        name = re.search(r"Function : (\S+)|\.section\s+\.text\.([^,\s]+)", line)
        word = re.search(r"/\* 0x([0-9a-f]+) \*/\s*$", line)
        if which:
            arch = int(which[1])
        elif name:
            found.append([name[1] or name[2], b""])
        elif word and found:
            found[-1][1] += struct.pack("<Q", int(word[1], 16))
    return arch, found


def cubin(arch, found):
    names, body, headers = b"\0.shstrtab\0", b"", [struct.pack("<IIQQQQIIQQ", *[0] * 10)]
    for name, code in found:
        body += b"\0" * (-len(body) % 128)
        headers.append(struct.pack("<IIQQQQIIQQ", len(names), 1, 6, 0, 64 + len(body), len(code), 0, 0, 128, 0))
        names += b".text." + name.encode() + b"\0"
        body += code
    headers.append(struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 64 + len(body), len(names), 0, 0, 1, 0))
    body += names
    body += b"\0" * (-len(body) % 8)
    flags = 0x06000002 | arch << 8 if arch >= 100 else arch | 0x0500 | arch << 16
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01\x33\x07", 2, EM_CUDA, 111, 0, 0, 64 + len(body), flags, 64, 56, 0, 64,
                       len(headers), len(headers) - 1) + body + b"".join(headers)


def main():
    listing, out = sys.argv[1:]
    with (lzma.open if listing.endswith(".xz") else open)(listing, "rt") as f:
        arch, found = functions(f.read())
    with open(out, "wb") as f:
        f.write(cubin(arch, found))


if __name__ == "__main__":
    main()
