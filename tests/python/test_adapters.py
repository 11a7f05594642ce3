"""Adapters for other packages, where these are installed."""

import sys

import numpy as np
import pytest
from conftest import relative

import lsrecon


@pytest.fixture(scope="module")
def encoding(scan):
    return lsrecon.Encoding(scan.trajectory, scan.matrix, maps=scan.maps)


def test_importing_alone_imports_none():
    code = "import sys, lsrecon; print(*[m for m in ('scipy', 'torch', 'sigpy', 'h5py') " \
           "if m in sys.modules])"
    import subprocess
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_scipy(scan, encoding):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    from lsrecon.scipy import LinearOperator
    operator = LinearOperator(encoding, np.complex128)
    unit = len(scan.trajectory)
    image = linalg.lsqr(operator, scan.samples.astype(np.complex128).ravel(),
                        damp=np.sqrt(0.1 * unit), atol=1e-10, btol=1e-10)[0]
    own = lsrecon.recon(scan.samples.astype(np.complex128), scan.trajectory, scan.matrix,
                        maps=scan.maps, lambda_=0.1, reg="none", tolerance=1e-10)
    assert relative(image.reshape(own.array.shape), own.array) < 1e-6


def test_sigpy(scan, encoding):
    sigpy = pytest.importorskip("sigpy")
    from lsrecon.sigpy import Linop
    operator = Linop(encoding)
    theirs = sigpy.linop.Compose([
        sigpy.linop.NUFFT(scan.maps.shape, scan.trajectory[:, ::-1], width=8, oversamp=2),
        sigpy.linop.Multiply(encoding.ishape, scan.maps)])
    x = scan.truth
    voxels = np.prod(encoding.ishape)
    assert relative(operator(x), np.sqrt(voxels) * theirs(x)) < 1e-4
    assert relative((operator.N)(x), operator.H(operator(x))) < 1e-5


def unitary_encoding(sigpy):
    """Every point of k-space once: A^H A is N times the identity."""
    ky, kx = np.meshgrid(np.arange(6) - 3, np.arange(8) - 4, indexing="ij")
    grid = lsrecon.Encoding(np.stack([kx.ravel(), ky.ravel()], 1).astype(float), (8, 6))
    from lsrecon.sigpy import Linop
    return 48 ** -0.5 * Linop(grid)


@pytest.mark.parametrize("name", ["A", "A.H", "A.N", "without maps"])
def test_linops_of_sigpy(scan, encoding, name):
    """What SigPy asks of its own: linear, with an adjoint and a normal operator, and picklable."""
    import pickle
    sigpy = pytest.importorskip("sigpy")
    from lsrecon.sigpy import Linop
    alone = lsrecon.Encoding(scan.trajectory, scan.matrix)
    operator = {"A": Linop(encoding), "A.H": Linop(encoding).H, "A.N": Linop(encoding).N,
                "without maps": Linop(alone)}[name]
    x, y = (sigpy.randn(operator.ishape, dtype=np.complex128) for _ in range(2))
    z = sigpy.randn(operator.oshape, dtype=np.complex128)
    assert relative(operator(0.5j * x + y), 0.5j * operator(x) + operator(y)) < 1e-9
    for scaled in (operator, 2j * operator, operator + operator, operator.H.H):
        assert abs(np.vdot(z, scaled(x)) - np.vdot(scaled.H(z), x)) < 1e-9 * \
            np.linalg.norm(z) * np.linalg.norm(scaled(x))
        assert relative(scaled.N(x), scaled.H(scaled(x))) < 1e-9
    again = pickle.loads(pickle.dumps(operator))
    assert (again.oshape, again.ishape) == (operator.oshape, operator.ishape)
    np.testing.assert_array_equal(again(x), operator(x))


def test_linop_of_all_of_kspace_is_unitary():
    sigpy = pytest.importorskip("sigpy")
    operator = unitary_encoding(sigpy)
    x = sigpy.randn(operator.ishape, dtype=np.complex128)
    assert relative(operator.H(operator(x)), x) < 1e-9 and relative(operator.N(x), x) < 1e-9


def test_mrinufft(scan):
    mrinufft = pytest.importorskip("mrinufft")
    import lsrecon.mrinufft  # noqa: F401, which registers it
    k = scan.trajectory[:, ::-1] / np.array(scan.matrix[::-1])  # cycles/voxel, y before x
    shape = tuple(scan.matrix[::-1])
    theirs, own = (mrinufft.get_operator(name)(k.astype(np.float32), shape, n_coils=3,
                                               smaps=scan.maps) for name in ("numpy", "lsrecon"))
    x = scan.truth
    assert relative(own.op(x), theirs.op(x)) < 1e-5
    y = scan.samples
    assert relative(own.adj_op(y), theirs.adj_op(y)) < 1e-5


def test_mrinufft_has_density_weights(scan):
    mrinufft = pytest.importorskip("mrinufft")
    import lsrecon.mrinufft  # noqa: F401, which registers it
    k = scan.trajectory[:, ::-1] / np.array(scan.matrix[::-1])  # cycles/voxel, y before x
    shape = tuple(scan.matrix[::-1])
    operator = mrinufft.get_operator("lsrecon")
    weights = operator.pipe(k, shape)
    own = lsrecon.density(scan.trajectory, scan.matrix, "pipe")
    assert np.allclose(weights / weights.mean(), own / own.mean(), rtol=1e-4)
    a = operator(k, shape)
    response = a.adj_op(weights * a.op(np.ones(shape, np.complex64)))
    assert abs(np.abs(response).mean() - 1) < 1e-3



def test_torch(scan, encoding):
    torch = pytest.importorskip("torch")
    from lsrecon.torch import Linear
    samples = torch.from_numpy(scan.samples)
    image = lsrecon.recon(samples, torch.from_numpy(scan.trajectory), scan.matrix,
                          maps=torch.from_numpy(scan.maps), lambda_=0.1)
    assert isinstance(image.array, torch.Tensor)
    small = lsrecon.Encoding(scan.trajectory[:20], scan.matrix, maps=scan.maps)
    linear = Linear(small)
    x = torch.randn(small.ishape, dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(linear, (x,), fast_mode=True)
    loss = (linear(x) - 1).abs().square().sum()
    loss.backward()
    expected = 2 * small.H(small(x.detach().numpy()) - 1)
    assert relative(x.grad.numpy(), expected) < 1e-10


def test_mrpro(scan, encoding):
    pytest.importorskip("mrpro")
    torch = pytest.importorskip("torch")
    from lsrecon.mrpro import Operator
    operator = Operator(encoding)
    x = torch.from_numpy(scan.truth)[None]
    (y,) = operator(x)
    assert relative(y.numpy(), encoding(scan.truth)) < 1e-6
    assert operator.adjoint(y)[0].shape == x.shape


def test_deepinv(scan, encoding):
    pytest.importorskip("deepinv")
    torch = pytest.importorskip("torch")
    from lsrecon.deepinv import Physics
    physics = Physics(encoding)
    x = torch.view_as_real(torch.from_numpy(scan.truth)).movedim(-1, 0)[None].contiguous()
    y = physics.A(x)
    assert physics.A_adjoint(y).shape == x.shape
    assert abs(physics.adjointness_test(x)) < 1e-2 * y.norm()
