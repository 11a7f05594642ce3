#!/usr/bin/env python3
"""Raw data without a trajectory takes one beside it: of a file, of a sequence, or by a rule.

    raw_trajectories.py LSRECON"""

import json
import os
import sys

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

N, SPOKES = 24, 30
RECON = ["-o", "image.h5", "--backend", "reference", "--lambda", "0.01", "--iterations", "4",
         "--maps", "none", "--no-whitening", "--quiet"]


def stripped(folder, design, *words, matrix=f"{N},{N}"):
    """raw.mrd of a design, and bare.mrd: the same without its trajectory, [readouts, samples, 2] in
    cycles/voxel, which is returned."""
    folder.run(0, ["simulate", "--trajectory", design, "--matrix", matrix, "--coils", "2",
                   "--backend", "reference", "--quiet", "-o", "raw.mrd", *words])
    with h5py.File(folder / "raw.mrd") as f:
        rows, xml = f["dataset/data"][()], f["dataset/xml"][()]
        kind, xml_kind = f["dataset/data"].dtype, f["dataset/xml"].dtype
    k = np.stack([row["traj"].reshape(-1, 2) for row in rows])
    for row in rows:
        row["head"]["trajectory_dimensions"] = 0
        row["traj"] = np.zeros(0, "f4")
    with h5py.File(folder / "bare.mrd", "w") as f:
        f.create_dataset("dataset/data", data=rows, dtype=kind)
        f.create_dataset("dataset/xml", data=xml, dtype=xml_kind)
    return k


def image(folder, scan, *words, finds=()):
    folder.run(0, ["recon", scan, *RECON, *words], finds=finds)
    with h5py.File(folder / "image.h5") as f:
        made = f["image"][()], dict(f["record"].attrs)
    os.remove(folder / "image.h5")
    return made


def near(a, b, what, most=1e-4):
    error = np.linalg.norm(a - b) / np.linalg.norm(b)
    expect(error < most, f"{what}: other images, {error:.2g}")


def rules_give_the_designs(make):
    folder = make()
    stripped(folder, "radial", "--readouts", str(SPOKES))
    whole, _ = image(folder, "raw.mrd")
    by_rule, record = image(folder, "bare.mrd", "--trajectory", "radial")
    near(by_rule, whole, "radial")
    expect(record["option_trajectory"] == "radial", "the record lacks the rule")
    golden, _ = image(folder, "bare.mrd", "--trajectory", "golden-angle")
    expect(np.linalg.norm(golden - whole) > 0.1 * np.linalg.norm(whole), "the rule changes nothing")
    stripped(folder, "golden-angle", "--readouts", str(SPOKES), "--frames", "2")
    whole, _ = image(folder, "raw.mrd")
    near(image(folder, "bare.mrd", "--trajectory", "golden-angle")[0], whole, "golden angle")
    by_degrees, _ = image(folder, "bare.mrd", "--trajectory", "golden-angle:111.246117975")
    near(by_degrees, whole, "degrees")
    k = stripped(folder, "spiral", "--readouts", "6")
    whole, _ = image(folder, "raw.mrd")
    np.save(folder / "one.npy", k[0])
    near(image(folder, "bare.mrd", "--trajectory", "interleaves-of:one.npy")[0], whole, "spiral")


def files_give_the_trajectory(make):
    folder = make()
    k = stripped(folder, "golden-angle", "--readouts", str(SPOKES), "--frames", "2")
    whole, _ = image(folder, "raw.mrd")
    np.save(folder / "all.npy", k)
    np.savetxt(folder / "all.csv", k.reshape(-1, 2), delimiter=",")
    np.savez(folder / "two.npz", a=k, trajectory=k)
    for name in ("all.npy", "all.csv", "two.npz", "two.npz:a", "raw.mrd.npy"):
        if name == "raw.mrd.npy":
            np.save(folder / name, k.reshape(2, -1, 2))
        made, record = image(folder, "bare.mrd", "--trajectory", name)
        near(made, whole, name)
        expect(len(record["option_trajectory_sha256"]) == 64, f"{name}: no hash in the record")
    done = folder.run(0, ["info", "bare.mrd", "--trajectory", "all.npy", "--json"])
    reach = np.array(json.loads(done.stdout)["trajectory_range"])
    expect(abs(reach + N / 2).min() < 0.5, f"k reaches {reach}")
    np.save(folder / "short.npy", k[:, :-1])
    folder.run(INPUT, ["info", "bare.mrd", "--trajectory", "short.npy"],
               ["short.npy", f"{2 * SPOKES * N}", f"{SPOKES * N}", "next:"])


