#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a run: what is in them is what the run counted, as others read the files.

The pipeline is read as Konata does, the timeline decoded by protoc with Perfetto's names and numbers, the waveform taken through GTKWave's vcd2fst and
fst2vcd. Each drawn while the run goes on is the same file as the one that is drawn of its log."""
import bisect
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
RUN = ["-c", "rtx3070", "--max-ctas", "8"]
TRACE = ROOT + "/samples/vecadd"
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED: " + what)


def run(*words):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{words}: status {done.returncode}: {done.stderr}")
    return done


def log_lines(path):
    for line in open(path, encoding="utf-8"):
        cycle, kind, where, unit, text = line.rstrip("\n").split("\t")
        yield int(cycle), kind, where, int(unit), text


# ---- Konata ----------------------------------------------------------------------------------------------------------

def read_konata(path):
    """{id: instruction}; dies on whatever its reader would warn of."""
    lines = open(path, encoding="ascii").read().split("\n")
    assert lines[0] == "Kanata\t0004" and lines[-1] == "", "head or end"
    now, all_, over = None, {}, set()
    for line in lines[1:-1]:
        what, *words = line.split("\t")
        if what == "C=":
            assert now is None
            now = int(words[0])
            continue
        if what == "C":
            assert int(words[0]) > 0
            now += int(words[0])
            continue
        ident = int(words[0])
        if what == "I":
            assert ident not in all_, f"{line}: there is one already"
            all_[ident] = {"thread": int(words[2]), "stages": [], "open": None, "label": "", "more": "", "needs": [], "begin": now}
            continue
        op = all_[ident]
        assert ident not in over, f"{line}: after its end"
        if what == "L":
            op["label" if words[1] == "0" else "more"] += words[2]
        elif what == "S":
            assert op["open"] is None, f"{line}: the stage before has no end"
            op["open"] = words[2]
            op["stages"].append([words[2], now, None])
        elif what == "E":
            assert op["open"] == words[2], f"{line}: not begun"
            op["open"] = None
            op["stages"][-1][2] = now
        elif what == "W":
            assert int(words[1]) in all_ and words[2] == "0"
            op["needs"].append(int(words[1]))
        elif what == "R":
            assert op["open"] is None
            op["end"], op["flushed"] = now, words[2] == "1"
            over.add(ident)
        else:
            assert False, line
    assert sorted(all_) == list(range(len(all_))), "numbers are left out"
    return all_


def check_konata(path, log, counted):
    ops = read_konata(path)
    issued = [o for o in ops.values() if not o.get("flushed")]
    check(len(issued) == counted["warp_pool.warp_insns"], f"konata: {len(issued)} instructions, the run issued {counted['warp_pool.warp_insns']}")
    followed = any(" req=" in text for *_, text in log_lines(log))
    check(not followed or all("end" in o for o in issued), f"konata: {sum('end' not in o for o in issued)} instructions never end")
    at = {}
    for cycle, kind, where, unit, text in log_lines(log):
        if kind in ("issue", "exec", "writeback") and " uid=" in " " + text:
            sm = int(re.search(r"cluster\[(\d+)\]", where).group(1))
            at[sm, int(re.search(r"uid=(\d+)", text).group(1)), kind] = cycle
    names = {"Is": "issue", "X": "exec", "Wb": "writeback"}
    seen = 0
    for o in issued:
        uid = int(re.search(r"uid (\d+)", o["more"]).group(1))
        sm = o["thread"] // 1000
        for name, begin, _ in o["stages"]:
            if name in names:
                seen += 1
                if at.get((sm, uid, names[name])) != begin:
                    check(False, f"konata: SM {sm} uid {uid} {name} at {begin}, the log says {at.get((sm, uid, names[name]))}")
                    return
    check(seen > 2 * len(issued), "konata: too few stages")
    check({s[0] for o in issued for s in o["stages"]} >= {"F", "Dc", "Ib", "Is", "Oc", "Dp", "X", "Wb"} | ({"MX"} if followed else set()), "konata: a stage is missing")
    for o in issued:  # who needs another begins after that one's result is there
        for p in o["needs"]:
            producer = ops[p]
            check(producer["thread"] == o["thread"] and producer.get("end", 0) <= [s for s in o["stages"] if s[0] == "Is"][0][1] + 1,
                  f"konata: {o['label']} issues before {producer['label']} has ended")
    check(sum(len(o["needs"]) for o in issued) > len(issued) // 2, "konata: too few arrows")


# ---- Perfetto --------------------------------------------------------------------------------------------------------

def read_perfetto(path):
    """Packets as nested lists of (name, value), by protoc."""
    proto = ROOT + "/tests/unit/view"
    with open(path, "rb") as f:
        done = subprocess.run(["protoc", "--decode", "perfetto.protos.Trace", "--proto_path=" + proto, "trace.proto"], stdin=f,
                              capture_output=True, text=True, check=True)
    stack, packets = [[]], []
    for line in done.stdout.split("\n"):
        line = line.strip()
        if line.endswith("{"):
            message = []
            assert not line[0].isdigit(), f"unknown field {line}"
            stack[-1].append((line[:-2], message))
            stack.append(message)
        elif line == "}":
            stack.pop()
        elif line:
            name, value = line.split(": ", 1)
            assert not name.isdigit(), f"unknown field {line}"
            stack[-1].append((name, value.strip('"')))
    assert len(stack) == 1
    return [dict_of(p) for name, p in stack[0]]


def dict_of(message):
    out = collections.defaultdict(list)
    for name, value in message:
        out[name].append(dict_of(value) if isinstance(value, list) else value)
    return out


def read_trace(path):
    """Tracks and slices; dies where slices do not nest, names are unknown, or time goes back on a track."""
    names, categories, tracks, slices, instants, values = {}, {}, {}, [], [], collections.defaultdict(list)
    open_, last, flows = collections.defaultdict(list), {}, collections.defaultdict(list)
    for i, p in enumerate(read_perfetto(path)):
        assert p["sequence_flags"] == ["3" if i == 0 else "2"] and p["trusted_packet_sequence_id"] == ["1"]
        for d in p["interned_data"]:
            for table, key in ((names, "event_names"), (categories, "event_categories")):
                for e in d[key]:
                    assert e["iid"][0] not in table
                    table[e["iid"][0]] = e["name"][0]
        for d in p["track_descriptor"]:
            parent = d["parent_uuid"][0] if d["parent_uuid"] else None
            assert d["uuid"][0] not in tracks and (parent is None or parent in tracks)
            tracks[d["uuid"][0]] = (d["name"][0], parent, bool(d["counter"]))
        for e in p["track_event"]:
            track, time, kind = e["track_uuid"][0], int(p["timestamp"][0]), e["type"][0]
            assert track in tracks
            if kind == "TYPE_COUNTER":
                values[tracks[track][0]].append((time, float(e["double_counter_value"][0])))
                values[track].append(values[tracks[track][0]][-1])
                continue
            assert time >= last.get(track, 0), f"time goes back on {tracks[track]}"
            last[track] = time
            if kind == "TYPE_SLICE_END":
                s = open_[track].pop()
                s["end"] = time
                continue
            s = {"name": names[e["name_iid"][0]], "category": categories[e["category_iids"][0]], "begin": time, "track": track,
                 "depth": len(open_[track]), "flows": e["flow_ids"] + e["terminating_flow_ids"]}
            for flow in s["flows"]:
                flows[flow].append(s)
            if kind == "TYPE_INSTANT":
                instants.append(s)
            else:
                slices.append(s)
                open_[track].append(s)
    return tracks, slices, instants, values, flows


def check_perfetto(path, log, total, every):
    counted = total["counters"]
    tracks, slices, instants, values, flows = read_trace(path)
    of = collections.Counter(s["category"] for s in slices)
    check(of["instruction"] == counted["warp_pool.warp_insns"], f"perfetto: {of['instruction']} instructions")
    check(of["cta"] == total["ctas"], f"perfetto: {of['cta']} CTAs, the run had {total['ctas']}")
    check(of["kernel"] == 1 and of["launch"] == 1, "perfetto: kernels")
    followed = any(" req=" in text for *_, text in log_lines(log))
    check(not followed or all("end" in s for s in slices), f"perfetto: {sum('end' not in s for s in slices)} slices have no end")
    check(all(s["depth"] == (1 if s["category"] in ("stage", "launch") else 0) for s in slices), "perfetto: slices that overlap")
    issued = sum(v for _, v in values["warp instructions per cycle"]) * every
    check(round(issued) == counted["warp_pool.warp_insns"], f"perfetto: counters say {issued} instructions")
    kinds = collections.Counter(kind for _, kind, *_ in log_lines(log))
    check(sum(v for _, v in values["DRAM column commands"]) == kinds["column"], "perfetto: column commands")
    if not followed:
        return
    check(of["request"] == kinds["request"] and kinds["request"] > 0, f"perfetto: {of['request']} requests, the log has {kinds['request']}")
    # a request's arrows: from its instruction over the parts that it came through
    check(len(flows) == kinds["request"], f"perfetto: {len(flows)} flows")
    long = [f for f in flows.values() if {"request", "station"} <= {s["category"] for s in f}]
    check(len(long) > len(flows) // 4, f"perfetto: {len(long)} flows of {len(flows)} reach the memory system")
    for f in flows.values():
        check(f[0]["name"] == "request" and f[0]["category"] == "request", "perfetto: a flow does not begin at its instruction")


# ---- VCD -------------------------------------------------------------------------------------------------------------

def read_vcd(path):
    """{path.name: [(time, value)]}, of what GTKWave's tools make of the file."""
    with tempfile.NamedTemporaryFile(suffix=".fst") as fst:
        subprocess.run(["vcd2fst", path, fst.name], check=True, capture_output=True)
        text = subprocess.run(["fst2vcd", fst.name], check=True, capture_output=True, text=True).stdout
    scope, names, values, time = [], {}, collections.defaultdict(list), 0
    head, body = text.split("$enddefinitions $end")
    for words in (line.split() for line in re.sub(r"\s+", " ", head).replace("$end", "$end\n").split("\n")):
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"]:
            names[words[3]] = ".".join(scope + [words[4]])
    for line in body.split("\n"):
        if line.startswith("#"):
            time = int(line[1:])
        elif line[:1] == "b":
            bits, code = line[1:].split()
            values[names[code]].append((time, None if "x" in bits else int(bits, 2)))
    return values


