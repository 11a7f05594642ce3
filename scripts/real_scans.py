#!/usr/bin/env python3
"""Makes the scans of docs/real_scans.md of public files, runs its commands, and draws its picture.

    real_scans.py FOLDER             scans into FOLDER; files come from the addresses below
    real_scans.py FOLDER LSRECON     runs the page's commands there, too, refuses notes, and draws
                                     docs/real_scans.png

A file that is in FOLDER/downloads already is not fetched. Each has the hash that stands here.
Needs python3-scipy: scripts/setup.sh python3-scipy."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

import h5py
import numpy as np

RAW = "https://raw.githubusercontent.com"
# The heart was in a demo that later versions leave out.
GPUNUFFT = f"{RAW}/andyschwarzl/gpuNUFFT/6d5a54e38328fd573a20e00978cec369f9d4a05f/matlab/demo/data"
IMPATIENT = f"{RAW}/JiadingGai/Impatient-MRI/b074d1c4a7766e05a2c5555e90045f7c48892fc3/mriData"
ISMRMRD_RECO = (f"{RAW}/mrphysics-bonn/python-ismrmrd-reco/"
                  "c0608c08be1643ae491f163dc19f6f6523f4216d/example_data/simu")
HEART = ("radial_cardiac_25_projections.mat", GPUNUFFT,
         "b4e05cb645b26eea3f6c591c0531952599c792f0580bb7e8b672e08649826954")
RAW_DATA = ("signals_spiralout_clean_slc30.h5", ISMRMRD_RECO,
            "5a1b1ad876cfa043b9ba543d68ce1ea5c5631241ce5ab5ae2432bf288452db3b")
BRAIN = {
    "kx": "c965b0239c7daeec60d49c4af1690197a60ada383d327772c9c968c0b020f447",
    "ky": "d7b6a6c34db8b58159edc4fe82bde0cc52dcfff650792b61bd37070fd0db42b4",
    "kz": "ab16ac7e3ee98abcfa7631edaf119e92f32a4a20d319d426c5081afcd8629572",
    "kdata_r": "4000738602f7d144a979242e5c1b4ee021acb74fd3b4842287e89fd69c3b1861",
    "kdata_i": "5d313a5c52b0883e16e084820f2cbba184678c822e099dc09f0d94e8d168c3ea",
}


def fetched(folder, name, address, digest):
    """The path of a file of this hash, fetched unless it is there."""
    path = folder / "downloads" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with urllib.request.urlopen(address, timeout=60) as source, open(part, "wb") as target:
            shutil.copyfileobj(source, target)
        part.rename(path)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{path}: another file\n  found:    SHA-256 {found}\n  expected: {digest}\n"
                 f"  next:     remove it, or get it from {address}")
    return path


def write_scan(path, trajectory, samples, matrix, fov_mm):
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "lsrecon-scan", "version": 1, "matrix": matrix,
                           "fov_mm": np.array(fov_mm, float)})
        file["trajectory"] = trajectory
        file["trajectory"].attrs["units"] = "cycles/fov"
        file["samples"] = samples.astype(np.complex64)


def heart(path, mat):
    """Of a MATLAB file with k [readout, spoke], kx + i ky in cycles a voxel, and rawdata [readout,
    spoke, coil]. The file has no field of view: a voxel is taken as 1 mm."""
    from scipy.io import loadmat  # not needed by the others
    stored = loadmat(mat)
    points = stored["k"].T.ravel()
    samples = stored["rawdata"].transpose(2, 1, 0)
    width = stored["k"].shape[0]
    write_scan(path, width * np.stack([points.real, points.imag], axis=1),
               samples.reshape(len(samples), -1), [width, width], [width, width])


def values(path):
    """Of a .dat file: lines of text, and for each coil how many floats follow, and the floats."""
    data = path.read_bytes()
    return np.stack([np.frombuffer(data, "<f4", int(begin[1]), begin.end())
                     for begin in re.finditer(rb"Binary_Size = (\d+)\nBinary:\n", data)])


def brain(path, folder):
    """Of .dat files; k is in cycles/fov. The coil maps are left out: they have random phases
    outside of a mask that is smaller than the head. A voxel is taken as 1 mm."""
    of = {name: values(folder / f"{name}.dat") for name in BRAIN}
    write_scan(path, np.concatenate([of["kx"], of["ky"], of["kz"]]).T.astype(float),
               of["kdata_r"] + 1j * of["kdata_i"], [64, 64, 16], [64, 64, 16])


def make_scans(folder):
    name, address, digest = HEART
    heart(folder / "heart.h5", fetched(folder, name, f"{address}/{name}", digest))
    for name, digest in BRAIN.items():
        fetched(folder, f"{name}.dat", f"{IMPATIENT}/64x64x16-4coils/{name}.dat", digest)
    brain(folder / "brain.h5", folder / "downloads")
    name, address, digest = RAW_DATA
    shutil.copy(fetched(folder, name, f"{address}/{name}", digest), folder / "raw.h5")


def run_page(folder, program, page):
    """Runs the commands of the page; a note ends it."""
    for command in re.findall(r"^lsrecon .*$", page.read_text(encoding="utf-8"), re.MULTILINE):
        done = subprocess.run([program, *command.split()[1:]], cwd=folder, text=True, check=True,
                              stderr=subprocess.PIPE)
        print(f"{command}: {done.stderr.splitlines()[-1]}")
        if "note:" in done.stderr:
            sys.exit(f"{command}: a note\n{done.stderr}")


def draw(folder, target):
    """The previews side by side, each cut to a square and as wide as the others."""
    import matplotlib.image
    width = 384
    panels = []
    for name in ("heart", "brain", "raw"):
        picture = matplotlib.image.imread(folder / f"{name}.png")
        picture = picture if picture.ndim == 2 else picture[..., 0]
        at = [np.arange(width) * side // width for side in picture.shape]
        panels.append(picture[np.ix_(*at)])
    matplotlib.image.imsave(target, np.concatenate(panels, axis=1), cmap="gray", vmin=0, vmax=1)


def main(arguments):
    folder = pathlib.Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    make_scans(folder)
    if arguments[1:]:
        docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
        run_page(folder, pathlib.Path(arguments[1]).resolve(), docs / "real_scans.md")
        draw(folder, docs / "real_scans.png")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1:])
