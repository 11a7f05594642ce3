"""Raw data of slices that lie obliquely in the patient, in a linear field, and volumes of the same
functions of places, which lie otherwise. Interpolation of these is exact."""

import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import ACQUISITION, XML, write # noqa: E402
from images import directions # noqa: E402

N, FOV, SLICES, COILS, STEP_S = 16, 200.0, 3, 3, 450e-6
CARTESIAN = XML.replace("<x>4</x><y>4</y>", f"<x>{N}</x><y>{N}</y>").replace("spiral", "cartesian")
OF_SLICES = directions() # of x, y and z in the patient
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


def places(centre, rows=None):
    """Of the voxels of a slice, [y, x, 3] in mm."""
    rows = OF_SLICES if rows is None else rows
    steps = (np.arange(N) - N // 2) * FOV / N
    return centre + steps[None, :, None] * rows[0] + steps[:, None, None] * rows[1]


def field(at):
    """In Hz; linear, so that its interpolation is exact."""
    return 35 + at @ np.array([1.1, -0.8, 1.6])


def coil(at):
    """[C, ...], linear in the real and the imaginary part."""
    slopes = np.array([[2, 1, -2], [-1, 2, 3], [-2, -2, 1]]) / 500
    others = np.array([[1, -2, 3], [2, 1, -1], [0, 3, 2]]) / 500
    return np.array([1 + at @ a + 1j * (at @ b) for a, b in zip(slopes, others)])


SIZE, LENGTHS, MIDDLE = (30, 28, 14), (270.0, 266.0, 140.0), np.array([2.0, -5, 12])


def volume_of(function, size=SIZE, rows=None, lengths=LENGTHS):
    """Of a function of places, [..., z, y, x]."""
    rows = OF_VOLUME if rows is None else rows
    steps = [(np.arange(n) - n // 2) * length / n for n, length in zip(size, lengths)]
    z, y, x = np.meshgrid(*steps[::-1], indexing="ij")
    return function(MIDDLE + x[..., None] * rows[0] + y[..., None] * rows[1]
                    + z[..., None] * rows[2])


def write_volume(path, name, values, drop=(), units=True, lengths=LENGTHS):
    """HDF5, as --field-map and --maps take it."""
    with h5py.File(path, "w") as f:
        f[name] = values
        if units:
            f[name].attrs["units"] = "Hz"
        attributes = {"matrix": values.shape[:-4:-1], "fov_mm": lengths, "position": MIDDLE,
                      "directions": OF_VOLUME.ravel()}
        for key, value in attributes.items():
            if key not in drop:
                f.attrs[key] = value


def image_of(number):
    """Smooth, and another in every slice."""
    y, x = np.meshgrid(np.arange(N) - N // 2, np.arange(N) - N // 2, indexing="ij")
    disc = 1 / (1 + np.exp((x ** 2 + y ** 2) / 8 - 2.75))
    return disc * (1 + 0.3 * number + 0.5j * np.sin(x / 3 + number) + 0.4 * np.cos(y / 4))


def raw(folder, coils=1, off=True, positions=None, known=True, turned=None):
    """Lines of every slice, of the signal exp(-i 2 pi (k x + f t)); its axes may be given."""
    steps = (np.arange(N) - N // 2) / N
    rows = []
    for number in (1, 0, 2):
        axes = OF_SLICES if turned is None else turned[number]
        at = places((positions or CENTRES)[number], axes)
        frequency = field(at) if off else np.zeros((N, N))
        maps = coil(at)[:coils] if coils > 1 else np.ones((1, N, N))
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
                head["read_dir"], head["phase_dir"], head["slice_dir"] = axes
                head["position"] = (positions or CENTRES)[number]
            head["idx"]["slice"], head["idx"]["kspace_encode_step_1"] = number, line
            row["traj"][0] = np.zeros(0, "f4")
            row["data"][0] = samples.astype("c8").ravel().view("f4")
            rows.append(row)
    write(folder / "raw.h5", CARTESIAN, np.concatenate(rows))