def write_sequence(path, k, turned=None):
    """A sequence whose readouts are k [readouts, samples, 2 or 3] in 1/m on straight lines, with
    dwell times of 10 us, or that k turned by a quaternion. A readout without gradients comes
    first."""
    count, samples = k.shape[:2]
    k = np.concatenate([k, np.zeros((count, samples, 3 - k.shape[2]))], -1)
    step = k[:, 1] - k[:, 0]
    blocks, gradients = ["0 10 0 0 0 0 2 0"], []
    for r, first in enumerate(k[:, 0] - 0.5 * step):  # at the begin of the first dwell time
        names = [6 * r + i for i in range(1, 7)]
        for d in range(3):
            # a triangle, less the half of the ramp of 20 us before the plateau of the readout
            gradients += [f"{names[d]} {(first[d] - step[r, d]) / 1e-3:.9g} 1000 0 1000 0",
                          f"{names[3 + d]} {step[r, d] / 1e-5:.9g} 20 {10 * samples} 20 0"]
        extension = int(turned is not None)
        blocks += [f"{3 * r + 1} 10 1 0 0 0 0 0",
                   "{} 200 0 {} {} {} 0 {}".format(3 * r + 2, *names[:3], extension),
                   "{} {} 0 {} {} {} 1 {}".format(3 * r + 3, samples + 4, *names[3:], extension)]
    with open(path, "w", encoding="ascii") as f:
        f.write("# Pulseq sequence file\n[VERSION]\nmajor 1\nminor 5\nrevision 0\n"
                "[DEFINITIONS]\nFOV 0.24 0.24 0.005\n\n[BLOCKS]\n" + "\n".join(blocks) +
                "\n[RF]\n1 2500 1 0 0 50 0 0 0 0 0 e\n[TRAP]\n" + "\n".join(gradients) +
                f"\n[ADC]\n1 {samples} 10000 20 0 0 0 0 0\n2 8 10000 0 0 0 0 0 0\n")
        if turned is not None:
            f.write("[EXTENSIONS]\n1 1 1 0\nextension ROTATIONS 1\n1 " +
                    " ".join(f"{q:.12g}" for q in turned) + "\n")
        f.write("[SHAPES]\nshape_id 1\nnum_samples 100\n1\n0\n0\n97\n")


def sequences_are_integrated(make):
    folder = make()
    k = stripped(folder, "radial", "--readouts", str(SPOKES)) * N / 0.24  # 1/m, FOV 240 mm
    write_sequence(folder / "s.seq", k)
    whole, _ = image(folder, "raw.mrd")
    near(image(folder, "bare.mrd", "--trajectory", "s.seq")[0], whole, "sequence")
    folder.run(0, ["import", "s.seq", "-o", "k.h5"])
    with h5py.File(folder / "k.h5") as f:
        expect(np.allclose(f["trajectory"], 0.24 * k.reshape(-1, 2), atol=1e-4), "written k")
        expect(list(f.attrs["matrix"]) == [N, N] and np.allclose(f.attrs["fov_mm"], 240), "grid")
        expect(abs(f["times"][0] - (50e-6 + 2e-3 + 25e-6)) < 1e-9, "time of the first sample")
    near(image(folder, "bare.mrd", "--trajectory", "k.h5")[0], whole, "what import wrote")
    folder.run(0, ["info", "k.h5"])
    np.save(folder / "ksp.npy", np.ones((2, *k.shape[:-1]), "c8"))
    folder.run(0, ["import", "ksp.npy", "s.seq", "-o", "both.h5"])
    with h5py.File(folder / "k.h5") as f, h5py.File(folder / "both.h5") as g:
        expect(np.allclose(g.attrs["fov_mm"], 240) and list(g.attrs["matrix"]) == [N, N] and
               np.allclose(f["trajectory"], np.array(g["trajectory"]) *
                           (0.24 if g["trajectory"].attrs["units"] == "1/m" else 1), atol=1e-3),
               "arrays with a sequence")
    with h5py.File(folder / "bare.mrd", "r+") as f:  # a coronal slice
        rows = f["dataset/data"][()]
        for row in rows:
            row["head"]["read_dir"], row["head"]["phase_dir"] = (1, 0, 0), (0, 0, 1)
            row["head"]["slice_dir"] = (0, -1, 0)
        f["dataset/data"][...] = rows
    write_sequence(folder / "z.seq", np.stack([k[..., 0], 0 * k[..., 0], k[..., 1]], -1))
    near(image(folder, "bare.mrd", "--trajectory", "z.seq")[0], whole, "rotated into the slice")
    near(image(folder, "bare.mrd", "--trajectory", "s.seq")[0], whole, "already in the slice")


def turn(axis, angle):
    """A quaternion and its matrix."""
    w, (x, y, z) = np.cos(angle / 2), np.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return [w, x, y, z], np.eye(3) + 2 * w * cross + 2 * cross @ cross


