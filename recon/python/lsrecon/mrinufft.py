"""Registers mrinufft.get_operator("lsrecon")."""

from __future__ import annotations

from typing import Any

import numpy as np
from mrinufft._utils import proper_trajectory
from mrinufft.operators.base import FourierOperatorCPU, _ToggleGradPlanMixin

from ._coils import density
from ._encoding import Encoding, Operator


class _Transform:
    """The transforms of several images, one after another, into arrays that are there."""

    def __init__(self, samples: np.ndarray, shape: tuple[int, ...], **options: Any) -> None:
        # Samples a whole number of turns a voxel apart are the same.
        wrapped = np.remainder(samples.astype(float) + np.pi, 2 * np.pi) - np.pi
        self._encoding = Encoding(wrapped, shape[::-1], axes="zyx", units="rad/voxel", **options)
        self._is_conjugate = False

    def toggle_grad_traj(self) -> None:
        """Gradients by the trajectory take the sums with the other sign."""
        self._is_conjugate = not self._is_conjugate

    @staticmethod
    def _apply(operator: Operator, values: np.ndarray, to: np.ndarray) -> np.ndarray:
        if np.isfinite(values).all():
            to[...] = operator(values.reshape(-1, *operator.ishape)).reshape(to.shape)
        else:
            to[...] = np.nan  # as others have it: a solver that diverged goes on
        return to

    def op(self, coeffs: np.ndarray, image: np.ndarray) -> np.ndarray:
        if self._is_conjugate:
            self._apply(self._encoding, image.conj(), coeffs)
            return np.conj(coeffs, out=coeffs)
        return self._apply(self._encoding, image, coeffs)

    def adj_op(self, coeffs: np.ndarray, image: np.ndarray) -> np.ndarray:
        return self._apply(self._encoding.H, coeffs, image)


class MRILsrecon(FourierOperatorCPU, _ToggleGradPlanMixin):
    """The arguments of MRI-NUFFT's other operators; others are keywords of lsrecon.Encoding."""

    backend = "lsrecon"
    available = True
    autograd_available = True

    def __init__(self, samples: Any, shape: tuple[int, ...], density: Any = False,
                 n_coils: int = 1, n_batchs: int = 1, n_trans: int = 1, smaps: Any = None,
                 squeeze_dims: bool = True, **options: Any) -> None:
        samples = np.asarray(proper_trajectory(samples, normalize="pi"))
        self._options = options
        super().__init__(samples, shape, density=density, n_coils=n_coils, n_batchs=n_batchs,
                         n_trans=n_trans, smaps=smaps, raw_op=_Transform(samples, shape, **options),
                         squeeze_dims=squeeze_dims)

    def update_samples(self, new_samples: Any, *, unsafe: bool = False) -> None:
        """Takes other samples, in [-pi, pi] already if `unsafe`."""
        if not unsafe:
            new_samples = proper_trajectory(new_samples, normalize="pi")
        self._samples = np.asarray(new_samples)
        self.raw_op = _Transform(self._samples, self.shape, **self._options)

    @classmethod
    def pipe(cls, kspace_loc: Any, volume_shape: tuple[int, ...], max_iter: int = 10,
             osf: float = 2, normalize: bool = True, **options: Any) -> np.ndarray:
        """Weights, (M), by Pipe and Menon: with `normalize` the mean of |A^H w A 1| is 1.
        The kernel and the iterations are those of lsrecon.density, whatever `osf` and `max_iter`
        are."""
        k = np.asarray(proper_trajectory(kspace_loc, normalize="pi"), float)
        weights = density(k, volume_shape[::-1], "pipe", axes="zyx", units="rad/voxel")
        if normalize:
            operator = cls(kspace_loc, volume_shape, **options)
            response = operator.adj_op(weights * operator.op(np.ones(volume_shape, np.complex64)))
            weights = weights / np.abs(response).mean()
        return weights
