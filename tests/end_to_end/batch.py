#!/usr/bin/env python3
"""batch: images as those of recon, the table, and what a second start does.

    batch.py LSRECON"""

import csv
import os
import re
import shutil
import sys

import h5py
import numpy as np

from in_folders import INPUT, TOLERANCE, USAGE, expect, run_cases

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
    folder.run(0, ["simulate", "--matrix", "16,16", "--undersampling", "3", "-o", "in/a.h5",
                   "--quiet"])
    first, _ = batch(folder, 0, "in/a.h5", "in/b.h5")
    expect("Undersampled" in first["in/a.h5"]["message"], first)
    expect(first["in/a.h5"]["warnings"] == "1" and first["in/a.h5"]["lambda"] == "0", first)
    expect(0 < float(first["in/a.h5"]["unexplained"]) < 1, first)
    made = os.stat(folder / "out/images/in/a.h5").st_mtime_ns
    rows, said = batch(folder, 0, "in/a.h5", "in/b.h5")
    expect(rows == first, "the rows of finished scans are others")
    expect("finished before" in said, said)
    expect(os.stat(folder / "out/images/in/a.h5").st_mtime_ns == made, "it was written again")
    shutil.copy(folder / "in/b.h5", folder / "in/a.h5")
    rows, _ = batch(folder, 0, "in/a.h5", "in/b.h5")
    expect("made again: the scan has changed" in rows["in/a.h5"]["message"], rows)
    expect(rows["in/b.h5"] == first["in/b.h5"], "the other one is as it was")


def other_options_make_the_image_again(make):
    """Each differs from the run before in what the message names; then nothing does."""
    folder = make()
    scans_in(folder, "a")
    folder.run(0, ["recon", "in/a.h5", "-o", "prior.h5", "--quiet", *FAST])
    folder.run(0, ["recon", "in/a.h5", "-o", "second.h5", "--quiet", *FAST, "--lambda", "1"])
    runs = [(["--matrix", "12,12"], "--matrix was not given and is 12,12"),
            (["--matrix", "12,12", "--reg", "roughness:0.1"], "--reg was not given"),
            (["--reg", "roughness:0.1000001"], "--matrix was 12,12 and is not given"),
            (["--reg", "roughness:0.1000002"], "--reg was roughness:0.1000001 and is"),
            (["--noise-map", "5"], "--reg was roughness:0.1000002 and is not given"),
            (["--lambda", "0.1", "--noise-map", "5"], "--lambda was not given and is 0.1"),
            (["--lambda", "0.1", "--noise-map", "6"], "--noise-map was 5 and is 6"),
            (["--lambda", "0.1", "--preconditioner", "none"], "--noise-map was 6"),
            (["--lambda", "0.1"], "--preconditioner was none and is"),
            (["--reg", "prior:1", "--prior", "prior.h5"], "--lambda was 0.1 and is not given"),
            (["--reg", "prior:1", "--prior", "./prior.h5"], None)]
    batch(folder, 0, "in/a.h5")
    for words, why in runs:
        row = batch(folder, 0, "in/a.h5", *words)[0]["in/a.h5"]
        expect((why or "made again") in row["message"] if why else
               "made again" not in row["message"], f"{words}: {row['message']}")
        again = batch(folder, 0, "in/a.h5", *words)[1]
        expect("finished before" in again, f"{words}: {again}")
    os.replace(folder / "second.h5", folder / "prior.h5")
    row = batch(folder, 0, "in/a.h5", *runs[-1][0])[0]["in/a.h5"]
    expect("made again" in row["message"] and "--prior has changed" in row["message"], row)
    write_list(folder, "in/a.h5\t--frames 0")
    row = batch(folder, 0, "list.txt", *runs[-1][0])[0]["in/a.h5"]
    expect("--frames" in row["message"], row)


