"""The types of the keywords, for editors and type checkers; the table of options has the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

Regulariser = str | tuple[str, float]


class Keywords(TypedDict, total=False):
    """A keyword of each row of lsrecon.options()."""

    shift_mm: Sequence[float] | str
    conjugate: bool
    stack_slice: int
    field_scale: float
    delays: Sequence[float] | str
    epi_phase: Sequence[float] | str
    maps_threshold: float
    maps_crop: float
    soft_maps: bool
    keep_coils: bool
    coils: int
    energy: float
    no_whitening: bool
    leave_out: str | Sequence[str]
    method: str
    density: str
    lambda_: float | str
    reg: Regulariser | Sequence[Regulariser]
    conjugate_symmetry: bool
    iterations: int
    tolerance: float
    preconditioner: Literal["none", "cosine"]
    solver: str
    backend: Literal["auto", "opencl", "host", "reference"]
    device: str | int
    engine: str
    kernel: str
    precision: Literal["single", "double"]
    accuracy: float
    segment_error: float
    device_memory: float
    noise_map: bool | int
    snr_units: bool
    certify: float
