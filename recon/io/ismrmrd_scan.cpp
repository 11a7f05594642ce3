#include "io/ismrmrd_scan.hpp"

#include <cmath>
#include <ismrmrd/ismrmrd.h>
#include <ismrmrd/xml.h>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/ismrmrd_file.hpp"
#include "io/raw_acquisitions.hpp"

// What the fields of an ISMRMRD file mean here; docs/formats.md says the same for users.

namespace lsrecon {

namespace {

/// Acquisitions with one of these flags hold no image data.
struct SkippedFlag {
    int flag;
    const char* name;
};
constexpr SkippedFlag skipped_flags[] = {
    {ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT, "noise measurement"},
    {ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION, "parallel calibration"},
    {ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA, "navigation"},
    {ISMRMRD::ISMRMRD_ACQ_IS_PHASECORR_DATA, "phase correction"},
    {ISMRMRD::ISMRMRD_ACQ_IS_HPFEEDBACK_DATA, "HP feedback"},
    {ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA, "dummy scan"},
    {ISMRMRD::ISMRMRD_ACQ_IS_RTFEEDBACK_DATA, "RT feedback"},
    {ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA, "surface coil correction"},
    {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION_REFERENCE, "phase stabilization reference"},
    {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION, "phase stabilization"},
};

bool has_flag(const IsmrmrdHeader& header, int flag) {
    return ((header.flags >> (flag - 1)) & 1U) != 0;
}

/// Why the acquisition holds no image data, or nullptr.
const char* reason_to_skip(const IsmrmrdHeader& header) {
    // Lines that serve calibration and image can carry both flags.
    const bool also_image =
        has_flag(header, ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING);
    for (const SkippedFlag& skipped : skipped_flags) {
        const bool calibration = skipped.flag == ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION;
        if (has_flag(header, skipped.flag) && !(calibration && also_image)) {
            return skipped.name;
        }
    }
    return nullptr;
}

/// Encoding 0 of the header.
ISMRMRD::Encoding parse_encoding(const std::string& xml, const std::string& file,
                                 const std::string& dataset) {
    ISMRMRD::IsmrmrdHeader header;
    std::string found = "no encoding";
    try {
        ISMRMRD::deserialize(xml.c_str(), header);
    } catch (const std::exception& error) {
        found = text("it does not parse: ", error.what(), " (", xml.size(), " characters)");
        header.encoding.clear();
    }
    if (header.encoding.empty()) {
        throw InputError(
            {file, dataset, found, "an ISMRMRD header with at least one encoding",
             "write the header again; ismrmrd.xsd of the ISMRMRD project describes it"});
    }
    return header.encoding.front();
}

std::string describe(const ISMRMRD::EncodingSpace& space) {
    const auto& matrix = space.matrixSize;
    const auto& fov = space.fieldOfView_mm;
    return text("matrix ", matrix.x, " x ", matrix.y, " x ", matrix.z, ", FOV ", fov.x, " x ",
                fov.y, " x ", fov.z, " mm");
}

Grid to_grid(const ISMRMRD::EncodingSpace& space, const std::string& file,
             const std::string& dataset) {
    Grid grid;
    grid.size = {space.matrixSize.x, space.matrixSize.y, space.matrixSize.z};
    grid.dimensions = grid.size[2] == 1 ? 2 : 3;
    grid.fov_mm = {space.fieldOfView_mm.x, space.fieldOfView_mm.y, space.fieldOfView_mm.z};
    // In two dimensions the third is the slice thickness, which does not change the image.
    if (grid.dimensions == 2 && grid.fov_mm[2] == 0) {
        grid.fov_mm[2] = 1;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        const bool has_length = std::isfinite(grid.fov_mm[d]) && grid.fov_mm[d] > 0;
        if (grid.size[d] == 0 || !has_length) {
            throw InputError({file, dataset + ", encodedSpace of encoding 0", describe(space),
                              "sizes above zero", "correct the ISMRMRD header"});
        }
    }
    return grid;
}

/// The name of a trajectory that encoding steps cannot describe; "" for one that they may.
std::string stored_trajectory(ISMRMRD::TrajectoryType type) {
    switch (type) {
    case ISMRMRD::TrajectoryType::RADIAL:
        return "radial";
    case ISMRMRD::TrajectoryType::GOLDENANGLE:
        return "goldenangle";
    case ISMRMRD::TrajectoryType::SPIRAL:
        return "spiral";
    default:
        return "";
    }
}

long encode_center(const ISMRMRD::Optional<ISMRMRD::Limit>& limit, std::size_t size) {
    return static_cast<long>(limit.is_present() ? limit.get().center : size / 2);
}

RawEncoding read_encoding(const IsmrmrdFile& file, const std::string& path,
                          std::vector<std::string>& remarks) {
    const ISMRMRD::Encoding encoding = parse_encoding(file.xml(), path, file.xml_name());
    const std::string encoded = describe(encoding.encodedSpace);
    const std::string wanted = describe(encoding.reconSpace);
    if (encoded != wanted) {
        remarks.push_back("the image covers the encoded space (" + encoded +
                          "), not the reconstruction space (" + wanted + ")");
    }
    RawEncoding result;
    result.file = path;
    result.dataset = file.data_name();
    result.grid = to_grid(encoding.encodedSpace, path, file.xml_name());
    result.stored_trajectory = stored_trajectory(encoding.trajectory);
    const ISMRMRD::EncodingLimits& limits = encoding.encodingLimits;
    result.encode_centers = {encode_center(limits.kspace_encoding_step_1, result.grid.size[1]),
                             encode_center(limits.kspace_encoding_step_2, result.grid.size[2])};
    return result;
}

/// What libismrmrd itself takes for granted.
void check_sizes(const IsmrmrdAcquisition& acquisition, const std::string& file,
                 const std::string& thing) {
    const IsmrmrdHeader& header = acquisition.header;
    const auto check = [&](const char* field, std::size_t found, std::size_t expected) {
        if (found != expected) {
            throw InputError({file, text(thing, ", ", field), counted(found, "number"),
                              text(expected, " for ", header.number_of_samples, " samples, ",
                                   header.active_channels, " channels and ",
                                   header.trajectory_dimensions, " trajectory dimensions"),
                              "the file is damaged or was written wrongly; write it again"});
        }
    };
    const std::size_t samples = header.number_of_samples;
    check("traj", acquisition.trajectory.size(), samples * header.trajectory_dimensions);
    check("data", acquisition.values.size(), 2 * samples * header.active_channels);
    if (header.encoding_space_ref != 0) {
        throw InputError({file, thing + ", encoding_space_ref", text(header.encoding_space_ref),
                          "0: one encoding is read", "split the file by encoding"});
    }
}

Vec3 to_vector(const std::array<float, 3>& a) {
    return {a[0], a[1], a[2]};
}

RawAcquisition to_raw(const IsmrmrdAcquisition& stored, std::size_t index) {
    const IsmrmrdHeader& header = stored.header;
    RawAcquisition raw;
    raw.index = index;
    raw.samples = header.number_of_samples;
    raw.channels = header.active_channels;
    raw.trajectory_dimensions = header.trajectory_dimensions;
    raw.trajectory = stored.trajectory.data();
    raw.values = stored.values.data();
    raw.discard_pre = header.discard_pre;
    raw.discard_post = header.discard_post;
    raw.center_sample = header.center_sample;
    raw.reversed = has_flag(header, ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    const IsmrmrdCounters& idx = header.idx;
    raw.encode_steps = {idx.kspace_encode_step_1, idx.kspace_encode_step_2};
    raw.counters = {idx.slice, idx.contrast, idx.phase, idx.repetition, idx.set};
    raw.position = to_vector(header.position);
    raw.directions = {to_vector(header.read_dir), to_vector(header.phase_dir),
                      to_vector(header.slice_dir)};
    return raw;
}

} // namespace

bool recognises_ismrmrd(const Hdf5Reader& file) {
    return !IsmrmrdFile::groups(file).empty();
}

Scan read_ismrmrd(const Hdf5Reader& reader, const ReadOptions& options) {
    const std::string& path = reader.path();
    const std::vector<std::string> groups = IsmrmrdFile::groups(reader);
    if (groups.empty()) {
        throw InputError({path, "file", "no group with xml and data", "an ISMRMRD file",
                          "check that it is the raw data"});
    }
    std::vector<std::string> remarks;
    for (std::size_t i = 1; i < groups.size(); ++i) {
        remarks.push_back("group " + groups[i] + " is not read, only " + groups.front());
    }
    const IsmrmrdFile file(reader, groups.front());
    RawAcquisitionSorter sorter(read_encoding(file, path, remarks));
    for (std::size_t index = 0; index < file.acquisitions(); ++index) {
        const IsmrmrdAcquisition acquisition = file.read(index);
        if (const char* reason = reason_to_skip(acquisition.header)) {
            sorter.skip(reason);
            continue;
        }
        check_sizes(acquisition, path, text(file.data_name(), ", acquisition ", index));
        sorter.add(to_raw(acquisition, index));
    }
    Scan scan = sorter.scan(options);
    scan.format = "ismrmrd";
    scan.remarks.insert(scan.remarks.begin(), remarks.begin(), remarks.end());
    return scan;
}

} // namespace lsrecon
