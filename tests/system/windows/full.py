# SPDX-License-Identifier: Apache-2.0
"""Programs that ask for more than their memory gives, so that channels between partitions are full: fixed ones for test-windows.py, drawn ones for
test-drawn.py."""

import os
import random
import sys

sys.path.insert(0, os.path.normpath(os.path.join(__file__, "../../../support")))

import traces  # noqa: E402

BASE = 0x7f0000000000
LOAD = "1 R{i} LDG.E.SYS 1 R2 {width}"
STORE = "0 STG.E.SYS 2 R2 R3 {width}"
REDUCE = "0 RED.E.ADD.STRONG.GPU 2 R2 R3 4"
MACHINES = [("qv100", 70), ("titanv", 70), ("gv100", 70), ("v100", 70), ("qv100_sensible", 70), ("rtx2060", 75), ("rtx3070", 86), ("a100", 80), ("rtx4090", 89),
            ("h100", 90), ("rtx3080_modern", 86), ("rtx2080ti_modern", 75)]
DEPTHS = [1, 2, 3, 8, 20, 64, 90, 300]
# What decides how full channels get, some of them with one of their values each.
VALUES = {"gpu.clusters": [1, 2, 5, 10, 16], "cluster.sms": [1, 2, 3], "cluster.network_in": DEPTHS, "cluster.network_out": DEPTHS,
          "channel.network_in": DEPTHS, "channel.network_out": DEPTHS, "gpu.slices": [1, 2, 4], "slice.rop_latency": [1, 20, 120],
          "l2.mshr_entries": [2, 8, 64], "l2.miss_queue": [2, 4, 32], "l1d.mshr_entries": [2, 16], "l1d.miss_queue": [2, 4],
          "gpu.network.arbiter": ["islip", "round_robin"], "gpu.kernels.launch_latency": [0, 50, 1000], "gpu.concurrent_kernels": ["true"],
          "gpu.flush_l2": ["true", "false"], "gpu.flush_l1": ["true", "false"]}


def kernel(operations, addresses, ctas, warps, **head):
    """One kernel; @addresses: called with the numbers of the warp and of the operation, it says what follows the width."""
    def lines(warp):
        return [f"{16 * k:04x} ffffffff {operation} {addresses(warp, k)} 0" for k, operation in enumerate(operations)] + \
            [f"{16 * len(operations):04x} ffffffff 0 EXIT 0 0 0"]
    return [[lines(cta * warps + warp) for warp in range(warps)] for cta in range(ctas)], {"shmem": 0, **head}


def scattered(draw, words, width=4):
    return "0 " + " ".join(f"0x{BASE + draw.randrange(words) * width:x}" for _ in range(32))


def row(at, stride):
    return f"1 0x{BASE + at:x} {stride}"


def write(folder, kind, ctas):
    """Stores rows one after the other ('stores'), or gathers from all over ('gather')."""
    draw = random.Random(5)
    head = {"ctas": ctas, "warps": 8, "registers": 16, "version": 70}
    if kind == "stores":
        made = kernel([STORE.format(width=4)] * 8, lambda warp, k: row((warp * 8 + k) * 128, 4), **head)
    else:
        made = kernel([LOAD.format(i=4 + k, width=4) for k in range(8)], lambda warp, k: scattered(draw, 1 << 24), **head)
    traces.write(folder, "", [made])


def draw_operations(draw, n, width):
    """Loads, or stores, or atomics alone, or all of them."""
    kinds = draw.choice([[LOAD], [LOAD], [STORE], [REDUCE], [LOAD, STORE], [LOAD, STORE, REDUCE]])
    return [draw.choice(kinds).format(i=4 + k, width=width) for k in range(n)]


def draw_addresses(draw, n, width):
    """Rows, columns of a matrix, a few lines, or from all over."""
    kind, stride = draw.choice(["row", "column", "few", "scattered", "any"]), draw.choice([512, 1024, 4096])
    words = draw.choice([1 << 12, 1 << 16, 1 << 20, 1 << 24])

    def addresses(warp, k):
        now = draw.choice(["row", "scattered"]) if kind == "any" else kind
        if now == "row":
            return row((warp * n + k) * 128, 4 if kind == "row" else draw.choice([4, 8, 32, 128]))
        if now == "column":
            return row(warp * 128 + k * 65536, stride)
        if now == "few":
            return row(draw.randrange(8) * 4096, 0)
        return scattered(draw, words, width)
    return addresses


def draw_kernel(draw, version, most):
    n, warps, width = draw.randint(2, 10), draw.choice([1, 2, 4, 8, 16]), draw.choice([4, 4, 4, 8, 16])
    ctas = min(draw.choice([5, 20, 60, 150]), most // (n * warps))
    return kernel(draw_operations(draw, n, width), draw_addresses(draw, n, width), ctas, warps, registers=draw.choice([16, 32, 64]), version=version,
                  stream=draw.choice([0, 0, 0, 1]))


def draw_program(seed, folder, most):
    """Kernels of up to @most warp instructions. Returns the configuration and further options."""
    draw = random.Random(seed)
    config, version = draw.choice(MACHINES)
    values = [f"{name}={draw.choice(some)}" for name, some in VALUES.items() if draw.random() < 0.3]
    kernels = [draw_kernel(draw, version, most) for _ in range(draw.choice([1, 1, 1, 2, 3]))]
    traces.write(folder, "", kernels, [(BASE, draw.choice([4096, 65536, 1048576]))] if draw.random() < 0.3 else [])
    return config, [word for v in values for word in ("-s", v)]
