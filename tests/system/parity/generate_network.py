#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random network with routers for -inter_config_file (-network_mode 1).

Usage: generate_network.py SEED NODES FILE

NODES are the clusters and the L2 slices of the machine, written CLUSTERS+SLICES,
such as 4+24. Everything that the model knows is drawn, within what the reference bears: it ends with an assertion when
vc_alloc_delay or sw_alloc_delay is not 1 and packets overlap, and a torus of even k draws its ways.
"""

import random
import sys

ALLOCATORS = ["islip", "islip", "islip", "islip(2)", "separable_input_first", "separable_output_first", "separable_input_first(matrix)",
              "separable_output_first(matrix)", "wavefront", "rr_wavefront", "loa"]
KINDS = ["read_request", "write_request", "read_reply", "write_reply"]


def shape(r, devices):
    """Topology with enough nodes for the devices."""
    topology = r.choice(["fly", "fly", "mesh", "mesh", "torus"])
    stages = r.choice([1, 1, 2, 2, 3, 4])
    if topology == "fly" and stages == 1:
        k = devices + r.choice([0, 0, 0, 3])
    else:
        k = 2
        while k ** stages < devices or (topology == "torus" and k % 2 == 0):
            k += 1
    routing = "dest_tag" if topology == "fly" else r.choice(["dim_order", "dor"] if topology == "mesh" else ["dim_order"])
    return {"topology": topology, "k": k, "n": stages, "routing_function": routing}


def channels(r, topology):
    vcs = r.choice([2, 4, 6] if topology == "torus" else [1, 1, 2, 3, 4, 8])
    drawn = {"num_vcs": vcs}
    for kind in KINDS:
        first = 0 if topology == "torus" else r.randrange(vcs)
        drawn[kind + "_begin_vc"] = first
        drawn[kind + "_end_vc"] = vcs - 1 if topology == "torus" else r.randrange(first, vcs)
    return drawn


def buffers(r, vcs):
    flit = r.choice([8, 16, 32, 40, 40, 64, 136])
    drawn = {"flit_size": flit, "vc_buf_size": r.choice([1, 2, 3, 4, 8, 16, 64]), "ejection_buffer_size": 64,
             "input_buffer_size": r.choice([20, 64] if flit == 8 else [0, 20, 32, 64, 256]),
             "boundary_buffer_size": r.choice([18, 20, 64]), "wait_for_tail_credit": r.choice([0, 0, 1])}
    if r.random() < .15:
        drawn["buf_size"] = min(64, vcs * r.choice([1, 2, 5, 9]) + r.randrange(vcs))
    return drawn


def router(r, vcs):
    drawn = {"vc_allocator": r.choice(ALLOCATORS), "sw_allocator": r.choice(ALLOCATORS), "alloc_iters": r.choice([1, 2]),
             "input_speedup": min(vcs, r.choice([1, 1, 2, 3])), "output_speedup": r.choice([1, 1, 2]),
             "internal_speedup": r.choice(["1.0", "2.0", "2.0", "1.5", "1.1", "3.3"]),
             "routing_delay": r.choice([0, 0, 1, 2]), "credit_delay": r.choice([0, 0, 1, 3]),
             "st_final_delay": r.choice([1, 1, 1, 2]), "st_prepare_delay": r.choice([0, 0, 1])}
    for name, values in {"output_buffer_size": [1, 2, 4], "vc_busy_when_full": [1], "vc_shuffle_requests": [1],
                         "use_noc_latency": [0]}.items():
        if r.random() < .2:
            drawn[name] = r.choice(values)
    return drawn


def network(seed, clusters, slices):
    """The settings, by name."""
    r = random.Random(seed)
    drawn = {"sim_type": "gpgpusim", "subnets": 2, **shape(r, clusters + slices)}
    drawn.update(channels(r, drawn["topology"]))
    drawn.update(buffers(r, drawn["num_vcs"]))
    drawn.update(router(r, drawn["num_vcs"]))
    drawn["use_map"] = int(r.random() < .4)
    if drawn["use_map"]:
        nodes = sorted(r.sample(range(drawn["k"] ** drawn["n"]), slices))
        drawn["memory_node_map"] = "{" + ",".join(map(str, nodes)) + "}"
    return drawn


def main():
    clusters, slices = (int(n) for n in sys.argv[2].split("+"))
    with open(sys.argv[3], "w") as f:
        f.writelines(f"{name} = {value};\n" for name, value in network(int(sys.argv[1]), clusters, slices).items())


if __name__ == "__main__":
    main()
