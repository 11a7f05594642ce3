#!/usr/bin/env python3
"""docs/options.md is what the table says, help has short lines and begins with what is used
daily, its examples run, messages name keys of the table, a run ends in five lines.

    options.py LSRECON REPOSITORY"""

import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

program, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
failures = []


def run(*words, cwd=None):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True, cwd=cwd)
    return done.stdout, done.stderr


page = run("--options")[0]
if (repository / "docs/options.md").read_text() != page:
    failures.append("docs/options.md is old: lsrecon --options > docs/options.md")
commands = re.findall(r"^## lsrecon (\w+)$", page, re.MULTILINE)
if not {"recon", "simulate", "devices"} <= set(commands):
    failures.append(f"the page has {commands}")
examples = {}
for command in commands:
    daily, everything = run(command, "--help")[0], run(command, "--help-all")[0]
    for line in everything.splitlines():
        if len(line) > 100:
            failures.append(f"{command} --help-all has a line of {len(line)} columns: {line}")
    section = page.split(f"## lsrecon {command}\n")[1].split("\n## ")[0]
    on_page = set(re.findall(r"^- \*\*`(?:-o, )?(--[a-z0-9-]+)", section, re.MULTILINE))
    for line in re.findall(r"^As for .*", section, re.MULTILINE):
        on_page |= set(re.findall(r"`(--[a-z0-9-]+)`", line))
    shown = [re.findall(r"^  (?:-o,)?(--[a-z0-9-]+)", text, re.MULTILINE)
             for text in (daily, everything)]
    if set(shown[1]) != on_page:
        failures.append(f"{command} --help-all and the page: {set(shown[1]) ^ on_page}")
    more = f": lsrecon {command} --help-all"
    if daily.splitlines()[-1].endswith(more) != (set(shown[0]) < on_page) or more in everything:
        failures.append(f"{command} --help shows {shown[0]} and ends with:\n{daily[-80:]}")
    examples[command] = re.findall(r"^  (lsrecon .*)$", daily, re.MULTILINE)

# What is used daily comes first, and what is for experts behind --help-all.
daily, everything = run("recon", "--help")[0], run("recon", "--help-all")[0]
groups = re.findall(r"^([A-Z][a-z]+):$", daily, re.MULTILINE)
if groups[:6] != ["Examples", "Positionals", "Output", "Coils", "Regularisation", "Solver"]:
    failures.append(f"recon --help begins with {groups}")
if len(examples["recon"]) != 3 or not all(examples[name] for name in ("batch", "fhd", "q", "maps")):
    failures.append(f"examples of help: {examples}")
for flag, meaning in (("backend", "OpenCL, processors, or loops"), ("device", "OpenCL device:"),
                      ("engine", "method for the Fourier sums"),
                      ("kernel", "implementation of an engine")):
    if not re.search(rf"^  --{flag} .*{meaning}", everything, re.MULTILINE):
        failures.append(f"recon --help-all does not say what --{flag} is beside the others")
    if (flag == "device") != (f"  --{flag} " in daily):
        failures.append(f"recon --help and --{flag}")
if run()[0] != run("--help")[0]:
    failures.append("the program alone does not show its commands")

# A key that a message of the library names is one of the table.
flags = set(re.findall(r"`(?:-o, )?--([a-z0-9-]+)", page))
for path in (repository / "recon").rglob("*.[ch]pp"):
    for key in re.findall(r'"[^"\n]*`([a-z0-9_]+)`[^"\n]*"', path.read_text()):
        if path.parent.name != "app" and key.replace("_", "-") not in flags:
            failures.append(f"{path}: `{key}` is no option")

with tempfile.TemporaryDirectory() as folder:
    run("simulate", "--matrix", "16,16", "-o", "scan.h5", "--quiet", cwd=folder)
    printed, said = run("recon", "scan.h5", "-o", "image.h5", "--backend", "reference", "--json",
                     "--low-resolution", cwd=folder)
    facts = json.loads(printed)
    if facts["backend"] != "reference" or not 0 < facts["residual_worst"] < 1:
        failures.append(f"facts of the image: {facts}")
    if [line.split()[0] for line in said.splitlines()[-5:]] != ["image", "solver", "data",
                                                                "warnings", "time"]:
        failures.append(f"the last five lines: {said}")
    if "reach of the trajectory" not in said or "warnings   none" not in said:
        failures.append(f"a fact is printed and is no warning: {said}")
    if json.loads(run("info", "image.h5", "--json", cwd=folder)[0]) != facts:
        failures.append("info --json and recon --json differ")
    if json.loads(run("info", "scan.h5", "--json", cwd=folder)[0])["matrix"] != [16, 16]:
        failures.append("info --json of a scan")

    # The examples of help run as they are.
    os.mkdir(f"{folder}/scans")
    shutil.copy(f"{folder}/scan.h5", f"{folder}/scans")
    pathlib.Path(folder, "list.txt").write_text("scan.h5\n")
    os.symlink(program, f"{folder}/lsrecon")
    run("simulate", "-o", "echoes.h5", "--matrix", "16,16", "--echo-times", "4,5",
        "--off-resonance-hz", "50", "--quiet", cwd=folder)
    k = np.random.default_rng(1).uniform(-128, 128, (300, 2))
    np.savez(f"{folder}/data.npz", samples=k[:, 0] + 1j, k=k, d=k[:, 0] + 1j)
    for example in (line for lines in examples.values() for line in lines):
        backend = "" if " import " in example else "--backend reference"
        done = subprocess.run(f"PATH=.:$PATH; {example} {backend} --quiet", shell=True,
                              cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 5):  # 5: PNG is not built in
            failures.append(f"{example}: {done.returncode}, {done.stderr}")

    # A terminal shows a bar and its seconds.
    terminal, inside = pty.openpty()
    shown = b""
    with subprocess.Popen([program, "recon", "scan.h5", "-o", "image.h5", "--backend", "reference"],
                          cwd=folder, stderr=inside):
        os.close(inside)
        with contextlib.suppress(OSError):  # its end
            while piece := os.read(terminal, 4096):
                shown += piece
    if not re.search(rb"solve +\[=* *\] +\d+ %  \d+ s", shown):
        failures.append(f"no bar: {shown}")

for failure in failures:
    print("FAILED:", failure, file=sys.stderr)
sys.exit(1 if failures else 0)