def check_vcd(path, log, hz):
    values = read_vcd(path)
    fill, expected, counts = collections.Counter(), {}, collections.Counter()
    for cycle, kind, where, unit, text in log_lines(log):
        if ".sm[" in where:
            time = round(cycle * 1e12 / hz)
            if kind in ("put", "take"):
                fill[where] += 1 if kind == "put" else -1
                expected[where + ".fill", time] = fill[where]
            counts[f"{where}.{kind}", time] += 1
    check(len(expected) > 100 and len(counts) > 1000, "vcd: the log has too little")

    def value(name, time):
        return values[name][bisect.bisect_right(values[name], time, key=lambda change: change[0]) - 1][1]
    wrong = [(k, v, value(*k)) for k, v in [*expected.items(), *counts.items()] if value(*k) != v]
    check(not wrong, f"vcd: {len(wrong)} values are not those of the log, the first {wrong[:1]}")
    followed = any(" req=" in text for *_, text in log_lines(log))
    for name, changes in values.items():  # a count is of a cycle: 0 in the end
        if name.endswith((".put", ".take", ".fill", ".issue", ".buffered") + ((".flying",) if followed else ())):
            check(changes[-1][1] == 0, f"vcd: {name} ends with {changes[-1][1]}")


# ---- statistics over time --------------------------------------------------------------------------------------------

