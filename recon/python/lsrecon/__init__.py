"""Least-squares MRI reconstruction of arrays, with the bits of the program lsrecon.

`recon` makes images of samples, `Encoding` is the operator between them, and `options()` lists the
keywords. Adapters are imported when they are asked for: lsrecon.scipy, lsrecon.sigpy,
lsrecon.torch, lsrecon.mrpro, lsrecon.deepinv and lsrecon.mrinufft.
"""

from ._coils import compress, density, espirit, walsh, whiten
from ._core import Scan, __version__
from ._encoding import Encoding
from ._options import Option, devices, options
from ._recon import (Finding, Image, State, Stopped, choose, predict, read, recon, simulate, solve,
                     write)

__all__ = ["Encoding", "Finding", "Image", "Option", "Scan", "State", "Stopped", "__version__",
           "choose", "compress", "density", "devices", "espirit", "options", "predict", "read",
           "recon", "simulate", "solve", "walsh", "whiten", "write"]