def what_failed_is_not_finished(make):
    """An image that missed its error, and frames solved together of which one failed."""
    folder = make()
    os.makedirs(folder / "in")
    folder.run(0, ["simulate", "--trajectory", "golden-angle", "--matrix", "16,16", "--frames", "3",
                   "--quiet", "-o", "in/a.h5"])
    with h5py.File(folder / "in/a.h5", "r+") as file:
        file["samples"][1, 0, 3] = np.nan
    scans_in(folder, "b")
    for _ in range(2):
        rows, said = batch(folder, INPUT, "in/a.h5", "--reg", "ttv:0.01")
        expect(rows["in/a.h5"]["exit"] == "3" and "finished before" not in said, said)
    nufft = ["--engine", "nufft", "--accuracy", "1e-2"]
    for _ in range(2 if folder.can_run(["recon", "in/b.h5", "-o", "one.h5", *nufft]) else 0):
        said = folder.run(TOLERANCE, ["batch", "in/b.h5", "-o", "out", "--certify", "1e-6", *nufft])
        expect("finished before" not in said.stderr, said.stderr)


def raw_data_stay(make):
    """A study has scans in images/, also through a link, and a scan of no list is in the way."""
    folder = make()
    scans_in(folder, "a", "b", "raw")
    os.makedirs(folder / "images/in")
    shutil.move(folder / "in/raw.h5", folder / "images/in/a.h5")
    os.symlink("a.h5", folder / "images/in/b.h5")
    before = folder.digest("images/in/a.h5")
    for scan in ("in/a.h5", "in/b.h5"):
        folder.run(USAGE, ["batch", scan, "images/in/a.h5", "-o", ".", *FAST],
                   ["a file that is no scan", "1 of 2 scans failed"])
        expect(folder.digest("images/in/a.h5") == before, "the scan was replaced")
    os.makedirs(folder / "out/images/in")
    shutil.copy(folder / "in/b.h5", folder / "out/images/in/a.h5") # not of the list
    rows, _ = batch(folder, USAGE, "in/a.h5", "in/b.h5", says=["it is the native scan file"])
    expect([row["exit"] for row in rows.values()] == ["2", "0"], rows)
    with h5py.File(folder / "out/images/in/a.h5") as file:
        expect("samples" in file, "a scan of another list was replaced")


def a_bad_line_is_a_row(make):
    folder = make()
    scans_in(folder, "a", "b")
    os.symlink("loop2", folder / "loop1")
    os.symlink("loop1", folder / "loop2")
    long = "n" * 249 + ".h5"
    shutil.copy(folder / "in/a.h5", folder / long)
    write_list(folder, "loop1", "in/a.h5\t--lambada 3", "in/b.h5", "none*.h5",
               "scan.h5\t--reg tv:0.1 --method fft", long)
    rows, said = batch(folder, USAGE, "list.txt")
    expect({scan: row["exit"] for scan, row in rows.items()} ==
           {"loop1": "3", "in/a.h5": "2", "in/b.h5": "0", "none*.h5": "3", "scan.h5": "2",
            long: "0"}, rows)
    expect("--lambda" in rows["in/a.h5"]["message"], rows)
    expect(said.index("--lambada") < said.index("in/b.h5, done"), "it was found at its turn")
    rows, said = batch(folder, USAGE, "list.txt", "./scan.h5", "in/b.h5", says=["listed twice"])
    expect(rows["in/b.h5"]["exit"] == "2", "the second of two is refused")
    os.makedirs(folder / "p")
    with open(folder / "l.txt", "w", encoding="utf-8") as file:
        file.write("loop1\nin/b.h5\n")
    said = folder.run(INPUT, ["predict", "l.txt", *FAST]).stderr
    expect("a bug" not in said, said)


def names_are_quoted(make):
    folder = make()
    names = ["t\tR\t0\n.h5", "e\x1b[31m.h5", "b\\n.h5"]
    for name in names:
        shutil.copy(folder / "scan.h5", folder / name)
    rows, _ = batch(folder, 0, *names)
    expect(list(rows) == ["t\\tR\\t0\\n.h5", "e\\x1b[31m.h5", "b\\\\n.h5"], list(rows))
    expect(len(os.listdir(folder / "out/images")) == 3, "a tab began options")
    with open(folder / "letter", "w", encoding="utf-8") as file:
        file.write("precious")
    os.remove(folder / "out/results.tsv")
    os.symlink("../letter", folder / "out/results.tsv")
    folder.run(USAGE, ["batch", names[0], "-o", "out", *FAST], ["a link"])
    expect(open(folder / "letter", encoding="utf-8").read() == "precious", "a link was followed")