def held(changes, time):
    """The value at a time."""
    at = bisect.bisect_right(changes, time, key=lambda change: change[0])
    return changes[at - 1][1] if at else None


def check_intervals():
    """What is drawn of --intervals is what the JSON says, in the log, the waveform and the timeline; it moves nothing else there."""
    pictures = ["i.vcd", "i.perfetto-trace"]
    with_views = [w for p in pictures for w in ("--view", "now-" + p)]
    stats = [w for s in ("none", "*.cluster[1].sm[0].issue[*]:*", "*.channel[3].dram", "cache.l1.*", "cta_slots.most_resident")
             for w in ("--interval-stats", s)]
    run("run", *RUN, TRACE, "--report=none", "--progress=none", "--intervals", "700", *stats, "--events", "i.log", "-o", "i.json")
    run("run", *RUN, TRACE, "--report=none", "--progress=none", "--intervals", "700", *stats, *with_views)
    for p in pictures:
        run("view", "i.log", "-c", "rtx3070", "-o", p)
        check(open(p, "rb").read() == open("now-" + p, "rb").read(), f"{p}: with intervals, drawn at once and of the log are different")
    rows = json.load(open("i.json"))["intervals"]
    expected = {}  # (path, statistic) -> [(begin, value)]
    begins = [0] + [row[0] for row in rows["rows"][:-1]]
    for i, name in enumerate(rows["statistics"]):
        path, stat = name.split(":") if ":" in name else (None, name)
        key = (path, stat) if path else ("total", name)
        expected[key] = [(begin, row[1 + i]) for begin, row in zip(begins, rows["rows"])]
    check(len(expected) > 200 and sum(v != 0 for e in expected.values() for _, v in e) > 100, f"intervals: {len(expected)} are too few")

    logged, others = collections.defaultdict(list), []
    for line in open("i.log"):
        cycle, kind, where, unit, text = line.rstrip("\n").split("\t")
        if kind != "interval":
            others.append(line)
            continue
        f = dict(w.split("=") for w in text.split(" "))
        total = where.startswith("total.")
        key = ("total", f"{where[6:]}.{f['statistic']}") if total else (where, f["statistic"])
        logged[key].append((int(f["since"]), int(f["value"])))
        check(int(cycle) == rows["rows"][len(logged[key]) - 1][0] and unit == "-1", f"intervals: {line}")
    check(logged == expected, "intervals: the log has not what the JSON has")
    check(others == open("log").readlines(), "intervals: other events move by them")

    values = read_vcd("i.vcd")
    for (path, stat), changes in expected.items():
        name = f"total.{stat}" if path == "total" else f"{path}.statistics.{stat.replace('.', '_')}"
        if path == "total":  # the type's name has dots, an entry's begins behind the statistic's
            name = next((n for n in values if n.startswith("total.") and n.replace("_", ".") == f"total.{stat}".replace("_", ".")), name)
        drawn = values.get(name, [])
        wrong = [(b, v) for b, v in changes if held(drawn, round(b * 1e12 / 1132e6)) != v % 2 ** 64]
        check(not wrong, f"vcd: {name}: {wrong[:2]} are not drawn")
    tracks, _, _, values, _ = read_trace("i.perfetto-trace")
    by_name = {(tracks[parent][0], name): values[track] for track, (name, parent, counter) in tracks.items()
               if counter and tracks[tracks[parent][1] or parent][0] == "statistics"}
    for (path, stat), changes in expected.items():
        where = [k for k in by_name if f"{k[0]}.{k[1]}" == f"total.{stat}"] if path == "total" else [(path, stat)]
        want = [(round(b * 1e9 / 1132e6), float(v)) for b, v in changes]
        check(len(where) == 1 and by_name[where[0]] == want, f"perfetto: {path} {stat} is not drawn")
    run("run", *RUN, TRACE, "--report=none", "--progress=none", "--intervals", "700", "--events", "some", *stats, "--events-filter",
        "sm=1,kind=interval,from=1400,to=2100")
    some = list(log_lines("some"))
    check(len(some) > 4 and all(k == "interval" and c in (1400, 2100) and ".cluster[1]." in w for c, k, w, *_ in some), "intervals: filtered")


