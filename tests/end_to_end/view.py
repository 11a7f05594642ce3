#!/usr/bin/env python3
"""lsrecon view: one page with everything in it, its size, and what it refuses.

    view.py LSRECON"""

import html
import os
import re
import subprocess
import sys

import h5py
import numpy as np

from images import rng, write_image
from in_folders import INPUT, USAGE, expect, run_cases


def files_that_have_no_image(make):
    folder = make()
    folder.run(INPUT, ["view", "q.h5", "-o", "p.html"], ["q.h5", "none of /image", "next:"])
    folder.run(INPUT, ["view", "none.h5", "-o", "p.html"], ["none.h5", "next:"])
    for name, value, says in (("coil_maps", np.ones((4, 4), "c8"), "[C, (Z,) Y, X]"),
                              ("coil_maps", np.ones((2, 4, 4)), "complex"),
                              ("coil_maps", np.full((2, 4, 4), np.nan, "c8"), "not finite"),
                              ("image", np.zeros((1, 4, 4), "c8"), "field of view")):
        with h5py.File(folder / "bad.h5", "w") as f:
            f[name] = value
        folder.run(INPUT, ["view", "bad.h5", "-o", "p.html"], ["bad.h5", name, says, "next:"])
    for words in (["-o", "p.h5"], ["-o", "p"], ["-o", "p.html", "--megabytes", "0"]):
        folder.run(USAGE, ["view", "truth.h5", *words])
    expect(not os.path.exists(folder / "p.html"), "a page of a bad file")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def solves_and_notes_are_reported(make):
    """What recon noted is in the record, above the picture and in info, and iterations that were
    done are kept apart from their limit."""
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--undersampling", "3", "-o", "few.h5",
                   "--quiet"])
    said = folder.run(0, ["recon", "few.h5", "-o", "i.h5", "--backend", "reference",
                          "--iterations", "2"]).stderr
    notes = [line[6:] for line in said.splitlines() if line.startswith("note: ")]
    expect(any("Undersampled" in note for note in notes), said)
    for note in notes:
        short = [line[11:] for line in said.splitlines() if line.startswith("warning    ")]
        expect(any(note.startswith(line.removesuffix(" ...")) for line in short),
               f"no short line of '{note}' in {short}")
    expect("in place of" not in said, "nothing was replaced")
    again = folder.run(0, ["recon", "few.h5", "-o", "i.h5", "--backend", "reference",
                           "--iterations", "2"]).stderr
    expect("image      i.h5, 1 frame, in place of " in again, again)
    with h5py.File(folder / "i.h5") as f:
        kept = [re.sub("`([a-z_]+)`", lambda key: "--" + key[1].replace("_", "-"), value)
                for name, value in f["record"].attrs.items() if name.startswith("remark_")]
    expect(sorted(kept) == sorted(notes), f"{notes} are recorded as {kept}")
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    page = read(folder / "p.html")
    above = page[page.index("<body>"):page.index('id="tools"')]
    expect(re.search("<span>2 iterations, [^<]*asked", above), above)
    printed = folder.run(0, ["info", "i.h5"]).stdout
    for note in notes:
        escaped = html.escape(note).replace("&#x27;", "&#39;")
        expect(escaped in above, f"'{note}' is not above the image")
        expect(f"note                      {note}\n" in printed, f"info does not print '{note}'")
    folder.run(0, ["recon", "scan.h5", "-o", "long.h5", "--backend", "reference", "--lambda", "0.1",
                   "--iterations", "299", "--quiet"])
    folder.run(0, ["view", "long.h5", "-o", "p.html"])
    with h5py.File(folder / "long.h5") as f:
        done = int(f["record/iterations_done"][0, 0])
    expect(done < 100, f"{done} iterations of an easy problem")
    printed = folder.run(0, ["info", "long.h5"]).stdout
    for row in (f"iterations done           {done} (at most 299)\n",
                "stopped by                the tolerance\n", "final residual", "late change"):
        expect(row in printed, f"info does not print '{row}': {printed}")
    expect(f"<td>iterations done</td><td>{done} (at most 299)</td>" in read(folder / "p.html"),
           "the page shows the limit alone")
    expect(f">converged, {done} iterations<" in read(folder / "p.html"), "it converged")
    folder.run(0, ["recon", "scan.h5", "-o", "early.h5", "--backend", "reference", "--lambda", "0",
                   "--quiet"])  # stopping early regularises
    folder.run(0, ["view", "early.h5", "-o", "p.html"])
    expect("stopped by</td><td>the iteration" in read(folder / "p.html") and
           '<span class="good">ended as meant, ' in read(folder / "p.html"), "not ended as meant")


