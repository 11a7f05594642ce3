"""The malformed native scans of make_bad.py: what is done to a good scan, and what the message must
hold. Each row of CASES is: file, pieces of the message, change."""

import h5py
import numpy as np

NAN, INF = float("nan"), float("inf")
MATRIX = (4, 4)
COILS, SAMPLES = 2, 8


class Scan:
    """What will be written: root attributes, datasets, and attributes of datasets."""

    def __init__(self):
        rng = np.random.default_rng(1)

        def complex_values(*shape):
            return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)

        self.root = {"format": np.bytes_("lsrecon-scan"), "version": 1,
                     "matrix": np.array(MATRIX), "fov_mm": np.array([200.0, 200.0])}
        self.data = {"trajectory": rng.uniform(-2, 2, (SAMPLES, 2)),
                     "samples": complex_values(COILS, SAMPLES),
                     "phi": complex_values(SAMPLES),
                     "weights": rng.uniform(0.5, 1, SAMPLES),
                     "coil_maps": complex_values(COILS, *reversed(MATRIX))}
        self.attributes = {("trajectory", "units"): np.bytes_("cycles/fov")}
        self.links = {}

    def write(self, path):
        with h5py.File(path, "w", libver="earliest") as file:
            for name, value in self.root.items():
                file.attrs[name] = value
            for name, value in self.data.items():
                if isinstance(value, dict) and not value:
                    file.create_group(name)
                elif isinstance(value, dict):
                    file.create_dataset(name, track_times=False, **value)
                else:
                    file.create_dataset(name, data=value, track_times=False)
            for name, target in self.links.items():
                file[name] = target
            for (dataset, name), value in self.attributes.items():
                file[dataset].attrs[name] = value


# --- what can be done to a good scan -------------------------------------------------------------
def put(name, value):
    return lambda scan: scan.data.update({name: value})


def poke(name, index, value):
    def change(scan):
        scan.data[name] = scan.data[name].copy() # cases may share it
        scan.data[name][index] = value
    return change


def drop(*names):
    def change(scan):
        for name in names:
            del scan.data[name]
            scan.attributes = {key: v for key, v in scan.attributes.items() if key[0] != name}
    return change


def root(name, value):
    return lambda scan: scan.root.update({name: value})


def unroot(name):
    return lambda scan: scan.root.pop(name)


def attribute(dataset, name, value):
    return lambda scan: scan.attributes.update({(dataset, name): value})


def unattribute(dataset, name):
    return lambda scan: scan.attributes.pop((dataset, name))


def link(name, target):
    return lambda scan: scan.links.update({name: h5py.SoftLink(target)})


def both(*changes):
    def change(scan):
        for one in changes:
            one(scan)
    return change


def zeros(*shape):
    return np.zeros(shape, np.complex64)


def ones(*shape):
    return np.ones(shape, np.complex64)


def huge(shape, dtype):
    """Declared and never written: chunks keep the file small."""
    return {"shape": shape, "dtype": dtype, "chunks": tuple(min(n, 64) for n in shape)}


TWO_TEXTS = np.array([b"lsrecon-scan" + b" " * 60, b"cycles/fov"])
ODD_COMPOUND = np.zeros((COILS, SAMPLES), [("re", "f4"), ("im", "f4")])
WITH_VOXELS = both(put("voxels", np.zeros((5, 2))), put("coil_maps", ones(COILS, 5)))
FIELD_MAP = both(put("field_map", np.zeros(MATRIX)),
                 attribute("field_map", "units", np.bytes_("Hz")))
TIMES = both(put("times", np.zeros(SAMPLES)), attribute("times", "units", np.bytes_("s")))

