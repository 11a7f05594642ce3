#!/usr/bin/env python3
"""The table of `lsrecon bench` on a tiny case: every row, sane figures, wrong kernels not timed.
    bench.py LSRECON SOURCE_FOLDER
"""

import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
MATRIX = ["--matrix", "8,9", "--samples", "70"]
LOOPS = ["reference", "reference-single"]
UNITS = ["sin, cos", "native", "multiply-add", "fp64 matrix"]


def run(*command, code=0, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def bench(*arguments, **how):
    printed, _ = run(program, "bench", *arguments, "--json", "bench.json", **how)
    return printed, json.loads(pathlib.Path("bench.json").read_text(encoding="utf-8"))


def require_positive(row, *names):
    for name in names:
        assert math.isfinite(row[name]) and row[name] > 0, (name, row)
    assert row["verified"] and 0 <= row["relative_error"] <= row["bound"] < 1, row


def check_transforms(table):
    kernels = [(row["stage"], row["kernel"]) for row in table["rows"]]
    assert kernels == [(stage, kernel) for stage in ("fhd", "q")
                       for kernel in [*LOOPS, "naive", "native", "separable"]], kernels
    pairs = {"fhd": 8 * 9 * 70, "q": 4 * 8 * 9 * 70}
    double = {row["stage"]: row for row in table["rows"] if row["kernel"] == "reference"}
    for row in table["rows"]:
        require_positive(row, "seconds", "wall_seconds", "pairs_per_second", "gflops", "speed_up")
        assert math.isclose(row["pairs_per_second"] * row["seconds"], pairs[row["stage"]],
                            rel_tol=1e-9), row
        assert math.isclose(row["speed_up"] * row["seconds"], double[row["stage"]]["seconds"],
                            rel_tol=1e-9), row
        if row["kernel"] not in LOOPS:
            require_positive(row, "fraction_of_limit", "limit_pairs_per_second")
            assert row["fraction_of_limit"] <= 1, row
            assert row["wall_seconds"] >= row["seconds"], row
            assert row["limited_by"] in UNITS, row


def check_reconstructions(table):
    rows = table["reconstructions"]
    assert [(row["stage"], row["kernel"]) for row in rows] == [("recon", "gridding")] + [
        (stage, kernel) for kernel in ("loops", "separable") for stage in ("solve", "recon")], rows
    require_positive(rows[0], "seconds", "speed_up")
    assert {"read", "density", "fhd"} == rows[0]["stage_seconds"].keys(), rows[0]
    for row in rows[1:]:
        require_positive(row, "seconds", "speed_up")
        assert 0 < row["iterations"] <= 40, row
        stages = row["stage_seconds"]
        assert {"read", "fhd", "q", "solve"} <= stages.keys(), row
        assert row["seconds"] >= stages["solve"] > 0, row


def check_crossover(table):
    rows = table["crossover"]["rows"]
    assert [row["pairs"] for row in rows] == [width**4 for width in (2, 4, 8, 16, 32, 64)]
    for row in rows:
        require_positive(row, "cpu_seconds", "device_seconds")
    assert rows[-1]["cpu_seconds"] > 100 * rows[0]["cpu_seconds"], rows


def check_nufft(table, coils):
    rows = table["nufft"]
    assert [row["transform"] for row in rows] == [name for name in ("adjoint", "forward", "q")
                                                  for _ in range(3)], rows
    for row in rows:
        require_positive(row, "first_seconds", "seconds", "processor_seconds",
                         "samples_per_second", "least_seconds_of_ffts", "least_seconds_of_sums")
        assert row["bound"] <= row["accuracy"], row
        assert row["coils"] == (1 if row["transform"] == "q" else coils), row
        assert math.isclose(row["samples_per_second"] * row["first_seconds"],
                            row["samples"] * row["coils"], rel_tol=1e-9), row


def nufft():
    printed, table = bench("--stage", "nufft", "--matrix", "12,10,9", "--samples", "500", "--coils",
                        "3", "--accuracies", "1e-2,1e-4,1e-6")
    assert "Msamples/s" in printed and "12x10x9" in printed, printed
    check_nufft(table, 3)
    assert {row["samples"] for row in table["nufft"]} == {492}, table  # 41 readouts of 12
    assert [row["accuracy"] for row in table["nufft"][:3]] == [1e-2, 1e-4, 1e-6], table


def whole_table():
    printed, table = bench(*MATRIX, "--kernel", "naive,native,separable")
    for label in ("LS (CPU, double)", "LS (CPU, single)", "separable", "solve", "recon",
                  "of limit", "limits:", "transfer and launch included"):
        assert label in printed, (label, printed)
    assert table["complete"]
    for name in ("date", "processor", "device", "driver", "command"):
        assert table[name], name
    assert all(rate > 1e5 for rate in table["limits"].values()), table["limits"]
    check_transforms(table)
    check_nufft(table, 8)
    check_reconstructions(table)
    check_crossover(table)


def kernels_with(change):
    """A folder of the kernels with one text replaced."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="."))
    for file in source.glob("kernels/*.*"):
        shutil.copy(file, folder)
    name, before, after = change
    text = (folder / name).read_text(encoding="utf-8")
    assert before in text, (name, before)
    (folder / name).write_text(text.replace(before, after), encoding="utf-8")
    return {"LSRECON_KERNELS": str(folder.resolve())}


def forward():
    _, table = bench(*MATRIX, "--stage", "f", "--kernel", "tuned,separable")
    assert [row["kernel"] for row in table["rows"]] == [*LOOPS, "tuned", "separable"], table
    for row in table["rows"]:
        require_positive(row, "seconds", "pairs_per_second", "speed_up")
        assert math.isclose(row["pairs_per_second"] * row["seconds"], 8 * 9 * 70, rel_tol=1e-9)
    printed = run(program, "bench", *MATRIX, "--stage", "f", "--kernel", "tuned", "--quiet")
    assert printed == ("", ""), printed


def interrupted():
    """What was done before the end is in the file."""
    result = pathlib.Path("interrupted.json")
    bench_process = subprocess.Popen(
        [program, "bench", "--stage", "fhd", "--matrix", "32,32", "--samples", "2000", "--json",
         str(result), "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        ended = bench_process.poll() is not None
        if result.exists():
            table = json.loads(result.read_text(encoding="utf-8"))
            if table["rows"]:
                break
        assert not ended, "ended without a row"
        time.sleep(0.05)
    assert not table["complete"] and not ended, table
    bench_process.send_signal(signal.SIGINT)
    assert bench_process.wait() != 0
    left = json.loads(result.read_text(encoding="utf-8"))
    assert not left["complete"] and left["rows"][0]["kernel"] == "reference", left
    assert left["limits"]["multiply_adds_per_second"] > 0, left


def wrong_kernel():
    wrong = kernels_with(("native.cl", "COSINE native_cos", "COSINE 0.999f * native_cos"))
    printed, table = bench(*MATRIX, "--stage", "fhd", "--kernel", "native,separable", code=6,
                        environment=wrong)
    native, separable = table["rows"][-2:]
    assert not native["verified"] and native["seconds"] == 0 == native["speed_up"], native
    require_positive(separable, "seconds")
    assert "not timed" in printed, printed


def wrong_reconstruction():
    """Q stays right and F^H d does not, so that the image is no longer the phantom."""
    wrong = kernels_with(("struct.cl", "ADD_PRODUCT(sum[c], ", "ADD_PRODUCT(sum[c], 0.5f * "))
    _, table = bench("--matrix", "8,9", "--stage", "recon", "--kernel", "struct", code=6,
                     environment=wrong)
    row = table["reconstructions"][-1]
    assert row["kernel"] == "struct" and not row["verified"] and row["seconds"] == 0, row


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    whole_table()
    nufft()
    forward()
    interrupted()
    wrong_kernel()
    wrong_reconstruction()
    os.chdir("/")