def stack_of_stars(folder):
    """stack.mrd, bare.mrd without its trajectory [readouts, samples, 3], which is returned in 1/m,
    and ksp.npy: two points in a slab, of 240 x 240 x 80 mm."""
    stripped(folder, "radial-3d", "--fov-mm", "240,240,80", "--readouts", "90",
             "--samples-per-readout", "12", matrix="12,12,6")
    angle = np.pi * np.arange(15) / 15
    radius = np.arange(12) - 6
    star = np.stack([np.cos(angle)[:, None] * radius, np.sin(angle)[:, None] * radius], -1)
    kz = np.broadcast_to(np.arange(-3, 3)[:, None, None, None], (6, 15, 12, 1))
    k = np.concatenate([np.broadcast_to(star, (6, 15, 12, 2)), kz], -1).reshape(90, 12, 3)
    signal = sum(a * np.exp(-2j * np.pi * k @ np.array(x))
                 for a, x in ((1, (0.25, -0.125, 0.25)), (0.5, (-0.3, 0.2, -0.125))))
    np.save(folder / "ksp.npy", np.stack([signal, 2 * signal]).astype("c8"))
    with h5py.File(folder / "bare.mrd", "r+") as f, h5py.File(folder / "stack.mrd", "w") as g:
        rows = f["dataset/data"][()]
        for row, of_row in zip(rows, signal):
            row["data"] = np.stack([of_row, 2 * of_row]).astype("c8").view("f4").ravel()
        f["dataset/data"][...] = rows
        for row, of_row in zip(rows, k / (12, 12, 6)):
            row["head"]["trajectory_dimensions"] = 3
            row["traj"] = of_row.astype("f4").ravel()
        g.create_dataset("dataset/data", data=rows, dtype=f["dataset/data"].dtype)
        g.create_dataset("dataset/xml", data=f["dataset/xml"][()], dtype=f["dataset/xml"].dtype)
    return k / (0.24, 0.24, 0.08)


def tilted_slabs_are_rotated(make):
    """A sequence along tilted axes, by its gradients or by its rotations, is that of the slab."""
    folder = make()
    k = stack_of_stars(folder)
    whole, _ = image(folder, "stack.mrd")
    quaternion, matrix = turn((1, 2, 0.5), 0.6)
    write_sequence(folder / "flat.seq", k)
    write_sequence(folder / "tilted.seq", k @ matrix.T)
    write_sequence(folder / "turned.seq", k, quaternion)
    near(image(folder, "bare.mrd", "--trajectory", "flat.seq")[0], whole, "flat")
    with h5py.File(folder / "bare.mrd", "r+") as f:
        rows = f["dataset/data"][()]
        for row in rows:
            for name, direction in zip(("read_dir", "phase_dir", "slice_dir"), matrix.T):
                row["head"][name] = direction
        f["dataset/data"][...] = rows
    for name, finds in (("tilted.seq", ["axes_assumed"]), ("turned.seq", ["axes_assumed"]),
                        ("flat.seq", [])):
        near(image(folder, "bare.mrd", "--trajectory", name, finds=finds)[0], whole, name)

    quaternion, matrix = turn((1, 2, 0), 0.6)  # about an axis in the planes, as import turns back
    write_sequence(folder / "tilted.seq", k @ matrix.T)
    write_sequence(folder / "turned.seq", k, quaternion)
    words = ["--matrix", "12,12,6", "--fov-mm", "240,240,80", "-o"]
    for name in ("flat", "tilted", "turned"):
        folder.run(0, ["import", "ksp.npy", f"{name}.seq", *words, f"{name}.h5"])
        near(image(folder, f"{name}.h5")[0], whole, f"import of {name}.seq")
        folder.run(0, ["import", f"{name}.seq", *words, "k.h5"])
        with h5py.File(folder / "k.h5") as f:
            expect(np.allclose(f["trajectory"], (k * (0.24, 0.24, 0.08)).reshape(-1, 3),
                               atol=1e-3), f"{name}.seq: k")
        os.remove(folder / "k.h5")


def the_refusal_names_both(make):
    folder = make()
    stripped(folder, "radial", "--readouts", str(SPOKES))
    with h5py.File(folder / "bare.mrd", "r+") as f:
        xml = f["dataset/xml"][()]
        text = xml[0].replace(b"<trajectory>other", b"<trajectory>radial")
        expect(b"<trajectory>radial" in text, "the header has another name")
        del f["dataset/xml"]
        f.create_dataset("dataset/xml", data=[text], dtype=h5py.string_dtype())
    folder.run(INPUT, ["info", "bare.mrd"], ["--trajectory FILE", "Pulseq", "golden-angle"])
    folder.run(0, ["info", "bare.mrd", "--trajectory", "radial"])
    folder.run(USAGE, ["info", "bare.mrd", "--trajectory", "golden-angle:x"], ["DEGREES"])
    folder.run(0, ["simulate", "--trajectory", "random", "--matrix", "16,16", "-o", "random.h5",
                   "--quiet"])
    folder.run(INPUT, ["info", "random.h5", "--trajectory", "radial"], ["samples_per_readout"])


if __name__ == "__main__":
    sys.exit(run_cases([rules_give_the_designs, files_give_the_trajectory, sequences_are_integrated,
                        tilted_slabs_are_rotated, the_refusal_names_both]))
