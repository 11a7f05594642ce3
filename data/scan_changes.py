"""A good native scan, and what can be done to it: for the tables of make_bad.py."""

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
        self.then = []

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
            for change in self.then:
                change(file)


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
    return lambda scan: scan.links.update({name: target})


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


def stored(name, write):
    """The dataset in another way: write(file, name, its values)."""
    def change(scan):
        values = scan.data[name]
        drop(name)(scan)
        scan.then.append(lambda file: write(file, name, values))
        if name == "trajectory":
            scan.then.append(lambda file: file[name].attrs.update(units=np.bytes_("cycles/fov")))
    return change


def half_written(file, name, values):
    """As a program leaves it that was stopped."""
    chunk = (1,) * (values.ndim - 1) + (values.shape[-1] // 2,)
    dataset = file.create_dataset(name, values.shape, values.dtype, chunks=chunk, track_times=False)
    dataset[0] = values[0]


def never_written(file, name, values):
    file.create_dataset(name, values.shape, values.dtype, track_times=False)


def in_raw_file(file, name, values):
    file.create_dataset(name, values.shape, values.dtype, track_times=False,
                        external=[("missing.raw", 0, h5py.h5f.UNLIMITED)])
