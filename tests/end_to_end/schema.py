#!/usr/bin/env python3
"""docs/schema.json describes what every command with --json writes, and lists the codes of
findings; tune.sh validates that of tune.

    schema.py LSRECON REPOSITORY"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import jsonschema
import numpy as np

program, repository = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
schema = json.loads((repository / "docs/schema.json").read_text(encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


def run(*words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def valid(kind, words, path=None):
    """What the command prints, or writes into `path`, as JSON of this kind."""
    printed = run(*words)
    found = json.loads(pathlib.Path(path).read_text(encoding="utf-8") if path else printed)
    expect(found["kind"] == kind, f"{words}: kind {found['kind']}")
    for error in validator.iter_errors(found):
        failures.append(f"{words}: {list(error.absolute_path)}: {error.message[:300]}")
    return found


def codes(found):
    return {warning["code"] for warning in found["warnings"]}


def scans_and_images():
    run("simulate", "--trajectory", "spiral", "--matrix", "24,24", "--coils", "2", "--snr", "30",
        "--off-resonance-hz", "20", "-o", "1", "--truth", "truth.h5", "--quiet")
    valid("image", ["info", "--json", "truth.h5"])
    run("simulate", "--trajectory", "spiral", "--matrix", "24,24", "--snr", "30", "--echo-times",
        "4,9", "--off-resonance-hz", "20", "-o", "echoes.h5", "--quiet")
    valid("echo_field", ["fieldmap", "echoes.h5", "-o", "field.h5", "--json", "--quiet"])
    valid("field_map", ["info", "--json", "field.h5"])
    run("simulate", "--trajectory", "golden-angle", "--matrix", "64,64", "--readouts", "8", "-o",
        "few.h5", "--quiet")
    scan = valid("scan", ["info", "--json", "1"])
    expect(scan["matrix"] == [24, 24] and scan["coils"] == 2 and scan["coil_maps"] is True
           and scan["phi"] is False and scan["noise_samples"] == 0
           and len(scan["field_map_hz"]) == 2, f"a scan: {scan}")
    expect("undersampled" in codes(valid("scan", ["info", "--json", "few.h5"])), "few.h5")
    image = valid("image", ["recon", "1", "-o", "image.h5", "--quiet", "--json", "--maps", "walsh",
                            "--iterations", "2", "--lambda", "0", "--noise-map", "4", "--certify",
                            "0.1", "--low-resolution"])
    # A name may look like a number.
    expect(image["scan"] == "1" and image["option_low_resolution"] is True
           and image["option_iterations"] == 2 and image["option_maps"] == "walsh"
           and image["solves"]["iterations"] == [2] and image["lambda"] == 0, f"an image: {image}")
    expect({"noise_map_relative", "no_g_factor"} <= codes(image),
           f"codes: {image['warnings']}")
    expect(valid("image", ["info", "--json", "image.h5"]) == image, "info and recon differ")
    for command in ("fhd", "q", "maps"):
        run(command, "1", "-o", f"{command}.h5", "--quiet")
        valid(command, ["info", "--json", f"{command}.h5"])
    run("convert", "image.h5", "-o", "first.h5", "--frame", "0", "--quiet")
    valid("image", ["info", "--json", "first.h5"])
    valid("comparison", ["compare", "--json", "image.h5", "first.h5"])
    run("convert", "image.h5", "-o", "image.cfl", "--quiet")
    foreign_record()
    other = valid("other_image", ["info", "--json", "image.cfl"])
    expect(other["complex"] is True and "fov_assumed" in codes(other), f"a cfl: {other}")


def foreign_record():
    """What another program recorded takes no name that the schema has."""
    with h5py.File("foreign.h5", "w") as f:
        f["image"] = np.ones((1, 4, 4), "c8")
        f["image"].attrs["fov_mm"] = [240.0, 240.0]
        f.create_group("record").attrs.update({
            "kind": 5, "file": [1, 2], "shape": "x", "lambda": "small", "converged": "true",
            "made": "yesterday", "seconds_all": -1.0, "precision": "half", "command": 7,
            "name": b"\xff\xfe", "iterations": 2.5, "remark_0": "a remark"})
    found = valid("image", ["info", "--json", "foreign.h5"])
    expect(["lambda", "small"] in found["foreign_record"], f"a foreign record: {found}")


def measurements():
    run("simulate", "--matrix", "16,16", "--frames", "2", "-o", "scan.h5", "--quiet")
    expect(valid("prediction", ["predict", "--json", "scan.h5"])["others"], "no others")
    shutil.copy("scan.h5", "again.h5")
    run("simulate", "--trajectory", "golden-angle", "--matrix", "16,16", "-o", "spokes.h5",
        "--quiet")
    valid("delays", ["delays", "--json", "spokes.h5"])
    valid("predictions", ["predict", "--json", "scan.h5", "again.h5"])
    found = valid("validation", ["validate", "scan.h5", "--json", "v.json", "--quiet"], "v.json")
    expect(all(row["passed"] is True for row in found["rows"]), f"validate: {found}")
    bench = ["bench", "--stage", "fhd,solve", "--kernel", "naive", "--matrix", "8,8", "--samples",
             "16", "--scan-samples", "64", "--json", "b.json", "--quiet"]
    expect(valid("benchmark", bench, "b.json")["complete"] is True, "bench")


def every_code_is_listed():
    """Errors are no warnings: they have places of their own."""
    table = (repository / "recon/base/finding.cpp").read_text(encoding="utf-8")
    rows = re.findall(r'\{Found::\w+, "(\w+)", Severity::(\w+),', table)
    expect(len(rows) > 80, f"{len(rows)} rows of findings")
    listed = schema["definitions"]["warning"]["properties"]["code"]["enum"]
    expect({code for code, severity in rows if severity != "error"} | {"other"} == set(listed),
           "docs/schema.json lists other codes than recon/base/finding.cpp")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    scans_and_images()
    if "--without-opencl" not in sys.argv:
        measurements()
    every_code_is_listed()
print("\n".join(failures))
sys.exit(1 if failures else 0)
