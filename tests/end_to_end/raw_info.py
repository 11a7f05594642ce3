#!/usr/bin/env python3
"""What lsrecon info prints of an ISMRMRD file.

    raw_info.py LSRECON"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "data"))
from bad_ismrmrd import XML, acquisition, write # noqa: E402
from in_folders import expect, run_cases # noqa: E402
from raw_data import readouts # noqa: E402


def expect_row(shown, name, *pieces):
    """A row of this name holds all of the pieces; they may end with that of the line."""
    rows = [line + "\n" for line in shown.splitlines() if line.startswith(name)]
    expect(any(all(piece in row for piece in pieces) for row in rows),
           f"info has no row '{name}' with {pieces}: {shown}")


def info_lists_what_else_there_is(make):
    folder = make()
    readouts(folder / "raw.h5")
    shown = folder.run(0, ["info", "raw.h5"]).stdout
    for line in ("noise        8 samples per coil", "parameter    turns = 12",
                 "frames       12"):
        expect(line in shown, f"info does not print '{line}': {shown}")
    expect_row(shown, "parameter    protocol = ", "4 characters", "base64")
    one = folder.run(0, ["info", "raw.h5", "--slice", "1"]).stdout
    expect_row(one, "frames       6: slice 1, repetition 0; slice 1, ", "repetition 1; ",
               "repetition 2; ...; slice 1, repetition 5\n")
    expect_row(one, "counters     ", "slice 0-1,", "contrast 0,", "phase 0,", "repetition 0-5,",
               "set 0\n")


def info_of_many_repetitions_fits_a_screen(make):
    """Two encodings, positions that differ, three dwell times, lines of noise and calibration."""
    folder = make()
    second = XML[XML.index("<encoding>"):XML.index("</encoding>") + len("</encoding>")]
    header = XML.replace("</ismrmrdHeader>", "") + second + "</ismrmrdHeader>"
    rows = []
    for repetition in range(500):
        row = acquisition()
        row["head"]["idx"]["repetition"] = repetition
        row["head"]["sample_time_us"] = (2, 2.5, 4)[repetition % 3]
        row["head"]["read_dir"], row["head"]["phase_dir"], row["head"]["slice_dir"] = (
            [0, 1, 0], [0, 0, 1], [1, 0, 0])
        row["head"]["position"] = [0, 0, repetition % 2]
        rows.append(row)
    noise, other, calibration = acquisition(), acquisition(), acquisition()
    noise["head"]["flags"], calibration["head"]["flags"] = 1 << 18, 1 << 19
    for name in ("read_dir", "phase_dir", "slice_dir"):
        calibration["head"][name] = rows[0]["head"][name]
    other["head"]["encoding_space_ref"], other["head"]["idx"]["contrast"] = 1, 3
    write(folder / "raw.h5", header, np.concatenate([noise, other, calibration, *rows]))
    shown = folder.run(0, ["info", "raw.h5"]).stdout
    expect(shown.count("\n") <= 40 and len(shown) < 6000, f"{shown.count(chr(10))} lines: {shown}")
    for line in ("encoding 0   spiral, matrix 4 x 4 x 1, FOV ",
                 "dwell        2, 2.5, 4 us\n", "noise lines  1\n",
                 "directions   x to P (0, 1, 0), y to H (0, 0, 1), z to L (1, 0, 0)\n"):
        expect(line in shown, f"info does not print '{line}': {shown}")
    for number, pieces, contrast, repetitions in (
            (0, ["500 acquisitions", "1 of calibration", "read here\n"], 0, "0-499"),
            (1, ["1 acquisition of", "0 of calibration", "--encoding 1"], 3, "0")):
        expect_row(shown, f"encoding {number}", *pieces)
        expect_row(shown, "counters     ", "slice 0,", f"contrast {contrast},", "phase 0,",
                   f"repetition {repetitions},", "set 0\n")
    expect_row(shown, "frames       500: ", "repetition 0; repetition 1; ",
               "repetition 2; ...; ", "; repetition 499\n")
    expect_row(shown, "positions    2, ", "first frame (0, 0, 0) mm", "last (0, 0, 1) mm\n")
    expect_row(shown, "calibration  8 samples per coil", "repetition 0\n")
    few = folder.run(0, ["info", "raw.h5", "--repetition", "0,3,6"]).stdout
    expect("dwell        2 us\n" in few, f"dwell times of frames that are left out: {few}")
    none = folder.run(0, ["info", "raw.h5", "--encoding", "1"]).stdout
    expect("noise lines  1" in none and "calibration  " not in none, none)


def info_of_foreign_words_fits_a_line(make):
    folder = make()
    values = {"protocol": "A" * 30000, "name": "\u00e9" * 300,
              "colour": "a&amp;b\n\u009b31mred\x7f"}
    parameters = "".join(f"<userParameterString><name>{name}</name><value>{value}</value>"
                         "</userParameterString>" for name, value in values.items())
    xml = XML.replace("</ismrmrdHeader>",
                      f"<userParameters>{parameters}</userParameters></ismrmrdHeader>")
    write(folder / "raw.h5", xml.encode(), acquisition())
    shown = folder.run(0, ["info", "raw.h5"]).stdout
    for line in ("parameter    protocol = " + "A" * 389 + "... (30011 bytes)\n",
                 "parameter    colour = a&b   31mred \n",
                 "parameter    name = " + "\u00e9" * 196 + "... (607 bytes)\n"):
        expect(line in shown, f"info does not print '{line}': {shown[-3000:]}")


if __name__ == "__main__":
    sys.exit(run_cases([info_lists_what_else_there_is, info_of_many_repetitions_fits_a_screen,
                        info_of_foreign_words_fits_a_line]))
