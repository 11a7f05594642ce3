#!/usr/bin/python3
"""How a scan is stored: every form that HDF5 offers gives the same values. Files that are
incomplete, keep values elsewhere or were not closed are refused.

    stored_forms.py LSRECON
"""

import hashlib
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

FRAMES, COILS, SAMPLES = 2, 3, 30001 # several portions of a megabyte, none of them full
RNG = np.random.default_rng(1)


def exact(*shape):
    """Values that halves, floats and doubles hold alike."""
    return RNG.integers(-2048, 2048, shape) / 1024


K = exact(FRAMES, SAMPLES, 2)
SAMPLE_VALUES = (exact(FRAMES, COILS, SAMPLES) + 1j * exact(FRAMES, COILS, SAMPLES)).astype("c8")
WEIGHTS = np.abs(exact(SAMPLES)) + 1


def parts(number):
    """Complex numbers of two `number`, of which numpy may not know any."""
    values = np.zeros(SAMPLE_VALUES.shape, [("r", number), ("i", number)])
    values["r"], values["i"] = SAMPLE_VALUES.real, SAMPLE_VALUES.imag
    return values


def turned():
    values = np.zeros(SAMPLE_VALUES.shape, [("i", "f4"), ("r", "f4")])
    values["r"], values["i"] = SAMPLE_VALUES.real, SAMPLE_VALUES.imag
    return values


FORMS = {
    "chunks within a frame": {"samples": {"chunks": (1, 2, 7001)}},
    "chunks over frames": {"samples": {"chunks": (2, 3, 1009)},
                           "trajectory": {"chunks": (2, 64, 1)}},
    "chunks of a readout": {"samples": {"chunks": (1, 1, 100)},
                            "trajectory": {"chunks": (1, 100, 2)}},
    "filters": {name: {"compression": "gzip", "shuffle": True, "fletcher32": True}
                for name in ("samples", "trajectory", "weights")},
    "extensible": {"samples": {"chunks": (1, 3, 999), "maxshape": (None, 3, SAMPLES)},
                   "weights": {"chunks": (1000,), "maxshape": (None,)}},
    "doubles": {"samples": {"data": parts("<f8")}},
    "doubles, turned bytes": {"samples": {"data": parts(">f8")}, "trajectory": {"dtype": ">f8"}},
    "floats, turned bytes": {"samples": {"data": parts(">f4")}, "weights": {"dtype": ">f4"}},
    "halves": {"samples": {"data": parts("<f2")}, "trajectory": {"dtype": "f2"}},
    "long doubles": {"samples": {"data": parts(np.longdouble)},
                     "weights": {"dtype": np.longdouble}},
    "imaginary part first": {"samples": {"data": turned()}},
    "floats": {"trajectory": {"dtype": "f4"}, "weights": {"dtype": "f4"}},
}


def write(path, form=None, libver="earliest", samples=SAMPLE_VALUES):
    values = {"trajectory": K, "samples": samples, "weights": WEIGHTS}
    with h5py.File(path, "w", libver=libver) as file:
        file.attrs.update(format=np.bytes_("lsrecon-scan"), version=1, matrix=[5, 4],
                          fov_mm=[200.0, 200.0])
        for name, array in values.items():
            file.create_dataset(name, **{"data": array, **(form or {}).get(name, {})})
        file["trajectory"].attrs["units"] = "cycles/fov"


class Runs:
    def __init__(self, program, folder):
        self.program, self.folder, self.failures, self.tried = program, pathlib.Path(folder), 0, 0

    def fail(self, words, result):
        self.failures += 1
        print(f"FAILED {words}: exit code {result.returncode}\n{result.stdout}{result.stderr}")

    def run(self, *arguments, **options):
        self.tried += 1
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False, **options)

    def fhd(self, scan):
        output = self.folder / "fhd.h5"
        result = self.run("fhd", scan, "-o", output, "--backend", "reference", "--quiet")
        if result.returncode != 0:
            self.fail(f"fhd {scan.name}", result)
            return None, {}
        with h5py.File(output, "r") as file:
            return file["fhd"][()], dict(file["record"].attrs)

    def expect_refused(self, words, piece, scan, **options):
        result = self.run("check", scan, **options)
        whole = all(part in result.stderr for part in (piece, scan.name, "found:", "next:"))
        if result.returncode != 3 or not whole:
            self.fail(f"{words}, which should say '{piece}'", result)


