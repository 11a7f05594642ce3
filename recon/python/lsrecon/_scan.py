"""Scans of arrays: shapes, units and axes as users have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._arrays import complexes, reals, shape_in_words
from ._words import refuse

UNITS = ("cycles/fov", "cycles/voxel", "rad/voxel", "1/m")


def matrix_of(matrix: Any) -> list[int]:
    """X, Y (and Z) as whole numbers."""
    try:
        sides = [int(side) for side in matrix]
    except (TypeError, ValueError):
        sides = []
    if len(sides) not in (2, 3) or any(n < 1 or n != m for n, m in zip(sides, matrix)):
        refuse("matrix", repr(matrix), "X, Y or X, Y, Z: voxels along each dimension",
               "pass such as (256, 256)")
    return sides


def fov_of(fov_mm: Any, matrix: Sequence[int], units: str) -> list[float]:
    """One length a dimension; voxels of 1 mm where nobody says."""
    if fov_mm is None:
        if units == "1/m":
            refuse("units", "1/m without `fov_mm`", "the field of view, in mm", "pass `fov_mm`")
        return [float(n) for n in matrix]
    lengths = np.broadcast_to(np.asarray(fov_mm, float), len(matrix)) \
        if np.ndim(fov_mm) == 0 or len(fov_mm) == len(matrix) else np.zeros(1)
    if not np.all(lengths > 0):
        refuse("fov_mm", repr(fov_mm), f"a length in mm, or {len(matrix)} of them",
               "pass the field of view")
    return [float(length) for length in lengths]


def trajectory_of(trajectory: Any, dimensions: int, axes: str, units: str) -> np.ndarray:
    """([F,] M, D) with columns x, y, z."""
    if axes not in ("xyz", "zyx"):
        refuse("axes", repr(axes), "xyz or zyx", "say which column of `trajectory` comes first")
    if units not in UNITS:
        refuse("units", repr(units), f"one of {', '.join(UNITS)}", "say what `trajectory` is in")
    k = reals(trajectory, "trajectory")
    if k.ndim not in (2, 3) or k.shape[-1] != dimensions:
        hint = "pass one row a sample, spokes and readouts flattened: trajectory.reshape(-1, " \
               f"{dimensions})"
        if k.ndim == 2 and k.shape[0] == dimensions:
            hint = "pass trajectory.T"
        refuse("trajectory", shape_in_words(k.shape),
               f"(M, {dimensions}) or (F, M, {dimensions}), since `matrix` has {dimensions} sides",
               hint)
    return np.ascontiguousarray(k[..., ::-1]) if axes == "zyx" else k


def samples_of(samples: Any, of_trajectory: tuple[int, ...]) -> np.ndarray:
    """(F, C, M), for a trajectory of this shape"""
    values = complexes(samples, "samples")
    count = of_trajectory[-2]
    if values.ndim not in (2, 3) or values.shape[-1] != count:
        hint = "pass one row a coil, spokes and readouts flattened: samples.reshape(coils, -1)"
        if values.ndim == 1 and values.shape == (count,):
            hint = "pass samples[None] for one coil"
        elif values.ndim >= 2 and values.shape[-2] == count:
            hint = "pass samples.swapaxes(-1, -2): coils come before samples"
        refuse("samples", shape_in_words(values.shape),
               f"(C, {count}) or (F, C, {count}), since `trajectory` has {count} rows", hint)
    frames = values.shape[0] if values.ndim == 3 else 1
    if len(of_trajectory) == 3 and of_trajectory[0] != frames:
        refuse("samples", shape_in_words(values.shape),
               f"{of_trajectory[0]} frames, as `trajectory` has", "make the two agree")
    return values.reshape(frames, *values.shape[-2:])


def noise_of(noise: Any, coils: int) -> np.ndarray | None:
    """(C, K), or None"""
    if noise is None:
        return None
    values = complexes(noise, "noise")
    if values.ndim != 2 or values.shape[0] != coils:
        refuse("noise", shape_in_words(values.shape), f"({coils}, K), a row a coil",
               "pass samples of noise alone, coils first")
    return values


def _of_shape(value: Any, keyword: str, shape: tuple[int, ...], meaning: str) -> Any:
    if value is None:
        return None
    convert = complexes if keyword == "phi" else reals
    array = convert(value, keyword)
    if array.shape != shape:
        refuse(keyword, shape_in_words(array.shape), f"{shape}, {meaning}",
               f"pass such as {keyword}.T" if array.shape == shape[::-1] else
               "make its shape agree")
    return array


def scan_of(samples: Any, trajectory: Any, matrix: Any, *, maps: Any = None, field_map: Any = None,
            r2star: Any = None, times: Any = None, noise: Any = None, weights: Any = None,
            phi: Any = None, fov_mm: Any = None, axes: str = "xyz", units: str = "cycles/fov",
            coils: int = 1) -> _core.Scan:
    """A scan of arrays; of no samples where these are None, as an encoding has it."""
    matrix = matrix_of(matrix)
    k = trajectory_of(trajectory, len(matrix), axes, units)
    fov = fov_of(fov_mm, matrix, units)
    image, count = tuple(matrix[::-1]), k.shape[-2]
    if maps is not None:
        maps = complexes(maps, "maps")
        coils = maps.shape[0] if maps.ndim else 0
    if samples is None:
        samples = np.zeros((1, coils, 0), np.complex64)
    else:
        samples = samples_of(samples, k.shape)
        coils = samples.shape[1]
    if maps is not None and maps.shape != (coils, *image):
        refuse("maps", shape_in_words(maps.shape), f"{(coils, *image)}: a map of `matrix` a coil",
               "pass coils first, and x last")
    if field_map is not None and times is None:
        refuse("times", None, "when each sample was taken, with `field_map`", "pass both")
    on_image = "a number a voxel of `matrix`, x last"
    a_sample = "one a sample"
    arrays = {
        "samples": samples, "trajectory": k, "maps": maps,
        "weights": _of_shape(weights, "weights", (count,), a_sample),
        "times": _of_shape(times, "times", (count,), a_sample),
        "field_map": _of_shape(field_map, "field_map", image, on_image),
        "r2star": _of_shape(r2star, "r2star", image, on_image),
        "noise": noise_of(noise, coils), "phi": _of_shape(phi, "phi", (count,), a_sample)}
    return _core.scan(matrix=matrix, fov_mm=fov, units=units, **arrays, arrays=arrays)