def check_window():
    """--from and --to are core cycles, whatever clock a part has; with the machine exactly those that the run's filter has."""
    words = ["run", *RUN, TRACE, "--report=none", "--progress=none"]
    run(*words, "--events", "w.log")
    run(*words, "--events", "some.log", "--events-filter=from=5300,to=5600")
    for more in (["--path", "*dram"], ["--path", "*"]):
        run("view", "w.log", *RUN[:2], "--from", "5300", "--to", "5600", *more, "-o", "w.vcd")
        run("view", "some.log", *RUN[:2], *more, "-o", "some.vcd")
        check(open("w.vcd").read() == open("some.vcd").read(), f"{more}: another window than that of the run")
    done = run("view", "w.log", "--from", "5300", "--to", "5600", "--path", "*dram", "-o", "w.vcd")
    check("nothing" not in done.stderr, f"without the machine the DRAM is not drawn: {done.stderr}")


# ---- modern SMs, and notes --------------------------------------------------------------------------------------------

MODERN = [["-c", "rtx3080_modern"], ["-c", "rtx3080_modern", "-p", "modern_ldst_unit"]]


def check_modern():
    """Stores retire before their requests are done: they are drawn until then, and nothing is left out."""
    for machine in MODERN:
        what = " ".join(machine)
        pictures = ["m.kanata", "m.perfetto-trace", "m.vcd"]
        done = run("run", *machine, "--max-ctas", "8", TRACE, "--report=none", "--progress=none", "--events", "m.log",
                   *[w for p in pictures for w in ("--view", "now-" + p)])
        check("left out" not in done.stderr, f"{what}: {done.stderr}")
        for p in pictures:
            done = run("view", "m.log", *machine, "-o", p)
            check(done.stderr == "", f"{what}: {p}: {done.stderr}")
            check(open(p, "rb").read() == open("now-" + p, "rb").read(), f"{what}: {p}: drawn at once and of the log are different")
        answered, retired = {}, {}
        for cycle, kind, where, unit, text in log_lines("m.log"):
            uid = re.search(r"(?:^| )uid=(\d+)", text)
            if uid and "cluster[" in where:
                key = int(re.search(r"cluster\[(\d+)\]", where)[1]), int(uid[1])
                if kind == "done" and "type=GLOBAL_ACC_W" in text:
                    answered[key] = cycle
                elif kind == "retire":
                    retired[key] = cycle
        ops = [o for o in read_konata("m.kanata").values() if not o.get("flushed")]
        check(all("end" in o for o in ops), f"{what}: {sum('end' not in o for o in ops)} instructions never end")
        ends = {(o["thread"] // 1000, int(re.search(r"uid (\d+)", o["more"])[1])): o["end"] for o in ops}
        late = {key: cycle for key, cycle in answered.items() if retired[key] < cycle}
        check(len(late) > 50, f"{what}: {len(late)} stores are answered after they retire")
        check(all(ends[key] == cycle for key, cycle in late.items()), f"{what}: stores do not end with their last answer")
        check(all(v[-1][1] == 0 for n, v in read_vcd("m.vcd").items() if n.endswith(".flying")), f"{what}: the waveform has instructions in flight at the end")
        _, slices, _, _, _ = read_trace("m.perfetto-trace")
        check(all("end" in s for s in slices if s["category"] in ("instruction", "stage", "request")), f"{what}: slices have no end")


def check_notes():
    """What says that a picture is of nothing, or of another machine."""
    for words, says in ((("--warp", "999", "-c", "rtx3070"), "no event is of warp 999"), (("--sm", "99"), "no event is of SM 99"),
                        (("--path", "nosuch"), "no event has a path like 'nosuch'")):
        done = run("view", "log.zst", *words, "-o", "n.kanata")
        note = "warpwright: note: n.kanata: nothing that was asked for is drawn: " + says
        check(note + "\n" in done.stderr, f"{words}: {done.stderr}")
    done = run("view", "log.zst", "-c", "rtx3070", "--sm", "0", "--path", "*.fetch", "--path", "total.cache.l1", "-o", "n.vcd")
    check(done.stderr == "", f"SM 0: {done.stderr}")
    done = run("view", "log.zst", "-c", "qv100", "--sms", "2", "-o", "n.vcd")
    check(re.fullmatch(r"warpwright: note: n\.vcd: path 'gpu\.[^']*' and \d+ more of the log are not in this machine: .*; expected the options of the run .*\n", done.stderr),
          f"another machine: {done.stderr}")


# ---- all -------------------------------------------------------------------------------------------------------------

def main():
    for tool in ("protoc", "vcd2fst", "fst2vcd"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed; tools/packages has its package")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pictures = ["a.kanata", "a.perfetto-trace", "a.vcd"]
        run("run", *RUN, TRACE, "--report=none", "--progress=none", "--events", "log.zst", "-o", "a.json")
        run("run", *RUN, TRACE, "--report=none", "--progress=none", "--events", "log",
            *[w for p in pictures for w in ("--view", "now-" + p)])
        for p in pictures:
            done = run("view", "log.zst", "-c", "rtx3070", "-o", p)
            check("uid=" not in done.stderr or " req=" not in open("log").read(), f"{p}: {done.stderr}")
            check(open(p, "rb").read() == open("now-" + p, "rb").read(), f"{p}: drawn at once and of the log are different")
        total = json.load(open("a.json"))["total"]
        check_konata("a.kanata", "log", total["counters"])
        check_perfetto("a.perfetto-trace", "log", total, 100)
        check_vcd("a.vcd", "log", 1132e6)
        check_intervals()
        check_window()
        check_modern()
        check_notes()
        check_late()
        check_rates()
        check_unknown_rates()
        check_full_disk()
        check_bounded(folder)
    sys.exit(1 if failures else 0)


def check_late():
    """The last cycles that a log may have, of a slow clock: times have an end, which is no other one."""
    with open("late.log", "w") as f:
        for cycle in (5, 2 ** 53 - 1):
            f.write(f"{cycle}\tinterval\ttotal.cache.l1\t-1\tsince={cycle - 5} statistic=hits value={cycle % 7}\n")
    run("view", "late.log", "-c", "kepler-titan", "-o", "late.vcd")
    times = [int(line[1:]) for line in open("late.vcd") if line.startswith("#")]
    check(times == [0, 9 * 10 ** 18, 9 * 10 ** 18], f"late: {times}")


def check_rates():
    """What DRAM moves stands in the interval in which it did, also while SMs have nothing to say: no rate is above its peak."""
    run("run", "-c", "rtx3070", TRACE, "--report=none", "--progress=none", "--view", "rates.perfetto-trace",
        "--events-filter=kind=issue,column,return,end")
    values = read_trace("rates.perfetto-trace")[3]
    columns, rates = ([v for _, v in values[name]] for name in ("DRAM column commands", "DRAM bandwidth"))
    peak = 16 * 3500.5 / 1132 / 4 * 100  # channels, command clocks a core cycle, of which a command takes 4; 100 core cycles
    check(sum(columns) == 12500 and 0.9 * peak < max(columns) <= peak + 16, f"rates: {columns}, the peak is {peak}")
    check(max(rates) <= (peak + 16) * 32 / 88, f"rates: {rates} GB/s")
    check(round(sum(rates) * 100 / 1.132 / 32 / 125) == 100, f"rates: {sum(rates) * 100 / 1.132} bytes in all")


def check_unknown_rates():
    """What a filter took away is not drawn as 0, and a line says so of what a DRAM moves."""
    note = "warpwright: note: some.pftrace: DRAM bandwidth is not known and not drawn: the events 'return' and 'end' of DRAMs are not among the events (a filter)"
    for kinds, known in (("issue,column", ["DRAM column commands", "instructions in flight", "warp instructions per cycle"]),
                         ("issue,return,end", ["DRAM bandwidth", "instructions in flight", "warp instructions per cycle"]),
                         ("cta", ["resident CTAs"])):
        run("run", "-c", "rtx3070", TRACE, "--report=none", "--progress=none", "--events", "some.log", "--events-filter=kind=" + kinds)
        done = run("view", "some.log", "-c", "rtx3070", "-o", "some.pftrace")
        tracks, _, _, values, _ = read_trace("some.pftrace")
        check(sorted(name for name, _, counter in tracks.values() if counter) == known, f"counters of {kinds}: {tracks.values()}")
        check((note in done.stderr.splitlines()) == ("column" in kinds), f"counters of {kinds}: {done.stderr}")
        first = {name: values[name][0] for name in known}
        check(len({time for time, _ in first.values()}) == 1, f"counters of {kinds} begin apart: {first}")
        check(all(value == 0 for name, (_, value) in first.items() if name.startswith("DRAM")), f"counters of {kinds} begin: {first}")


def check_full_disk():
    """No line of a log that there is not is to blame."""
    done = subprocess.run([COMMAND, "run", *RUN, "--view", "full.vcd", TRACE], capture_output=True, text=True, timeout=600,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    said = [line for line in done.stderr.splitlines() if not line.startswith(("warpwright: note: ", "host: "))]
    check(done.returncode == 2 and said == ["warpwright: full.vcd: cannot write a temporary file beside the picture: File too large; expected room for it"],
          f"a full disk: status {done.returncode}, {said}")
    check(not os.path.exists("full.vcd"), "a full disk: a picture is left")


def check_bounded(folder):
    """Ten times the log takes no more memory. (A sanitizer keeps what is freed.)"""
    if os.path.basename(os.environ.get("WW_BUILD_DIR", "")) in ("asan", "tsan"):
        return
    used = []
    line = "{0}\tissue\tsm.issue\t{1}\tMOV pc=0 mask=ff uid={2} dst=R1 to INT\n{0}\twriteback\tsm.wb\t{1}\tMOV pc=0 uid={2}\n"
    for n in (20000, 200000):
        with open("long", "w") as f:
            for i in range(n):
                f.write(line.format(i // 4, i % 32, i + 1))
        for p in ("long.kanata", "long.pftrace", "long.vcd"):
            child = subprocess.Popen([COMMAND, "view", "long", "-o", p], stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            check(status == 0, f"{p}: status {status}")
            used.append(usage.ru_maxrss)
    for few, many in zip(used[:3], used[3:]):
        check(many < few * 1.5 + 4096, f"KiB for 40,000 and for 400,000 events: {used}")


main()