def images_have_names_of_their_own(make):
    """Scans elsewhere: of one name in two folders."""
    folder, other = make(), make()
    for place in ("x", "y"):
        os.makedirs(other / place)
        shutil.copy(other / "scan.h5", other / f"{place}/scan.h5")
    scans = [os.path.abspath(other / f"{place}/scan.h5") for place in ("x", "y")]
    rows, _ = batch(folder, 0, *scans)
    images = [rows[scan]["image"] for scan in scans]
    for place, name in zip(("x", "y"), images):
        expect(re.fullmatch(f"out/images/{place}/scan-[0-9a-f]{{8}}\\.h5", name), name)
    expect(batch(folder, 0, *scans)[0] == rows, "another name in a second run")


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


def made_alike(one, other):
    """Whether values and record agree, but for what a command and a clock put there."""
    def facts(record):
        return {key: str(value) for key, value in record.items()
                if not key.startswith(("seconds_", "command", "made", "device_memory"))}
    return np.array_equal(one[0], other[0]) and facts(one[1]) == facts(other[1])


def what_scans_leave_changes_nothing(make):
    """Trajectories, maps, sizes and options that come and go, with a bad scan in between, on a
    device: each image and its record are those of the scan alone."""
    folder = make()
    os.makedirs(folder / "in")
    usual = ["--coils", "3", "--snr", "20", "--quiet", "--matrix"]
    for seed, (name, words) in enumerate({
            "a": "16,16", "b": "16,16", "maps": "16,16", "bad": "16,16", "e": "16,16",
            "c": "16,16 --readouts 20", "d": "18,16",
            "none": "16,16 --without-maps"}.items()):
        folder.run(0, ["simulate", "--trajectory", "radial", *usual, *words.split(), "--seed",
                       str(seed), "-o", f"in/{name}.h5"])
    with h5py.File(folder / "in/maps.h5", "r+") as file:  # of other coils
        file["coil_maps"][...] = file["coil_maps"][()][::-1]
    with h5py.File(folder / "in/bad.h5", "r+") as file:
        file["samples"][0, 3] = np.nan
    device = ["--iterations", "4"]
    if not folder.can_run(["recon", "in/a.h5", "-o", "one.h5", *device]):
        device = FAST
    lines = ["a", "b\t--precision double", "maps", "e", "bad", "c", "d", "none", "a\t--conjugate",
             "b", "c\t--lambda 0.1"]
    done = set()
    for begin in (0, 4, 8):  # each scan is listed once
        some = [line.split("\t") for line in lines[begin:begin + 4]]
        write_list(folder, *("\t".join([f"in/{name}.h5", *words]) for name, *words in some))
        out = f"out{begin}"
        code = INPUT if begin == 4 else 0
        folder.run(code, ["batch", "list.txt", "-o", out, *device])
        for name, *words in some:
            if name == "bad":
                continue
            folder.run(0, ["recon", f"in/{name}.h5", "-o", "alone.h5", "--quiet", *device,
                           *" ".join(words).split()])
            expect(made_alike(image(folder, f"{out}/images/in/{name}.h5"),
                              image(folder, "alone.h5")), f"{name} {words}: another image")
            os.remove(folder / "alone.h5")
            done.add(name)
    expect(len(done) == 7, done)


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
    expect("finished before" in said, said)
    expect([row["iterations"] for row in rows.values()] == ["4"] * 3, rows)
    expect(re.search(r"scan 3 of 3: in/c\.h5, .* 0 s left", said), said)
    for share in ("0/2", "3/2", "1", "1/2/3", "a/b"):
        folder.run(USAGE, ["batch", *scans, "-o", "out", "--share", share, *FAST], ["--share"])


def what_cannot_be_is_refused(make):
    folder = make()
    scans_in(folder, "a")
    write_list(folder)
    folder.run(USAGE, ["batch", "list.txt", "-o", "out", *FAST], ["no scan is listed"])


if __name__ == "__main__":
    sys.exit(run_cases([images_are_those_of_recon, a_bad_scan_does_not_stop_the_others,
                        what_is_finished_is_left_alone, other_options_make_the_image_again,
                        what_failed_is_not_finished, raw_data_stay, a_bad_line_is_a_row,
                        names_are_quoted, images_have_names_of_their_own, scans_share_what_agrees,
                        frames_are_read_while_they_are_computed,
                        what_scans_leave_changes_nothing, shares_make_the_list,
                        what_cannot_be_is_refused]))