def same_values(runs):
    scan = runs.folder / "scan.h5"
    write(scan)
    wanted, record = runs.fhd(scan)
    if record["scan_sha256"] != hashlib.sha256(scan.read_bytes()).hexdigest():
        runs.failures += 1
        print("FAILED: the record holds another hash than the scan has")
    for name, form in FORMS.items():
        for libver in ("earliest", "latest"):
            write(scan, form, libver)
            found, _ = runs.fhd(scan)
            if found is None or not np.array_equal(found, wanted):
                runs.failures += 1
                print(f"FAILED {name}, {libver}: other values")


def not_here(runs):
    """Present or not: what another file holds is neither checked nor in the record."""
    scan, other, raw = (runs.folder / name for name in ("scan.h5", "other.h5", "raw.bin"))
    raw.write_bytes(SAMPLE_VALUES.tobytes())
    layout = h5py.VirtualLayout(SAMPLE_VALUES.shape, "c8")
    layout[...] = h5py.VirtualSource(str(other), "samples", shape=SAMPLE_VALUES.shape)
    for present in (True, False):
        for words, put in {
                "virtual": lambda file: file.create_virtual_dataset("samples", layout),
                "raw": lambda file: file.create_dataset(
                    "samples", SAMPLE_VALUES.shape, "c8",
                    external=[(str(raw), 0, h5py.h5f.UNLIMITED)]),
                "link": lambda file: file.__setitem__(
                    "samples", h5py.ExternalLink(str(other), "/samples"))}.items():
            write(scan)
            shutil.copy(scan, other)
            with h5py.File(scan, "r+") as file:
                del file["samples"]
                put(file)
            if not present:
                other.unlink()
                raw.unlink(missing_ok=True)
            runs.expect_refused(words, "other file" if words != "link" else "another file", scan)


def not_closed(runs):
    scan, copy = runs.folder / "open.h5", runs.folder / "copy.h5"
    write(scan, libver="latest")
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_USE_FILE_LOCKING"}
    with h5py.File(scan, "r+", libver="latest") as file:
        file.flush()
        runs.expect_refused("a writer", "another program is writing it", scan,
                            env=environment)
        shutil.copy(scan, copy)
    runs.expect_refused("a writer that crashed", "h5clear", copy)


def endless_tree(runs):
    """The tree of chunks is its own branch: HDF5 1.10 follows it until its stack is full."""
    scan = runs.folder / "endless.h5"
    write(scan, {"samples": {"chunks": (1, 1, 100)}})
    content = bytearray(scan.read_bytes())
    tree = next(at for at in range(0, len(content), 8)
                if content[at:at + 5] == b"TREE\1") # a tree of chunks
    first_branch = tree + 24 + 40 # after its head and the first key
    content[tree + 5] = 1 # not a leaf
    content[first_branch:first_branch + 8] = tree.to_bytes(8, "little")
    scan.write_bytes(content)
    runs.expect_refused("an endless tree", "/samples", scan)


def too_little_memory(runs):
    scan = runs.folder / "large.h5"
    write(scan, samples=np.ones((1, 80, SAMPLES), "c8"))
    limit = 16 << 20
    runs.expect_refused(
        "little memory", "ulimit -d", scan,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))


def silent_coil(runs):
    scan = runs.folder / "silent.h5"
    silent = SAMPLE_VALUES.copy()
    silent[:, 1] = 0
    write(scan, samples=silent)
    result = runs.run("check", scan)
    if result.returncode != 0 or "coil 1 are 0 in all frames" not in result.stdout:
        runs.fail("a coil that was not written", result)


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(program, folder)
        for part in (same_values, not_here, not_closed, endless_tree, too_little_memory,
                     silent_coil):
            part(runs)
    print(f"{runs.tried} runs, {runs.failures} failures")
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
