"""Cases that each run the program in a folder of their own, and what must hold after every run."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

import h5py

USAGE, INPUT, DEVICE, TOLERANCE = 2, 3, 4, 6
failures = []


class Folder:
    """A copy of the base folder; a command runs in it and is judged."""

    def __init__(self, program, base):
        self.program, self.path = program, tempfile.mkdtemp(dir=os.path.dirname(base))
        self.kept = set()  # frames of images that are not finished; nothing else may be left
        for name in os.listdir(base):
            shutil.copy(os.path.join(base, name), self.path)

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def run(self, code, words, says=(), cwd=None, finds=(), **how):
        """Runs it; the exit code, pieces of stderr, codes of findings in the record of its output,
        and that nothing was harmed are checked."""
        before = {name: self.digest(name) for name in ("scan.h5", "truth.h5", "q.h5")}
        command = [self.program] + ([words] if isinstance(words, str) else list(words))
        if command[1] == "simulate" and code == 0:
            self.make_room(command)
        process = subprocess.run(command, cwd=cwd or self.path, capture_output="stdout" not in how,
                                 text=True, timeout=120, **how)
        problems = []
        if process.returncode != code:
            problems.append(f"exit code {process.returncode}, expected {code}")
        for piece in says:
            if piece not in (process.stderr or ""):
                problems.append(f"stderr does not hold '{piece}'")
        if finds and process.returncode == code:
            found = codes(self / command[command.index("-o") + 1])
            problems += [f"the record does not hold '{one}'" for one in finds if one not in found]
        for name, digest in before.items():
            if self.digest(name) != digest:
                problems.append(f"{name} was changed")
        left = [name for name in os.listdir(self.path)
                if name.endswith(".part") and name not in self.kept]
        if left:
            problems.append(f"left {left}")
        if code != 0 and os.path.exists(self / "image.h5"):
            problems.append("left an image")
        for problem in problems:
            failures.append(f"{' '.join(command[1:])[:200]}: {problem}\n    {process.stderr}")
        return process

    def make_room(self, command):
        """Removes what `simulate` is to write again: it replaces no scan."""
        for flag, name in zip(command, command[1:]):
            if flag in ("-o", "--output", "--truth") and os.path.exists(self / name):
                os.unlink(self / name)

    def can_run(self, words):
        """Whether a command succeeds, where it may not: it is not judged."""
        return subprocess.run([self.program, *words], cwd=self.path, capture_output=True,
                              timeout=120, check=False).returncode == 0

    def digest(self, name):
        with open(self / name, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()


def codes(path):
    """The codes of what was found for an image."""
    with h5py.File(path) as f:
        return {value for name, value in f["record"].attrs.items()
                if name.startswith("code_of_remark_")}


def recon(*words):
    return ["recon", "scan.h5", "--quiet", "--backend", "reference", *words]


def expect(condition, message):
    if not condition:
        failures.append(message)


def run_cases(cases):
    """Calls each with a function that makes a folder with a scan, its truth and its Q."""
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        base = os.path.join(work, "base")
        os.mkdir(base)
        for words in (["simulate", "--matrix", "16,16", "-o", "scan.h5", "--truth", "truth.h5"],
                      ["q", "scan.h5", "-o", "q.h5", "--backend", "reference"]):
            subprocess.run([program, *words, "--quiet"], cwd=base, check=True,
                           stdout=subprocess.DEVNULL)
        for case in cases:
            start = time.time()
            case(lambda: Folder(program, base))
            print(f"{case.__name__}: {time.time() - start:.1f} s", flush=True)
    for failure in failures:
        print("FAILED:", failure, file=sys.stderr)
    return 1 if failures else 0
