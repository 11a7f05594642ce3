"""The encoding of a trajectory as an operator on arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._arrays import complexes, like, shape_in_words
from ._options import words_of
from ._scan import noise_of, samples_of, scan_of
from ._words import refuse


class Operator:
    """A linear map between arrays of two shapes; dimensions before them are done one by one."""

    def __init__(self, ishape: tuple[int, ...], oshape: tuple[int, ...],
                 apply: Callable[[np.ndarray], np.ndarray], adjoint: Callable[[], Operator],
                 made_as: tuple[Operator, str] | None = None) -> None:
        self.ishape = ishape  #: of arrays that it takes
        self.oshape = oshape  #: of arrays that it makes
        self._apply = apply
        self._adjoint = adjoint
        self._made_as = made_as  # an encoding, and its attribute

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, self._made_as

    @property
    def shape(self) -> tuple[int, int]:
        """As a matrix has it: (numbers made, numbers taken)."""
        return int(np.prod(self.oshape)), int(np.prod(self.ishape))

    @property
    def H(self) -> Operator:  # noqa: N802, as others name it
        """The adjoint, an operator too."""
        return self._adjoint()

    def __call__(self, x: Any) -> Any:
        values = complexes(x, "x")
        before = values.shape[:values.ndim - len(self.ishape)]
        if values.shape[len(before):] != self.ishape:
            refuse("x", shape_in_words(values.shape), f"(..., {str(self.ishape)[1:]}",
                   "make its shape agree")
        if not before:
            return like(self._apply(values), x)
        all_of_them = values.reshape(-1, *self.ishape)
        result = np.empty((len(all_of_them), *self.oshape), values.dtype)
        for one, of_one in zip(result, all_of_them):
            one[...] = self._apply(of_one)
        return like(result.reshape(*before, *self.oshape), x)

    __matmul__ = __call__


def _encoding(arguments: dict[str, Any]) -> Encoding:
    return Encoding(**arguments)


class Encoding(Operator):
    """A: from an image, ((z,) y, x), to samples, (C, M), by maps, trajectory and field.

    Without maps A is the transform alone, from ((z,) y, x) to (M). Arrays and keywords are those of
    `recon`; the trajectory is of one frame. It copies the trajectory, and refers to the other
    arrays, which must stay as they are. It never changes, several threads may use it, and it can be
    pickled. complex64 is transformed in single precision, complex128 in double, unless `precision`
    says which. Weights are not part of A and A.H; they stand in A.N, which is A^H W A.
    """

    def __init__(self, trajectory: Any, matrix: Any, *, maps: Any = None, field_map: Any = None,
                 r2star: Any = None, times: Any = None, weights: Any = None, phi: Any = None,
                 fov_mm: Any = None, axes: str = "xyz", units: str = "cycles/fov",
                 accuracy: float | None = None, device: str | None = None,
                 precision: str | None = None, backend: str | None = None,
                 engine: str | None = None) -> None:
        if np.ndim(trajectory) != 2:
            refuse("trajectory", shape_in_words(np.shape(trajectory)), "(M, D), of one frame",
                   "make an encoding of each frame")
        self._arrays = {"trajectory": trajectory, "matrix": matrix, "maps": maps,
                        "field_map": field_map, "r2star": r2star, "times": times,
                        "weights": weights, "phi": phi, "fov_mm": fov_mm, "axes": axes,
                        "units": units}
        self.options = {name: value for name, value in
                        {"accuracy": accuracy, "device": device, "precision": precision,
                         "backend": backend, "engine": engine}.items() if value is not None}
        self._scan = scan_of(None, **self._arrays)
        self._qs = _core.KeptQs()  # of A.N and solve()
        self._cores: dict[str, _core.Encoding] = {}
        self._lock = threading.Lock()
        core = self._core(np.dtype(np.complex64))
        image = tuple(self._scan.matrix[::-1])
        self._has_maps = core.maps > 0
        self.has_weights = weights is not None  #: then A.N is not A.H A
        samples = (core.maps, core.samples) if self._has_maps else (core.samples,)
        super().__init__(image, samples, self._forward, self._adjoint_operator)

    def _core(self, dtype: np.dtype) -> _core.Encoding:
        """The core in the precision of such arrays."""
        asked = self.options.get("precision", "")
        precision = asked or ("double" if dtype == np.complex128 else "single")
        with self._lock:
            if precision not in self._cores:
                options = self.options
                if precision == "double":
                    options = {**options, "precision": "double"}
                self._cores[precision] = _core.Encoding(self._scan, words_of(options),
                                                         self._qs)
            return self._cores[precision]

    def _forward(self, x: np.ndarray) -> np.ndarray:
        return self._core(x.dtype).forward(x).reshape(self.oshape)

    def _backward(self, y: np.ndarray) -> np.ndarray:
        samples = y if self._has_maps else y[None]
        return self._core(y.dtype).adjoint(samples).reshape(self.ishape)

    def _normal(self, x: np.ndarray) -> np.ndarray:
        return self._core(x.dtype).normal(x).reshape(self.ishape)

    def _adjoint_operator(self) -> Operator:
        return Operator(self.oshape, self.ishape, self._backward, lambda: self, (self, "H"))

    def adjoint(self, y: Any) -> Any:
        """A^H y: of samples, (C, M), the image ((z,) y, x)."""
        return self.H(y)

    @property
    def N(self) -> Operator:  # noqa: N802, as others name it
        """A^H W A: a convolution where the library has one, which takes less than A and A^H."""
        normal = Operator(self.ishape, self.ishape, self._normal, lambda: normal, (self, "N"))
        return normal

    def certify(self, samples: Any = None) -> dict[str, tuple[float, float]]:
        """Relative errors of "adjoint" and "normal" against exact sums at random points, each as
        (estimate, bound with a confidence of 97.5 %); of these samples, or of drawn ones."""
        if samples is None:
            draw = np.random.default_rng(1).standard_normal((2, *self.oshape), np.float32)
            samples = draw[0] + 1j * draw[1]
        y = complexes(samples, "samples")
        return self._core(y.dtype).certify(y if self._has_maps else y[None])

    def cost(self) -> dict[str, Any]:
        """What a call of adjoint() takes by prediction: seconds, bytes, error and engine."""
        return self._core(np.dtype(np.complex64)).cost(self.oshape[0] if self._has_maps else 1)

    def scan_of(self, samples: Any, noise: Any = None) -> _core.Scan:
        """The scan that has these samples, ([F,] C, M), or (M) without maps."""
        y = complexes(samples, "samples")
        y = samples_of(y if self._has_maps or y.ndim > 1 else y[None],
                       (self.oshape[-1], len(self.ishape)))
        if self._has_maps and y.shape[1] != self.oshape[0]:
            refuse("samples", shape_in_words(y.shape[1:]), f"{self.oshape}: a row a coil map",
                   "make the two agree")
        noise = noise_of(noise, y.shape[1])
        return self._scan._with_samples(y, noise, (y, noise))

    def __reduce__(self) -> tuple[Any, ...]:
        return _encoding, ({**self._arrays, **self.options},)

    def __repr__(self) -> str:
        return f"Encoding({self.ishape} -> {self.oshape})"
