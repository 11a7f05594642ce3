"""Pictures as numbers."""

import matplotlib.image
import numpy as np


def pixels(path):
    """Grey values of a PNG [row, column]."""
    found = matplotlib.image.imread(path)
    return np.rint(255 * (found if found.ndim == 2 else found[..., 0])).astype(int)
