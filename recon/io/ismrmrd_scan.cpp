#include "io/ismrmrd_scan.hpp"

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/ismrmrd_file.hpp"
#include "io/ismrmrd_header.hpp"
#include "io/raw_acquisitions.hpp"

// What the fields of an ISMRMRD file mean here; docs/formats.md says the same for users.

namespace lsrecon {

namespace {

// Flags of the format, by its numbers.
constexpr int parallel_calibration = 20;
constexpr int parallel_calibration_and_imaging = 21;
constexpr int reversed_readout = 22;

/// Acquisitions with one of these flags hold no image data.
struct SkippedFlag {
    int flag;
    const char* name;
};
constexpr SkippedFlag skipped_flags[] = {
    {19, "noise measurement"},
    {parallel_calibration, "parallel calibration; no coil maps are made from them"},
    {23, "navigation"},
    {24, "phase correction"},
    {26, "HP feedback"},
    {27, "dummy scan"},
    {28, "RT feedback"},
    {29, "surface coil correction"},
    {30, "phase stabilization reference"},
    {31, "phase stabilization"},
};

bool has_flag(const IsmrmrdHeader& header, int flag) {
    return ((header.flags >> (flag - 1)) & 1U) != 0;
}

/// Why the acquisition holds no image data, or nullptr.
const char* reason_to_skip(const IsmrmrdHeader& header) {
    // Lines that serve calibration and image can carry both flags.
    const bool also_image = has_flag(header, parallel_calibration_and_imaging);
    for (const SkippedFlag& skipped : skipped_flags) {
        const bool calibration = skipped.flag == parallel_calibration;
        if (has_flag(header, skipped.flag) && !(calibration && also_image)) {
            return skipped.name;
        }
    }
    return nullptr;
}

/// That the arrays hold what the header promises, and that the acquisition is of the encoding read.
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
    raw.reversed = has_flag(header, reversed_readout);
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
    RawEncoding encoding = read_ismrmrd_header(file.xml(), path, file.xml_name(), remarks);
    encoding.dataset = file.data_name();
    RawAcquisitionSorter sorter(std::move(encoding), options);
    for (std::size_t index = 0; index < file.acquisitions(); ++index) {
        const IsmrmrdAcquisition acquisition = file.read(index);
        if (const char* reason = reason_to_skip(acquisition.header)) {
            sorter.skip(reason);
            continue;
        }
        check_sizes(acquisition, path, text(file.data_name(), ", acquisition ", index));
        sorter.add(to_raw(acquisition, index));
    }
    Scan scan = sorter.scan();
    scan.format = "ismrmrd";
    scan.remarks.insert(scan.remarks.begin(), remarks.begin(), remarks.end());
    return scan;
}

} // namespace lsrecon
