#include "io/ismrmrd_scan.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/index_list.hpp"
#include "base/numbers.hpp"
#include "io/ismrmrd_contents.hpp"
#include "io/ismrmrd_hdf5.hpp"
#include "io/ismrmrd_header.hpp"
#include "io/ismrmrd_receiver.hpp"
#include "io/ismrmrd_stream.hpp"
#include "scan/host_memory.hpp"

// What the fields of an ISMRMRD file mean here; docs/formats.md says the same for users.

namespace lsrecon {

namespace {

/// InputError when the host cannot hold the chosen frames: their samples, in single precision,
/// their trajectories, and the volumes of a reconstruction.
void require_memory(const IsmrmrdFile& file, const IsmrmrdContents::OfEncoding& image,
                    const Grid& grid, const ReadOptions& options) {
    const std::size_t samples = image.choice.samples();
    const std::size_t channels = image.first().kind.channels;
    const double each = sizeof(std::complex<float>) * static_cast<double>(channels) + sizeof(Vec3);
    HostMemory memory;
    memory.add(
        file.data_name(),
        text(samples, " samples of each of ", counted(channels, "coil"), " in the chosen frames"),
        static_cast<double>(samples) * each);
    memory.add_volumes(options.matrix.empty() ? file.xml_name() + ", encodedSpace" : "--matrix",
                       grid, channels, options.use);
    memory.require(file.path());
}

/// Some converters write the number of slices for matrixSize z. Without a kz of its own, a slice of
/// one partition is no volume. InputError where slices may be something else.
void take_slices(const IsmrmrdFile& file, const IsmrmrdContents::OfEncoding& image,
                 const ReadOptions& options, RawEncoding& encoding,
                 std::vector<std::string>& remarks) {
    std::set<std::size_t> slices;
    std::set<std::size_t> partitions;
    bool volumes = encoding.grid.dimensions == 2 || image.first().kind.trajectory_dimensions > 2;
    for (const auto& [counters, of_frame] : image.firsts) {
        slices.insert(counters[0]);
        partitions.insert(of_frame.partition);
        volumes = volumes || of_frame.partitions_differ;
    }
    const std::size_t z = encoding.grid.size[2];
    const bool one_partition = partitions.size() == 1;
    const bool joined =
        std::find(options.join.begin(), options.join.end(), "slice") != options.join.end();
    if (volumes || (slices.size() < 2 && !(one_partition && joined))) {
        if (!volumes && one_partition) {
            remarks.push_back(text("encodedSpace/matrixSize/z is ", z,
                                   ", and every acquisition has kspace_encode_step_2 ",
                                   *partitions.begin(),
                                   ": the image is a volume of that partition alone; if it is a "
                                   "two-dimensional slice, write 1 for z"));
        }
        return;
    }
    if (joined || slices.size() != z || !one_partition) {
        throw InputError(
            {file.path(), file.xml_name() + ", encodedSpace/matrixSize/z",
             text(z, ", and each frame has one kspace_encode_step_2 (",
                  IndexList(partitions).to_string(), " in all)"),
             joined ? "a kspace_encode_step_2 for each partition that --join slice joins"
                    : text("1 for the slices ", IndexList(slices).to_string(),
                           " of idx.slice, or all partitions in each frame"),
             one_partition
                 ? "write 1 for z, if slices are two-dimensional; partitions of a volume "
                   "need a kspace_encode_step_2 of their own"
                 : "correct the header; or pass --join slice, if slices are partitions of "
                   "one volume"});
    }
    remarks.push_back(text("encodedSpace/matrixSize/z is ", z,
                           ", the number of slices, and each has one kspace_encode_step_2: they "
                           "are taken for two-dimensional images"));
    encoding.grid.size[2] = 1;
    encoding.grid.dimensions = 2;
}

/// What the native scan file would hold, and simulated raw data has beside the group.
void note_what_is_beside(const Hdf5Reader& reader, const ReadOptions& options,
                         std::vector<std::string>& remarks) {
    for (const auto& [name, flag, used] :
         {std::tuple("coil_maps", "--maps", options.maps_file),
          std::tuple("field_map", "--field-map", options.field_map_file)}) {
        std::error_code missing; // is an error of who reads it
        if (reader.has(name) && reader.is_dataset(name) &&
            !std::filesystem::equivalent(used, reader.path(), missing)) {
            remarks.push_back(text("/", name, " in this file is used only with ", flag, " ",
                                   shell_word(reader.path())));
        }
    }
}

/// Whether there is noise of the image's coils. InputError where other noise alone would have to
/// whiten them.
bool has_noise(const IsmrmrdFile& file, const IsmrmrdContents& contents, std::size_t chosen,
               bool whitens, std::vector<std::string>& remarks) {
    const std::set<std::size_t> usable = contents.noise_of(chosen);
    const auto other = std::find_if(contents.noise.begin(), contents.noise.end(),
                                    [&](const auto& one) { return usable.count(one.index) == 0; });
    if (other == contents.noise.end()) {
        return !usable.empty();
    }
    const IsmrmrdContents::First& image = contents.encodings.at(chosen).first();
    if (whitens && usable.empty()) {
        throw InputError({file.path(),
                          text(file.data_name(), ", acquisition ", other->index,
                               " (noise), active_channels and channel_mask"),
                          other->coils.to_string(),
                          text(image.coils.to_string(), ", as in acquisition ", image.kind.index,
                               " of the image, to whiten its coils"),
                          "pass --no-whitening, or choose frames of the noise's coils"});
    }
    remarks.push_back(text("left out ",
                           counted(contents.noise.size() - usable.size(), "acquisition"),
                           " flagged noise measurement: of other coils (", other->coils.to_string(),
                           ") than the image (", image.coils.to_string(), ")"));
    return !usable.empty();
}

/// In s, to which noise is scaled; nothing when the file has no noise, or it cannot be used.
/// InputError where it must be.
std::optional<double> dwell_for_noise(const IsmrmrdFile& file, const IsmrmrdContents& contents,
                                      std::size_t chosen, bool whitens,
                                      std::vector<std::string>& remarks) {
    if (!has_noise(file, contents, chosen, whitens, remarks)) {
        return std::nullopt;
    }
    const std::set<float> dwells = contents.dwells(chosen);
    if (dwells.size() == 1) {
        return 1e-6 * static_cast<double>(*dwells.begin());
    }
    std::string listed;
    for (const float dwell : dwells) {
        listed += text(listed.empty() ? "" : ", ", dwell);
    }
    if (whitens) {
        throw InputError({file.path(),
                          file.data_name() + ", sample_time_us of the image's acquisitions", listed,
                          "one dwell time, for which noise samples are scaled to whiten the coils",
                          "choose frames that have the same, with --contrast for example, or pass "
                          "--no-whitening"});
    }
    remarks.push_back(text("left out ", counted(contents.noise_of(chosen).size(), "acquisition"),
                           " flagged noise measurement: the image's samples have several dwell "
                           "times (sample_time_us ",
                           listed, ")"));
    return std::nullopt;
}

StoredScan open_acquisitions(const IsmrmrdFile& file, const ReadOptions& options,
                             std::vector<std::string> remarks) {
    const MeasurementHeader header(file.xml(), file.path(), file.xml_name());
    IsmrmrdContents contents(file, options);
    const std::size_t chosen = contents.choose_encoding(file, header, options);
    IsmrmrdContents::OfEncoding& of_image = contents.encodings.at(chosen);
    of_image.choice.decide(file.path(), file.data_name());
    RawEncoding encoding = header.encoding(chosen, remarks, options);
    take_slices(file, of_image, options, encoding, remarks);
    require_memory(file, of_image, options.grid_of_image(encoding.grid), options);
    encoding.dataset = file.data_name();
    contents.add_remarks(chosen, remarks);
    const std::vector<std::size_t> wanted = contents.wanted(chosen);
    const std::optional<double> dwell =
        dwell_for_noise(file, contents, chosen, options.whitens, remarks);
    auto details = contents.details(header, chosen);
    for (const auto& parameter : header.details()) {
        details.push_back(parameter);
    }
    const RawKind kind = of_image.first().kind;
    RawAcquisitionSorter sorter(std::move(encoding), kind, std::move(of_image.choice), options);
    options.before_values({options.grid_of_image(sorter.grid()), kind.channels, 0});
    IsmrmrdReceiver receiver(file, contents, sorter, options.bad_frames);
    file.read(wanted, receiver);
    receiver.end(remarks);
    StoredScan stored = sorter.stored_scan();
    Scan& scan = stored.scan;
    if (dwell) {
        scan.noise =
            receiver.noise().scaled_to({file.path(), file.data_name(), kind.channels,
                                        *dwell * sorter.longer_dwell(), header.noise_bandwidth()},
                                       scan.remarks);
    }
    scan.details = std::move(details);
    file.add_waveforms(scan.details);
    const std::size_t calibration_left_out = of_image.calibration - receiver.calibrations();
    if (calibration_left_out > 0) {
        remarks.push_back(text("left out ", counted(calibration_left_out, "acquisition"),
                               " flagged parallel calibration: of other slices or counters than "
                               "the image"));
    }
    scan.remarks.insert(scan.remarks.begin(), remarks.begin(), remarks.end());
    return stored;
}

bool has_images(const IsmrmrdFile& file) {
    bool found = false;
    file.read_headers([&](const IsmrmrdHeader& header) {
        found = found || (header.number_of_samples > 0 && role_of(header).image);
    });
    return found;
}

/// The one that was asked for, with or without a slash, or the first with image data; without any,
/// the first. UsageError when the file has none of that name.
std::string choose_group(const Hdf5Reader& reader, const std::vector<std::string>& groups,
                         const std::string& asked) {
    if (asked.empty()) {
        const auto with_images =
            groups.size() == 1
                ? groups.begin()
                : std::find_if(groups.begin(), groups.end(), [&](const std::string& group) {
                      return has_images(IsmrmrdHdf5(reader, group));
                  });
        return with_images == groups.end() ? groups.front() : *with_images;
    }
    const std::string name = (asked.front() == '/' ? "" : "/") + asked;
    if (std::find(groups.begin(), groups.end(), name) == groups.end()) {
        throw UsageError(text(reader.path(), ": --group ", asked,
                              ", but the groups with xml and data are ", comma_separated(groups),
                              "\n  next:     name one of them"));
    }
    return name;
}

} // namespace

bool recognises_ismrmrd(const Hdf5Reader& file) {
    return !IsmrmrdHdf5::groups(file).empty();
}

StoredScan open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& opened,
                        const ReadOptions& options) {
    const Hdf5Reader& reader = *opened;
    const std::vector<std::string> groups = IsmrmrdHdf5::groups(reader);
    if (groups.empty()) {
        throw InputError({reader.path(), "file", "no group with xml and data", "an ISMRMRD file",
                          "check that it is the raw data"});
    }
    const std::string group = choose_group(reader, groups, options.group);
    std::vector<std::string> remarks;
    std::vector<std::string> not_read;
    for (const std::string& other : groups) {
        if (other != group) {
            not_read.push_back(shell_word(other));
        }
    }
    const std::string others = comma_separated(not_read);
    if (!others.empty()) {
        remarks.push_back("only group " + group + " is read; --group chooses another of " + others +
                          ", whose noise does not whiten these coils");
    }
    note_what_is_beside(reader, options, remarks);
    try {
        StoredScan stored =
            open_acquisitions(IsmrmrdHdf5(reader, group), options, std::move(remarks));
        stored.scan.format = "ismrmrd";
        return stored;
    } catch (const RunError&) {
        throw;
    } catch (const InputError& error) {
        Finding finding = error.finding();
        finding.next_step += others.empty() ? "" : "; or read another group, --group " + others;
        throw InputError(finding);
    }
}

StoredScan open_ismrmrd_stream(const InputFile& file, const ReadOptions& options) {
    if (!options.group.empty()) {
        throw UsageError(text(file.path(), ": --group ", options.group,
                              ", but a stream has no groups\n  next:     leave it out"));
    }
    StoredScan stored = open_acquisitions(IsmrmrdStream(file), options, {});
    stored.scan.format = "ismrmrd-stream";
    return stored;
}

} // namespace lsrecon