def names_that_are_no_utf_8_are_shown(make):
    folder = make()
    name = os.fsencode(folder.path) + b"/\xff\xc3.h5"
    os.rename(folder / "truth.h5", name)
    subprocess.run([folder.program, "view", name, "-o", folder / "p.html", "--quiet"], check=True)
    os.rename(name, folder / "truth.h5")
    expect("\N{REPLACEMENT CHARACTER}" in read(folder / "p.html"), "no such name in the page")


def files_of_maps_tell_how_they_were_made(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", "32,32", "--coils", "3", "--without-maps",
                   "-o", "coils.h5", "--quiet"])
    folder.run(0, ["maps", "coils.h5", "-o", "maps.h5", "--quiet"])
    with h5py.File(folder / "maps.h5") as f:
        signal = int((np.abs(f["coil_maps"][()]).sum(axis=0) > 0).sum())
    printed = folder.run(0, ["info", "maps.h5"]).stdout
    for line in ("method                    espirit\n", "coils                     3\n",
                 "matrix                    32 x 32 voxels\n", "fov                       ",
                 f"signal                    in {signal} of 1024 voxels, ", "scan_sha256"):
        expect(line in printed, f"info does not print '{line}': {printed}")
    folder.run(INPUT, ["check", "maps.h5"], ["lsrecon-maps", "lsrecon info"])
    folder.run(0, ["view", "maps.h5", "-o", "p.html"])
    page = read(folder / "p.html")
    expect("<td>maps</td><td>espirit</td>" in page and "<td>scan_sha256</td>" in page,
           "the page of maps has no record")
    expect("coil maps by espirit" in page, "nothing on their coverage")


def pages_are_bounded(make):
    folder = make()
    write_image(folder / "i.h5", rng.normal(size=(1, 128, 128, 128)) + 1j, (128, 128, 128))
    run = folder.run(0, ["view", "i.h5", "-o", "p.html"])
    expect("note" not in run.stderr, f"128^3 are thinned out: {run.stderr}")
    expect(os.path.getsize(folder / "p.html") < 10e6, "a large page")
    folder.run(0, ["view", "i.h5", "-o", "p.html", "--megabytes", "1"],
               ["means of 2 voxels", "p.html is there, and will be replaced"])
    expect(os.path.getsize(folder / "p.html") < 1.1e6, "--megabytes is not kept")
    write_image(folder / "i.h5", rng.normal(size=(50, 64, 64)), (64, 64))
    folder.run(0, ["view", "i.h5", "-o", "p.html", "--megabytes", "0.2"], ["of 50 frames"])
    with open(folder / "p.html", encoding="utf-8") as f:
        page = f.read()
    expect(len(page) < 0.26e6 and "of 50 frames" in page, "the page does not say what is missing")
    asks = re.search(r"(src|href)\s*=\s*[\"']?https?:|url\(|import ", page)
    expect(not asks, f"it asks a network: {asks}")


if __name__ == "__main__":
    sys.exit(run_cases([files_that_have_no_image, solves_and_notes_are_reported,
                        files_of_maps_tell_how_they_were_made,
                        names_that_are_no_utf_8_are_shown, pages_are_bounded]))
