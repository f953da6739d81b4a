# SPDX-License-Identifier: Apache-2.0
"""Traces written line by line."""

import os

HEAD = """-kernel name = {name}
-kernel id = {number}
-grid dim = ({ctas},1,1)
-block dim = ({threads},1,1)
-shmem = {shmem}
-nregs = {registers}
-binary version = {version}
-cuda stream id = {stream}
-shmem base_addr = 0x00007fb139000000
-local mem base_addr = 0x00007fb137000000
-nvbit version = 1.7
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = x
"""


def write(folder, name, kernels, copies=()):
    """Writes folder/name. kernels: (list of CTAs, each a list of warps, each a list of lines; settings of the header); copies: (address, bytes)."""
    where = os.path.join(folder, name)
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "kernelslist.g"), "w", encoding="utf-8") as f:
        f.writelines(f"MemcpyHtoD,0x{a:016x},{n}\n" for a, n in copies)
        f.writelines(f"kernel-{i}.traceg\n" for i in range(1, len(kernels) + 1))
    for i, (ctas, more) in enumerate(kernels, 1):
        head = {"name": "k", "number": i, "ctas": len(ctas), "threads": 32 * len(ctas[0]), "shmem": 8192, "registers": 32, "version": 80, "stream": 0} | more
        text = [HEAD.format(**head)]
        for c, warps in enumerate(ctas):
            text.append(f"#BEGIN_TB\n\nthread block = {c},0,0\n")
            for w, lines in enumerate(warps):
                text.append(f"warp = {w}\ninsts = {len(lines)}\n" + "\n".join(lines) + "\n")
            text.append("#END_TB\n")
        with open(os.path.join(where, f"kernel-{i}.traceg"), "w", encoding="utf-8") as f:
            f.write("\n".join(text))
