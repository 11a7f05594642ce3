#!/usr/bin/env python3
"""Readouts that do not fit each other, in native scans and raw data.

    readouts.py LSRECON"""

import json
import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import XML, acquisition, write # noqa: E402
from in_folders import INPUT, USAGE, codes, expect, run_cases # noqa: E402

N, COILS = 48, 8
REVERSED = 1 << 21
CODES = {"lines_reversed", "epi_ghost", "shots_differ", "readout_phase", "object_at_edge"}


def lines(folder):
    """Cartesian k-space, coils x lines x samples."""
    folder.run(0, ["simulate", "-o", "right.h5", "--trajectory", "cartesian", "--matrix",
                   f"{N},{N}", "--coils", str(COILS), "--snr", "40", "--without-maps", "--quiet"])
    with h5py.File(folder / "right.h5") as f:
        return f["samples"][()].reshape(COILS, N, N)


def found(folder, scan):
    said = folder.run(0, ["info", scan, "--json"]).stdout
    return {warning["code"] for warning in json.loads(said)["warnings"]} & CODES


def native(folder, samples):
    with h5py.File(folder / "right.h5", "r+") as f:
        f["samples"][...] = samples.reshape(COILS, N * N)
    return found(folder, "right.h5")


def raw(folder, samples, segment=0, flagged=False, pre=0, post=0):
    """Odd lines are of a segment, are flagged as reversed, and have samples to be discarded."""
    rows = []
    for y in range(N):
        odd = y % 2 == 1
        before, after = (post, pre) if odd and flagged else (pre, post)
        data = np.pad(samples[:, y], ((0, 0), (before, after)), constant_values=1e9)
        row = acquisition()
        head = row["head"]
        head["number_of_samples"], head["trajectory_dimensions"] = data.shape[1], 0
        head["available_channels"] = head["active_channels"] = COILS
        # It counts in the stored array.
        head["center_sample"] = before + (N // 2 - 1 if odd and flagged else N // 2)
        head["discard_pre"], head["discard_post"] = before, after
        head["idx"]["kspace_encode_step_1"] = y
        head["idx"]["segment"] = segment * odd
        head["flags"] = REVERSED if odd and flagged else 0
        row["data"][0] = data.astype(np.complex64).view(np.float32).ravel()
        row["traj"][0] = np.zeros(0, np.float32)
        rows.append(row)
    limits = (f"<kspace_encoding_step_1><minimum>0</minimum><maximum>{N - 1}</maximum>"
              f"<center>{N // 2}</center></kspace_encoding_step_1>")
    space = "".join(f"<{n}><matrixSize><x>{N}</x><y>{N}</y><z>1</z></matrixSize><fieldOfView_mm>"
                    f"<x>240</x><y>240</y><z>5</z></fieldOfView_mm></{n}>"
                    for n in ("encodedSpace", "reconSpace"))
    head = XML[:XML.index("<encoding>")]
    if os.path.exists(folder / "raw.h5"):
        os.unlink(folder / "raw.h5")
    write(folder / "raw.h5", f"{head}<encoding>{space}<encodingLimits>{limits}</encodingLimits>"
          "<trajectory>cartesian</trajectory></encoding></ismrmrdHeader>", np.concatenate(rows))
    return found(folder, "raw.h5")


def odd_lines(samples, change):
    changed = samples.copy()
    changed[:, 1::2] = change(changed[:, 1::2])
    return changed


def backwards(d):
    return d[:, :, ::-1]


def native_scans_are_compared(make):
    folder = make()
    d = lines(folder)
    steps = np.exp(1j * np.radians(75 * np.arange(N) * np.arange(1, N + 1)))[None, :, None]
    for code, samples in ((None, d), ("shots_differ", odd_lines(d, lambda o: o * np.exp(1j))),
                          ("shots_differ", odd_lines(d, lambda o: 0.7 * o)),
                          ("readout_phase", d * steps),
                          ("lines_reversed", odd_lines(d, backwards))):
        codes = native(folder, samples)
        expect(codes == ({code} if code else set()), f"{code}: {codes}")


def raw_data_is_compared(make):
    folder = make()
    d = lines(folder)
    turned = odd_lines(d, backwards)
    phase = odd_lines(turned, lambda o: o * np.exp(0.5j))
    for code, words in ((None, {"samples": d}), (None, {"samples": turned, "flagged": True}),
                        ("lines_reversed", {"samples": d, "flagged": True}),
                        ("lines_reversed", {"samples": turned}),
                        ("epi_ghost", {"samples": phase, "flagged": True}),
                        ("shots_differ", {"samples": odd_lines(d, lambda o: 0.6 * o),
                                          "segment": 1})):
        codes = raw(folder, **words)
        expect(codes == ({code} if code else set()), f"{code}: {codes}")


def samples_of_reversed_lines_are_discarded(make):
    folder = make()
    d = odd_lines(lines(folder), backwards)
    expect(raw(folder, d, flagged=True, pre=5, post=3) == set(), "discarded samples are a fault")


def what_stands_out_is_named_and_left_out(make):
    folder = make()
    folder.run(0, ["simulate", "-o", "radial.h5", "--trajectory", "radial", "--matrix", "32,32",
                   "--coils", "6", "--snr", "40", "--quiet"])
    with h5py.File(folder / "radial.h5") as f:
        right, k = f["samples"][()], f["trajectory"][()]
    length = 2 + int(np.argmax(np.linalg.norm(np.diff(k, 2, axis=0), axis=1) > 0.5))

    def changed(part, factor):
        samples = right.copy()
        samples[part] *= factor
        return samples

    def image(samples, *options):
        with h5py.File(folder / "radial.h5", "r+") as f:
            f["samples"][...] = samples
        folder.run(0, ["recon", "radial.h5", "-o", "image.h5", "--quiet", *options])
        with h5py.File(folder / "image.h5") as made:
            return (codes(folder / "image.h5") & {"readouts_unexplained", "coils_unexplained"},
                    made["image"][()], made["record/unexplained_by_readout"][()])

    expect(image(right)[0] == set(), "a healthy scan")
    bad = changed(np.s_[:, 5 * length:6 * length], np.exp(1j))
    found, _, table = image(bad)
    expect(found == {"readouts_unexplained"}, f"a readout with another phase: {found}")
    expect(np.argmax(table[:, 2]) == 5 and len(table) == right.shape[1] // length,
           f"its table {table[:8]}")
    found, listed, table = image(bad, "--leave-out", "readouts:5")
    expect(found == set() and 5 not in table[:, 1], f"it is left out: {found}")
    found, automatic, _ = image(bad, "--leave-out", "auto")
    expect(found == set() and np.array_equal(automatic, listed), f"it is found: {found}")
    bad = changed(2, np.exp(1j))
    expect(image(bad)[0] == {"coils_unexplained"}, "a coil with another phase")
    expect(image(bad, "--leave-out", "coils:2")[0] == set(), "the coil is left out")
    os.unlink(folder / "image.h5")
    for words in ("readouts:999", "coils:0-5", "coils:7"):
        folder.run(INPUT, ["recon", "radial.h5", "-o", "image.h5", "--leave-out", words])
    folder.run(USAGE, ["recon", "radial.h5", "-o", "image.h5", "--leave-out", "spokes:3"])


if __name__ == "__main__":
    sys.exit(run_cases([native_scans_are_compared, raw_data_is_compared,
                        samples_of_reversed_lines_are_discarded,
                        what_stands_out_is_named_and_left_out]))
