"""recon() beside the program, and what users do with arrays, errors, threads and Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest
from conftest import arrays_of, relative

import lsrecon

CASES = [
    ("radial", {"coils": 3, "snr": 30}, {}, []),
    ("radial", {"coils": 3, "snr": 30, "noise_samples": 64}, {"lambda_": 0.01},
     ["--lambda", "0.01"]),
    ("spiral", {"coils": 2, "snr": 20}, {"reg": [("tv", 0.02)]}, ["--reg", "tv:0.02"]),
    ("golden-angle", {"coils": 4, "snr": 20, "maps": False}, {"lambda_": "auto"},
     ["--lambda", "auto"]),
    ("spiral", {"coils": 2, "off_resonance_hz": 100}, {"iterations": 8}, ["--iterations", "8"]),
    ("golden-angle", {"coils": 2, "frames": 3, "readouts": 30, "motion_mm": 5, "snr": 20},
     {"lambda_": 0.02}, ["--lambda", "0.02"]),
]


@pytest.mark.parametrize("trajectory, phantom, keywords, flags", CASES)
def test_bits_of_the_program(by_program, trajectory, phantom, keywords, flags):
    scan = lsrecon.simulate(trajectory, (28, 24), **phantom)
    image = lsrecon.recon(**arrays_of(scan), **keywords)
    assert image.array.dtype == np.complex64
    np.testing.assert_array_equal(image.array, by_program(scan, *flags))


def test_three_dimensions(by_program):
    scan = lsrecon.simulate("radial-3d", (12, 10, 8), coils=2, snr=30)
    image = lsrecon.recon(**arrays_of(scan), lambda_=0.05)
    assert image.array.shape == (8, 10, 12)
    np.testing.assert_array_equal(image.array, by_program(scan, "--lambda", "0.05"))


def test_coils_apart(by_program):
    scan = lsrecon.simulate("golden-angle", (16, 14), coils=3, frames=2, readouts=20, snr=30)
    image = lsrecon.recon(**{**arrays_of(scan), "maps": "none"}, keep_coils=True, lambda_=0.05)
    assert image.array.shape == (2, 3, 14, 16)
    words = ["--maps", "none", "--keep-coils", "--lambda", "0.05"]
    np.testing.assert_array_equal(image.array, by_program(scan, *words))


LAYOUTS = {
    "column order": lambda a: {**a, "samples": np.asfortranarray(a["samples"])},
    "every other": lambda a: {**a, "samples": np.repeat(a["samples"], 2, axis=1)[:, ::2]},
    "lists": lambda a: {**a, "samples": a["samples"].tolist(), "precision": "single"},
    "read-only": lambda a: {**a, "maps": np.broadcast_to(a["maps"], a["maps"].shape)},
    "a frame": lambda a: {**a, "samples": a["samples"][None]},
    "z, y, x": lambda a: {**a, "trajectory": a["trajectory"][:, ::-1], "axes": "zyx"},
    "cycles/voxel": lambda a: {**a, "trajectory": a["trajectory"] / a["matrix"],
                               "units": "cycles/voxel"},
    "rad/voxel": lambda a: {**a, "trajectory": 2 * np.pi * a["trajectory"] / a["matrix"],
                            "units": "rad/voxel"},
    "1/m": lambda a: {**a, "trajectory": a["trajectory"] / np.array(a["fov_mm"]) * 1e3,
                      "units": "1/m"},
    "float32": lambda a: {**a, "trajectory": a["trajectory"].astype(np.float32)},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(scan, layout):
    usual = arrays_of(scan)
    image = lsrecon.recon(**usual, lambda_=0.1)
    other = lsrecon.recon(**LAYOUTS[layout](usual), lambda_=0.1)
    assert other.array.shape == image.array.shape
    assert relative(other, image.array) < 5e-5


def test_doubles_stay(scan):
    arrays = arrays_of(scan)
    del arrays["noise"]
    arrays["samples"] = arrays["samples"].astype(np.complex128)
    image = lsrecon.recon(**arrays, lambda_=0.1, reg="none", tolerance=1e-11)
    assert image.array.dtype == np.complex128 and image.record["precision"] == "double"
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)
    unit = scan.trajectory.shape[0]
    residual = a.N(image.array) + 0.1 * unit * image.array - a.H(arrays["samples"])
    assert np.linalg.norm(residual) < 1e-9 * np.linalg.norm(a.H(arrays["samples"]))


def test_result(scan, tmp_path):
    image = lsrecon.recon(scan, lambda_=0.01, certify=1e-2, noise_map=8)
    assert 0 < image.error < 1e-2
    assert float(image.record["lambda"]) == 0.01 and image.record["seconds"]["solve"] > 0
    assert image.noise_map.shape == image.array.shape == (24, 28)
    assert image._repr_png_().startswith(b"\x89PNG") and "complex64" in image._repr_html_()
    assert np.asarray(image).dtype == np.complex64
    for name in ("image.h5", "image.nii", "image.png"):
        lsrecon.write(tmp_path / name, image)
        assert (tmp_path / name).stat().st_size > 500


def test_files_and_scans(scan, tmp_path):
    lsrecon.write(tmp_path / "scan.h5", scan)
    stored = lsrecon.read(tmp_path / "scan.h5")
    assert stored.matrix == scan.matrix and stored.format == "lsrecon-scan"
    np.testing.assert_array_equal(stored.samples, scan.samples)
    by_arrays, by_file = (lsrecon.recon(s, lambda_=0.01) for s in (scan, stored))
    np.testing.assert_array_equal(by_arrays.array, by_file.array)


def test_doubles_are_written(scan, tmp_path):
    samples = scan.samples.astype(np.complex128) * (1 + 1e-9)
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps.astype(np.complex128))
    lsrecon.write(tmp_path / "doubles.h5", a.scan_of(samples))
    doubles = lsrecon.read(tmp_path / "doubles.h5")
    assert doubles.samples.dtype == doubles.maps.dtype == np.complex128
    np.testing.assert_array_equal(doubles.samples, samples)


@pytest.mark.parametrize("name", ["image.h5", "image.nii", "image.nii.gz", "image.cfl"])
def test_images_are_read(scan, tmp_path, name):
    image = lsrecon.recon(scan, lambda_=0.01)
    lsrecon.write(tmp_path / name, image)
    again = lsrecon.read(tmp_path / name)
    has_magnitudes = ".nii" in name
    assert isinstance(again, lsrecon.Image)
    assert again.array.dtype == (np.float32 if has_magnitudes else np.complex64)
    expected = abs(image.array) if has_magnitudes else image.array
    np.testing.assert_allclose(np.squeeze(again.array), expected, rtol=1e-6)
    if name == "image.h5":
        assert again.record["lambda"] == "0.01" and again.fov_mm == image.fov_mm
        lsrecon.write(tmp_path / "again.png", again)


def test_what_is_asked_beside(scan):
    chosen = lsrecon.choose(scan, lambda_="auto")
    weights = chosen["weight_curve_lambda"]["weight"]
    assert weights.min() < chosen["lambda"] < weights.max()
    assert lsrecon.predict(scan, lambda_=0.1)["seconds"] > 0
    maps = lsrecon.walsh(**{k: v for k, v in arrays_of(scan).items()
                            if k in ("samples", "trajectory", "matrix")})
    assert maps.shape == scan.maps.shape
    assert lsrecon.espirit(scan).shape == scan.maps.shape
    white = lsrecon.whiten(scan.noise, scan.noise)
    covariance = white @ white.conj().T
    assert np.allclose(covariance / covariance[0, 0], np.eye(3), atol=1e-4)
    assert lsrecon.compress(scan.samples, 2).shape == (2, scan.samples.shape[1])
    assert lsrecon.density(scan.trajectory, scan.matrix).min() > 0


def test_keywords_are_the_rows():
    from lsrecon._keywords import Keywords
    rows = lsrecon.options()
    assert {row.name for row in rows} == set(Keywords.__annotations__)
    assert not any("--" in row.help + row.more for row in rows)
    assert all(f"{row.name} :" in lsrecon.recon.__doc__ for row in rows)


ERRORS = [
    ("lambda_", {"lambda_": -1}), ("lambdaa", {"lambdaa": 1}), ("reg", {"reg": "tw"}),
    ("reg", {"reg": ["tv", "tv"]}), ("iterations", {"iterations": 0.5}),
    ("matrix", {"matrix": (28,)}), ("matrix", {"matrix": (28.5, 24)}),
    ("trajectory", {"trajectory": np.zeros((5, 4))}), ("units", {"units": "furlong"}),
    ("axes", {"axes": "yx"}), ("fov_mm", {"fov_mm": -1.0}), ("maps", {"maps": "file.h5"}),
    ("maps", {"maps": np.ones((2, 24, 28))}), ("prior", {"prior": np.ones(3)}),
    ("times", {"field_map": np.ones((24, 28))}),
    ("weights", {"weights": np.ones(3)}), ("noise", {"noise": np.ones((2, 9))}),
    ("snr_units", {"snr_units": True, "noise": None}), ("field_map", {"field_map": "auto"}),
    ("coils", {"coils": 2, "energy": 0.9}), ("method", {"method": "magic"}),
]


@pytest.mark.parametrize("keyword, wrong", ERRORS)
def test_errors_name_keywords(scan, keyword, wrong):
    with pytest.raises(ValueError) as error:
        lsrecon.recon(**{**arrays_of(scan), **wrong})
    message = str(error.value)
    assert keyword in message.split("\n")[0] or f"`{keyword}`" in message, message
    assert "--" not in message and "next:" in message, message


VALUES = {
    "NaN": lambda a: {"samples": np.where(np.arange(a["samples"].shape[1]) == 7, np.nan,
                                          a["samples"])},
    "zeros": lambda a: {"samples": 0 * a["samples"]},
    "wrong units": lambda a: {"trajectory": a["trajectory"] * 10},
    "small": lambda a: {"trajectory": a["trajectory"] / 10},
    "coils last": lambda a: {"samples": a["samples"].T},
    "dimensions first": lambda a: {"trajectory": a["trajectory"].T},
    "negative weights": lambda a: {"weights": -np.ones(a["samples"].shape[1])},
}


@pytest.mark.parametrize("values", VALUES)
def test_wrong_values_make_no_image(scan, values):
    arrays = arrays_of(scan)
    with pytest.raises(ValueError) as error:
        lsrecon.recon(**{**arrays, **VALUES[values](arrays)}, lambda_=0.1)
    assert "--" not in str(error.value) and "expected:" in str(error.value)


def test_a_device_that_is_not_there(scan):
    with pytest.raises(RuntimeError, match="`device` nonsense"):
        lsrecon.recon(scan, device="nonsense", backend="opencl")


def test_threads_give_the_bits_of_one(scan):
    weights = (0.01, 0.1)
    alone = [lsrecon.recon(scan, lambda_=weight).array for weight in weights]
    images = {}
    threads = [threading.Thread(target=lambda i=i: images.update(
        {i: lsrecon.recon(scan, lambda_=weights[i % 2]).array})) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        np.testing.assert_array_equal(images[i], alone[i % 2])


def test_interrupted_within_an_iteration(scan):
    states = []

    def interrupt(state):
        states.append(state)
        if state.iteration == 2:
            os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        lsrecon.recon(scan, lambda_=1e-4, callback=interrupt)
    assert states[-1].iteration <= 3


def test_callbacks_may_stop(scan):
    with pytest.raises(lsrecon.Stopped):
        lsrecon.recon(scan, lambda_=0.01, callback=lambda state: state.iteration < 3)

    def fails(state):
        raise KeyError(state.iteration)
    with pytest.raises(KeyError):
        lsrecon.recon(scan, lambda_=0.01, callback=fails)
    stages = []
    lsrecon.recon(scan, lambda_=0.01, progress=lambda stage, fraction: stages.append(stage))
    assert "solve" in stages
