#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpwright sweep --on slurm` against programs that stand for Slurm's (fake_slurm.py): what is submitted, collected, lost and gone on with."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
HANGS = 600  # seconds after which something does not come to an end, on a host with much to do, too
FAKE = os.path.join(ROOT, "tests/system/sweep/fake_slurm.py")
failures = []
top = tempfile.mkdtemp(prefix="slurm-")
work = os.path.join(top, "a 'b' $c %a;d")  # whatever a folder may be called
cluster = os.path.join(top, "cluster")
for folder in (work, cluster, os.path.join(top, "bin")):
    os.makedirs(folder)
for program in ("sbatch", "squeue", "scancel"):
    os.symlink(FAKE, os.path.join(top, "bin", program))
env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH"))}
env.update(XDG_CACHE_HOME=os.path.join(top, "cache"), FAKE_SLURM=cluster, PATH=os.path.join(top, "bin") + os.pathsep + env["PATH"])
env.pop("WARPWRIGHT_PATH", None)
env.update(SBATCH_ARRAY_INX="1-99", SBATCH_JOB_NAME="mine", SQUEUE_STATES="FAILED", SLURM_RESTART_COUNT="7")  # of a user who has some


def check(good, what, *more):
    if not good:
        failures.append(what)
        print("FAILED:", what, *more)


def put(name, text, folder=work):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(text)


def read(name):
    with open(os.path.join(work, name), encoding="utf-8") as f:
        return f.read()


def there(name, folder=work):
    return os.path.exists(os.path.join(folder, name))


def sweep(*words, status=0, **more):
    p = subprocess.run([COMMAND, "sweep", *words], cwd=work, env=dict(env, **more), capture_output=True, text=True, timeout=HANGS)
    check(p.returncode == status, f"sweep {' '.join(words)}: status {p.returncode}, not {status}", p.stdout, p.stderr)
    return p.stdout + p.stderr


def one_line(text):
    return text.count("\n") == 1 and text.startswith("warpwright: ")


def rows(db, what="number, key, state, cycles"):
    with sqlite3.connect(f"file:{os.path.join(work, db).replace('%', '%25')}?mode=ro", uri=True, timeout=20) as c:
        return c.execute(f"SELECT {what} FROM runs ORDER BY number").fetchall()


def jobs():
    folder = os.path.join(cluster, "jobs")
    found = []
    for name in sorted(os.listdir(folder) if os.path.exists(folder) else [], key=lambda n: int(n.split(".")[0])):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            found.append(json.load(f))
    return found


def wait_for(what):
    end = time.time() + HANGS
    while not what():
        if time.time() > end:
            raise SystemExit("FAILED: nothing came of waiting")
        time.sleep(0.02)


for trace in ("micro-exit", "micro-bar", "micro-dadd-sm86"):
    shutil.copytree(os.path.join(ROOT, "tests/traces", trace), os.path.join(work, "t", trace))
put("m.conf", "platform minimal\nmemory.latency = 77\n")
put("a&b 'c'.sweep", "config m.conf\nslurm --partition=short --mem=3000  # a comment\nslurm --comment=\"a#b\"\n"
    "axis trace: t/micro-exit, t/micro-bar\naxis l of memory.latency: " + ", ".join(str(n) for n in range(20, 32)) + "\n")
NAME = "a&b 'c'.sweep"
EVERY = (NAME, "--db", "$x %j.db", "--experiment", "e 'x'; $y")
DB = "$x %j.db"
OUT = DB + ".slurm"

# ---- what is refused: one line, 2, and nothing is submitted ------------------------------------------------------------

