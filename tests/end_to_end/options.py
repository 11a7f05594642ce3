#!/usr/bin/env python3
"""docs/options.md is what the table says, help has short lines, messages name keys of the
table, a run ends in five lines.

    options.py LSRECON REPOSITORY"""

import contextlib
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

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
for command in commands:
    for line in run(command, "--help")[0].splitlines():
        if len(line) > 100:
            failures.append(f"{command} --help has a line of {len(line)} columns: {line}")

# A key that a message of the library names is one of the table.
flags = set(re.findall(r"`(?:-o, )?--([a-z0-9-]+)", page))
for path in (repository / "recon").rglob("*.[ch]pp"):
    for key in re.findall(r'"[^"\n]*`([a-z0-9_]+)`[^"\n]*"', path.read_text()):
        if path.parent.name != "app" and key.replace("_", "-") not in flags:
            failures.append(f"{path}: `{key}` is no option")

with tempfile.TemporaryDirectory() as folder:
    run("simulate", "--matrix", "16,16", "-o", "scan.h5", "--quiet", cwd=folder)
    told, said = run("recon", "scan.h5", "-o", "image.h5", "--backend", "reference", "--json",
                     "--low-resolution", cwd=folder)
    facts = json.loads(told)
    if facts["backend"] != "reference" or not 0 < facts["residual_worst"] < 1:
        failures.append(f"facts of the image: {facts}")
    if [line.split()[0] for line in said.splitlines()[-5:]] != ["image", "solver", "data",
                                                                "warnings", "time"]:
        failures.append(f"the last five lines: {said}")
    if "reach of the trajectory was not checked" not in said or "warnings   none" not in said:
        failures.append(f"a fact is told and is no warning: {said}")
    if json.loads(run("info", "image.h5", "--json", cwd=folder)[0]) != facts:
        failures.append("info --json and recon --json differ")
    if json.loads(run("info", "scan.h5", "--json", cwd=folder)[0])["matrix"] != "16 x 16 voxels":
        failures.append("info --json of a scan")

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
