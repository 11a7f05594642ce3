"""An encoding as a LinearOperator of SciPy, on flattened arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg

from ._encoding import Operator


class LinearOperator(scipy.sparse.linalg.LinearOperator):
    """A, A.H or A.N for the solvers of SciPy: images and samples as vectors of `dtype`."""

    def __init__(self, operator: Operator, dtype: Any = np.complex64) -> None:
        super().__init__(np.dtype(dtype), operator.shape)
        self._operator = operator

    def _apply(self, operator: Operator, x: np.ndarray) -> np.ndarray:
        return operator(np.reshape(x, operator.ishape).astype(self.dtype, copy=False)).ravel()

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self._apply(self._operator, x)

    def _rmatvec(self, x: np.ndarray) -> np.ndarray:
        return self._apply(self._operator.H, x)
