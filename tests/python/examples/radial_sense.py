# CG-SENSE of undersampled spokes: maps from the scan itself, and the weight that samples choose.
import numpy as np

import lsrecon

scan = lsrecon.simulate("golden-angle", (64, 64), coils=8, undersampling=2, snr=30, maps=False)
samples, trajectory = scan.samples, scan.trajectory  # (C, M) and (M, 2), in cycles per FOV

maps = lsrecon.espirit(samples, trajectory, (64, 64))  # (C, y, x)
image = lsrecon.recon(samples, trajectory, (64, 64), maps=maps)
print(image.array.shape, image.record["lambda"], image.findings)

error = np.linalg.norm(abs(image.array) - abs(scan.truth)) / np.linalg.norm(scan.truth)
assert error < 0.3
