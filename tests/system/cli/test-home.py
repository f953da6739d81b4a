#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command at home: every command and option that the sources have is in --help, manual page and completion; the pages are without faults;
bash completes; colours are for terminals alone."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

COMMAND = os.environ["WARPWRIGHT"]
ROOT = os.environ["WW_SOURCE_DIR"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from terminal import run_on_terminal
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED: " + what)


def run(*words, **more):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=600, **more)


def complete(*words):
    return run("complete", *words).stdout.splitlines()


# ---- commands and options: as many as the sources have ----------------------------------------------------------------

HIDDEN = {"man", "complete"}


def commands_listed():
    text = run("--help").stdout
    body = text.split("\n\n")[2]
    return re.findall(r"^  ([a-z]+)  ", body, re.M)


def check_commands(listed):
    declared = set()
    for header in glob.glob(ROOT + "/cli/*.h"):
        declared |= set(re.findall(r"^int cli_([a-z]+)\(int argc, char \*\*argv\);", open(header).read(), re.M))
    check(declared - HIDDEN == set(listed), f"commands declared {sorted(declared)}, in --help {listed}")
    check(complete("") == listed, "commands that complete are not those of --help")
    wrong = run("no-such-thing").stderr
    for name in listed:
        check(re.search(rf"\b{name}\b", wrong), f"'{name}' is not named where a command is unknown")
    overview = run("man").stdout
    for name in listed:
        check(f"warpwright\\-{name} (1)" in overview, f"warpwright(1) does not mention {name}")


def options_in_sources():
    found = set()
    for folder in ("cli", "monitor", "view", "report", "checkpoint"):
        for path in glob.glob(f"{ROOT}/{folder}/**/*.c", recursive=True):
            found |= set(re.findall(r'\{\s*"([a-z][a-z-]*)",\s*(?:0|\'.\'),\s*[A-Z0-9_| ]+,\s*G_OPTION_ARG', open(path).read()))
    return found


def check_options(listed):
    seen = set()
    for name in listed:
        text = run(name, "--help").stdout
        helped = set(re.findall(r"^  (?:-., |    )--([a-z-]+)", text, re.M))
        paged = set(o.replace("\\", "") for o in re.findall(r"^\\fB(?:\\-., )?\\-\\-([a-z\\-]+?)(?:=|\[|\\fR)", run("man", name).stdout, re.M))
        completed = set(o[2:].rstrip("=") for o in complete(name, "--"))
        seen |= helped
        check(helped == paged, f"{name}: --help {sorted(helped)}, manual page {sorted(paged)}")
        check(helped == completed, f"{name}: --help {sorted(helped)}, completed {sorted(completed)}")
        for line in text.splitlines():
            check(len(line) <= 80 or " " not in line.strip(), f"{name} --help: wider than 80 columns: {line}")
        # a value whose name nobody knows would be offered as it is
        for option, value in re.findall(r"--([a-z-]+)(?:=|\[=)([^\s\]]+)", "\n".join(
                l for l in text.splitlines() if re.match(r"  (-., |    )--", l))):
            offered = complete(name, f"--{option}=")
            check(f"--{option}={value}" not in offered, f"{name} --{option}: what {value} may be is not in complete_values.c")
        usage = re.search(rf"warpwright {name} \[OPTION...\] (.*)", text).group(1)
        for i, word in enumerate(usage.split()):
            for kind in re.findall(r"[A-Z]{2,}", word):
                check(kind not in complete(name, *["x"] * i, ""), f"{name}: what {kind} may be is not in complete_values.c")
    rows = options_in_sources() - {"help", "output"}
    check(len(rows) > 40, "the search for option rows finds none")
    check(rows <= seen, f"rows of option tables that no --help shows: {sorted(rows - seen)}")


def check_groups():
    text = run("run", "--help").stdout
    titles = re.findall(r"^(\S.*):$", text, re.M)
    check(len(titles) == len(set(titles)), f"run --help has a group twice: {titles}")
    for title in ("What runs", "Output", "Observation", "Limits", "Host"):
        check(title in titles, f"run --help has no group '{title}'")
    check("Options" not in titles, "run --help: an option stands before any heading")


