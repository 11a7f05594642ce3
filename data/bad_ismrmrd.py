"""The malformed ISMRMRD files of make_bad.py, written with h5py as the ISMRMRD library would:
a group with a one-element text dataset xml and a compound dataset data."""

import h5py
import numpy as np

HEADER = np.dtype([
    ("version", "u2"), ("flags", "u8"), ("measurement_uid", "u4"), ("scan_counter", "u4"),
    ("acquisition_time_stamp", "u4"), ("physiology_time_stamp", "u4", 3),
    ("number_of_samples", "u2"), ("available_channels", "u2"), ("active_channels", "u2"),
    ("channel_mask", "u8", 16), ("discard_pre", "u2"), ("discard_post", "u2"),
    ("center_sample", "u2"), ("encoding_space_ref", "u2"), ("trajectory_dimensions", "u2"),
    ("sample_time_us", "f4"), ("position", "f4", 3), ("read_dir", "f4", 3),
    ("phase_dir", "f4", 3), ("slice_dir", "f4", 3), ("patient_table_position", "f4", 3),
    ("idx", [(name, "u2") for name in (
        "kspace_encode_step_1", "kspace_encode_step_2", "average", "slice", "contrast", "phase",
        "repetition", "set", "segment")] + [("user", "u2", 8)]),
    ("user_int", "i4", 8), ("user_float", "f4", 8)])
VALUES = h5py.vlen_dtype(np.dtype("f4"))
ACQUISITION = np.dtype([("head", HEADER), ("traj", VALUES), ("data", VALUES)])
COILS, SAMPLES = 2, 8

SPACE = ("<matrixSize><x>4</x><y>4</y><z>1</z></matrixSize>"
         "<fieldOfView_mm><x>200</x><y>200</y><z>5</z></fieldOfView_mm>")
XML = ('<?xml version="1.0"?><ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">'
       "<experimentalConditions><H1resonanceFrequency_Hz>123000000</H1resonanceFrequency_Hz>"
       f"</experimentalConditions><encoding><encodedSpace>{SPACE}</encodedSpace>"
       f"<reconSpace>{SPACE}</reconSpace><encodingLimits></encodingLimits>"
       "<trajectory>spiral</trajectory></encoding></ismrmrdHeader>")


def acquisition(scale=1.2, trajectory_values=2 * SAMPLES, data_values=2 * COILS * SAMPLES):
    """A table of one readout; scale is its largest coordinate: 1.2 of a grid of 4 can only be
    cycles per field of view."""
    rng = np.random.default_rng(1)
    table = np.zeros(1, ACQUISITION)
    head = table["head"]
    head["version"] = 1
    head["number_of_samples"] = SAMPLES
    head["available_channels"] = head["active_channels"] = COILS
    head["trajectory_dimensions"] = 2
    head["read_dir"], head["phase_dir"], head["slice_dir"] = np.eye(3)
    trajectory = rng.uniform(-scale, scale, 2 * SAMPLES).astype("f4")
    trajectory[0] = scale
    table["traj"][0] = trajectory[:trajectory_values]
    table["data"][0] = rng.normal(size=2 * COILS * SAMPLES).astype("f4")[:data_values]
    return table


def with_nan():
    table = acquisition()
    table["data"][0][6] = np.nan
    return table


def trajectory_nan():
    table = acquisition()
    table["traj"][0][:] = np.nan
    return table


def no_trajectory():
    table = acquisition(trajectory_values=0)
    table["head"]["trajectory_dimensions"] = 0
    return table


def volume():
    """With a kz, for a header of one slice."""
    table = acquisition()
    table["head"]["trajectory_dimensions"] = 3
    table["traj"][0] = np.random.default_rng(1).uniform(-2, 2, 3 * SAMPLES).astype("f4")
    return table


def noise_nan():
    """A readout of noise before that of the image."""
    table = np.concatenate([acquisition(), acquisition()])
    table["head"]["flags"][0] = 1 << 18
    table["data"][0][6] = np.nan
    return table


def other_encoding():
    table = acquisition()
    table["head"]["encoding_space_ref"] = 3
    return table


def huge():
    """Headers that promise 3.4 TB of samples."""
    table = np.concatenate(100 * [acquisition(trajectory_values=0, data_values=0)])
    table["head"]["number_of_samples"] = table["head"]["active_channels"] = 65535
    return table


def write_group(file, name, xml, table):
    group = file.create_group(name)
    group.create_dataset("xml", data=np.array([xml], object), track_times=False,
                         dtype=h5py.string_dtype("ascii"))
    group.create_dataset("data", data=table, track_times=False, chunks=(1,), maxshape=(None,))


def write(path, xml=XML, table=np.zeros(0, ACQUISITION)):
    with h5py.File(path, "w", libver="earliest") as file:
        write_group(file, "dataset", xml, table)


def xml_with(part, other):
    assert part in XML
    return XML.replace(part, other, 1)


def write_length(path, length):
    """Damages the number of values that the acquisition claims: HDF5 1.10 crashes on some."""
    write(path, table=acquisition())
    with h5py.File(path, "r") as file:
        chunk = file["dataset/data"].id.get_chunk_info(0)
    with open(path, "r+b") as file:
        file.seek(chunk.byte_offset + chunk.size - 16) # length, then the place of the values
        file.write(length.to_bytes(4, "little"))


