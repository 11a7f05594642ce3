"""An encoding as a Linop of SigPy, with its normal operator."""

from __future__ import annotations

import numpy as np
import sigpy

from ._encoding import Encoding, Operator


class Linop(sigpy.linop.Linop):
    """A, A.H or A.N for the apps of SigPy. Arrays of a trajectory in its order of columns and its
    units are `Encoding(coord, matrix, axes="zyx", ...)`. SigPy's own transform of N voxels is
    1 / sqrt(N) of this one."""

    def __init__(self, operator: Operator) -> None:
        super().__init__(list(operator.oshape), list(operator.ishape), repr_str="lsrecon")
        self._operator = operator

    def _apply(self, input: np.ndarray) -> np.ndarray:  # noqa: A002, as SigPy names it
        return self._operator(input)

    def _adjoint_linop(self) -> Linop:
        return Linop(self._operator.H)

    def _normal_linop(self) -> sigpy.linop.Linop:
        if isinstance(self._operator, Encoding) and not self._operator.has_weights:
            return Linop(self._operator.N)
        return super()._normal_linop()
