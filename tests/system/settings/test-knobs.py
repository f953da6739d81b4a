#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No dead knobs: another value of any parameter of a machine moves something, or still.txt says why not (knobs.py).

A few parameters, the same in every run; with WW_TEST_FULL=1 all, and the rows of reach.txt and still.txt must all be needed.
"""

import os
import sys
import tempfile

import knobs
import settings

FULL = os.environ.get("WW_TEST_FULL") == "1"
SANITIZED = os.path.basename(os.environ.get("WW_BUILD_DIR", "")) in ("asan", "tsan", "debug", "clang")
if SANITIZED:
    settings.SECONDS = 600


def check_finder():
    """It does find: a knob that is dead, a row that is not needed, and it knows a live one when something must be switched on first."""
    path = "gpu.cluster[*].sm[*].l1i_cache[*].ways"
    rows = knobs.rows_of("reach.txt")
    with tempfile.TemporaryDirectory() as folder:
        bare, helped = knobs.Search([], folder), knobs.Search([r for r in rows if r.matches("qv100", path)], folder)
        bare.traces = helped.traces = [t for t in bare.traces if t.endswith("code-80")]
        dead = knobs.Knob("qv100", path, path, ["1", "16"], "4")
        assert not bare.moves(dead), "a part that is not there moves something"
        assert not bare.places(dead), "a part that is not there is looked at with every trace"
        assert {row is not None for row, _ in helped.places(dead)} == {True}
        assert helped.moves(dead), "a part that is switched on moves nothing"
        assert any(r.used for r in helped.reach)
        assert all(bare.has("qv100", [], p) for p in ("core_clock", "gpu.slices", "gpu.cluster[*].sm[*].id_oc_spec[3..8].width"))
        assert bare.moves(knobs.Knob("qv100", "gpu.kernels.launch_latency", "gpu.kernels.launch_latency", ["4999"], "5000"))
        check_broken(folder)
    print("one row that is not needed:")
    assert knobs.unneeded([knobs.Row("none", 1, "qv100/gpu...x: why")]) == 1
    row = knobs.Row("none", 1, "minimal|volta/sm...x[*].y: why")
    assert row.matches("volta", "sm.ab.x[*].y") and not row.matches("qv100", "sm.ab.x[*].y") and not row.matches("volta", "sm.x[0].y")
    assert rows[0].with_all and all("@" not in w for r in rows for w in r.words("qv100"))
    every = knobs.Row("none", 1, "minimal/+: a=1")
    row.with_all = [every]
    assert row.words("minimal") == ["a=1", "why"] and row.words("volta") == ["why"]
    row = knobs.Row("none", 1, "!minimal|volta/sm.x: why")
    assert row.matches("qv100", "sm.x") and not row.matches("volta", "sm.x")


def check_broken(folder):
    """A row with which the machine is refused, a trace that is not there, and a run past its time show nothing: they are findings that say where."""
    path = "gpu.kernels.launch_latency"
    knob = knobs.Knob("qv100", path, path, ["4999"], "5000")
    for text, what in [("sm.l1d.sets=3", "with this row qv100 is refused"), ("trace=absent", "no trace runs on qv100 with this row")]:
        search = knobs.Search([knobs.Row("some.txt", 7, f"{path}: {text}")], folder)
        search.traces = search.traces[:1]
        assert not search.moves_in(knob, search.reach[0], text.split()[:text.startswith("sm")], search.traces_of(search.reach[0], "qv100")[0])
        assert [f.startswith(f"some.txt:7: {what}: warpwright run ") for f in search.findings()] == [True], search.findings()
    launch = settings.launch
    for status, what in [(None, f"no end within {settings.SECONDS} s of processor time"), (-6, "signal 6")]:
        search = knobs.Search([], folder)
        settings.launch = lambda line, status=status: (status, "", "")
        assert search.moves(knob), "a run past its time is taken for one that moves nothing"
        assert [f.startswith(f"qv100: {path}: {what}: warpwright run ") for f in search.findings()] == [True], search.findings()
        assert not search.found[path], "a run past its time is taken for one that moves something"
    settings.launch = launch


def main():
    check_finder()
    kin, jobs = settings.families(), os.cpu_count() or 1
    found = [k for c in knobs.CONFIGS for k in knobs.knobs_of(c, kin)]
    everything = FULL and not SANITIZED
    some = found if everything else knobs.drawn(found, 20 if SANITIZED else 100)
    bad, rows = knobs.examine(some, jobs, eager=not everything)
    if everything:
        bad += knobs.unneeded(rows)
    print(f"{len(some)} of {len(found)} parameters, {bad} findings")
    return 1 if bad else 0


sys.exit(main())
