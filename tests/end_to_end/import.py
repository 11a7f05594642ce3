#!/usr/bin/env python3
"""Arrays of other programs as scans: every format and layout gives the scan that the arrays are of;
what does not say what it is, is refused; trajectories beside raw data, of files and by rules.

    import.py LSRECON"""

import os
import shutil
import struct
import subprocess
import sys
import zlib

import h5py
import numpy as np

from in_folders import INPUT, USAGE, expect, run_cases

MATRIX, SPOKES, READ, COILS = 32, 24, 64, 3
SIZE = ["--matrix", f"{MATRIX},{MATRIX}"]


def scan_of_base(folder):
    """The arrays of a simulated radial scan: [C, R, S], [R, S, 2] and maps [C, Y, X]."""
    folder.run(0, ["simulate", "--trajectory", "radial", *SIZE, "--coils", str(COILS), "--readouts",
                   str(SPOKES), "--samples-per-readout", str(READ), "--snr", "50", "-o", "base.h5",
                   "--backend", "reference", "--fov-mm", str(MATRIX), "--quiet"])
    with h5py.File(folder / "base.h5") as f:
        return (f["samples"][()].reshape(COILS, SPOKES, READ),
                f["trajectory"][()].reshape(SPOKES, READ, 2), f["coil_maps"][()])


def same_as_base(folder, name, maps=True):
    with h5py.File(folder / "base.h5") as a, h5py.File(folder / name) as b:
        expect(np.allclose(a["trajectory"], b["trajectory"], atol=1e-4), f"{name}: trajectory")
        expect(np.array_equal(a["samples"], b["samples"]), f"{name}: samples")
        if maps:
            expect(np.array_equal(a["coil_maps"], b["coil_maps"]), f"{name}: maps")


def made(folder, *words):
    """The scan made.h5, which no command replaces."""
    if os.path.exists(folder / "made.h5"):
        os.remove(folder / "made.h5")
    return folder.run(0, ["import", *words, "-o", "made.h5"])


def write_cfl(path, values, dimensions):
    np.asarray(values, "<c8").tofile(path + ".cfl")
    with open(path + ".hdr", "w", encoding="ascii") as f:
        f.write("# Dimensions\n" + " ".join(str(n) for n in dimensions) + "\n")


def mat_element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def mat_matrix(name, value, packed):
    """A MATLAB array, version 5, or compressed as version 7 has it."""
    flags = 6 | (0x800 if np.iscomplexobj(value) else 0)
    content = mat_element(6, struct.pack("<II", flags, 0))
    content += mat_element(5, np.array(value.shape, "<i4").tobytes())
    short = struct.pack("<HH", 1, len(name)) + name.encode() + b"\0" * (4 - len(name))
    content += short if len(name) <= 4 else mat_element(1, name.encode())
    content += mat_element(9, np.asarray(value.real, "<f8").tobytes("F"))
    if np.iscomplexobj(value):
        content += mat_element(9, np.asarray(value.imag, "<f8").tobytes("F"))
    element = mat_element(14, content)
    if packed:
        deflated = zlib.compress(element)
        return struct.pack("<II", 15, len(deflated)) + deflated
    return element


