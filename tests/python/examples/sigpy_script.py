# A script of SigPy with the operator exchanged: the same solver, another transform.
import numpy as np
import sigpy

import lsrecon
from lsrecon.sigpy import Linop

scan = lsrecon.simulate("radial", (64, 64), coils=4, snr=40)
coord = scan.trajectory[:, ::-1]  # SigPy has columns in the order of the image

# was: A = sigpy.mri.linop.Sense(scan.maps, coord=coord)
A = Linop(lsrecon.Encoding(coord, (64, 64), maps=scan.maps, axes="zyx"))

unit = len(coord)
app = sigpy.app.LinearLeastSquares(A, scan.samples, lamda=0.01 * unit, max_iter=30,
                                   show_pbar=False)
image = app.run()
assert np.linalg.norm(abs(image) - abs(scan.truth)) < 0.2 * np.linalg.norm(scan.truth)
