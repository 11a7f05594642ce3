"""An encoding as a module of PyTorch, whose gradients pass through its adjoint."""

from __future__ import annotations

from typing import Any

import torch

from ._encoding import Encoding, Operator


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, operator: Operator) -> torch.Tensor:
        ctx.operator = operator
        return operator(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return _Apply.apply(gradient, ctx.operator.H), None


class Linear(torch.nn.Module):
    """A of images (..., (z,) y, x), with `adjoint` and `normal`; all three have gradients."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self.encoding = encoding

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return _Apply.apply(x, self.encoding)

    def adjoint(self, y: torch.Tensor) -> torch.Tensor:
        """A^H y."""
        return _Apply.apply(y, self.encoding.H)

    def normal(self, x: torch.Tensor) -> torch.Tensor:
        """A^H W A x."""
        return _Apply.apply(x, self.encoding.N)
