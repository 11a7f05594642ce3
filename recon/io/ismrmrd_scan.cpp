#include "io/ismrmrd_scan.hpp"

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/ismrmrd_contents.hpp"
#include "io/ismrmrd_file.hpp"
#include "io/ismrmrd_header.hpp"
#include "io/raw_acquisitions.hpp"
#include "io/raw_noise.hpp"
#include "scan/host_memory.hpp"

// What the fields of an ISMRMRD file mean here; docs/formats.md says the same for users.

namespace lsrecon {

namespace {

constexpr int reversed_readout = 22; // of the format's flags

/// That the arrays hold what the header promises.
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
    raw.dwell = 1e-6 * static_cast<double>(header.sample_time_us);
    raw.reversed = has_flag(header, reversed_readout);
    const IsmrmrdCounters& idx = header.idx;
    raw.encode_steps = {idx.kspace_encode_step_1, idx.kspace_encode_step_2};
    raw.counters = counters_of(header);
    raw.position = to_vector(header.position);
    raw.directions = {to_vector(header.read_dir), to_vector(header.phase_dir),
                      to_vector(header.slice_dir)};
    return raw;
}

/// InputError when the host cannot hold the chosen frames: their samples, in single precision,
/// their trajectories, and the volumes of a reconstruction.
void require_memory(const IsmrmrdFile& file, const IsmrmrdContents::OfEncoding& image,
                    const Grid& grid) {
    const std::size_t samples = image.choice.samples();
    const double each =
        sizeof(std::complex<float>) * static_cast<double>(image.kind.channels) + sizeof(Vec3);
    HostMemory memory;
    memory.add(file.data_name(),
               text(samples, " samples of each of ", counted(image.kind.channels, "coil"),
                    " in the chosen frames"),
               static_cast<double>(samples) * each);
    memory.add_volumes(file.xml_name() + ", encodedSpace", grid, image.kind.channels);
    memory.require(file.path());
}

/// What the native scan file would hold, and simulated raw data has beside the group.
void note_what_is_beside(const Hdf5Reader& reader, std::vector<std::string>& remarks) {
    for (const auto& [name, flag] :
         {std::pair("coil_maps", "--maps"), std::pair("field_map", "--field-map")}) {
        if (reader.has(name) && reader.is_dataset(name)) {
            remarks.push_back(
                text("/", name, " of the file is used with ", flag, " ", reader.path(), " alone"));
        }
    }
}

} // namespace

bool recognises_ismrmrd(const Hdf5Reader& file) {
    return !IsmrmrdFile::groups(file).empty();
}

StoredScan open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& opened,
                        const ReadOptions& options) {
    const Hdf5Reader& reader = *opened;
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
    note_what_is_beside(reader, remarks);
    const IsmrmrdFile file(reader, groups.front());
    const MeasurementHeader header(file.xml(), path, file.xml_name());
    IsmrmrdContents contents(file, options);
    const std::size_t chosen = contents.choose_encoding(file, header, options);
    IsmrmrdContents::OfEncoding& of_image = contents.encodings.at(chosen);
    of_image.choice.decide(path, file.data_name());
    RawEncoding encoding = header.encoding(chosen, remarks);
    require_memory(file, of_image, encoding.grid);
    encoding.dataset = file.data_name();
    contents.add_remarks(chosen, remarks);
    const std::vector<std::size_t> wanted = contents.wanted(chosen);
    RawAcquisitionSorter sorter(std::move(encoding), of_image.kind, std::move(of_image.choice),
                                options);
    options.before_values(sorter.grid(), 0);
    RawNoise noise;
    std::size_t calibration_left_out = of_image.calibration;
    file.read(wanted, [&](std::size_t index, const IsmrmrdAcquisition& acquisition) {
        check_sizes(acquisition, path, text(file.data_name(), ", acquisition ", index));
        const IsmrmrdRole role = role_of(acquisition.header);
        const RawAcquisition raw = to_raw(acquisition, index);
        if (role.noise) {
            noise.add(index, raw.channels, raw.samples, raw.values,
                      static_cast<double>(acquisition.header.sample_time_us));
        }
        if (role.calibration && sorter.add_calibration(raw) && !role.image) {
            --calibration_left_out;
        }
        if (role.image) {
            sorter.add(raw);
        }
    });
    const RawNoise::Image image{path, file.data_name(), of_image.kind.channels,
                                of_image.dwell * sorter.longer_dwell(), header.noise_bandwidth()};
    StoredScan stored = sorter.stored_scan();
    Scan& scan = stored.scan;
    scan.format = "ismrmrd";
    scan.noise = noise.scaled_to(image, scan.remarks);
    scan.details = header.details();
    file.add_waveforms(scan.details);
    if (calibration_left_out > 0) {
        remarks.push_back(text("left out ", counted(calibration_left_out, "acquisition"),
                               " flagged parallel calibration: of other slices or counters, or of "
                               "other trajectory_dimensions than the image"));
    }
    scan.remarks.insert(scan.remarks.begin(), remarks.begin(), remarks.end());
    return stored;
}

} // namespace lsrecon
