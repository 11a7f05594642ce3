"""Images written as DICOM, where pydicom is installed: values, and where they lie."""

import itertools
import shutil
import struct
import subprocess

import h5py
import numpy as np
import pytest

import lsrecon

pydicom = pytest.importorskip("pydicom")


def posed(tmp_path, design, matrix, **keywords):
    """The image of a scan that says where it lies: tilted, off the centre."""
    scan = lsrecon.simulate(design, matrix, fov_mm=[2 * n + d for d, n in enumerate(matrix)],
                            snr=30, **keywords)
    path = tmp_path / "scan.h5"
    lsrecon.write(path, scan)
    turn = np.linalg.qr(np.array([[3., 1, 0.4], [-1, 4, 0.3], [0.2, -0.5, 2]]))[0]
    turn *= np.sign(np.diag(turn))
    if np.linalg.det(turn) < 0:
        turn[:, 2] *= -1
    with h5py.File(path, "r+") as file:
        file.attrs["position"] = [11.0, -7, 23]
        file.attrs["directions"] = turn.T
    return lsrecon.recon(lsrecon.read(path), lambda_=0.05)


def affine_of(files):
    """From index x, y, z to RAS by what DICOM says."""
    first, last = files[0], files[-1]
    rows, columns = first.PixelSpacing
    x, y = np.reshape(first.ImageOrientationPatient, (2, 3)).astype(float)
    at, to = (np.array(file.ImagePositionPatient, float) for file in (first, last))
    z = (to - at) / (len(files) - 1) if len(files) > 1 else \
        np.cross(x, y) * float(first.SliceThickness)
    affine = np.eye(4)
    affine[:3] = np.stack([x * columns, y * rows, z, at], 1)
    return np.diag([-1, -1, 1, 1]) @ affine


def affine_of_nifti(path):
    return np.array([*struct.unpack("<12f", path.read_bytes()[280:328]), 0, 0, 0, 1]).reshape(4, 4)


@pytest.mark.parametrize("design, matrix", [("radial", (28, 24)), ("radial-3d", (12, 10, 8))])
def test_lies_where_nifti_does(tmp_path, design, matrix):
    image = posed(tmp_path, design, matrix)
    paths = image.to_dicom(tmp_path / "dicom", PatientName="Phantom")
    files = [pydicom.dcmread(path) for path in paths]
    assert len(files) == (matrix[2] if len(matrix) == 3 else 1)
    assert len({file.SOPInstanceUID for file in files}) == len(files)
    assert {str(file.PatientName) for file in files} == {"Phantom"}
    values = np.stack([file.pixel_array * float(file.RescaleSlope) for file in files])
    expected = abs(image.array).reshape(values.shape)
    assert abs(values - expected).max() < 1e-5 * expected.max()
    np.testing.assert_allclose(affine_of(files), image.affine, atol=1e-6)
    lsrecon.write(tmp_path / "image.nii", image)
    np.testing.assert_allclose(affine_of(files), affine_of_nifti(tmp_path / "image.nii"), atol=1e-4)
    with pytest.raises(ValueError, match="`folder`"):
        image.to_dicom(tmp_path / "dicom")


def test_frames_and_scans_without_a_place(tmp_path):
    scan = lsrecon.simulate("golden-angle", (16, 16), frames=3, readouts=20, motion_mm=3, snr=30)
    cine = lsrecon.recon(scan, lambda_=0.1)
    with pytest.raises(ValueError, match="`affine`"):
        cine.to_dicom(tmp_path / "none")
    paths = cine.to_dicom(tmp_path / "cine", affine=np.diag([-2, -2, 5, 1]))
    files = [pydicom.dcmread(path) for path in paths]
    assert [int(file.TemporalPositionIdentifier) for file in files] == [1, 2, 3]
    assert len({file.SeriesInstanceUID for file in files}) == 1


def test_dcm2niix_agrees(tmp_path):
    program = shutil.which("dcm2niix")
    if program is None:
        pytest.skip("dcm2niix is not installed")
    image = posed(tmp_path, "radial-3d", (12, 10, 8))
    image.to_dicom(tmp_path / "dicom")
    subprocess.run([program, "-f", "out", "-z", "n", "-o", tmp_path, tmp_path / "dicom"],
                   check=True, capture_output=True)
    theirs = affine_of_nifti(tmp_path / "out.nii")

    def apart(signs):  # it may store an axis from its other end
        ends = [n - 1 if sign < 0 else 0 for sign, n in zip(signs, (12, 10, 8))]
        from_there = np.diag([*signs, 1]).astype(float)
        from_there[:3, 3] = ends
        return abs(theirs - image.affine @ from_there).max()
    assert min(map(apart, itertools.product((1, -1), repeat=3))) < 1e-3
