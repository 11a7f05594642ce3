"""Arrays of any library as the module takes them, and results as arrays of the same library."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._words import refuse

_CPU_DEVICES = (1, 3)  # of DLPack: the host, and memory of the host that a card reads


def _on_host(value: Any) -> Any:
    """The array on the host: one of a card is copied, which is said once."""
    device = getattr(value, "__dlpack_device__", None)
    if device is None or isinstance(value, np.ndarray) or device()[0] in _CPU_DEVICES:
        return value
    warnings.warn("arrays on a card are copied through the host", stacklevel=4)
    for copy in ("cpu", "get"):  # of PyTorch, of CuPy
        if hasattr(value, copy):
            return getattr(value, copy)()
    return np.asarray(value)  # JAX copies by itself


def as_numpy(value: Any, keyword: str) -> NDArray[Any]:
    """The values as an array of NumPy, without a copy where they lie on the host."""
    value = _on_host(value)
    if is_torch(value):
        value = value.detach().resolve_conj().resolve_neg()
        return value.numpy()
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        refuse(keyword, f"of {array.dtype}", "an array of numbers", "pass an array of numbers")
    return array


def is_torch(value: Any) -> bool:
    """Whether it is a tensor of PyTorch, which is not imported for the question."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def complexes(value: Any, keyword: str) -> NDArray[np.complexfloating]:
    """Contiguous complex64 or complex128, as the values are."""
    array = as_numpy(value, keyword)
    if array.dtype not in (np.complex64, np.complex128):
        array = array.astype(np.result_type(array.dtype, np.complex64))
        if array.dtype != np.complex64:
            array = array.astype(np.complex128)
    return np.ascontiguousarray(array)


def reals(value: Any, keyword: str) -> NDArray[np.floating]:
    """Contiguous float32 or float64, as the values are."""
    array = as_numpy(value, keyword)
    if array.dtype.kind == "c":
        refuse(keyword, f"of {array.dtype}", "real numbers", "pass its real part")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def like(result: NDArray[Any], template: Any) -> Any:
    """The result as a tensor on the template's device where that is one."""
    if not is_torch(template):
        return result
    return sys.modules["torch"].from_numpy(result).to(template.device)


def shape_in_words(shape: tuple[int, ...]) -> str:
    """"of shape (8, 100)", for messages."""
    return f"of shape {tuple(shape)}"
