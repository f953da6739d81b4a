#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
What sbatch, squeue and scancel do, as far as a sweep uses them, without a cluster: each is a link to this file. Jobs are processes of this machine, the tasks
of an array one after the other. What is in the folder FAKE_SLURM:

    jobs/N.json     a job: its name, what it waits for, the state of each task
    hold            nothing begins as long as this is there
    refuse-array, refuse-collector    sbatch says no
    lose            "TASK again|never": the node of this task is lost when its first run is done; `again`: it is begun once more elsewhere
"""
import json
import os
import shlex
import subprocess
import sys
import time

FOLDER = os.environ["FAKE_SLURM"]


def path(*names):
    return os.path.join(FOLDER, *names)


def save(job):
    new = path(f"new-{os.getpid()}")  # not among the jobs: who lists them must find whole ones
    with open(new, "w", encoding="utf-8") as out:
        json.dump(job, out)
    os.rename(new, path("jobs", f"{job['id']}.json"))


def load(number):
    with open(path("jobs", f"{number}.json"), encoding="utf-8") as f:
        return json.load(f)


def options_of(script):
    """Long options of the lines that sbatch reads, up to the first one that is no comment."""
    found = {}
    with open(script, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                break
            if line.startswith("#SBATCH "):
                for word in shlex.split(line[len("#SBATCH "):], comments=True):
                    name, _, value = word.partition("=")
                    found[name] = value
    return found


def refuse(why):
    print(f"sbatch: error: {why}\nsbatch: error: Batch job submission failed: {why}", file=sys.stderr)
    sys.exit(1)


def sbatch(words):
    script = words.pop()
    options = options_of(script)
    for name, option in (("SBATCH_ARRAY_INX", "--array"), ("SBATCH_JOB_NAME", "--job-name")):  # count more than the script
        if name in os.environ:
            options[option] = os.environ[name]
    options.update(w.partition("=")[::2] for w in words)
    after = options.get("--dependency", "").removeprefix("afterany:")
    if os.path.exists(path("refuse-collector" if after else "refuse-array")):
        refuse("Invalid partition name specified")
    os.makedirs(path("jobs"), exist_ok=True)
    number = len(os.listdir(path("jobs"))) + 1
    last = int(options["--array"].split("-")[1]) if "--array" in options else 0
    tasks = {str(n): "PENDING" for n in range(1, last + 1)} or {"0": "PENDING"}
    job = {"id": number, "name": options["--job-name"], "after": after, "tasks": tasks, "options": options, "node": "n1",
           "folder": os.getcwd(), "script": os.path.abspath(script)}
    save(job)
    log = open(path(f"runner-{number}.log"), "w", encoding="utf-8")
    subprocess.Popen([sys.executable, __file__, "runner", str(number)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    print(f"{number};cluster")


def wanted_loss(task):
    """How this task is lost, once; or None."""
    try:
        with open(path("lose"), encoding="utf-8") as f:
            which, what = f.read().split()
    except OSError:
        return None
    if which != task:
        return None
    os.remove(path("lose"))
    return what


def execute(job, task, restart):
    """True: it has come to its end."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SLURM")}
    env.update(SLURM_JOB_ID=str(job["id"]), SLURM_JOB_NAME=job["name"], SLURM_CPUS_PER_TASK=job["options"].get("--cpus-per-task", "1"))
    if "--mem" in job["options"]:
        env["SLURM_MEM_PER_NODE"] = job["options"]["--mem"]
    if task != "0":
        env["SLURM_ARRAY_TASK_ID"] = task
    if restart:
        env["SLURM_RESTART_COUNT"] = str(restart)
    loss = wanted_loss(task)
    if loss:  # whenever a process is killed, what it had done by then differs: so it is told to do the first run alone
        env["BASH_FUNC_sed%%"] = '() { command sed "$@" | cut -d - -f 1; }'
    name = job["options"].get("--output", "slurm.out").replace("%a", task)
    with open(os.path.join(job["folder"], name), "ab") as log:
        subprocess.run(["bash", job["script"]], cwd=job["folder"], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False)
    return loss != "again"


def runner(number):
    end = time.time() + 600  # whatever becomes of who submitted it
    while time.time() < end:
        held = os.path.exists(path("hold"))  # first: what was cancelled while it was held does not begin behind that
        job = load(number)
        if "CANCELLED" in job["tasks"].values():
            return
        done = not job["after"] or all(s == "COMPLETED" for s in load(job["after"])["tasks"].values())
        if done and not held:
            break
        time.sleep(0.05)
    else:
        return
    for task in job["tasks"]:
        restart = 0
        job["tasks"][task] = "RUNNING"
        save(job)
        while not execute(job, task, restart):
            restart += 1
            job["restarts"] = restart
        job["tasks"][task] = "COMPLETED"
        save(job)


def squeue(words):
    if "SQUEUE_STATES" in os.environ:
        return  # some other states
    names = next(w for w in words if w.startswith("--name=")).removeprefix("--name=").split(",")
    for file in sorted(os.listdir(path("jobs")) if os.path.exists(path("jobs")) else []):
        job = load(file.split(".")[0])
        for state in job["tasks"].values():
            if job["name"] in names and state in ("PENDING", "RUNNING"):
                why = "None" if state == "RUNNING" else "Dependency" if job["after"] else "Resources"
                print("|".join([job["name"], str(job["id"]), state, job["node"] if state == "RUNNING" else "", why]))


def scancel(words):
    job = load(words[0])
    job["tasks"] = {t: "CANCELLED" for t in job["tasks"]}
    save(job)


if sys.argv[1:2] == ["runner"]:
    runner(sys.argv[2])
else:
    {"sbatch": sbatch, "squeue": squeue, "scancel": scancel}[os.path.basename(sys.argv[0])](sys.argv[1:])
