#!/usr/bin/env python3
"""Field maps, prior images and coil maps of a volume serve slices: the image of each slice is that
of the slice alone with what a plain computation says lies there.

    slices_of_volumes.py LSRECON"""

import os
import pathlib
import sys

import h5py
import nibabel
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import ACQUISITION, XML, write # noqa: E402
from images import directions, write_image # noqa: E402
from in_folders import INPUT, expect, run_cases # noqa: E402

N, FOV, SLICES, COILS, STEP_S = 24, 200.0, 3, 3, 300e-6
CARTESIAN = XML.replace("<x>4</x><y>4</y>", f"<x>{N}</x><y>{N}</y>").replace("spiral", "cartesian")
RECON = ["recon", "raw.h5", "--quiet", "--backend", "reference"]
rng = np.random.default_rng(11)
# x, y and z of the slices in the patient, those of the volumes, and the slices' centres.
OF_SLICES, OF_VOLUME = directions(), None
CENTRES = [np.array([6.0, -11, 17]) + 9.5 * (s - 1) * OF_SLICES[2] for s in range(SLICES)]


def rotation(vector):
    """By the length of a vector about it."""
    x, y, z = vector
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    total, term = np.eye(3), np.eye(3)
    for power in range(1, 30):
        term = term @ cross / power
        total = total + term
    return total


OF_VOLUME = OF_SLICES @ rotation([0.2, -0.15, 0.3])


