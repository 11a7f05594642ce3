#!/usr/bin/env python3
"""batch: images as those of recon, the table, and what a second start does.

    batch.py LSRECON"""

import csv
import os
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

FAST = ["--backend", "reference", "--iterations", "4"]


def scans_in(folder, *names):
    os.makedirs(folder / "in", exist_ok=True)
    for seed, name in enumerate(names):
        folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "16,16", "--noise", "0.1",
                       "--seed", str(seed), "-o", f"in/{name}.h5", "--quiet"])


def write_list(folder, *lines):
    with open(folder / "list.txt", "w", encoding="utf-8") as file:
        file.write("# scans\n\n" + "".join(line + "\r\n" for line in lines))


def batch(folder, code, *words, says=()):
    """The rows of the table by scan, and what was said."""
    said = folder.run(code, ["batch", *words, "-o", "out", *FAST], says).stderr
    with open(folder / "out/results.tsv", encoding="utf-8") as file:
        return {row["scan"]: row for row in csv.DictReader(file, delimiter="\t")}, said


def image(folder, name="out/images/in/a.h5"):
    with h5py.File(folder / name) as file:
        return file["image"][()], dict(file["record"].attrs)


def images_are_those_of_recon(make):
    folder = make()
    scans_in(folder, "a", "b c")
    write_list(folder, "in/a.h5\t--lambda 0.1 --matrix 12,12", "in/b*.h5")
    rows, _ = batch(folder, 0, "list.txt", "scan.h5")
    expect([row["exit"] for row in rows.values()] == ["0"] * 3, rows)
    expect(rows["in/a.h5"]["iterations"] == "4", rows)
    expect(float(rows["in/a.h5"]["residual"]) > 0, rows)
    expect(rows["in/a.h5"]["image"] == "out/images/in/a.h5", rows)
    for scan, words in (("in/a.h5", ["--lambda", "0.1", "--matrix", "12,12"]), ("in/b c.h5", []),
                        ("scan.h5", [])):
        folder.run(0, ["recon", scan, "-o", "one.h5", "--quiet", *FAST, *words])
        ours, theirs = image(folder, f"out/images/{scan}")[0], image(folder, "one.h5")[0]
        expect(np.array_equal(ours, theirs), f"{scan}: other values")
        os.remove(folder / "one.h5")


def a_bad_scan_does_not_stop_the_others(make):
    folder = make()
    scans_in(folder, "a", "b")
    with h5py.File(folder / "in/a.h5", "r+") as file:
        file["samples"][0, 3] = np.nan
    rows, _ = batch(folder, INPUT, "in/a.h5", "in/b.h5", "in/none.h5",
                    says=["2 of 3 scans failed", "out/results.tsv"])
    expect([row["exit"] for row in rows.values()] == ["3", "0", "3"], rows)
    expect("samples" in rows["in/a.h5"]["message"] and "NaN" in rows["in/a.h5"]["message"], rows)
    expect("no such file" in rows["in/none.h5"]["message"], rows)
    expect(os.path.exists(folder / "out/images/in/b.h5"), "no image of the good scan")


def what_is_finished_is_left_alone(make):
    folder = make()
    scans_in(folder, "a", "b")
    batch(folder, 0, "in/a.h5", "in/b.h5")
    made = os.stat(folder / "out/images/in/a.h5").st_mtime_ns
    rows, said = batch(folder, 0, "in/a.h5", "in/b.h5")
    expect(all(row["message"] == "finished before" for row in rows.values()), rows)
    expect("finished before" in said, said)
    expect(os.stat(folder / "out/images/in/a.h5").st_mtime_ns == made, "it was written again")
    shutil.copy(folder / "in/b.h5", folder / "in/a.h5")
    rows, _ = batch(folder, 0, "in/a.h5", "in/b.h5")
    expect(rows["in/a.h5"]["message"] != "finished before", "another scan of that name")
    expect(rows["in/b.h5"]["message"] == "finished before", "the other one is as it was")
    rows, _ = batch(folder, 0, "in/a.h5", "in/b.h5", "--lambda", "0.2")
    expect(all(row["message"] != "finished before" for row in rows.values()), "other options")
    expect(float(image(folder)[1]["lambda"]) == 0.2, "the image of other options")


