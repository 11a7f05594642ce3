"""An encoding as an operator of MRpro, which takes and gives tuples of tensors."""

from __future__ import annotations

import torch
from mrpro.operators import LinearOperator

from ._encoding import Encoding
from .torch import Linear


class Operator(LinearOperator):
    """From (..., z, y, x), where z is 1 in two dimensions, to (..., coils, M)."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self._linear = Linear(encoding)
        self._is_plane = len(encoding.ishape) == 2

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor]:
        return (self._linear(x.squeeze(-3) if self._is_plane else x),)

    def adjoint(self, y: torch.Tensor) -> tuple[torch.Tensor]:
        x = self._linear.adjoint(y)
        return (x.unsqueeze(-3) if self._is_plane else x,)
