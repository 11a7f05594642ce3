"""Encoding: its sums, its adjoint, its normal operator, and its use by several threads."""

import pickle
import threading

import numpy as np
import pytest
from conftest import relative

import lsrecon


def drawn(shape, dtype, seed):
    parts = np.random.default_rng(seed).standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype)


@pytest.mark.parametrize("matrix, coils", [((9, 8), 3), ((9, 8), 0), ((6, 5, 4), 2)])
@pytest.mark.parametrize("has", ["nothing", "weights", "phi", "field"])
@pytest.mark.parametrize("dtype, error", [(np.complex64, 5e-6), (np.complex128, 1e-12)])
def test_sums_and_adjoint(matrix, coils, has, dtype, error):
    draw = np.random.default_rng(3)
    image = matrix[::-1]
    k = draw.uniform(-0.5, 0.5, (50, len(matrix))) * matrix
    more = {"nothing": {}, "weights": {"weights": draw.uniform(0.5, 2, 50)},
            "phi": {"phi": drawn((50,), np.complex128, 5)},
            "field": {"times": np.linspace(0, 5e-3, 50),
                      "field_map": draw.uniform(-50, 50, image)}}[has]
    maps = drawn((coils, *image), np.complex128, 4) if coils else None
    # Time segments have an error of their own.
    a = lsrecon.Encoding(k, matrix, maps=maps, **more,
                         **({"engine": "exact"} if has == "field" else {}))
    x, y = drawn(a.ishape, dtype, 1), drawn(a.oshape, dtype, 2)
    positions = np.stack(np.meshgrid(*[(np.arange(n) - n // 2) / n for n in image],
                                     indexing="ij"), -1).reshape(-1, len(matrix))[:, ::-1]
    phases = k @ positions.T
    if has == "field":
        phases = phases + np.outer(more["times"], more["field_map"].ravel())
    dense = np.exp(-2j * np.pi * phases)
    if has == "phi":
        dense *= more["phi"][:, None]
    voxels = (maps if coils else 1) * x
    exact = voxels.reshape(*a.oshape[:-1], -1) @ dense.T
    bound = max(error, 2e-5) if has == "field" else error
    assert relative(a(x), exact) < bound and a(x).dtype == dtype
    assert abs(np.vdot(y, a(x)) - np.vdot(a.adjoint(y), x)) < bound * np.linalg.norm(y) * \
        np.linalg.norm(a(x))
    weighted = more.get("weights", 1) * a(x)
    assert relative(a.N(x), a.H(weighted.astype(dtype))) < 10 * bound
    assert a.shape == (np.prod(a.oshape), np.prod(a.ishape)) and a.H.H is a


def test_dimensions_before(scan):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)
    x = drawn((2, 2, *a.ishape), np.complex64, 1)
    assert a(x).shape == (2, 2, *a.oshape)
    np.testing.assert_array_equal(a(x)[1, 0], a(x[1, 0]))
    with pytest.raises(ValueError, match="`x`"):
        a(x[..., :-1])


def test_solve_is_recon(scan):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps, fov_mm=scan.fov_mm)
    image = lsrecon.solve(a, scan.samples, lambda_=0.01)
    np.testing.assert_array_equal(
        image.array, lsrecon.recon(scan.samples, scan.trajectory, scan.matrix, maps=scan.maps,
                                   fov_mm=scan.fov_mm, lambda_=0.01).array)


def test_keeps_its_convolution(scan):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)
    first, again = (lsrecon.solve(a, scan.samples, lambda_=0.01) for _ in range(2))
    assert "q" in first.record["seconds"] and "q" not in again.record["seconds"]
    np.testing.assert_array_equal(again.array, first.array)
    other = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)
    x = drawn(a.ishape, np.complex64, 1)
    np.testing.assert_array_equal(other.N(x), a.N(x))  # computed, and kept by a solve
    assert "q" not in lsrecon.solve(other, scan.samples, lambda_=0.01).record["seconds"]


def test_solves_frames(scan):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)
    both = lsrecon.solve(a, np.stack([scan.samples, 2 * scan.samples]), lambda_=0.01)
    alone = lsrecon.solve(a, scan.samples, lambda_=0.01)
    assert relative(both.array[0], alone.array) < 1e-6
    assert relative(both.array[1], 2 * alone.array) < 1e-6
    with pytest.raises(ValueError, match="`samples`"):
        lsrecon.solve(a, scan.samples[:-1])


def test_has_one_trajectory_of_its_own(scan):
    k = scan.trajectory
    a = lsrecon.Encoding(k, scan.matrix, maps=scan.maps)
    x = drawn(a.ishape, np.complex64, 1)
    before = a(x), lsrecon.solve(a, scan.samples, lambda_=0.01).array
    k *= 0.5
    np.testing.assert_array_equal(a(x), before[0])
    np.testing.assert_array_equal(lsrecon.solve(a, scan.samples, lambda_=0.01).array, before[1])
    with pytest.raises(ValueError, match=r"`trajectory` of shape \(2, 3"):
        lsrecon.Encoding(np.zeros((2, 3, 2)), (8, 8))


@pytest.mark.parametrize("of", ["", ".H", ".N"])
def test_pickled(scan, of):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps, accuracy=1e-4)
    operator = {"": a, ".H": a.H, ".N": a.N}[of]
    again = pickle.loads(pickle.dumps(operator))
    x = drawn(operator.ishape, np.complex64, 1)
    np.testing.assert_array_equal(again(x), operator(x))


def test_threads_share_one(scan):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)
    x = drawn(a.ishape, np.complex64, 1)
    alone = a(x), a.N(x)
    wrong = []

    def work():
        for _ in range(5):
            if not (np.array_equal(a(x), alone[0]) and np.array_equal(a.N(x), alone[1])):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_says_its_errors_and_cost(scan):
    a = lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps, accuracy=1e-3)
    errors = a.certify()
    assert 0 < errors["adjoint"][0] < 1e-3 and 0 < errors["normal"][1] < 1e-3
    assert a.cost()["seconds"] > 0 and a.cost()["engine"]