def scans_share_what_agrees(make):
    folder = make()
    scans_in(folder, "a", "b")
    for seed in (1, 2):
        folder.run(0, ["simulate", "--trajectory", "spiral", "--matrix", "16,16", "--coils", "2",
                       "--without-maps", "--noise", "0.1", "--seed", str(seed), "--quiet", "-o",
                       f"in/coils{seed}.h5"])
    folder.run(0, ["maps", "in/coils1.h5", "-o", "maps.h5", "--quiet", "--backend", "reference"])
    write_list(folder, "in/a.h5", "in/b.h5", "in/coils?.h5\t--maps maps.h5")
    batch(folder, 0, "list.txt")
    stages = [image(folder, f"out/images/in/{name}.h5")[1]
              for name in ("a", "b", "coils1", "coils2")]
    expect(["seconds_q" in of for of in stages] == [True, False, True, False],
           "Q is not made once for scans of one trajectory and the same options")
    for scan in ("b", "coils2"):
        words = ["--maps", "maps.h5"] if scan == "coils2" else []
        folder.run(0, ["recon", f"in/{scan}.h5", "-o", f"{scan}.h5", "--quiet", *FAST, *words])
        expect(np.array_equal(image(folder, f"out/images/in/{scan}.h5")[0],
                              image(folder, f"{scan}.h5")[0]), f"{scan}: other values")


def frames_are_read_while_they_are_computed(make):
    folder = make()
    os.makedirs(folder / "in")
    for seed in (1, 2):
        folder.run(0, ["simulate", "--trajectory", "golden-angle", "--matrix", "16,16", "--frames",
                       "3", "--noise", "0.1", "--seed", str(seed), "--quiet", "-o",
                       f"in/{seed}.h5"])
    rows, _ = batch(folder, 0, "in/1.h5", "in/2.h5")
    expect([row["iterations"] for row in rows.values()] == ["4", "4"], rows)
    for scan in ("1", "2"):
        folder.run(0, ["recon", f"in/{scan}.h5", "-o", f"{scan}.h5", "--quiet", *FAST])
        expect(np.array_equal(image(folder, f"out/images/in/{scan}.h5")[0],
                              image(folder, f"{scan}.h5")[0]), f"{scan}: other values")


def shares_make_the_list(make):
    folder = make()
    scans_in(folder, "a", "b", "c")
    scans = ["in/a.h5", "in/b.h5", "in/c.h5"]
    taken = []
    for share in ("1/2", "2/2"):
        folder.run(0, ["batch", *scans, "-o", "out", "--share", share, *FAST])
        with open(folder / f"out/results-{share.replace('/', '-of-')}.tsv",
                  encoding="utf-8") as file:
            taken.append([row["scan"] for row in csv.DictReader(file, delimiter="\t")])
    expect(taken == [["in/a.h5", "in/c.h5"], ["in/b.h5"]], taken)
    rows, said = batch(folder, 0, *scans)
    expect(all(row["message"] == "finished before" for row in rows.values()), rows)
    expect([row["iterations"] for row in rows.values()] == ["4"] * 3, rows)
    expect("scan 3 of 3: in/c.h5, finished before, about 0 s left" in said, said)
    for share in ("0/2", "3/2", "1", "1/2/3", "a/b"):
        folder.run(USAGE, ["batch", *scans, "-o", "out", "--share", share, *FAST], ["--share"])


def what_cannot_be_is_refused(make):
    folder = make()
    scans_in(folder, "a")
    write_list(folder)
    for words, says in ((["list.txt"], "no scan is listed"),
                        (["in/a.h5", "./in/a.h5"], "listed twice")):
        folder.run(USAGE, ["batch", *words, "-o", "out", *FAST], [says])
    write_list(folder, "in/a.h5\t--lambada 3")
    rows, _ = batch(folder, USAGE, "list.txt", says=["--lambada", "--lambda"])
    expect(rows["in/a.h5"]["exit"] == "2", rows)


if __name__ == "__main__":
    sys.exit(run_cases([images_are_those_of_recon, a_bad_scan_does_not_stop_the_others,
                        what_is_finished_is_left_alone, scans_share_what_agrees,
                        frames_are_read_while_they_are_computed, shares_make_the_list,
                        what_cannot_be_is_refused]))