text = sweep(*EVERY, "--on", "slurm", status=2, PATH="/usr/bin/nowhere")
check("cannot run sbatch: it is not there; expected the programs of Slurm in PATH\n" in text, "no sbatch", text)
check(not there(OUT), "leaves nothing")
put("refuse-array", "", cluster)
text = sweep(*EVERY, "--on", "slurm", status=2)
check("warpwright: sbatch refuses: Invalid partition name specified; expected a job that this cluster takes" in text, "sbatch refuses", text)
check(not there(OUT) and jobs() == [], "leaves nothing")
os.remove(os.path.join(cluster, "refuse-array"))
put("refuse-collector", "", cluster)
put("hold", "", cluster)
sweep(*EVERY, "--on", "slurm", status=2)
check([set(j["tasks"].values()) for j in jobs()] == [{"CANCELLED"}] and not there(OUT), "with no collector there is no array", jobs())
os.remove(os.path.join(cluster, "refuse-collector"))
for words, what in ((("--on", "lsf"), "--on"), (("--wait",), "--wait has no effect here; expected it with --on slurm"),
                    (("--slurm-tasks", "2"), "--slurm-tasks has no effect"), (("--on", "slurm", "--slurm-tasks", "0"), "--slurm-tasks 0; expected 1"),
                    (("--on", "slurm", "--slurm-option", "short"), "--slurm-option 'short'; expected options of sbatch"),
                    (("--on", "slurm", "--slurm-option", "--array=1-3"), "is what the sweep sets"),
                    (("--on", "slurm", "--slurm-option", "--a\x01b"), "a control character"),
                    (("--known", "none.db"), "--known 'none.db': no such file"), (("--collect",), "has no job on Slurm"),
                    (("--tasks", "2,"), "--tasks '2,'; expected FIRST-LAST,..."), (("--tasks", "1-3,40"), "numbers of the plan's 24 runs"),
                    (("--collect", "--list"), "expected one of them")):
    text = sweep(*EVERY, *words, status=2)
    check(what in text.splitlines()[-1] and text.splitlines()[-1].startswith("warpwright: "), f"{words} is refused", text)
check(len(jobs()) == 1, "and none of these submitted anything", jobs())
put("wrong.sweep", "config m.conf\naxis trace: t/micro-*\nslurm partition=short\n")
check("wrong.sweep:3:7: slurm 'partition=short'; expected options of sbatch" in sweep("wrong.sweep", status=2), "the sweep's own line")

# ---- what is submitted -------------------------------------------------------------------------------------------------

text = sweep(*EVERY, "--on", "slurm", "--slurm-tasks", "5", "--slurm-option", "--time=2:00:00", "-j", "2", "-s", "memory.latency=1")
check(re.search(r"5 tasks of 2 cores, at most about .* each: job 2; job 3 fills \$x %j\.db then", text), "it says what it did", text)
array, collector = jobs()[1:]
check(array["options"] == {"--requeue": "", "--open-mode": "append", "--partition": "short", "--mem": "3000", "--comment": "a#b",
                           "--time": "2:00:00", "--job-name": array["name"], "--array": "1-5", "--cpus-per-task": "2",
                           "--output": "task-%a.log", "--parsable": ""}, "options of the array", array)
check(collector["after"] == "2" and collector["name"] == array["name"] + "-collect" and collector["options"]["--cpus-per-task"] == "1" and
      collector["options"]["--partition"] == "short", "those of the collector", collector)
check(re.fullmatch(r"e__x____y-[0-9a-f]{8}", array["name"]), "a job's name is tame", array["name"])
shutil.copy(os.path.join(work, OUT, "array.sh"), top)
lists = read(OUT + "/tasks").split()
numbers = []
for item in ",".join(lists).split(","):
    first, _, last = item.partition("-")
    numbers += range(int(first), int(last or first) + 1)
check(len(lists) == 5 and sorted(numbers) == list(range(1, 25)), "each run is one task's", lists)
check(re.search(r"24 runs .*\n(.*\n)*job 2: 5 wait \(Resources\); then job 3 collects results\n", sweep(*EVERY, "--status")), "--status while they wait")
for words in (EVERY, (*EVERY, "--on", "slurm")):
    text = sweep(*words, status=2)
    check(one_line(text) and "Slurm has this sweep still (job 2: 5 wait" in text, "it is not done twice", text)

# ---- a node is lost: its task begins again elsewhere, with what it has -------------------------------------------------