CASES = [
    # the root attributes
    ("format_missing", ['attribute "format" of /', "missing", '"lsrecon-scan"'], unroot("format")),
    ("format_unknown", ["format", "other-scan"], root("format", np.bytes_("other-scan"))),
    ("format_number", ["format", "int64 3"], root("format", 3)),
    ("format_empty", ["format", "without a value"], root("format", h5py.Empty("S4"))),
    ("format_two_texts", ["format", "[2]"], root("format", TWO_TEXTS)),
    ("format_two_variable_texts", ["format", "[2]"],
     root("format", np.array(["lsrecon-scan", "cycles/fov"], h5py.string_dtype()))),
    ("version_missing", ["version", "missing", "expected: 1"], unroot("version")),
    ("version_empty", ["version", "without a value"], root("version", h5py.Empty("i8"))),
    ("version_two_entries", ["version", "2 numbers"], root("version", np.array([1, 1]))),
    ("version_2", ["version", "2"], root("version", 2)),
    ("version_text", ["version", 'string "one"'], root("version", np.bytes_("one"))),
    ("matrix_missing", ["matrix", "missing", "[X, Y] or [X, Y, Z]"], unroot("matrix")),
    ("matrix_one_entry", ["matrix", "1 number\n"], root("matrix", np.array([4]))),
    ("matrix_four_entries", ["matrix", "4 numbers"], root("matrix", np.array([4] * 4))),
    ("matrix_scalar", ["matrix", "1 number\n"], root("matrix", 4)),
    ("matrix_empty", ["matrix", "without a value"], root("matrix", h5py.Empty("i8"))),
    ("matrix_zero", ["matrix", "0 at [1]"], root("matrix", np.array([4, 0]))),
    ("matrix_negative", ["matrix", "-4 at [0]"], root("matrix", np.array([-4, 4]))),
    ("matrix_fraction", ["matrix", "4.5 at [1]"], root("matrix", np.array([4, 4.5]))),
    ("matrix_nan", ["matrix", "NaN at [1]"], root("matrix", np.array([4, NAN]))),
    ("matrix_text", ["matrix", 'string "4x4"'], root("matrix", np.bytes_("4x4"))),
    ("matrix_huge", ['attribute "matrix" of /', "1000000 x 1000000, which", "GB"],
     both(root("matrix", np.array([1000000, 1000000])), drop("coil_maps"))),
    ("fov_missing", ["fov_mm", "missing", "2 numbers"], unroot("fov_mm")),
    ("fov_negative", ["fov_mm", "-200 at [0]"], root("fov_mm", np.array([-200.0, 200]))),
    ("fov_nan", ["fov_mm", "NaN at [1]"], root("fov_mm", np.array([200.0, NAN]))),
    ("fov_one_entry", ["fov_mm", "1 number", "2 numbers"], root("fov_mm", np.array([200.0]))),
    ("fov_text", ["fov_mm", "string"], root("fov_mm", np.bytes_("200"))),
    ("position_two_entries", ["position", "2 numbers"], root("position", np.zeros(2))),
    ("directions_zero", ["directions", "unit vectors"], root("directions", np.zeros((3, 3)))),
    ("directions_not_unit", ["directions", "unit vectors", "1.01"],
     root("directions", np.diag([1, 1.01, 1]))),
    ("directions_not_orthogonal", ["directions", "unit vectors", "y.z 0.6"],
     root("directions", np.array([[1, 0, 0], [0, 1, 0], [0, 0.6, 0.8]]))),
    ("directions_nan", ["directions", "NaN at [8]"],
     root("directions", np.array([1, 0, 0, 0, 1, 0, 0, 0, NAN]))),
    # names that the format does not know
    ("unknown_dataset", ["/sample_weights"], put("sample_weights", np.ones(SAMPLES))),
    ("unknown_group", ["/extra"], put("extra", {})),
    ("unknown_attribute", ["matrx"], root("matrx", np.array(MATRIX))),
    ("unknown_attribute_of_dataset", ["unit", "/trajectory"],
     attribute("trajectory", "unit", np.bytes_("1/m"))),
    ("samples_group", ["/samples", "no dataset"], put("samples", {})),
    ("samples_dangling_link", ["/samples", "no dataset"],
     both(drop("samples"), link("samples", "/nothing"))),
    # the trajectory
    ("trajectory_missing", ["/trajectory", "missing", "[M, 2]"], drop("trajectory")),
    ("trajectory_nan", ["/trajectory", "NaN at [3, 1]"], poke("trajectory", (3, 1), NAN)),
    ("trajectory_nan_in_a_frame", ["/trajectory", "NaN at [1, 3, 1]"],
     both(put("trajectory", np.zeros((2, SAMPLES, 2))), put("samples", ones(2, COILS, SAMPLES)),
          poke("trajectory", (1, 3, 1), NAN))),
    ("trajectory_infinity", ["/trajectory", "infinity at [0, 0]"],
     poke("trajectory", (0, 0), -INF)),
    ("trajectory_text", ["/trajectory", "string"], put("trajectory", np.full((8, 2), b"k"))),
    ("trajectory_complex", ["/trajectory", "complex"], put("trajectory", ones(SAMPLES, 2))),
    ("trajectory_rank_1", ["/trajectory", "[16]"], put("trajectory", np.zeros(16))),
    ("trajectory_rank_4", ["/trajectory", "[1, 1, 8, 2]"],
     put("trajectory", np.zeros((1, 1, 8, 2)))),
    ("trajectory_scalar", ["/trajectory", "one float64", "[M, 2]"], put("trajectory", 1.0)),
    ("trajectory_columns", ["/trajectory", "[8, 3]", "matrix"],
     put("trajectory", np.zeros((8, 3)))),
    ("trajectory_beyond", ["/trajectory", "2.12 ", "[2, 0]", "+-2"],
     poke("trajectory", (2, 0), 2.12)),
    ("trajectory_radians_as_cycles",
     ["/trajectory", "largest |k|: 3.1 x 3.1", "--traj-units rad/voxel", "--low-resolution"],
     both(drop("coil_maps"), root("matrix", np.array([64, 64])),
          put("trajectory", np.linspace(-3.1, 3.1, 2 * SAMPLES).reshape(SAMPLES, 2)))),
    ("trajectory_of_another_matrix",
     ["/trajectory", "largest |k|: 4 x 4", "the matrix", "--low-resolution"],
     both(drop("coil_maps"), root("matrix", np.array([24, 24])),
          put("trajectory", np.repeat([[-4.0, 4.0], [4.0, 1.0]], SAMPLES // 2, 0)))),
    ("trajectory_huge", ["/trajectory", "GB"], put("trajectory", huge((2**40, 2), "f8"))),
    ("units_missing", ['attribute "units" of /trajectory', "missing", "1/m", "--traj-units"],
     unattribute("trajectory", "units")),
    ("units_unknown", ["units", "furlongs", "cycles/fov"],
     attribute("trajectory", "units", np.bytes_("furlongs"))),
    ("units_number", ['attribute "units" of /trajectory', "int64 1"],
     attribute("trajectory", "units", 1)),
    ("units_two_texts", ["units", "[2]"], attribute("trajectory", "units", TWO_TEXTS)),
    ("units_empty", ["units", "without a value"],
     attribute("trajectory", "units", h5py.Empty("S4"))),
    # the samples
    ("samples_missing", ["/samples", "missing"], drop("samples", "coil_maps")),
    ("samples_nan", ["/samples", "NaN at [0, 3]"], poke("samples", (0, 3), NAN)),
    ("samples_infinity", ["/samples", "infinity at [1, 7]"],
     poke("samples", (1, 7), complex(0, INF))),
    ("samples_real", ["/samples", "complex", "float64"], put("samples", np.ones((COILS, SAMPLES)))),
    ("samples_compound", ["/samples", "compound {re float32, im float32}"],
     put("samples", ODD_COMPOUND)),
    ("samples_text", ["/samples", "string"], put("samples", np.full((COILS, SAMPLES), b"d"))),
    ("samples_scalar", ["/samples", "one complex", "[C, 8]"],
     put("samples", np.complex64(1))),
    ("samples_rank", ["/samples", "[8]"], put("samples", ones(SAMPLES))),
    ("samples_too_few", ["/samples", "[2, 7]", "8"], put("samples", ones(COILS, 7))),
    ("samples_none", ["/samples", "[2, 0]"],
     both(put("samples", zeros(COILS, 0)), drop("phi", "weights"),
          put("trajectory", np.zeros((SAMPLES, 2))))),
    ("nothing_sampled", ["/trajectory", "[0, 2]"],
     both(put("trajectory", np.zeros((0, 2))), put("samples", zeros(COILS, 0)),
          drop("phi", "weights"))),
    ("samples_all_zero", ["/samples", "every sample is 0"], put("samples", zeros(COILS, SAMPLES))),
    ("samples_frames", ["/samples", "[3, 2, 8]", "2 frames"],
     both(put("samples", ones(3, COILS, SAMPLES)), put("trajectory", np.zeros((2, SAMPLES, 2))))),
    ("samples_huge", ["/samples", "GB"], put("samples", huge((2, 2**40), "c8"))),
    ("samples_damaged", ["/samples", "cannot be read"],
     put("samples", {"data": ones(COILS, SAMPLES), "chunks": (COILS, SAMPLES),
                     "compression": "gzip"})),
    # phi and weights
    ("phi_nan", ["/phi", "NaN at [5]"], poke("phi", 5, complex(0, NAN))),
    ("phi_infinity", ["/phi", "infinity at [0]"], poke("phi", 0, INF)),
    ("phi_too_many", ["/phi", "[9]", "[8]"], put("phi", ones(9))),
    ("phi_real", ["/phi", "complex", "float64"], put("phi", np.ones(SAMPLES))),
    ("phi_all_zero", ["/phi", "every value is 0"], put("phi", zeros(SAMPLES))),
    ("weights_nan", ["/weights", "NaN at [1]"], poke("weights", 1, NAN)),
    ("weights_infinity", ["/weights", "infinity at [1]"], poke("weights", 1, INF)),
    ("weights_negative", ["/weights", "-0.5 at [4]"], poke("weights", 4, -0.5)),
    ("weights_too_few", ["/weights", "[7]", "[8]"], put("weights", np.ones(7))),
    ("weights_complex", ["/weights", "complex"], put("weights", ones(SAMPLES))),
    ("weights_rank", ["/weights", "[1, 8]"], put("weights", np.ones((1, SAMPLES)))),
    ("weights_all_zero", ["/weights", "every value is 0"], put("weights", np.zeros(SAMPLES))),
    ("phi_zero_where_weighted", ["/weights", "where phi is not"],
     both(put("phi", np.eye(SAMPLES, dtype=np.complex64)[0]),
          put("weights", 1 - np.eye(SAMPLES)[0]))),
    # coil maps and voxels
    ("coil_maps_nan", ["/coil_maps", "NaN at [1, 2, 3]"], poke("coil_maps", (1, 2, 3), NAN)),
    ("coil_maps_infinity", ["/coil_maps", "infinity at [0, 0, 1]"],
     poke("coil_maps", (0, 0, 1), INF)),
    ("coil_maps_coils", ["/coil_maps", "[3, 4, 4]", "[2, 4, 4]"], put("coil_maps", ones(3, 4, 4))),
    ("coil_maps_grid", ["/coil_maps", "[2, 4, 5]", "[2, 4, 4]"], put("coil_maps", ones(2, 4, 5))),
    ("coil_maps_rank", ["/coil_maps", "[2, 16]", "[2, 4, 4]"], put("coil_maps", ones(2, 16))),
    ("coil_maps_nan_off_grid", ["/coil_maps", "NaN at [1, 4]"],
     both(WITH_VOXELS, poke("coil_maps", (1, 4), NAN))),
    ("coil_maps_scalar", ["/coil_maps", "one complex", "[C, 4, 4]"],
     both(drop("samples"), put("coil_maps", np.complex64(1)))),
    ("coil_maps_real", ["/coil_maps", "complex", "float64"], put("coil_maps", np.ones((2, 4, 4)))),
    ("coil_maps_all_zero", ["/coil_maps", "every value is 0"], put("coil_maps", zeros(2, 4, 4))),
    ("coil_maps_of_grid_not_voxels", ["/coil_maps", "[2, 4, 4]", "[2, 5]"],
     put("voxels", np.zeros((5, 2)))),
    ("voxels_nan", ["/voxels", "NaN at [4, 0]"], both(WITH_VOXELS, poke("voxels", (4, 0), NAN))),
    ("voxels_infinity", ["/voxels", "infinity at [0, 1]"],
     both(WITH_VOXELS, poke("voxels", (0, 1), INF))),
    ("voxels_millimetres", ["/voxels", "-115 at [4, 0]", "fields of view", "200 mm"],
     both(WITH_VOXELS, poke("voxels", (4, 0), -115))),
    ("voxels_columns", ["/voxels", "[5, 3]", "[N, 2]"],
     both(WITH_VOXELS, put("voxels", np.zeros((5, 3))))),
    ("voxels_none", ["/voxels", "[0, 2]"], both(WITH_VOXELS, put("voxels", np.zeros((0, 2))))),
    ("voxels_scalar", ["/voxels", "one float64", "[N, 2]"], put("voxels", 1.0)),
    # what is optional
    ("field_map_without_times", ["/times", "missing"], FIELD_MAP),
    ("times_without_field_map", ["/field_map", "missing"], TIMES),
    ("field_map_grid", ["/field_map", "[4, 3]", "[4, 4]"],
     both(FIELD_MAP, TIMES, put("field_map", np.zeros((4, 3))))),
    ("field_map_units", ["units", "/field_map", "Hz"],
     both(FIELD_MAP, TIMES, attribute("field_map", "units", np.bytes_("T")))),
    ("times_too_few", ["/times", "[7]", "[8]"], both(FIELD_MAP, TIMES, put("times", np.zeros(7)))),
    ("field_map_nan", ["/field_map", "NaN at [2, 3]"],
     both(FIELD_MAP, TIMES, poke("field_map", (2, 3), NAN))),
    ("noise_nan", ["/noise", "NaN at [1, 2]"],
     both(put("noise", ones(COILS, 5)), poke("noise", (1, 2), NAN))),
    ("noise_coils", ["/noise", "[3, 5]"], put("noise", ones(3, 5))),
]
