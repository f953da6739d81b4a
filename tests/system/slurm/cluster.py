# SPDX-License-Identifier: Apache-2.0
"""Slurm with two nodes on this machine: its own munged, slurmctld and slurmd, their files in one folder, ports that nobody has."""
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client", "squeue": "slurm-client"}
CONFIG = """ClusterName=warpwright
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=1
SlurmdTimeout=10
MessageTimeout=5
KillWait=3
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=short Nodes=n1,n2 Default=NO MaxTime=60 State=UP
"""
os.environ["PATH"] += os.pathsep + "/usr/sbin" + os.pathsep + "/sbin"


def lacks():
    """Why it cannot be begun here, or None."""
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            return f"no {program} (package {package})"
    return None if os.getuid() == 0 else "only root may begin Slurm's daemons, which begin jobs of any user"


def free_ports(n):
    held = [socket.socket() for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def words_of(pid, file="cmdline"):
    try:
        with open(f"/proc/{pid}/{file}", "rb") as f:
            return f.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return int(f.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.daemons = {}
        os.makedirs(os.path.join(folder, "state"))
        key = os.path.join(folder, "munge.key")
        with open(key, "wb") as out:
            out.write(os.urandom(128))
        os.chmod(key, 0o600)
        self.config = os.path.join(folder, "slurm.conf")
        with open(self.config, "w", encoding="utf-8") as out:
            out.write(CONFIG.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(3)))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE"))}
        self.env["SLURM_CONF"] = self.config
        self.begin("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
                   f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/seed")
        self.begin("slurmctld", "-D", "-c", "-i")
        for node in ("n1", "n2"):
            self.begin("slurmd", "-D", "-N", node, name=node)
        end = time.time() + 60
        while self.call("sinfo", "--noheader", "--format=%t %D") != "idle 2\n":
            if time.time() > end:
                raise RuntimeError("Slurm does not come up\n" + self.logs())
            time.sleep(0.2)

    def begin(self, program, *words, name=None):
        name = name or program
        log = open(os.path.join(self.folder, f"{name}.out"), "w", encoding="utf-8")
        self.daemons[name] = subprocess.Popen([program, *words], env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def call(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=60).stdout

    def logs(self):
        text = ""
        for name in self.daemons:
            with open(os.path.join(self.folder, f"{name}.out"), encoding="utf-8") as f:
                text += f"---- {name}\n" + "".join(f.readlines()[-15:])
        return text

    def tasks(self, node=None):
        """Processes that batch scripts of this cluster have become, of that node."""
        found = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            words = words_of(pid, "environ")
            if f"SLURM_CONF={self.config}" in words and any(w.startswith("SLURM_JOB_ID=") for w in words) and \
                    (node is None or f"SLURMD_NODENAME={node}" in words):
                found.append(pid)
        return found

    def gone(self, pid):
        """Has a process that was killed ended? The kernel takes its time."""
        end = time.time() + 20
        while pid in self.tasks() and time.time() < end:
            time.sleep(0.05)
        return pid not in self.tasks()

    def lose(self, node):
        """As if somebody pulled its plug: its daemon, what watches over its jobs, and these."""
        self.daemons[node].kill()
        self.daemons[node].wait()
        for pid in self.tasks(node):
            above = parent_of(pid)
            for victim in ([above] if words_of(above)[:1] and words_of(above)[0].startswith("slurmstepd") else []) + [pid]:
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def end(self):
        for name in ("n1", "n2"):
            if name in self.daemons:
                self.lose(name)
        for name in ("slurmctld", "munged"):
            if name in self.daemons:
                self.daemons[name].kill()
                self.daemons[name].wait()
