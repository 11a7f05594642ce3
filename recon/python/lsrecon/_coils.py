"""Coil maps, noise, virtual coils, and the density of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import complexes, like, shape_in_words
from ._options import words_of
from ._recon import _split
from ._scan import fov_of, matrix_of, noise_of, trajectory_of
from ._words import refuse

if TYPE_CHECKING:
    from typing import Unpack

    from ._keywords import Keywords


def _maps(method: str, samples: Any, trajectory: Any, matrix: Any, axes: str, units: str,
          fov_mm: Any, options: dict[str, Any]) -> Any:
    arrays = {} if isinstance(samples, _core.Scan) else {"axes": axes, "units": units,
                                                         "fov_mm": fov_mm}
    scan, options = _split(samples, trajectory, matrix, method, None, arrays, options)
    return like(_core.maps(scan, words_of(options)), samples)


def espirit(samples: Any, trajectory: Any = None, matrix: Any = None, *, axes: str = "xyz",
            units: str = "cycles/fov", fov_mm: Any = None, **options: Unpack[Keywords]) -> Any:
    """Coil maps, (C, (z,) y, x), by ESPIRiT from the centre of k-space; arrays as of `recon`."""
    return _maps("espirit", samples, trajectory, matrix, axes, units, fov_mm, options)


def walsh(samples: Any, trajectory: Any = None, matrix: Any = None, *, axes: str = "xyz",
          units: str = "cycles/fov", fov_mm: Any = None, **options: Unpack[Keywords]) -> Any:
    """Coil maps, (C, (z,) y, x), by the coils' covariance; arrays as of `recon`."""
    return _maps("walsh", samples, trajectory, matrix, axes, units, fov_mm, options)


def _mixed(mixing: np.ndarray, samples: Any) -> Any:
    values = complexes(samples, "samples")
    return like(np.ascontiguousarray(mixing.astype(values.dtype) @ values), samples)


def whiten(samples: Any, noise: Any) -> Any:
    """Samples, ([F,] C, M), of coils whose noise is white, by samples of noise alone, (C, K)."""
    return _mixed(_core.whitening(noise_of(noise, np.shape(samples)[-2])), samples)


def compress(samples: Any, coils: int = 0, energy: float = 1.0) -> Any:
    """Virtual coils, ([F,] V, M): so many, or the fewest that keep this share of the energy."""
    values = complexes(samples, "samples")
    together = values if values.ndim == 2 else np.concatenate(list(values), axis=-1)
    if not 0 <= coils <= together.shape[0]:
        refuse("coils", coils, f"1 to {together.shape[0]}, the coils of `samples`", "pass fewer")
    mixing, _ = _core.compression(np.ascontiguousarray(together), coils, energy)
    return _mixed(mixing, samples)


def density(trajectory: Any, matrix: Any, method: str = _core.density_methods[0], *,
            axes: str = "xyz", units: str = "cycles/fov", fov_mm: Any = None) -> Any:
    """The part of k-space of each sample, (M), in cells of a full Cartesian scan."""
    sides = matrix_of(matrix)
    k = trajectory_of(trajectory, len(sides), axes, units)
    if k.ndim != 2:
        refuse("trajectory", shape_in_words(k.shape), f"(M, {len(sides)})", "pass one frame")
    return like(_core.density(k, sides, fov_of(fov_mm, sides, units), units, method), trajectory)
