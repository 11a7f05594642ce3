# Spirals whose readouts are long enough for off-resonance to blur them.
import numpy as np

import lsrecon

scan = lsrecon.simulate("spiral", (64, 64), coils=4, off_resonance_hz=120, readout_ms=15, snr=40)
arrays = {"maps": scan.maps, "times": scan.times}  # (C, y, x), and (M) in s


def error_of(**field):
    image = lsrecon.recon(scan.samples, scan.trajectory, (64, 64), lambda_=0.01, **arrays, **field)
    return np.linalg.norm(abs(image.array) - abs(scan.truth)) / np.linalg.norm(scan.truth)


blurred, corrected = error_of(), error_of(field_map=scan.field_map)  # (y, x) in Hz
print(f"error without the field map {blurred:.2f}, with it {corrected:.2f}")
assert corrected < blurred / 2