def places(number):
    """Of the voxels of a slice, [y, x, 3] in mm."""
    steps = (np.arange(N) - N // 2) * FOV / N
    return (CENTRES[number] + steps[None, :, None] * OF_SLICES[0]
            + steps[:, None, None] * OF_SLICES[1])


def field(at):
    """In Hz; linear, so that its interpolation is exact."""
    return 35 + at @ np.array([1.1, -0.8, 1.6])


def coil(at):
    """[C, ...], linear in the real and the imaginary part."""
    slopes = np.array([[2, 1, -2], [-1, 2, 3], [-2, -2, 1]]) / 500
    others = np.array([[1, -2, 3], [2, 1, -1], [0, 3, 2]]) / 500
    return np.array([1 + at @ a + 1j * (at @ b) for a, b in zip(slopes, others)])


SIZE, LENGTHS, MIDDLE = (30, 28, 14), (270.0, 266.0, 140.0), np.array([2.0, -5, 12])


def volume_of(function, size=SIZE, rows=None):
    """Of a function of places, [..., z, y, x]."""
    rows = OF_VOLUME if rows is None else rows
    steps = [(np.arange(n) - n // 2) * length / n for n, length in zip(size, LENGTHS)]
    z, y, x = np.meshgrid(*steps[::-1], indexing="ij")
    return function(MIDDLE + x[..., None] * rows[0] + y[..., None] * rows[1]
                    + z[..., None] * rows[2])


def write_volume(path, name, values, drop=(), units=True):
    """HDF5, as --field-map and --maps take it."""
    with h5py.File(path, "w") as f:
        f[name] = values
        if units:
            f[name].attrs["units"] = "Hz"
        attributes = {"matrix": values.shape[:-4:-1], "fov_mm": LENGTHS, "position": MIDDLE,
                      "directions": OF_VOLUME.ravel()}
        for key, value in attributes.items():
            if key not in drop:
                f.attrs[key] = value


def image_of(number):
    """Smooth, and another in every slice."""
    y, x = np.meshgrid(np.arange(N) - N // 2, np.arange(N) - N // 2, indexing="ij")
    disc = 1 / (1 + np.exp((x ** 2 + y ** 2) / 12 - 5))
    return disc * (1 + 0.3 * number + 0.5j * np.sin(x / 3 + number) + 0.4 * np.cos(y / 4))


def raw(folder, coils=1, off=True, positions=None, known=True):
    """Lines of every slice, of the signal exp(-i 2 pi (k x + f t))."""
    steps = (np.arange(N) - N // 2) / N
    rows = []
    for number in (1, 0, 2):
        frequency = field(places(number)) if off else np.zeros((N, N))
        maps = coil(places(number))[:coils] if coils > 1 else np.ones((1, N, N))
        for line in range(N):
            samples = np.empty((coils, N), complex)
            for m in range(N):
                phase = ((m - N // 2) * steps[None, :] + (line - N // 2) * steps[:, None]
                         + frequency * (m - N // 2) * STEP_S)
                samples[:, m] = (maps * image_of(number) * np.exp(-2j * np.pi * phase)).sum((1, 2))
            row = np.zeros(1, ACQUISITION)
            head = row["head"]
            head["version"], head["sample_time_us"] = 1, STEP_S * 1e6
            head["number_of_samples"], head["center_sample"] = N, N // 2
            head["available_channels"] = head["active_channels"] = coils
            if known:
                head["read_dir"], head["phase_dir"], head["slice_dir"] = OF_SLICES
                head["position"] = (positions or CENTRES)[number]
            head["idx"]["slice"], head["idx"]["kspace_encode_step_1"] = number, line
            row["traj"][0] = np.zeros(0, "f4")
            row["data"][0] = samples.astype("c8").ravel().view("f4")
            rows.append(row)
    write(folder / "raw.h5", CARTESIAN, np.concatenate(rows))


def image(folder, *words, iterations=15):
    folder.run(0, [*RECON, "-o", "i.h5", "--iterations", str(iterations), *words])
    with h5py.File(folder / "i.h5") as f:
        found = f["image"][()]
    os.unlink(folder / "i.h5")
    return found


def apart(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def every_slice_has_its_part_of_a_field(make):
    folder = make()
    raw(folder)
    write_volume(folder / "field.h5", "field_map", volume_of(field).astype("f4"))
    whole = image(folder, "--field-map", "field.h5")
    truth = np.array([image_of(number) for number in range(SLICES)])
    blurred = image(folder, "--field-map", "none")
    for number in range(SLICES):
        with h5py.File(folder / "plane.h5", "w") as f:
            f["field_map"] = field(places(number))
            f["field_map"].attrs["units"] = "Hz"
        one = ["--slice", str(number)]
        alone = image(folder, *one, "--field-map", "plane.h5")
        expect(apart(whole[number], alone[0]) < 1e-5, f"slice {number} has another field")
        from_volume = image(folder, *one, "--field-map", "field.h5")
        expect(apart(from_volume[0], alone[0]) < 1e-5, f"slice {number} alone has another field")
        errors = apart(whole[number], truth[number]), apart(blurred[number], truth[number])
        expect(errors[0] < 1e-3 and errors[1] > 0.1, f"slice {number} is {errors} from the truth")
    other = image(folder, "--slice", "1", "--field-map", "plane.h5") # that of slice 2
    expect(apart(other[0], whole[1]) > 0.01, "slices whose field would be the same anyway")
    together = image(folder, "--field-map", "field.h5", "--lambda", "1e-3", iterations=60)
    if folder.can_run(["recon", "raw.h5", "-o", "i.h5", "--quiet", "--field-map", "field.h5",
                       "--lambda", "1e-3", "--iterations", "60"]): # time segments of a device
        with h5py.File(folder / "i.h5") as f:
            expect(apart(f["image"][()], together) < 1e-3, apart(f["image"][()], together))
            notes = " ".join(str(v) for v in f["record"].attrs.values())
            says = "field map of field.h5" in notes and "at the place of each slice" in notes
            expect(says, notes)


def images_are_field_maps(make):
    """NIfTI-1 from another corner, its gzip, ISMRMRD images, and slices as frames of one series."""
    folder = make()
    raw(folder)
    values = volume_of(field).astype("f4")
    write_volume(folder / "field.h5", "field_map", values)
    wanted = image(folder, "--field-map", "field.h5")
    write_image(folder / "volume.h5", values[None], LENGTHS, MIDDLE, OF_VOLUME)
    heights = (np.arange(SIZE[2]) - SIZE[2] // 2) * LENGTHS[2] / SIZE[2]
    write_image(folder / "stack.h5", values, LENGTHS[:2], MIDDLE, OF_VOLUME,
                MIDDLE + heights[:, None] * OF_VOLUME[2])
    for command in ("volume.h5 -o a.nii --part real", "volume.h5 -o b.nii.gz --part real",
                    "volume.h5 -o c.mrd", "stack.h5 -o d.mrd --part real"):
        folder.run(0, ["convert", *command.split(), "--quiet"])
    stored = nibabel.load(folder / "a.nii")
    mirrored = stored.affine @ np.diag([-1, 1, 1, 1])
    mirrored[:3, 3] += stored.affine[:3, 0] * (SIZE[0] - 1)
    nibabel.save(nibabel.Nifti1Image(stored.get_fdata()[::-1].astype("f8"), mirrored),
                 folder / "e.nii")
    for name in ("a.nii", "b.nii.gz", "c.mrd", "d.mrd", "e.nii"):
        found = image(folder, "--field-map", name)
        expect(apart(found, wanted) < 1e-5, f"{name} is {apart(found, wanted)} off")
    alone = image(folder, "--slice", "2", "--field-map", "e.nii")
    expect(apart(alone[0], wanted[2]) < 1e-5, "slice 2 alone")
    folder.run(0, ["convert", "volume.h5", "-o", "c.nii", "--part", "complex", "--quiet"])
    expect(apart(image(folder, "--field-map", "c.nii"), wanted) < 1e-5, "imaginary parts of 0")

    write_image(folder / "complex.h5", values[None] + 1j, LENGTHS, MIDDLE, OF_VOLUME)
    write_image(folder / "two.h5", np.array([values, values]), LENGTHS, MIDDLE, OF_VOLUME)
    write_image(folder / "zeros.h5", 0 * values[None] + 1j, LENGTHS, MIDDLE, OF_VOLUME)
    refused = [("complex.h5", ["--part", "complex"], "the complex number"),
               ("two.h5", ["--part", "real"], "2 frames")]
    for name, words, says in refused:
        for to in ("bad.nii", "bad.mrd"):
            folder.run(0, ["convert", name, "-o", to, *words, "--quiet"])
            folder.run(INPUT, [*RECON, "-o", "image.h5", "--field-map", to], [to, says, "next:"])
    folder.run(0, ["convert", "volume.h5", "-o", "bad.cfl", "--quiet"])
    folder.run(INPUT, [*RECON, "-o", "image.h5", "--field-map", "bad.cfl"],
               ["--fov-mm", "--part real"])
    folder.run(INPUT, [*RECON, "-o", "image.h5", "--field-map", "volume.h5"], ["/field_map"])


def every_slice_has_its_part_of_a_prior(make):
    folder = make()
    raw(folder, off=False)
    scale = image(folder)

    def prior(at):
        return 1.2 + at @ np.array([0.004, 0.003, -0.005]) + 0.1j
    write_image(folder / "prior.h5", volume_of(prior)[None], LENGTHS, MIDDLE, OF_VOLUME)
    heavy = image(folder, "--reg", "prior:1000", "--prior", "prior.h5", iterations=60)
    wanted = np.array([prior(places(number)) for number in range(SLICES)])
    expect(apart(heavy, wanted) < 3e-3, f"{apart(heavy, wanted)} from the prior")
    expect(apart(heavy[[1, 2, 0]], wanted) > 0.01, "priors that would be the same anyway")
    words = ["--reg", "prior:0.5", "--reg", "anatomical:0.2"]
    whole = image(folder, *words, "--prior", "prior.h5")
    expect(apart(whole, scale) > 0.05, "a prior that does nothing")
    for number in range(SLICES):
        write_image(folder / "plane.h5", wanted[number][None], [FOV, FOV])
        one = ["--slice", str(number), *words, "--prior"]
        for name in ("plane.h5", "prior.h5"):
            found = image(folder, *one, name)
            expect(apart(found[0], whole[number]) < 1e-5, f"slice {number} of {name}")


def every_slice_has_its_part_of_coil_maps(make):
    folder = make()
    raw(folder, COILS)
    write_volume(folder / "field.h5", "field_map", volume_of(field))
    write_volume(folder / "maps.h5", "coil_maps", volume_of(coil), units=False)
    both = ["--field-map", "field.h5", "--maps"]
    whole = image(folder, *both, "maps.h5")
    truth = np.array([image_of(number) for number in range(SLICES)])
    expect(apart(whole, truth) < 1e-3, f"{apart(whole, truth)} from the truth")
    mixed = image(folder, *both, "maps.h5", "--coils", str(COILS), "--compression", "geometric")
    expect(apart(mixed, whole) < 1e-4, "all virtual coils make another image")
    for number in (0, 2):
        with h5py.File(folder / "plane.h5", "w") as f:
            f["coil_maps"] = coil(places(number))
        for name in ("plane.h5", "maps.h5"):
            found = image(folder, *both, name, "--slice", str(number))
            expect(apart(found[0], whole[number]) < 1e-5, f"slice {number} of {name}")
    folder.run(0, ["maps", "raw.h5", "--slice", "1", "--maps", "maps.h5", "-o", "one.h5",
                   "--quiet"])
    with h5py.File(folder / "one.h5") as f:
        expect(apart(f["coil_maps"][()], coil(places(1))) < 1e-5, "maps of a slice")


def what_no_slice_can_use(make):
    folder = make()
    raw(folder)
    values = volume_of(field)
    work = [*RECON, "-o", "image.h5", "--field-map", "field.h5"]
    for drop, says in ((["position"], "this file has no position"),
                       (["directions"], "this file has no directions"),
                       (["position", "directions"], "no position and directions"),
                       (["matrix", "fov_mm"], "fov_mm")):
        write_volume(folder / "field.h5", "field_map", values, drop)
        for more in ([], ["--slice", "1"]):
            folder.run(INPUT, [*work, *more], ["field.h5", says, "next:"])
    write_volume(folder / "field.h5", "field_map", values)
    with h5py.File(folder / "plane.h5", "w") as f:
        f["field_map"] = field(places(1))
        f["field_map"].attrs["units"] = "Hz"
    folder.run(INPUT, [*work[:-1], "plane.h5"],
               ["several slices", "--slice", "name a volume with position and directions", "next:"])
    raw(folder, known=False)
    for more in ([], ["--slice", "1"]):
        folder.run(INPUT, [*work, *more], ["the scan has no position and directions", "next:"])
    raw(folder, positions=[CENTRES[0], CENTRES[1], CENTRES[1] + 80 * OF_VOLUME[2]])
    folder.run(INPUT, work, ["field of view of the field map", "mm beyond it", "next:"])
    image(folder, "--field-map", "field.h5", "--slice", "0,1")
    raw(folder, positions=[CENTRES[0]] * SLICES)
    folder.run(INPUT, work, ["raw.h5", "the same of two slices", "next:"])


def a_frame_fails_alone_where_its_prior_is_zeros(make):
    folder = make()
    raw(folder, off=False)

    def prior(at):
        return (np.abs((at - CENTRES[2]) @ OF_SLICES[2]) > 5) * 1.0
    along = volume_of(prior, (30, 28, 60), OF_SLICES)
    write_image(folder / "prior.h5", along[None], LENGTHS, MIDDLE, OF_SLICES)
    folder.kept = {"i.h5.part"}
    said = folder.run(INPUT, [*RECON, "-o", "i.h5", "--reg", "prior:0.1", "--prior", "prior.h5"],
                      ["zeros alone where the image of the scan is"]).stderr
    expect("1 of 3 frames failed: 2" in said, said)


if __name__ == "__main__":
    sys.exit(run_cases([every_slice_has_its_part_of_a_field, images_are_field_maps,
                        every_slice_has_its_part_of_a_prior,
                        every_slice_has_its_part_of_coil_maps, what_no_slice_can_use,
                        a_frame_fails_alone_where_its_prior_is_zeros]))