# ---- manual pages -----------------------------------------------------------------------------------------------------

def check_pages(listed, folder):
    check(run("man", "-o", folder).returncode == 0, "man -o fails")
    pages = sorted(os.listdir(folder))
    check(pages == sorted(["warpwright.1"] + [f"warpwright-{c}.1" for c in listed]), f"pages {pages}")
    for page in pages:
        path = os.path.join(folder, page)
        check(open(path).read() == run("man", *([page[11:-2]] if page != "warpwright.1" else [])).stdout, f"{page} is not what man prints")
        if shutil.which("groff"):
            said = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True)
            check(said.returncode == 0 and not said.stderr, f"{page}: {said.stderr}")
        if shutil.which("mandoc"):
            said = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True)
            lines = [l for l in said.stdout.splitlines() if "missing date" not in l]
            check(not lines, f"{page}: {lines}")
    built = os.path.join(os.environ["WW_BUILD_DIR"], "man", "warpwright-run.1")
    check(open(built).read() == run("man", "run").stdout, "the page in the build folder is another one")
    check(run("man", "rnu").stderr == "warpwright: unknown command 'rnu', did you mean 'run'?\n", "man of an unknown command")


# ---- completion -------------------------------------------------------------------------------------------------------

def check_completion(folder):
    check("qv100" in complete("run", "-c", "qv"), "a config")
    check("-cqv100" in complete("run", "-cqv"), "a config behind its letter")
    check("--config=qv100" in complete("run", "--config=qv"), "a config behind its option")
    check("gpu" in complete("inspect", "-p", ""), "a platform")
    check(complete("run", "--report=") == ["--report=summary", "--report=accelsim", "--report=none"], "the kinds of reports")
    check(complete("trace", "re") == ["recompress"], "what trace does")
    check(complete("inspect", "fu.pip") == ["fu.pipelined"], "a type")
    check("scheduler.gto" in complete("conformance", "scheduler."), "a type's family")
    check(set(complete("run", "-c", "qv100", "-s", "sm.sch")) == {"sm.scheduler=", "sm.schedulers="}, "parameters")
    check("sm.scheduler=scheduler.gto" in complete("run", "-c", "qv100", "-s", "sm.scheduler="), "types for a parameter")
    check(complete("run", "-c", "qv100", "-s", "sm.sub_core_model=t") == ["sm.sub_core_model=true"], "a boolean")
    check(complete("run", "--events-filter", "sm=0,ki") == ["sm=0,kind="], "a key of a filter")
    check(complete("run", "--events-filter", "sm=0,kind=issue,writ") == ["sm=0,kind=issue,writeback"], "a kind of events")
    check("sm=0,kind=decode" in complete("run", "--events-filter=sm=0,kind=de") or
          "--events-filter=sm=0,kind=decode" in complete("run", "--events-filter=sm=0,kind=de"), "a kind behind its key")
    check("ampere" in complete("run", "--opcodes", "am"), "an opcode map")
    check("sm.scheduler" in complete("inspect", "-cqv100", "--why", "sm."), "a path")
    check("cluster" in complete("inspect", "-c", "qv100", "--only", "cl"), "a group")
    check("width=" in complete("bench", "fu.pipelined", "-s", "") or complete("bench", "fu.pipelined", "-s", ""), "parameters of a type")
    check("help" not in complete("run", "--", "--h"), "options behind '--'")
    for bad in (["run", "-c", "no-such", "-s", ""], ["run", "-s", "=", ""], ["run", "-p", "/dev/null", "--why", ""], ["nothing", ""],
                ["run", "-m", "/no/module", "-s", ""], ["help", ""], ["man", ""], [""], [], ["run", "--sms=-1", "-s", ""]):
        done = run("complete", *bad)
        check(done.returncode == 0 and done.stderr == "", f"complete {bad}: {done.returncode}, {done.stderr}")
    for name in ("kernelslist.g", "kernel-1.traceg.xz", "notes.txt", "a b.traceg", "machine.plat"):
        open(os.path.join(folder, name), "w").close()
    os.mkdir(os.path.join(folder, "more"))
    offered = [os.path.basename(w.rstrip("/")) for w in complete("run", folder + "/")]
    check(sorted(offered) == ["a b.traceg", "kernel-1.traceg.xz", "kernelslist.g", "more"], f"traces {offered}")
    check(complete("inspect", folder + "/m") == [folder + "/machine.plat", folder + "/more/"] or
          set(complete("inspect", folder + "/m")) == {folder + "/machine.plat", folder + "/more/"}, "platform files")


