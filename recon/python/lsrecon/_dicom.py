"""Images as files of DICOM, by pydicom: magnitudes, a file a slice of each frame."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import shape_in_words
from ._words import refuse

if TYPE_CHECKING:
    from ._recon import Image

_LARGEST = 65535  # of an unsigned number of 16 bits


def _affines(image: Image, affine: Any, frames: int) -> np.ndarray:
    """(F, 4, 4), in mm, as DICOM has it: LPS in place of RAS."""
    if affine is None:
        affine = image.affine if image.affines is None else image.affines
    if affine is None:
        refuse("affine", None, "from an index along x, y, z to mm in RAS, which the scan lacks",
               "pass it, such as numpy.diag([-1, -1, 1, 1]) for voxels of 1 mm")
    affine = np.asarray(affine, float)
    if affine.shape not in ((4, 4), (frames, 4, 4)):
        refuse("affine", shape_in_words(affine.shape), "(4, 4)", "pass one matrix")
    return np.diag([-1.0, -1, 1, 1]) @ np.broadcast_to(affine, (frames, 4, 4))


def _of_plane(affine: np.ndarray) -> dict[str, Any]:
    """The attributes that say how a plane of indices x and y lies."""
    steps = np.linalg.norm(affine[:3, :3], axis=0)
    x, y = (affine[:3, d] / steps[d] for d in (0, 1))
    if abs(x @ y) > 1e-4:
        refuse("affine", "of axes x and y that are not at right angles", "right angles",
               "resample the image")
    return {"PixelSpacing": [steps[1], steps[0]],  # between rows first
            "ImageOrientationPatient": [*x, *y], "SliceThickness": steps[2]}


def _numbers(several: Any) -> Any:
    """In the 16 characters that the standard has for a number."""
    from pydicom.valuerep import DSfloat
    numbers = [DSfloat(float(value), auto_format=True) for value in np.atleast_1d(several)]
    return numbers if len(numbers) > 1 else numbers[0]


def _of_all(frames: np.ndarray, slope: float) -> dict[str, Any]:
    """The attributes that all files have, empty where the standard asks for what is not known."""
    from pydicom.uid import MRImageStorage, generate_uid
    unknown = dict.fromkeys(
        ["PatientName", "PatientID", "PatientBirthDate", "PatientSex", "StudyDate", "StudyTime",
         "StudyID", "AccessionNumber", "ReferringPhysicianName", "ScanOptions", "EchoTime",
         "RepetitionTime", "EchoTrainLength", "PositionReferenceIndicator"], "")
    return unknown | {
        "SOPClassUID": MRImageStorage, "StudyInstanceUID": generate_uid(),
        "SeriesInstanceUID": generate_uid(), "FrameOfReferenceUID": generate_uid(),
        "Modality": "MR", "Manufacturer": "lsrecon", "SoftwareVersions": _core.__version__,
        "SeriesNumber": 1, "ImageType": ["DERIVED", "PRIMARY", "M"], "ScanningSequence": "RM",
        "SequenceVariant": "NONE", "MRAcquisitionType": "3D" if frames.shape[1] > 1 else "2D",
        "NumberOfTemporalPositions": len(frames), "Rows": frames.shape[2],
        "Columns": frames.shape[3], "SamplesPerPixel": 1,
        "PhotometricInterpretation": "MONOCHROME2", "BitsAllocated": 16, "BitsStored": 16,
        "HighBit": 15, "PixelRepresentation": 0, "RescaleIntercept": 0,
        "RescaleSlope": _numbers(slope), "RescaleType": "US"}


def _save(path: str, described: dict[str, Any], pixels: np.ndarray) -> None:
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian, generate_uid
    file = FileMetaDataset()
    file.MediaStorageSOPClassUID = described["SOPClassUID"]
    file.MediaStorageSOPInstanceUID = generate_uid()
    file.TransferSyntaxUID = ExplicitVRLittleEndian
    one = FileDataset(path, {}, file_meta=file, preamble=bytes(128))
    one.SOPInstanceUID = file.MediaStorageSOPInstanceUID
    for name, value in described.items():
        setattr(one, name, value)
    one.PixelData = pixels.astype("<u2").tobytes()
    one.save_as(path, enforce_file_format=True)


def write_dicom(image: Image, folder: str | os.PathLike[str], affine: Any,
                attributes: dict[str, Any]) -> list[str]:
    """The files of Image.to_dicom, IM000001.dcm and on, in a folder without others."""
    values = np.abs(image._numpy())
    planes = values.shape[-3:] if len(image.fov_mm) == 3 else (1, *values.shape[-2:])
    frames = values.reshape(-1, *planes)
    affines = _affines(image, affine, len(frames))
    os.makedirs(folder, exist_ok=True)
    if found := [name for name in os.listdir(folder) if name.endswith(".dcm")]:
        refuse("folder", f"with {found[0]}", "a folder without files of DICOM", "name another")
    slope = float(values.max()) / _LARGEST or 1.0
    of_all = _of_all(frames, slope)
    paths: list[str] = []
    for f, frame in enumerate(frames):
        of_plane = {name: _numbers(value) for name, value in _of_plane(affines[f]).items()}
        for z, pixels in enumerate(frame):
            path = os.path.join(folder, f"IM{len(paths) + 1:06}.dcm")
            position = (affines[f] @ [0, 0, z, 1])[:3]
            _save(path, of_all | of_plane | {
                "ImagePositionPatient": _numbers(position), "AcquisitionNumber": f + 1,
                "TemporalPositionIdentifier": f + 1, "InstanceNumber": len(paths) + 1,
                **attributes}, np.rint(pixels / slope))
            paths.append(path)
    return paths