def write_mat(path, arrays, packed=False):
    with open(path, "wb") as f:
        f.write(b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM")
        for name, value in arrays.items():
            f.write(mat_matrix(name, value, packed))


def write_mat_73(path, arrays):
    with h5py.File(path, "w", userblock_size=512) as f:
        for name, value in arrays.items():
            value = value.T
            if np.iscomplexobj(value):
                parts = np.empty(value.shape, [("real", "f8"), ("imag", "f8")])
                parts["real"], parts["imag"] = value.real, value.imag
                value = parts
            f[name] = value
            f[name].attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")


def every_format_gives_the_scan(make):
    folder = make()
    samples, k, maps = scan_of_base(folder)
    np.savez(folder / "a.npz", ksp=samples, traj=k, sens=maps, note=np.arange(3))
    np.savez_compressed(folder / "b.npz", kspace=samples.astype("c16"), coords=k, maps=maps)
    three = np.concatenate([k, 0 * k[..., :1]], -1)
    write_cfl(folder / "ksp", samples, (1, READ, SPOKES, COILS))
    write_cfl(folder / "traj", three, (3, READ, SPOKES))
    write_cfl(folder / "sens", maps, (MATRIX, MATRIX, 1, COILS))
    of_matlab = {"kdata": samples.T, "k": k.T, "maps": maps.T}
    write_mat(folder / "five.mat", of_matlab)
    write_mat(folder / "seven.mat", of_matlab, packed=True)
    write_mat_73(folder / "late.mat", of_matlab)
    with h5py.File(folder / "plain.h5", "w") as f:
        f["raw/ksp"], f["raw/traj"], f["raw/csm"] = samples, k, maps
    np.save(folder / "x.npy", samples.reshape(COILS, -1).astype(">c8"))
    np.save(folder / "m.npy", np.asfortranarray(maps))
    np.savetxt(folder / "traj.csv", k.reshape(-1, 2), delimiter=",", header="kx,ky", comments="")
    for inputs in (["a.npz"], ["b.npz"], ["ksp.cfl", "traj", "sens.hdr"], ["five.mat"],
                   ["five.mat", "--axes", "sample,readout,coil"],
                   ["seven.mat"], ["late.mat"], ["plain.h5"],
                   ["samples=x.npy", "traj.csv", "coil_maps=m.npy"],
                   ["samples=a.npz:ksp", "trajectory=plain.h5:/raw/traj", "coil_maps=m.npy"]):
        made(folder, *inputs)
        same_as_base(folder, "made.h5")
    folder.run(0, ["recon", "made.h5", "-o", "image.h5", "--backend", "reference", "--lambda",
                   "0.01", "--quiet"])


def programs_with(module):
    """A Python that has a module; None where there is none."""
    for python in (sys.executable, os.environ.get("LSRECON_TEST_PYTHON", "")):
        if python and subprocess.run([python, "-c", f"import {module}"], check=False,
                                     capture_output=True).returncode == 0:
            return python
    return None


def files_of_bart(make):
    """Frames lie along its dimension 10; its own files make its own image."""
    folder = make()
    samples, k, _ = scan_of_base(folder)
    frames = np.stack([samples, 2 * samples])
    both = np.stack([k, k[::-1]])
    three = np.concatenate([both, 0 * both[..., :1]], -1)
    for name, values, sizes in (("ksp", frames, (1, READ, SPOKES, COILS)),
                                ("traj", three, (3, READ, SPOKES, 1)),
                                ("one", three[0], (3, READ, SPOKES, 1))):
        write_cfl(folder / name, values, sizes + (1,) * 6 + (values.size // np.prod(sizes),))
    for trajectory, wanted in (("traj", both), ("one", k)):
        made(folder, "ksp", f"trajectory={trajectory}", *SIZE)
        with h5py.File(folder / "made.h5") as f:
            expect(np.array_equal(f["samples"], frames.reshape(2, COILS, -1)), "frames of BART")
            expect(np.allclose(f["trajectory"], wanted.reshape(*f["trajectory"].shape), atol=1e-4),
                   f"{trajectory}: trajectories of frames")
    folder.run(INPUT, ["import", "ksp", "trajectory=traj", "--matrix", "16,16", "-o", "image.h5"],
               [f"--matrix {MATRIX},{MATRIX}"])
    write_cfl(folder / "sets", np.ones((2, COILS, MATRIX, MATRIX)), (MATRIX, MATRIX, 1, COILS, 2))
    folder.run(INPUT, ["import", "ksp", "traj", "coil_maps=sets", "-o", "image.h5"],
               ["bart slice 4 0"])
    if shutil.which("bart") is None:
        print("bart is missing: its files are not tried")
        return
    for words in ("traj -r -x 128 -y 60 whole", "scale 0.5 whole traj",
                  "phantom -k -s 4 -t traj ksp", "phantom -x 64 -S 4 sens",
                  "pics -l2 -r 0 -i 5 -t traj ksp sens image",
                  "phantom -x 64 -s 4 -k whole", "resize -c 1 48 whole lines",
                  "traj -x 64 -y 48 grid", "ecalib -m 1 lines own",
                  "pics -l2 -r 0 -i 5 lines own of_lines"):
        subprocess.run(["bart", *words.split()], cwd=folder.path, check=True, capture_output=True)
    for image, inputs, most in (("image", ["ksp", "traj", "sens"], 5e-3),
                                ("of_lines", ["samples=lines", "trajectory=grid", "coil_maps=own"],
                                 1e-5)):
        made(folder, *inputs)
        folder.run(0, ["recon", "made.h5", "-o", f"{image}.h5", "--backend", "reference",
                       "--lambda", "0", "--iterations", "5", "--quiet"])
        with h5py.File(folder / f"{image}.h5") as f:
            ours = f["image"][0]
        theirs = np.fromfile(folder / f"{image}.cfl", "<c8").reshape(ours.shape)
        theirs = theirs * np.vdot(theirs, ours) / np.vdot(theirs, theirs)
        off = np.linalg.norm(ours - theirs) / np.linalg.norm(ours)
        expect(off < most, f"{image}: {off} from BART's")


def files_of_scipy_and_bart(make):
    folder = make()
    samples, k, maps = scan_of_base(folder)
    for name, more in (("ksp", "# Command\nphantom -k -s 3 -t traj ksp \n# Files\n  traj >ksp \n"),
                       ("traj", "# Command\ntraj -r -x 64 -y 24 traj \n# Files\n  >traj \n")):
        values = samples if name == "ksp" else np.concatenate([k, 0 * k[..., :1]], -1)
        sizes = (1, READ, SPOKES, COILS) if name == "ksp" else (3, READ, SPOKES)
        write_cfl(folder / name, values, sizes + (1,) * (16 - len(sizes)))
        with open((folder / name) + ".hdr", "a", encoding="ascii") as f:
            f.write(more + "# Creator\nBART v0.8.00\n")
    made(folder, "ksp", "traj", *SIZE)
    same_as_base(folder, "made.h5", maps=False)
    python = programs_with("scipy.io")
    if python is None:
        print("scipy is missing: its files are not tried")
        return
    np.savez(folder / "of_base.npz", ksp=samples, traj=k, sens=maps)
    write = """
import numpy as np, scipy.io
of = np.load("of_base.npz")
whole = {"ksp": of["ksp"].T, "traj": of["traj"].T, "sens": of["sens"].T}
scipy.io.savemat("five.mat", whole)
scipy.io.savemat("seven.mat", whole, do_compression=True)
flat = {"ksp": whole["ksp"].reshape(-1, 3, order="F"), "traj": of["traj"].reshape(-1, 2)}
scipy.io.savemat("four.mat", {**flat, "note": "text"}, format="4")
scipy.io.savemat("single.mat", {"ksp": flat["ksp"].astype("c8"), "k": flat["traj"]}, format="4")
"""
    subprocess.run([python, "-c", write], cwd=folder.path, check=True)
    for name in ("five.mat", "seven.mat", "four.mat", "single.mat"):
        made(folder, name, *SIZE)
        same_as_base(folder, "made.h5", maps=name in ("five.mat", "seven.mat"))
    with open(folder / "four.mat", "rb") as f:
        whole = f.read()
    for name, damaged in (("short", whole[:-9]), ("first", whole[:500]),
                          ("more", whole + b"\0" * 30)):
        with open(folder / name, "wb") as f:
            f.write(damaged)
        folder.run(INPUT, ["import", name, "-o", "image.h5", *SIZE])


def layouts_are_recognised_and_said(make):
    folder = make()
    samples, k, maps = scan_of_base(folder)
    flat, rows = samples.reshape(COILS, -1), k.reshape(-1, 2)
    parts = np.stack([flat.real, flat.imag], -1)

    def imported(words, says, **arrays):
        np.savez(folder / "l.npz", **arrays)
        done = made(folder, "l.npz", *SIZE, *words)
        for piece in says:
            expect(piece in done.stdout + done.stderr, f"'{piece}' was not said\n{done.stdout}")
        same_as_base(folder, "made.h5", maps=False)

    imported([], ["behind the samples"], ksp=flat.T.copy(), traj=rows)
    imported([], ["parts are its last axis"], ksp=parts, traj=rows)
    imported([], ["parts are its first axis"], ksp=np.moveaxis(parts, -1, 0).copy(), traj=rows)
    imported([], ["transposed"], ksp=samples.transpose(0, 2, 1).copy(), traj=k)
    imported([], ["first axis has the dimensions"], ksp=flat, traj=rows.T.copy())
    imported([], ["real parts are x"], ksp=flat, traj=rows[:, 0] + 1j * rows[:, 1])
    imported([], ["cycles/voxel"], ksp=samples.transpose(1, 0, 2).copy(), traj=k / MATRIX)
    imported([], ["rad/voxel"], ksp=flat, traj=rows * 2 * np.pi / MATRIX)
    imported(["--convention", "sigpy"], ["y, x, as of sigpy"], ksp=flat, traj=rows[:, ::-1].copy())
    imported(["--axes", "readout,sample,coil"], [], ksp=samples.transpose(1, 2, 0).copy(), traj=k)
    imported(["--axes", "sample,readout,coil"], [], ksp=samples.transpose(2, 1, 0).copy(), traj=k)
    np.savez(folder / "l.npz", ksp=samples.transpose(2, 1, 0), traj=k.transpose(2, 1, 0))
    made(folder, "l.npz", *SIZE, "--axes", "sample,readout,coil")  # as brukerapi has them
    with h5py.File(folder / "made.h5") as f:
        found = f["samples"][:].reshape(COILS, READ, SPOKES).transpose(0, 2, 1)
        points = f["trajectory"][:].reshape(READ, SPOKES, 2).transpose(1, 0, 2)
        expect(np.array_equal(found, samples) and np.allclose(points, k, atol=1e-4),
               "another order of the points")
    imported(["--traj-units", "1/m"], ["1/m"], ksp=flat, traj=rows * 1000 / MATRIX)

    frames = np.stack([flat, 2 * flat])
    np.savez(folder / "f.npz", ksp=frames, traj=rows, te=[0.01, 0.02])
    folder.run(0, ["import", "f.npz", "-o", "frames.h5", *SIZE])
    np.savez(folder / "g.npz", ksp=frames, traj=np.stack([rows, -rows]), w=np.ones(len(rows)),
             t=np.arange(READ) * 1e-5, noise=np.ones((7, COILS)) * 1j)
    folder.run(0, ["import", "g.npz", "-o", "own.h5", *SIZE])
    with h5py.File(folder / "frames.h5") as f, h5py.File(folder / "own.h5") as g:
        expect(np.array_equal(f["samples"], frames) and len(f["echo_times"]) == 2, "frames")
        expect(g["trajectory"].shape == (2, len(rows), 2) and np.array_equal(g["samples"], frames),
               "frames of their own trajectories")
        expect(g["times"].shape == (len(rows),) and g["noise"].shape == (COILS, 7), "times, noise")


def rules_number_readouts(make):
    folder = make()
    samples, k, _ = scan_of_base(folder)
    rule = ["--trajectory", "radial"]
    quiet = ["--quiet", "--backend", "reference", "--lambda", "0.01"]

    def native(name, points=None, length=None):
        with h5py.File(folder / name, "w") as f:
            f.attrs.update(format="lsrecon-scan", version=1, matrix=[MATRIX, MATRIX],
                           fov_mm=[float(MATRIX)] * 2)
            f["samples"] = samples.reshape(COILS, -1)
            if points is not None:
                f["trajectory"] = points.reshape(-1, 2)
                f["trajectory"].attrs["units"] = "cycles/fov"
            if length:
                f["samples"].attrs["samples_per_readout"] = length

    def image(name, scan, *words):
        folder.run(0, ["recon", scan, "-o", name, *words, *quiet])
        with h5py.File(folder / name) as f:
            return f["image"][:]

    native("own.h5", k)
    native("other.h5", k[:, ::-1])
    native("bare.h5", length=READ)
    own = image("own_image.h5", "own.h5", "--maps", "none")
    for scan in ("other.h5", "bare.h5"):  # by breaks, and by the attribute
        ruled = image(f"{scan}_image.h5", scan, "--maps", "none", *rule)
        expect(np.linalg.norm(ruled - own) < 1e-4 * np.linalg.norm(own), f"{scan}: another image")
    np.save(folder / "k.npy", samples)
    folder.run(0, ["import", "samples=k.npy", "trajectory=radial", "--axes", "coil,readout,sample",
                   *SIZE, "--fov-mm", str(MATRIX), "-o", "ruled.h5"])
    with h5py.File(folder / "ruled.h5") as f:
        scale = MATRIX / 1000  # of 1/m
        expect(np.allclose(f["trajectory"][:] * (scale if f["trajectory"].attrs["units"] == "1/m"
                                                 else 1), k.reshape(-1, 2), atol=1e-4), "positions")
    native("nothing.h5")
    for scan, says in (("nothing.h5", "samples_per_readout"), ):
        folder.run(INPUT, ["recon", scan, "-o", "image.h5", *rule, *quiet], [says, "next:"])
    native("wrong.h5", length=READ - 1)
    folder.run(INPUT, ["recon", "wrong.h5", "-o", "image.h5", *rule, *quiet], ["divides"])
    folder.run(INPUT, ["import", "samples=k.npy", "trajectory=radial", *SIZE, "-o", "image.h5"],
               ["--axes", "coil,readout,sample"])
    folder.run(INPUT, ["import", "samples=k.npy", "-o", "image.h5"], ["trajectory=golden-angle"])


def what_cannot_be_read_is_refused(make):
    folder = make()
    samples, k, maps = scan_of_base(folder)
    flat, rows = samples.reshape(COILS, -1), k.reshape(-1, 2)

    def refused(says, words=(), **arrays):
        np.savez(folder / "r.npz", **arrays)
        folder.run(INPUT, ["import", "r.npz", "-o", "image.h5", *SIZE, *words], ["next:", *says])

    refused(["an array of trajectory"], ksp=flat)
    refused(["samples=r.npz:NAME"], a=flat, b=rows)
    refused([f"{len(rows)} samples of the trajectory"], ksp=flat[:, 1:], traj=rows)
    refused(["units of the trajectory"], ksp=flat, traj=rows * 5)
    refused(["real and imaginary"], ksp=flat.real, traj=rows)
    refused(["one map a coil"], ksp=flat, traj=rows, maps=maps[:, 1:])
    refused(["NaN"], ksp=np.where(flat == flat[0, 0], np.nan, flat), traj=rows)
    refused(["finite"], ksp=flat, traj=rows, dcf=np.full(len(rows), np.inf))
    np.savez(folder / "n.npz", ksp=flat, traj=rows)
    folder.run(INPUT, ["import", "n.npz", "-o", "image.h5"], ["matrix", "largest |k|"])
    folder.run(USAGE, ["import", "n.npz", "-o", "image.h5", "--axes", "coils"], ["frame, coil"])
    np.save(folder / "n.npy", flat)
    for name in ("n.npz", "n.npy"):
        folder.run(INPUT, ["info", name], ["lsrecon import"])
    folder.run(USAGE, ["import", "n.npz", "--trajectory", "traj.npy", "-o", "image.h5"],
               ["belongs to recon", "trajectory=FILE"])
    folder.run(USAGE, ["recon", "n.npz", "--axes", "coil", "-o", "image.h5"], ["belongs to import"])
    damage(folder, samples, k)


def damage(folder, samples, k):
    """Damaged files are refused or read; nothing else happens."""
    write_mat(folder / "a.mat", {"ksp": samples[:, :4], "traj": k[:4]})
    write_mat(folder / "b.mat", {"ksp": samples[:, :4], "traj": k[:4]}, packed=True)
    np.savez(folder / "a.npz", ksp=samples[:, :4], traj=k[:4])
    np.savez_compressed(folder / "b.npz", ksp=samples[:, :4], traj=k[:4])
    random = np.random.default_rng(1)
    for name in ("a.mat", "b.mat", "a.npz", "b.npz"):
        with open(folder / name, "rb") as f:
            whole = f.read()
        for trial in range(12):
            damaged = bytearray(whole)
            if trial < 4:
                del damaged[random.integers(0, len(whole)):]
            else:
                for at in random.integers(0, len(whole) if trial < 8 else 400, 6):
                    damaged[at] = random.integers(0, 256)
            with open(folder / "damaged", "wb") as f:
                f.write(damaged)
            done = subprocess.run([folder.program, "import", "damaged", "-o", "damaged.h5", *SIZE],
                                  cwd=folder.path, capture_output=True, text=True, timeout=60)
            if os.path.exists(folder / "damaged.h5"):
                os.remove(folder / "damaged.h5")
            expect(done.returncode in (0, INPUT),
                   f"{name}, {trial}: {done.returncode} {done.stderr}")


if __name__ == "__main__":
    sys.exit(run_cases([every_format_gives_the_scan, files_of_bart, files_of_scipy_and_bart,
                        layouts_are_recognised_and_said,
                        rules_number_readouts, what_cannot_be_read_is_refused]))
