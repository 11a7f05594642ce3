# A script of MRI-NUFFT with the operator exchanged.
import mrinufft
import numpy as np

import lsrecon
import lsrecon.mrinufft  # registers the operator

scan = lsrecon.simulate("radial", (64, 64), coils=4, snr=40)
trajectory = (scan.trajectory[:, ::-1] / 64).astype(np.float32)  # cycles per voxel, y before x

# was: mrinufft.get_operator("finufft")
operator = mrinufft.get_operator("lsrecon")(trajectory, (64, 64), n_coils=4, smaps=scan.maps,
                                            density=lsrecon.density(scan.trajectory, (64, 64))
                                            .astype(np.float32))
image = operator.adj_op(scan.samples)
assert np.corrcoef(abs(image).ravel(), abs(scan.truth).ravel())[0, 1] > 0.9
