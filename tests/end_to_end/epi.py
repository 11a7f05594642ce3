#!/usr/bin/env python3
"""EPI whose lines of the two directions differ, with and without navigator lines.

    epi.py LSRECON"""

import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import XML, acquisition, write # noqa: E402
from in_folders import USAGE, codes, expect, run_cases # noqa: E402

N = 48
REVERSED, NAVIGATOR = 1 << 21, 1 << 23
PHASE, SHIFT = 0.5, 0.8
X = (np.arange(N) - N // 2) / N


def coil_images(coils, full=False):
    x, y = np.meshgrid(X, X)
    image = sum(v * (((x - a) / c) ** 2 + ((y - b) / d) ** 2 < 1) for a, b, c, d, v in (
        (0, 0, .34, .4, 1), (.1, -.1, .1, .14, .6), (-.15, .1, .1, .06, -.5),
        (-.1, -.2, .05, .05, 1)))
    if full: # noise, which nothing predicts
        image = np.random.default_rng(5).normal(size=(N, N)) + 2
    if coils == 1:
        return image[None].astype(complex)
    at = 2 * np.pi * np.arange(coils)[:, None, None] / coils
    return image * np.exp(1j * at) / (.25 + (x - .7 * np.cos(at)) ** 2 + (y - .7 * np.sin(at)) ** 2)


def write_epi(path, phase=0, shift=0, navigators=False, coils=6, full=False, snr=100):
    images = coil_images(coils, full)
    rng = np.random.default_rng(2)
    deviation = N / snr * np.sqrt((abs(images) ** 2).sum(0).max())
    rows = []

    def add(y, back, flags=0):
        k = np.arange(N) - N // 2 + shift * back
        line = images.transpose(0, 2, 1) @ np.exp(-2j * np.pi * X * y)
        data = line @ np.exp(-2j * np.pi * np.outer(X, k)) * np.exp(1j * phase * back)
        data += deviation * (rng.normal(size=(2, *data.shape)) * [[[1]], [[1j]]]).sum(0) / 2 ** .5
        row = acquisition()
        head = row["head"]
        head["number_of_samples"], head["trajectory_dimensions"] = N, 0
        head["available_channels"] = head["active_channels"] = coils
        head["center_sample"] = N // 2 - back
        head["idx"]["kspace_encode_step_1"] = y + N // 2
        head["flags"] = flags | REVERSED * back
        row["data"][0] = data[:, ::-1 if back else 1].astype(np.complex64).view(np.float32).ravel()
        row["traj"][0] = np.zeros(0, np.float32)
        rows.append(row)

    for y in range(N):
        add(y - N // 2, y % 2)
    for back in (0, 1, 0) if navigators else ():
        add(0, back, NAVIGATOR)
    limits = (f"<kspace_encoding_step_1><minimum>0</minimum><maximum>{N - 1}</maximum>"
              f"<center>{N // 2}</center></kspace_encoding_step_1>")
    space = "".join(f"<{n}><matrixSize><x>{N}</x><y>{N}</y><z>1</z></matrixSize><fieldOfView_mm>"
                    f"<x>240</x><y>240</y><z>5</z></fieldOfView_mm></{n}>"
                    for n in ("encodedSpace", "reconSpace"))
    if os.path.exists(path):
        os.unlink(path)
    write(path, f"{XML[:XML.index('<encoding>')]}<encoding>{space}<encodingLimits>{limits}"
          "</encodingLimits><trajectory>cartesian</trajectory></encoding></ismrmrdHeader>",
          np.concatenate(rows))


def image_of(folder, *words):
    """The image, the codes of its findings and the numbers of its record."""
    folder.run(0, ["recon", "epi.h5", "-o", "of_epi.h5", "--quiet",
                   "--lambda", "0.001", *words])
    with h5py.File(folder / "of_epi.h5") as f:
        image = abs(np.squeeze(f["image"][()]))
        numbers = {n: f["record"].attrs[n][0] for n in ("epi_phase", "epi_shift")
                   if n in f["record"].attrs}
    return image, codes(folder / "of_epi.h5"), numbers


def error(image, right):
    return np.linalg.norm(image - right) / np.linalg.norm(right)


def ghosts_are_taken_out(make):
    folder = make()
    write_epi(folder / "epi.h5")
    right, found, _ = image_of(folder, "--epi-phase", "none")
    same, found_too, _ = image_of(folder)
    folder.run(0, ["maps", "epi.h5", "-o", "maps.h5", "--quiet"])
    expect((same == right).all(), "a scan without a ghost changed")
    expect("epi_ghost" not in found | found_too, f"findings of a healthy scan: {found}")
    for navigators in (True, False):
        write_epi(folder / "epi.h5", PHASE, SHIFT, navigators)
        image, found, numbers = image_of(folder)
        off = error(image, right)
        expect(off < 0.02, f"navigators {navigators}: {off} beside the right image")
        expect("epi_ghost" not in found, f"navigators {navigators}: {found}")
        # Where center_sample counts from is found, too, and may move such lines by a sample.
        shift = (numbers["epi_shift"] - SHIFT) % 1
        expect(abs(numbers["epi_phase"] - PHASE) < 0.03 and min(shift, 1 - shift) < 0.03,
               f"found {numbers}")
    given = f"{PHASE},{numbers['epi_shift']}"
    off = error(image_of(folder, "--epi-phase", given)[0], right)
    expect(off < 0.02, f"{off} beside the right image with {given}")
    image, found, _ = image_of(folder, "--epi-phase", "none")
    expect(error(image, right) > 0.1 and "epi_ghost" in found, f"without a correction: {found}")
    found = image_of(folder, "--epi-phase", "none", "--maps", "maps.h5")[1]
    expect("model_differs" not in found, f"maps of the ghost are advised: {found}")
    off = error(image_of(folder, "--maps", "maps.h5")[0], right)
    expect(off < 0.02, f"{off} beside the right image with its maps")
    folder.run(USAGE, ["recon", "epi.h5", "-o", "new.h5", "--epi-phase", "1"])


def what_cannot_be_told_is_said(make):
    folder = make()
    write_epi(folder / "epi.h5", PHASE, SHIFT, coils=1, full=True)
    image, found, _ = image_of(folder)
    left, found_too, _ = image_of(folder, "--epi-phase", "none")
    expect((image == left).all(), "a correction that nothing shows")
    expect("epi_ghost" in found and "epi_ghost" in found_too, f"findings {found}, {found_too}")


if __name__ == "__main__":
    sys.exit(run_cases([ghosts_are_taken_out, what_cannot_be_told_is_said]))
