"""An encoding as the physics of deepinv, whose images have a channel for each part."""

from __future__ import annotations

from typing import Any

import torch
from deepinv.physics import LinearPhysics

from ._encoding import Encoding
from .torch import Linear


def _complex(x: torch.Tensor) -> torch.Tensor:
    return torch.view_as_complex(x.movedim(1, -1).contiguous())


def _channels(x: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(x).movedim(-1, 1).contiguous()


class Physics(LinearPhysics):
    """From images (B, 2, (z,) y, x) to samples (B, 2, C, M)."""

    def __init__(self, encoding: Encoding, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._linear = Linear(encoding)

    def A(self, x: torch.Tensor, **_: Any) -> torch.Tensor:  # noqa: N802, as deepinv names it
        return _channels(self._linear(_complex(x)))

    def A_adjoint(self, y: torch.Tensor, **_: Any) -> torch.Tensor:  # noqa: N802
        return _channels(self._linear.adjoint(_complex(y)))