BASH = r'''
PATH=$1:$PATH
source "$2"
COMP_LINE=$3
COMP_POINT=${#COMP_LINE}
shift 3
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_warpwright
printf '%s\n' "${COMPREPLY[@]}"
'''


def bash(line, *words):
    said = subprocess.run(["bash", "--norc", "-c", BASH, "bash", os.path.dirname(COMMAND), ROOT + "/cli/warpwright.bash", line, *words],
                          capture_output=True, text=True, timeout=600)
    check(said.stderr == "", f"bash says {said.stderr}")
    return said.stdout.splitlines()


def check_bash(folder):
    check(bash("warpwright ins", "warpwright", "ins") == ["inspect"], "bash: a command")
    # bash parts words at '=' and ':'; what is completed is the part behind it
    check(bash("warpwright run --report=su", "warpwright", "run", "--report", "=", "su") == ["summary"], "bash: a value")
    check(bash("warpwright run --report=", "warpwright", "run", "--report", "=") == ["summary", "accelsim", "none"], "bash: values")
    check(bash("warpwright run -c qv100 -s sm.scheduler=scheduler.g", "warpwright", "run", "-c", "qv100", "-s", "sm.scheduler", "=", "scheduler.g")
          == ["scheduler.gto"], "bash: a parameter's value")
    check("qv100" in bash("warpwright run -c ", "warpwright", "run", "-c", ""), "bash: configs")
    check("a\\ b.traceg" in [os.path.basename(w) for w in bash(f"warpwright run {folder}/a", "warpwright", "run", folder + "/a")], "bash: a name with a blank")
    check("--max-cycles=" in bash("warpwright run --max", "warpwright", "run", "--max"), "bash: options")


# ---- colours ----------------------------------------------------------------------------------------------------------

def on_terminal(*words, **environment):
    """What the command writes on a terminal."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    env.update(environment)
    return run_on_terminal([COMMAND, *words], 0, ("stdin", "stdout", "stderr"), env=env)[1]


def check_colours():
    for words in (["rnu"], ["run", "--help"], ["--help"]):
        check("\033[" in on_terminal(*words, TERM="xterm"), f"{words}: no colours on a terminal")
        check("\033" not in on_terminal(*words, TERM="xterm", NO_COLOR="1"), f"{words}: colours in spite of NO_COLOR")
        check("\033[" in on_terminal(*words, TERM="xterm", NO_COLOR=""), f"{words}: an empty NO_COLOR is none")
        check("\033" not in on_terminal(*words, TERM="dumb"), f"{words}: colours on a dumb terminal")
        check("\033" not in on_terminal(*words), f"{words}: colours without TERM")
        done = run(*words, env={**os.environ, "TERM": "xterm"})
        check("\033" not in done.stdout + done.stderr, f"{words}: colours in a pipe")


    sample = ["run", "-c", "rtx3070", "--progress=none", ROOT + "/samples/vecadd"]
    # as wide as a pipe: on a narrow terminal it is cut to that
    shown, plain = on_terminal(*sample, TERM="xterm", COLUMNS="300"), run(*sample).stdout
    check("\033[34m####" in shown, "bars have no colour on a terminal")
    check(re.sub(r"\033\[[0-9;]*m", "", shown) == plain, "the report on a terminal is another one")


def main():
    listed = commands_listed()
    check(len(listed) >= 8, f"--help lists {listed}")
    check_commands(listed)
    check_options(listed)
    check_groups()
    with tempfile.TemporaryDirectory() as folder:
        check_pages(listed, folder)
    with tempfile.TemporaryDirectory() as folder:
        check_completion(folder)
        check_bash(folder)
    check_colours()
    for spelling in (["--", "--version"], ["--version"]):
        check(run(*spelling).stdout.startswith("warpwright "), f"{spelling}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
