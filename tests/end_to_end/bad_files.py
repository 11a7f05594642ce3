#!/usr/bin/python3
"""Every file of data/bad must be refused: exit code 3, a message that says what was found, what was
expected and what to do next, and no output.

    bad_files.py LSRECON DATA_BAD [--without-ismrmrd]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

INPUT_ERROR, NOT_BUILT = 3, 5
LINES = ["\n  found:    ", "\n  expected: ", "\n  next:     "]
NEVER = ["terminate called", "what():", "Sanitizer", "runtime error", "HDF5-DIAG", "a bug:",
         "Traceback"]


def run(program, command, scan, folder):
    """The command's result and what it left in the empty folder."""
    arguments = [program, command, str(scan)]
    if command == "recon":
        arguments += ["-o", str(folder / "out.h5"), "--backend", "reference"]
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    return result, sorted(os.listdir(folder))


def problems_of(result, left, scan, pieces, exit_code=INPUT_ERROR):
    if scan.name not in result.stderr:
        yield "the message does not name the file"
    message = result.stderr.replace(str(scan), "") # /samples in its name does not count
    if result.returncode != exit_code:
        yield f"exit code {result.returncode}, expected {exit_code}"
    for piece in pieces:
        if piece not in message:
            yield f"the message does not hold {piece!r}"
    for text in NEVER:
        if text in result.stderr:
            yield f"the message holds {text!r}"
    if result.stdout:
        yield f"something on stdout: {result.stdout!r}"
    if left:
        yield f"left behind: {left}"


def check_one(program, scan, case, built):
    failures = 0
    for command in case["commands"]:
        with tempfile.TemporaryDirectory() as folder:
            result, left = run(program, command, scan, pathlib.Path(folder))
        if built:
            problems = list(problems_of(result, left, scan, [*LINES, *case["message"]]))
        else:
            problems = list(problems_of(result, left, scan, [], NOT_BUILT))
        for problem in problems:
            print(f"FAILED {command} {scan.name}: {problem}")
        if problems:
            print(result.stderr)
        failures += len(problems)
    return failures


def check_truncated(program, good, folder):
    """A good file that was cut at any place is refused."""
    whole = good.read_bytes()
    failures = 0
    for part in range(1, 16):
        cut = pathlib.Path(folder) / "cut.h5"
        cut.write_bytes(whole[:len(whole) * part // 16])
        result, _ = run(program, "check", cut, pathlib.Path(folder))
        for problem in problems_of(result, [], cut, LINES):
            print(f"FAILED {part}/16 of a good file: {problem}\n{result.stderr}")
            failures += 1
    return failures


def main(program, bad, *options):
    bad = pathlib.Path(bad)
    cases = json.loads((bad / "expected.json").read_text())
    files = {path.name for path in bad.glob("*.h5")}
    failures = 0
    if files != set(cases):
        print(f"data/bad and expected.json differ: {sorted(files ^ set(cases))};"
              " run data/make_bad.py")
        failures += 1
    for name in sorted(files & set(cases)):
        built = not (name.startswith("ismrmrd_") and "--without-ismrmrd" in options)
        failures += check_one(program, bad / name, cases[name], built)
    with tempfile.TemporaryDirectory() as folder:
        good = pathlib.Path(folder) / "good.h5"
        subprocess.run([program, "simulate", "--trajectory", "radial", "--matrix", "8,8",
                        "-o", str(good), "--quiet"], check=True)
        failures += check_truncated(program, good, folder)
    print(f"{len(cases)} malformed files, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