def write_half(path):
    with h5py.File(path, "w", libver="earliest") as file:
        group = file.create_group("dataset")
        group.create_dataset("xml", data=np.array([XML], object), track_times=False,
                             dtype=h5py.string_dtype("ascii"))
        data = group.create_dataset("data", (2,), ACQUISITION, chunks=(1,), maxshape=(None,),
                                    track_times=False)
        data[0] = acquisition()[0]


CASES = [
    ("ismrmrd_length_huge", ["/dataset/data, acquisition 0"],
     lambda path: write_length(path, 2**32 - 1)),
    ("ismrmrd_length_large", ["/dataset/data, acquisition 0"],
     lambda path: write_length(path, 2**28)),
    ("ismrmrd_half_written", ["/dataset/data", "1 of 2 chunks were never written"], write_half),
    ("ismrmrd_no_acquisitions", ["acquisition"], lambda path: write(path)),
    ("ismrmrd_nan", ["NaN"], lambda path: write(path, table=with_nan())),
    ("ismrmrd_units_ambiguous", ["units", "--traj-units"],
     lambda path: write(path, table=acquisition(scale=2.0))),
    ("ismrmrd_units_unfit", ["units", "--traj-units"],
     lambda path: write(path, table=acquisition(scale=1e-3))),
    ("ismrmrd_xml_truncated", ["xml"],
     lambda path: write(path, XML[:len(XML) // 2], acquisition())),
    ("ismrmrd_xml_empty", ["xml"], lambda path: write(path, "", acquisition())),
    ("ismrmrd_xml_other", ["xml", "root element", "images", "ismrmrdHeader"],
     lambda path: write(path, "<images/>", acquisition())),
    ("ismrmrd_encoding_missing", ["/dataset/xml, encoding", "it is missing"],
     lambda path: write(path, "<ismrmrdHeader/>", acquisition())),
    # a lenient parser reads 4 of each of the first two
    ("ismrmrd_matrix_beyond_16_bits", ["encoding/encodedSpace/matrixSize/x", '"65540"', "65535"],
     lambda path: write(path, xml_with("<x>4<", "<x>65540<"), acquisition())),
    ("ismrmrd_matrix_letter", ["encoding/encodedSpace/matrixSize/y", '"4O"', "whole number"],
     lambda path: write(path, xml_with("<y>4<", "<y>4O<"), acquisition())),
    ("ismrmrd_matrix_zero", ["encoding/encodedSpace/matrixSize/x", '"0"'],
     lambda path: write(path, xml_with("<x>4<", "<x>0<"), acquisition())),
    ("ismrmrd_matrix_fraction",
     ["encoding/encodedSpace/matrixSize/x", '"3.9996"', "--header matrix=4,4,1"],
     lambda path: write(path, xml_with("<x>4<", "<x>3.9996<"), acquisition())),
    ("ismrmrd_matrix_missing", ["encoding/encodedSpace/matrixSize/z", "it is missing"],
     lambda path: write(path, xml_with("<z>1</z>", ""), acquisition())),
    ("ismrmrd_fov_zero", ["encoding/encodedSpace/fieldOfView_mm/x", '"0"', "mm"],
     lambda path: write(path, xml_with("<x>200<", "<x>0<"), acquisition())),
    ("ismrmrd_fov_comma", ["encoding/encodedSpace/fieldOfView_mm/y", '"200,5"'],
     lambda path: write(path, xml_with("<y>200<", "<y>200,5<"), acquisition())),
    ("ismrmrd_trajectory_short", ["trajectory"],
     lambda path: write(path, table=acquisition(trajectory_values=12))),
    ("ismrmrd_data_short", ["data"],
     lambda path: write(path, table=acquisition(data_values=20))),
    ("ismrmrd_trajectory_nan", ["acquisition 0, traj", "NaN at [0, 0]"],
     lambda path: write(path, table=trajectory_nan())),
    ("ismrmrd_no_trajectory",
     ["acquisition 0", "no trajectory is stored", "spiral", "a native scan"],
     lambda path: write(path, table=no_trajectory())),
    ("ismrmrd_volume_of_one_slice",
     ["third trajectory dimension", "like kz", "--header matrix=4,4,Z", "--header matrix=4,4,1"],
     lambda path: write(path, table=volume())),
    ("ismrmrd_noise_nan", ["acquisition 0 (noise), data", "NaN at [0, 3]"],
     lambda path: write(path, table=noise_nan())),
    ("ismrmrd_samples_huge", ["/dataset/data", "6553500 samples of each of 65535 coils", "GB"],
     lambda path: write(path, table=huge())),
    ("ismrmrd_encoding_unknown", ["acquisition 0, encoding_space_ref", "3", "below 1"],
     lambda path: write(path, table=other_encoding())),
    ("ismrmrd_epi_without_times", ["acquisition 0", "epi", "trajectoryDescription"],
     lambda path: write(path, xml_with("spiral", "epi"), no_trajectory())),
    ("ismrmrd_epi_time_missing", ["encoding/trajectoryDescription/", "rampUpTime", "missing"],
     lambda path: write(path, xml_with(
         "<trajectory>spiral</trajectory>", "<trajectory>epi</trajectory><trajectoryDescription>"
         "<identifier>ConventionalEPI</identifier></trajectoryDescription>"), no_trajectory())),
]
