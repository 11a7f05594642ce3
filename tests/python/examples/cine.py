# Frames of few spokes each, solved together: total variation along time.
import lsrecon

scan = lsrecon.simulate("golden-angle", (48, 48), coils=4, frames=8, readouts=12, motion_mm=6,
                        snr=30)
cine = lsrecon.recon(scan.samples, scan.trajectory, (48, 48), maps=scan.maps,
                     reg=[("ttv", 0.02)])  # samples (F, C, M), trajectory (F, M, 2)
assert cine.array.shape == (8, 48, 48)
cine  # in a notebook: the frames side by side, with what was found
