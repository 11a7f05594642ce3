#!/usr/bin/env python3
"""Field maps, prior images and coil maps of a volume serve slices: the image of each slice is that
of the slice alone with what a plain computation says lies there.

    slices_of_volumes.py LSRECON"""

import os
import re
import resource
import sys
import zlib

import h5py
import nibabel
import numpy as np

from images import write_image
from in_folders import INPUT, expect, run_cases
from oblique_slices import (CENTRES, COILS, FOV, LENGTHS, MIDDLE, N, OF_SLICES, OF_VOLUME, SIZE,
                            SLICES, coil, field, image_of, places, raw, rotation, volume_of,
                            write_volume)

RECON = ["recon", "raw.h5", "--quiet", "--backend", "reference"]


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
            f["field_map"] = field(places(CENTRES[number]))
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
            says = "field map of field.h5" in notes and "resampled to each slice" in notes
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
               ["14 slices", "no positions of slices"])
    folder.run(INPUT, [*RECON, "-o", "image.h5", "--field-map", "volume.h5"], ["/field_map"])


def every_slice_has_its_part_of_a_prior(make):
    folder = make()
    raw(folder, off=False)
    scale = image(folder)

    def prior(at):
        return 1.2 + at @ np.array([0.004, 0.003, -0.005]) + 0.1j
    write_image(folder / "prior.h5", volume_of(prior)[None], LENGTHS, MIDDLE, OF_VOLUME)
    heavy = image(folder, "--reg", "prior:1000", "--prior", "prior.h5", iterations=60)
    wanted = np.array([prior(places(CENTRES[number])) for number in range(SLICES)])
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


def maps_of_slices_may_have_scales_of_their_own(make):
    folder = make()
    raw(folder, COILS, off=False)
    scales = np.array([0.1, 1, 1000])
    for name, factors in (("even.h5", np.ones(SLICES)), ("uneven.h5", scales)):
        maps = np.array([factor * coil(places(centre)) for factor, centre in zip(factors, CENTRES)])
        with h5py.File(folder / name, "w") as f:
            f["coil_maps"] = maps.transpose(1, 0, 2, 3)
            f.attrs["matrix"], f.attrs["fov_mm"] = (N, N, SLICES), (FOV, FOV, 9.5 * SLICES)
            f.attrs["position"], f.attrs["directions"] = CENTRES[1], OF_SLICES.ravel()
    for words in (["--lambda", "0.01"], ["--reg", "tv:0.02"]):
        even, uneven = (image(folder, *words, "--maps", name, iterations=40)
                        for name in ("even.h5", "uneven.h5"))
        for number in range(SLICES):
            off = apart(scales[number] * uneven[number], even[number])
            expect(off < 1e-4, f"{words}: slice {number} is {off} off")


def every_slice_has_its_part_of_coil_maps(make):
    folder = make()
    raw(folder, COILS)
    write_volume(folder / "field.h5", "field_map", volume_of(field))
    write_volume(folder / "maps.h5", "coil_maps", volume_of(coil), units=False)
    both = ["--field-map", "field.h5", "--maps"]
    whole = image(folder, *both, "maps.h5")
    truth = np.array([image_of(number) for number in range(SLICES)])
    expect(apart(whole, truth) < 1e-3, f"{apart(whole, truth)} from the truth")
    mixed = image(folder, *both, "maps.h5", "--coils", str(COILS))
    expect(apart(mixed, whole) < 1e-4, "all virtual coils make another image")
    for number in (0, 2):
        with h5py.File(folder / "plane.h5", "w") as f:
            f["coil_maps"] = coil(places(CENTRES[number]))
        for name in ("plane.h5", "maps.h5"):
            found = image(folder, *both, name, "--slice", str(number))
            expect(apart(found[0], whole[number]) < 1e-5, f"slice {number} of {name}")
    folder.run(0, ["maps", "raw.h5", "--slice", "1", "--maps", "maps.h5", "-o", "one.h5",
                   "--quiet"])
    with h5py.File(folder / "one.h5") as f:
        expect(apart(f["coil_maps"][()], coil(places(CENTRES[1]))) < 1e-5, "maps of a slice")


def a_field_stays_where_it_is(make):
    """When the image moves, from plane and volume alike."""
    folder = make()
    raw(folder)
    write_volume(folder / "field.h5", "field_map", volume_of(field))
    shift = ["--shift-mm", "12,-7"]
    whole = image(folder, *shift, "--field-map", "field.h5")
    still = image(folder, "--field-map", "field.h5")
    for number in range(SLICES):
        centre = CENTRES[number] - 12 * OF_SLICES[0] + 7 * OF_SLICES[1]
        with h5py.File(folder / "plane.h5", "w") as f:
            f["field_map"] = field(places(centre))
            f["field_map"].attrs["units"] = "Hz"
            f.attrs["position"], f.attrs["directions"] = centre, OF_SLICES.ravel()
        alone = image(folder, *shift, "--field-map", "plane.h5", "--slice", str(number))
        expect(apart(alone[0], whole[number]) < 1e-5, f"slice {number}")
        expect(apart(still[number], whole[number]) > 0.1, "an image that stays")


