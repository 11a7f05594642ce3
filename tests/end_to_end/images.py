"""Images that tests make: image files with a marked voxel at a known place."""

import h5py
import numpy as np

rng = np.random.default_rng(5)


def directions(left_handed=False):
    """Oblique unit vectors, one a row."""
    rows = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    if (np.linalg.det(rows) < 0) != left_handed:
        rows[2] = -rows[2]
    return rows


def write_image(path, values, fov, position=None, rows=None, positions=None, labels=None):
    """An image file; values [F, (Z,) Y, X]."""
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["version"] = "lsrecon-image", 1
        f["image"] = np.asarray(values, "c8")
        f["image"].attrs["fov_mm"] = fov
        if position is not None:
            f["image"].attrs["position"] = position
        if rows is not None:
            f["image"].attrs["directions"] = np.ravel(rows)
        if positions is not None:
            f["frame_positions"] = np.asarray(positions, float)
        if labels is not None:
            f["frame_labels"] = np.array([label.encode() for label in labels])
        f.create_group("record").attrs["device"] = "none"


def marked(shape, index):
    """Small values and one large one, at [f, (z,) y, x]."""
    values = rng.uniform(0.1, 0.2, shape) + 0.05j
    values[index] = -10
    return values


def place_of(index_xyz, size_xyz, fov, position, rows):
    """Of a voxel, in LPS: docs/formats.md."""
    steps = [(n - size // 2) / size * mm for n, size, mm in zip(index_xyz, size_xyz, fov)]
    return np.asarray(position) + np.array(steps) @ np.asarray(rows)[:len(steps)]