put("lose", "2 again", cluster)
os.remove(os.path.join(cluster, "hold"))
wait_for(lambda: all(s == "COMPLETED" for j in jobs()[1:] for s in j["tasks"].values()))
log = open(os.path.join(cluster, "runner-3.log"), encoding="utf-8").read()
p = subprocess.run(["bash", os.path.join(top, "array.sh")], cwd=top, env=dict(env, SLURM_ARRAY_TASK_ID="1"), capture_output=True, text=True, timeout=HANGS)
check(p.returncode == 2 and one_line(p.stderr) and "expected folders that all nodes share" in p.stderr, "a node that does not see them", p.stderr)
check(not there(OUT) and log == "", "the collector leaves nothing but the database", log)
check(jobs()[1].get("restarts") == 1, "a node was lost, and its task begun again", jobs()[1])
text = sweep(*EVERY, "-s", "memory.latency=1")
check("24 of 24 runs done; 0 run here" in text, "all is done", text)
sweep(*("local.db" if word == DB else word for word in EVERY), "-s", "memory.latency=1", "--progress", "none")
check(rows(DB) == rows("local.db"), "as a sweep on one machine does it", rows(DB), rows("local.db"))
check(rows(DB, "axes, experiment, exit_status") == rows("local.db", "axes, experiment, exit_status"), "in all that is said of runs")
check(re.search(r": 24 runs .*, 24 done\nwarpwright: note: -s .memory.latency=1. changes nothing: axis .*\n$", sweep(*EVERY, "-s", "memory.latency=1", "--on", "slurm", "--dry-run")), "nothing is left")
check("24 of 24 runs done; in" in sweep(*EVERY, "-s", "memory.latency=1", "--on", "slurm") and len(jobs()) == 3, "and nothing is submitted")

# ---- one that does not come back; another in the middle; what is done again --------------------------------------------

put("s.sweep", "config m.conf\naxis trace: t/micro-exit, t/micro-bar\naxis l of memory.latency: 1, 2, 3, 4, 5, 6\n")
put("lose", "1 never", cluster)
text = sweep("s.sweep", "--on", "slurm", "--slurm-tasks", "2", "--wait", "--progress", "none", status=1)
left = re.search(r"s: (\d+) of 12 runs done; in s\.db\nwarpwright: (\d+) runs? (?:is|are) left; the same command goes on", text)
check(left and 1 <= int(left.group(1)) < 12 and int(left.group(1)) + int(left.group(2)) == 12, "a task that is lost loses the rest of its runs", text)
check(re.search(r"runs? of the job (is|are) left, of tasks 1: their logs are in '.*'", read("s.db.slurm/collect.log")), "its log is told",
      read("s.db.slurm/collect.log"))
check("to do on 1 core in" in read("s.db.slurm/task-1.log") and not there("s.db.slurm/runs"), "and there")
before = rows("s.db", "number, start, seconds, host")
text = sweep("s.sweep", "--on", "slurm", "--wait", "--progress", "none")
check("s: 12 of 12 runs done; in s.db\n" in text, "the same command goes on", text)
check(set(before) <= set(rows("s.db", "number, start, seconds, host")), "what was there is not run again")
check(not there("s.db.slurm"), "and its logs go when all is done")

# two attempts of a task: the second one begins where the first stopped
os.remove(os.path.join(work, "s.db"))
put("hold", "", cluster)
sweep("s.sweep", "--on", "slurm", "--slurm-tasks", "1")
sweep("s.sweep", "--tasks", "1-3,5", "--db", "s.db.slurm/part-1-0.db")
script, folder = os.path.join(work, "s.db.slurm/array.sh"), os.path.join(work, "s.db.slurm")
p = subprocess.run(["bash", script], cwd=folder, env=dict(env, SLURM_ARRAY_TASK_ID="1", SLURM_RESTART_COUNT="1"), capture_output=True, text=True, timeout=HANGS)
check("12 of 12 runs done; 8 run here" in p.stdout, "the second attempt does the rest", p.stdout, p.stderr)
text = sweep("s.sweep", "--status")
check("s: 12 runs (2 trace x 6 l), 12 done\njob" in text, "--status looks at parts", text)
put("part-1-2.db", "this is no database, and so is longer than a head of one would be; " * 20, folder)
p = subprocess.run(["bash", script], cwd=folder, env=dict(env, SLURM_ARRAY_TASK_ID="1", SLURM_RESTART_COUNT="3"), capture_output=True, text=True, timeout=HANGS)
check("0 run here" in p.stdout and "part-1-2.db' is no database; expected one that Warpwright wrote: left out" in p.stderr, "a part that is damaged is left out", p)
os.remove(os.path.join(cluster, "hold"))
wait_for(lambda: all(s == "COMPLETED" for s in jobs()[-1]["tasks"].values()))
log = read("s.db.slurm/collect.log")
check("12 of 12 runs are done, 0 failed; in s.db" in log and "part-1-2.db' is no database" in log and there("s.db.slurm/part-1-2.db"),
      "the collector brings in the others", log)
