#!/usr/bin/env python3
"""A dynamic scan, frame by frame and over all frames, beside BART, in one run.

    compare_low_rank.py [--program LSRECON] [--bart BART] [-o TABLE.md]

Simulates golden-angle radial frames of a phantom that swings along x (24 frames of 13 spokes of 96
samples, 96 x 96, 8 coils with maps), checks that both programs solve the same problem, then
reconstructs by least squares, total variation of each frame, locally low rank, and total variation
over frames, alone and beside that of each, at a few weights. The table is that of
compare_regularisers.py: the error against the truth at the best weight,
and the seconds of that run. Without BART its columns are left empty.
"""

import os
import platform
import sys

import compare_regularisers as by_frame

WEIGHTS = {
    "least squares": [""],
    "total variation": ["tv:0.003", "tv:0.01"],
    "locally low rank": ["llr:0.003", "llr:0.01", "llr:0.02"],
    "temporal total variation": ["ttv:0.005", "ttv:0.01", "ttv:0.02"],
    "both total variations": ["ttv:0.005 tv:0.01", "ttv:0.01 tv:0.01", "ttv:0.02 tv:0.01"],
}
LAMBDAS = {  # of BART; -m and -e, because its own step diverges here
    "least squares": [["-l2", "-r", "0"]],
    "total variation": [["-R", f"T:3:0:{w}"] for w in (0.003, 0.01)],
    "locally low rank": [[how, "-R", f"L:7:7:{w}"] for how in ("-m", "-e")
                         for w in (0.01, 0.02)],
    "temporal total variation": [["-R", f"T:1024:0:{w}"] for w in (0.003, 0.01)],
    "both total variations": [["-R", f"T:1024:0:{w}", "-R", f"T:3:0:{w}"] for w in (0.003, 0.01)],
}


def compare(programs, options):
    programs.timed([programs.lsrecon, "simulate", "--trajectory", "golden-angle", "--matrix",
                    f"{options.matrix},{options.matrix}", "--readouts", options.spokes,
                    "--samples-per-readout", options.matrix, "--coils", 8, "--noise", 0.02,
                    "--frames", options.frames, "--motion", options.motion, "-o", "scan.h5",
                    "--truth", "truth.h5", "--quiet"])
    for name in ("least squares", "total variation"):  # kernels are built at the first run
        programs.by_lsrecon(by_frame.words_of(WEIGHTS[name][0]))
    about = (f"{options.matrix} x {options.matrix}, {options.frames} frames of {options.spokes} "
             f"golden-angle spokes of {options.matrix} samples, 8 coils, swinging by "
             f"{options.motion} mm of 240; {platform.machine()}, {len(os.sched_getaffinity(0))} "
             "cores.")
    if programs.bart:
        apart = by_frame.same_problem(programs, *by_frame.write_for_bart("scan.h5"))
        if not apart < by_frame.SAME_WITHIN:
            sys.exit(f"the programs solve different problems: {apart:.3f} apart")
        about += (f" With lambda {by_frame.SAME_LAMBDA} both converge to the same images, "
                  f"{100 * apart:.2f} % apart.")
    truth = by_frame.image_of("truth.h5")
    return "\n".join([about, "", *by_frame.table_of(programs, WEIGHTS, LAMBDAS, truth)])


def main():
    parser = by_frame.common_flags(__doc__)
    parser.add_argument("--matrix", type=int, default=96)
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--spokes", type=int, default=13)
    parser.add_argument("--motion", type=float, default=8)
    by_frame.write_table(compare, parser.parse_args())


if __name__ == "__main__":
    main()