def slices_may_be_turned_against_each_other(make):
    """All through one point, as a localiser's."""
    folder = make()
    turned = [OF_SLICES @ rotation(vector) for vector in ([0, 0, 0], [0.9, 0, 0.2], [0.1, -0.6, 0])]
    raw(folder, COILS, positions=[CENTRES[1]] * SLICES, turned=turned)
    size, lengths = (30, 28, 40), (270.0, 266.0, 400.0)
    write_volume(folder / "field.h5", "field_map", volume_of(field, size, lengths=lengths),
                 lengths=lengths)
    write_volume(folder / "maps.h5", "coil_maps", volume_of(coil, size, lengths=lengths),
                 units=False, lengths=lengths)
    words = ["--field-map", "field.h5", "--maps", "maps.h5"]
    whole = image(folder, *words)
    truth = np.array([image_of(number) for number in range(SLICES)])
    expect(apart(whole, truth) < 1e-3, f"{apart(whole, truth)} from the truth")
    shift = ["--shift-mm", "12,-7"]
    moved = image(folder, *words, *shift)
    for number in range(SLICES):
        alone = image(folder, *words, *shift, "--slice", str(number))
        expect(apart(alone[0], moved[number]) < 1e-5, f"slice {number} that moves")


def what_volumes_take_is_predicted(make):
    folder = make()
    raw(folder, COILS, off=False)
    write_volume(folder / "field.h5", "field_map", volume_of(field, (90, 90, 90)))
    large = 260
    ones = zlib.compress(np.ones((large, large), "c8").tobytes(), 1) # a chunk, for all of them
    for name, dataset, extents in (("maps.h5", "coil_maps", (COILS, large, large, large)),
                                   ("prior.h5", "image", (1, 2 * large, large, large))):
        with h5py.File(folder / name, "w") as f:
            values = f.create_dataset(dataset, extents, "c8", compression="gzip",
                                      compression_opts=1, chunks=(1, 1, large, large))
            for at in np.ndindex(extents[:2]):
                values.id.write_direct_chunk((*at, 0, 0), ones)
            place = f if dataset == "coil_maps" else values
            place.attrs.update({"fov_mm": [LENGTHS[0]] * 3, "position": MIDDLE,
                                "directions": OF_VOLUME.ravel()})

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

    def needed(says, *words):
        said = folder.run(INPUT, [*RECON, "-o", "image.h5", *words],
                          ["ulimit -v", says, "next:"], preexec_fn=limited).stderr
        found = re.search(r"with all else ([0-9.e+-]+) GB", said)
        return float(found.group(1)) * 1e9 if found else 0
    maps = needed("coil maps of all slices", "--maps", "maps.h5")
    both = needed("coil maps of all slices", "--maps", "maps.h5", "--field-map", "field.h5")
    # What its terms of the normal operator take comes on top.
    expect(0.9 < (both - maps) / (16 * 90 ** 3) < 1.5, f"{both - maps} for a field of 90^3")
    prior = needed("the prior image of all slices", "--reg", "prior:1", "--prior", "prior.h5",
                   "--maps", "none")
    expect(prior > 8 * 2 * large ** 3, f"{prior} for a prior image")
    needed("coil maps of all slices", "--maps", "maps.h5", "--reg", "llr:0.01")


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
        f["field_map"] = field(places(CENTRES[1]))
        f["field_map"].attrs["units"] = "Hz"
    folder.run(INPUT, [*work[:-1], "plane.h5"],
               ["several slices", "--slice", "name a volume", "next:"])
    raw(folder, known=False)
    for more in ([], ["--slice", "1"]):
        folder.run(INPUT, [*work, *more], ["the scan has no position and", "next:"])
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
                      ["only zeros"]).stderr
    expect("1 of 3 frames failed: 2" in said, said)


if __name__ == "__main__":
    sys.exit(run_cases([every_slice_has_its_part_of_a_field, images_are_field_maps,
                        every_slice_has_its_part_of_a_prior,
                        every_slice_has_its_part_of_coil_maps,
                        maps_of_slices_may_have_scales_of_their_own, a_field_stays_where_it_is,
                        slices_may_be_turned_against_each_other, what_volumes_take_is_predicted,
                        what_no_slice_can_use,
                        a_frame_fails_alone_where_its_prior_is_zeros]))
