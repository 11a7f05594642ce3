"""Images of scans, and what is asked of a scan beside its image."""

from __future__ import annotations

import base64
import html
import os
import struct
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import complexes, like, shape_in_words
from ._options import documented, words_of
from ._scan import scan_of
from ._words import of_python, refuse

if TYPE_CHECKING:
    from typing import Unpack

    from ._encoding import Encoding
    from ._keywords import Keywords


class Finding(NamedTuple):
    """What a user should know of a scan or an image; scripts read its code."""

    code: str
    severity: str
    words: str


class State(NamedTuple):
    """Where a solve is: iterations done, and the relative residual."""

    frame: int
    problem: int
    iteration: int
    residual: float


class Stopped(RuntimeError):
    """The callback ended the solve by returning False."""


@dataclass(frozen=True)
class Image:
    """An image, how wrong its transforms make it, and how it was made."""

    array: Any  #: ([F,] (z,) y, x), of the library and the precision that the samples have
    error: float | None  #: bound of the relative L2 error by transforms, 95 %; None if not known
    record: dict[str, Any]  #: options, numbers and tables of the run
    findings: list[Finding]  #: what to check or act upon
    affine: np.ndarray | None  #: index along x, y, z to mm in RAS; None if the scan does not say
    affines: np.ndarray | None = None  #: (F, 4, 4), one a frame, where these lie apart
    noise_map: np.ndarray | None = None  #: with `noise_map`
    g_factor: np.ndarray | None = None
    fov_mm: tuple[float, ...] = ()
    _about: Any = field(default=None, repr=False, compare=False)

    def to_dicom(self, folder: str | os.PathLike[str], *, affine: Any = None,
                 **attributes: Any) -> list[str]:
        """Writes magnitudes as DICOM by pydicom, a file a slice of each frame. Returns the paths.

        affine : where the image lies, in place of its own
        attributes : of every file, such as PatientName="A", SeriesNumber=3
        """
        from ._dicom import write_dicom
        return write_dicom(self, folder, affine, attributes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.asarray(self._numpy(), dtype)
        return array.copy() if copy else array

    def _numpy(self) -> np.ndarray:
        return self.array if isinstance(self.array, np.ndarray) else self.array.cpu().numpy()

    def _grey(self) -> np.ndarray:
        values = np.ascontiguousarray(self._numpy())
        sides = len(self.fov_mm)
        return _core.preview(values, list(values.shape[:-sides - 1:-1]))

    def _repr_png_(self) -> bytes:
        return _png(self._grey())

    def _repr_html_(self) -> str:
        picture = base64.b64encode(self._repr_png_()).decode()
        words = [f"{' x '.join(map(str, self.array.shape))}, {self.array.dtype}"]
        words += [f"{finding.severity}: {finding.words}" for finding in self.findings]
        lines = "".join(f"<div>{html.escape(line)}</div>" for line in words)
        return f'<img src="data:image/png;base64,{picture}" alt="image">{lines}'


def _png(grey: np.ndarray) -> bytes:
    """The greys as a PNG."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        end = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + end
    height, width = grey.shape
    rows = np.pad(grey, ((0, 0), (1, 0))).tobytes()  # each begins with its filter, 0
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + \
        chunk(b"IEND", b"")


class _Bar:
    """The stages on a bar of tqdm, or as lines on stderr without it."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
            self._bar = tqdm(total=100, bar_format="{desc:<12}{bar}| {n:.0f} % {elapsed}")
        except ImportError:
            self._bar = None
        self._stage = ""

    def __call__(self, stage: str, fraction: float) -> None:
        if self._bar is None:
            if stage != self._stage:
                print(f"lsrecon: {stage}", file=sys.stderr)
        else:
            self._bar.set_description(stage, refresh=False)
            self._bar.n = 100 * fraction
            self._bar.refresh()
        self._stage = stage

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _split(samples: Any, trajectory: Any, matrix: Any, maps: Any, field_map: Any,
           arrays: dict[str, Any], options: dict[str, Any]) -> tuple[_core.Scan, dict[str, Any]]:
    """The scan of the arguments, and the options, to which words for maps and field belong."""
    methods = {"maps": [*_core.maps_methods, "none"], "field_map": ["none"]}
    words = {}
    for name, value in {"maps": maps, "field_map": field_map}.items():
        if isinstance(value, (str, os.PathLike)):
            if value not in methods[name]:
                refuse(name, repr(value), f"an array, or one of {', '.join(methods[name])}",
                       "pass the values of a file as an array")
            words[name] = value
    options = {**words, **options}
    maps, field_map = (None if name in words else value
                       for name, value in (("maps", maps), ("field_map", field_map)))
    if isinstance(samples, _core.Scan):
        given = [name for name, value in {"trajectory": trajectory, "matrix": matrix, "maps": maps,
                                          "field_map": field_map, **arrays}.items()
                 if not (value is None or isinstance(value, str))]
        if given:
            refuse(given[0], "beside a Scan", "none: the scan has its own", "leave it out")
        return samples, options
    if trajectory is None or matrix is None:
        refuse("trajectory", trajectory, "where samples were taken, and `matrix`", "pass both")
    return scan_of(samples, trajectory, matrix, maps=maps, field_map=field_map, **arrays), options


def _findings(rows: list[tuple[str, str, str]]) -> list[Finding]:
    return [Finding(code, severity, of_python(words)) for code, severity, words in rows]


def _made(scan: _core.Scan, options: dict[str, Any], template: Any, low_resolution: bool,
          prior: Any, progress: bool | Callable[[str, float], object],
          callback: Callable[[State], object] | None, qs: _core.KeptQs | None = None) -> Image:
    in_doubles = np.dtype(scan.dtype) == np.complex128
    if in_doubles and "precision" not in options and not str(
            options.get("backend")).startswith("reference"):
        options = {**options, "precision": "double"}
    if prior is not None:
        prior = complexes(prior, "prior")
        if prior.shape != tuple(scan.matrix[::-1]):
            refuse("prior", shape_in_words(prior.shape), f"{tuple(scan.matrix[::-1])}, x last",
                   "pass an image of `matrix`")
    bar = _Bar() if progress is True else None

    def iteration(*state: Any) -> None:
        if callback(State(*state)) is False:
            raise Stopped("the callback returned False")
    try:
        made = _core.recon(scan, words_of(options), not low_resolution, in_doubles, prior,
                           qs, bar or progress or None, iteration if callback else None)
    finally:
        if bar:
            bar.close()
    return Image(like(made["array"], template), made["error"], made["record"],
                 _findings(made["findings"]), made["affine"], made["affines"], made["noise_map"],
                 made["g_factor"], tuple(made["fov_mm"]), made["about"])


@documented
def recon(samples: Any, trajectory: Any = None, matrix: Any = None, *, maps: Any = None,
          field_map: Any = None, r2star: Any = None, times: Any = None, noise: Any = None,
          weights: Any = None, phi: Any = None, prior: Any = None, fov_mm: Any = None,
          axes: str = "xyz", units: str = "cycles/fov", low_resolution: bool = False,
          progress: bool | Callable[[str, float], object] = False,
          callback: Callable[[State], object] | None = None, **options: Unpack[Keywords]) -> Image:
    """Makes images of samples by least squares, with the bits of `lsrecon recon`.

    samples : ([F,] C, M) complex, of F frames and C coils, or a Scan instead of all arrays
    trajectory : ([F,] M, D) real, columns x, y (and z)
    matrix : X, Y (and Z), voxels
    maps : (C, (z,) y, x) complex, or espirit, walsh or none; estimated where nothing is given
    field_map, r2star : ((z,) y, x) real, Hz and 1/s, with times
    times : (M) real, s from the excitation
    noise : (C, K) complex, samples of noise alone, which whiten the coils
    weights, phi : (M), statistical weights, and the transform of the voxel
    prior : ((z,) y, x), the image that reg="prior" and reg="anatomical" compare with
    fov_mm : field of view, one length or one a dimension; voxels of 1 mm without it
    axes : "xyz", or "zyx" where columns of the trajectory are in the order of the image
    units : of the trajectory: cycles/fov, cycles/voxel, rad/voxel or 1/m
    low_resolution : accept a trajectory that stays within a quarter of the matrix
    progress : True for a bar, or a function of (stage, fraction)
    callback : a function of a State at every iteration; False or an error ends the solve

    Arrays of NumPy, PyTorch, JAX and others are taken without a copy where they can be. Images are
    complex64; complex128 samples are computed in doubles and stay complex128. Tensors give tensors.
    """
    scan, options = _split(samples, trajectory, matrix, maps, field_map,
                           {"r2star": r2star, "times": times, "noise": noise, "weights": weights,
                            "phi": phi, "fov_mm": fov_mm, "axes": axes, "units": units}, options)
    return _made(scan, options, samples, low_resolution, prior, progress, callback)


def solve(encoding: Encoding, samples: Any, *, noise: Any = None,
          progress: bool | Callable[[str, float], object] = False,
          callback: Callable[[State], object] | None = None, **options: Unpack[Keywords]) -> Image:
    """The image that explains samples best by an encoding: `recon` with its arrays and options.

    The encoding keeps the convolution that stands for A^H W A: a second solve has it.
    """
    scan = encoding.scan_of(samples, noise)
    return _made(scan, {**encoding.options, **options}, samples, True, None, progress, callback,
                 encoding._qs)


def choose(samples: Any, trajectory: Any = None, matrix: Any = None, **keywords: Any
           ) -> dict[str, Any]:
    """The weights that samples choose, and the curves that they were chosen by.

    Takes what `recon` takes. "lambda" and "regularisers" are what made the image, and each other
    entry is a curve: columns by their names.
    """
    record = recon(samples, trajectory, matrix, **keywords).record
    curves = {name: table for name, table in record.items() if "_curve" in name}
    return {"lambda": float(record.get("lambda", 0)), "regularisers": record.get("regularisers"),
            **curves}


def predict(samples: Any, trajectory: Any = None, matrix: Any = None, *, maps: Any = None,
            field_map: Any = None, times: Any = None, units: str = "cycles/fov", axes: str = "xyz",
            **options: Unpack[Keywords]) -> dict[str, Any]:
    """Seconds and bytes that `recon` of the same would take, without computing."""
    scan, options = _split(samples, trajectory, matrix, maps, field_map,
                           {"times": times, "units": units, "axes": axes}, options)
    return _core.predict(scan, words_of(options))


def read(path: str | os.PathLike[str]) -> _core.Scan | Image:
    """A scan of any format that `lsrecon recon` reads, or an image of any that `convert` reads.

    Images are complex64, or float32 where the file has real numbers; their record is in words.
    """
    path = os.fspath(path)
    made = _core.read_image(path)
    if made is None:
        return _core.read_scan(path)
    array = made["array"].real.copy() if made["is_real"] else made["array"]
    return Image(array, None, made["record"], _findings(made["findings"]), made["affine"],
                 made["affines"], fov_mm=tuple(made["fov_mm"]), _about=made["about"])


def write(path: str | os.PathLike[str], what: Image | _core.Scan) -> None:
    """Writes a scan, or an image in the format of the ending: .h5, .nii, .nii.gz, .png, .mrd.

    A scan of complex128 samples stays so in .h5; ISMRMRD (.mrd) and images hold complex64.
    """
    if isinstance(what, _core.Scan):
        _core.write_scan(os.fspath(path), what)
    elif isinstance(what, Image) and what._about is not None:
        _core.write_image(os.fspath(path), what._about, complexes(what._numpy(), "what"))
    else:
        refuse("what", type(what).__name__, "an Image of recon(), or a Scan", "pass one of the two")


def simulate(trajectory: str = "spiral", matrix: Any = (128, 128), *, fov_mm: Any = 240.0,
             coils: int = 1, frames: int = 1, readouts: int = 0, undersampling: float = 1,
             noise: float = 0, snr: float | None = None, off_resonance_hz: float = 0,
             readout_ms: float = 20, motion_mm: float = 0, maps: bool = True,
             noise_samples: int = 0, seed: int = 1) -> _core.Scan:
    """A scan of the Shepp-Logan phantom as of `lsrecon simulate`, with its `truth`."""
    from ._scan import fov_of, matrix_of
    sides = matrix_of(matrix)
    return _core.simulate(trajectory, sides, fov_of(fov_mm, sides, ""), coils, frames, readouts,
                          undersampling, noise, snr, off_resonance_hz, readout_ms, motion_mm, maps,
                          noise_samples, seed)