check("12 of 12 runs done; 0 run here" in sweep("s.sweep") and not there("s.db.slurm/runs"), "whoever comes next knows of it")

# a collector that never was: who comes next collects
os.remove(os.path.join(work, "s.db"))
put("hold", "", cluster)
sweep("s.sweep", "--on", "slurm", "--slurm-tasks", "1")
sweep("s.sweep", "--tasks", "1-7", "--db", "s.db.slurm/part-1-0.db")
for job in jobs()[-2:]:
    subprocess.run([os.path.join(top, "bin/scancel"), str(job["id"])], env=env, check=True)
c = sqlite3.connect(os.path.join(work, "s.db.slurm/part-1-0.db"))  # as a task leaves it whose node is lost
c.execute("UPDATE run SET state = 'running' WHERE number = 7")
c.commit()
c.close()
check("no job of it is in Slurm's queue" in sweep("s.sweep", "--status"), "--status says that nobody does")
check("6 of 12 runs are done, 0 failed" in sweep("--collect", "--db", "s.db", status=1) and len(rows("s.db")) == 6,
      "--collect by hand: what had begun is not there", rows("s.db"))
check("12 of 12 runs done; 6 run here" in sweep("s.sweep"), "and a sweep here goes on")
os.remove(os.path.join(cluster, "hold"))

# ---- failures, other inputs --------------------------------------------------------------------------------------------

put("f.sweep", "axis case {\n good { trace t/micro-exit; config minimal }\n bad { trace t/micro-dadd-sm86; config minimal }\n}\n")
text = sweep("f.sweep", "--on", "slurm", "--wait", status=1)
check("1 of 2 runs done, 1 failed" in text and re.search(r"job \d+", text), "a failure is told", text)
text = sweep("f.sweep", "--status", status=1)
check(re.search(r"failed\n  2  case=bad: .*needs unit DP", text), "with its reason", text)
check("1 failed; in" in sweep("f.sweep", "--on", "slurm", status=1), "and is not run again")
begun, n = rows("f.db", "number, start"), len(jobs())
time.sleep(1.1)  # beginnings are whole seconds
text = sweep("f.sweep", "--on", "slurm", "--wait", "--retry", status=1)
again = rows("f.db", "number, start")
check(len(jobs()) == n + 2 and jobs()[-2]["tasks"].keys() == {"1"} and again[0] == begun[0] and again[1][1] > begun[1][1],
      "--retry runs what failed, and that alone", begun, again)
put("k.sweep", "config qv100\ntrace t/micro-exit\naxis i of l2.index: linear, ipoly\naxis n of l2.sets: 64, 48\n")
text = sweep("k.sweep", "--keep-going", "--on", "slurm", "--slurm-tasks", "1", "--wait", status=1)
check("k: 3 of 4 runs done, 1 failed" in text, "--keep-going is for tasks, too", text)
put("m.conf", "platform minimal\nmemory.latency = 78\n")
put("o.sweep", "config m.conf\naxis trace: t/micro-exit, t/micro-bar\n")
sweep("o.sweep")
put("m.conf", "platform minimal\nmemory.latency = 79\n")
old = rows("o.db", "key")
sweep("o.sweep", "--on", "slurm", "--wait")
check(len(rows("o.db")) == 2 and not set(old) & set(rows("o.db", "key")), "runs of other inputs take the place of what was there", rows("o.db"))

shutil.rmtree(top)
sys.exit(1 if failures else 0)
