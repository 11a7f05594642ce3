// Opens raw data of ISMRMRD as a scan: chooses group and encoding, reads noise and calibration
// lines, and checks that the host has room.

#include "io/ismrmrd/formats.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/numbers.hpp"
#include "base/ranges.hpp"
#include "io/ismrmrd/contents.hpp"
#include "io/ismrmrd/frames.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/trajectory_beside.hpp"
#include "scan/host_memory.hpp"

// The meaning of the fields of an ISMRMRD file here; docs/ismrmrd.md says the same for users.

namespace lsrecon {

namespace {

/// InputError when the host cannot hold the chosen frames: their samples, in single precision, and
/// their trajectories.
void require_memory(const IsmrmrdFile& file, const IsmrmrdContents::OfEncoding& image) {
    const std::size_t samples = image.choice.samples();
    const std::size_t channels = image.first().kind.channels;
    const double each = sizeof(std::complex<float>) * static_cast<double>(channels) + sizeof(Vec3);
    HostMemory memory;
    memory.add(
        file.data_name(),
        text(samples, " samples of each of ", counted(channels, "coil"), " in the chosen frames"),
        Cost::on_host(static_cast<double>(samples) * each));
    memory.require(file.path());
}

/// Some converters write the number of slices for matrixSize z, others 2. Without a kz of its own,
/// a slice of one partition is no volume. InputError where slices may be something else.
void take_slices(const IsmrmrdFile& file, const IsmrmrdContents::OfEncoding& image,
                 const ReadOptions& options, RawEncoding& encoding, Findings& findings) {
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
    const bool several = slices.size() > 1;
    if (volumes || !(several || one_partition)) {
        return;
    }
    const bool for_planes = encoding.recon && encoding.recon->size[2] == 1;
    if (joined || !one_partition || (several && slices.size() != z && !for_planes)) {
        throw InputError(
            {file.path(), file.xml_name() + ", encodedSpace/matrixSize/z",
             text(z, ", and each frame has one kspace_encode_step_2 (",
                  IndexList(partitions).to_string(), " in all)"),
             joined ? "a kspace_encode_step_2 for each partition that `join` slice joins"
                    : text("1 for the slices ", IndexList(slices).to_string(),
                           " of idx.slice, or all partitions in each frame"),
             one_partition
                 ? text("pass `header` matrix=", encoding.grid.size[0], ",", encoding.grid.size[1],
                        ",1, if slices are two-dimensional; partitions of a volume "
                        "need a kspace_encode_step_2 of their own")
                 : "correct the header; or pass `join` slice, if slices are partitions of "
                   "one volume"});
    }
    findings.push_back({Found::slices_assumed, {{"z", z}, {"slices", slices.size()}}});
    encoding.grid.size[2] = 1;
    encoding.grid.dimensions = 2;
}

/// Whether there is noise of the image's coils, and not only of a body coil, for example.
/// InputError where noise of other coils would have to whiten them.
bool has_noise(const IsmrmrdFile& file, const IsmrmrdContents& contents, std::size_t chosen,
               bool whitens, Findings& findings) {
    const RawKind& image = contents.encodings.at(chosen).first().kind;
    const std::size_t usable = contents.noise_of(chosen).size();
    const auto other =
        std::find_if(contents.noise.begin(), contents.noise.end(),
                     [&](const auto& one) { return one.channels != image.channels; });
    if (other == contents.noise.end()) {
        return usable > 0;
    }
    if (whitens && usable == 0) {
        throw InputError(
            {file.path(),
             text(file.data_name(), ", acquisition ", other->index, " (noise), active_channels"),
             text(other->channels),
             text(image.channels, ", as in acquisition ", image.index,
                  " of the image, for prewhitening"),
             "pass `no_whitening`, or choose frames with the coils of the noise measurement"});
    }
    findings.push_back({Found::noise_of_other_channels,
                        {{"count", contents.noise.size() - usable},
                         {"channels", other->channels},
                         {"of_image", image.channels}}});
    return usable > 0;
}

/// The dwell time, in s, to which noise is scaled; nothing when the file has no noise, or it cannot
/// be used. InputError where noise must be used.
std::optional<double> dwell_for_noise(const IsmrmrdFile& file, const IsmrmrdContents& contents,
                                      std::size_t chosen, bool whitens, Findings& findings) {
    if (!has_noise(file, contents, chosen, whitens, findings)) {
        return std::nullopt;
    }
    const std::set<float> dwells = contents.dwells(chosen);
    if (dwells.size() == 1) {
        return 1e-6 * static_cast<double>(*dwells.begin());
    }
    const std::string listed = comma_separated(dwells);
    if (whitens) {
        throw InputError({file.path(),
                          file.data_name() + ", sample_time_us of the image's acquisitions", listed,
                          "one dwell time, to scale the noise for prewhitening",
                          "choose frames that have the same, with `contrast` for example, or pass "
                          "`no_whitening`"});
    }
    findings.push_back({Found::noise_of_several_dwells,
                        {{"count", contents.noise_of(chosen).size()}},
                        {{"dwells", listed}}});
    return std::nullopt;
}

/// The receiver of the acquisitions of a scan: it passes them to the frames, the coil maps or the
/// noise.
class Receiver {
public:
    Receiver(const IsmrmrdFile& file, const IsmrmrdContents& contents, RawFrames& frames)
        : file_(file), contents_(contents), frames_(frames) {}

    void take(std::size_t index, const IsmrmrdAcquisition& acquisition) {
        check_sizes(index, acquisition);
        const IsmrmrdRole& role = contents_.acquisition(index).role;
        if (role.noise) {
            noise_.emplace_back(index, acquisition);
        }
        if (role.calibration) {
            frames_.add_calibration(index, acquisition);
            calibrations_ += role.image ? 0 : 1;
        }
        if (role.navigator) {
            frames_.add_navigator(index, acquisition);
        }
        const auto& values = acquisition.values;
        if (role.image && frames_.add(index, acquisition) &&
            std::all_of(values.begin(), values.end(), [](float value) { return value == 0; })) {
            zeros_.push_back(index);
        }
    }

    /// Acquisitions of calibration alone that it took, whether they serve or not.
    std::size_t calibrations() const { return calibrations_; }

    void find_zeros(Findings& findings) const {
        if (!zeros_.empty()) {
            findings.push_back(
                {Found::acquisitions_zero, {{"count", zeros_.size()}, {"first", zeros_.front()}}});
        }
    }

    /// All of the noise, C x K, as strong as that of the image's samples, of this dwell time in s
    /// (0 when unknown): n times sqrt(dwell of n / (dwell of the image * noise_bandwidth)), because
    /// noise grows with the root of the bandwidth. InputError for a value that is not finite, or
    /// more samples to discard than there are.
    CoilRows noise(double dwell, double noise_bandwidth, std::vector<std::string>& facts,
                   Findings& findings) const;

private:
    [[noreturn]] void refuse(std::size_t index, const std::string& field, const std::string& found,
                             const std::string& expected, const std::string& next_step) const {
        throw InputError({file_.path(), text(file_.data_name(), ", acquisition ", index, field),
                          found, expected, next_step});
    }

    /// Checks that the arrays hold what the header promises.
    void check_sizes(std::size_t index, const IsmrmrdAcquisition& acquisition) const {
        const IsmrmrdHeader& header = acquisition.header;
        const std::size_t samples = header.number_of_samples;
        const auto check = [&](const char* field, std::size_t found, std::size_t expected) {
            if (found != expected) {
                refuse(index, field, counted(found, "number"),
                       text(expected, " for ", samples, " samples, ", header.active_channels,
                            " channels and ", header.trajectory_dimensions,
                            " trajectory dimensions"),
                       "the file is damaged or was written wrongly; write it again, or choose "
                       "other frames");
            }
        };
        check(", traj", acquisition.positions.size(), samples * header.trajectory_dimensions);
        check(", data", acquisition.values.size(), 2 * samples * header.active_channels);
    }

    const IsmrmrdFile& file_;
    const IsmrmrdContents& contents_;
    RawFrames& frames_;
    std::vector<std::pair<std::size_t, IsmrmrdAcquisition>> noise_; ///< and the index of each
    std::size_t calibrations_ = 0;
    std::vector<std::size_t> zeros_;
};

CoilRows Receiver::noise(double dwell, double noise_bandwidth, std::vector<std::string>& facts,
                         Findings& findings) const {
    const auto is_known = [](double time) { return std::isnormal(time) && time > 0; };
    std::size_t samples = 0;
    std::size_t used = 0;
    // Parts that are scaled and others that are not would weigh wrongly against each other.
    bool known = is_known(dwell);
    for (const auto& [index, acquisition] : noise_) {
        const IsmrmrdHeader& header = acquisition.header;
        if (header.discard_pre + header.discard_post > header.number_of_samples) {
            refuse(index, " (noise), discard_pre + discard_post",
                   text(header.discard_pre, " + ", header.discard_post),
                   text("at most the ", header.number_of_samples, " samples of the acquisition"),
                   "correct the acquisition header");
        }
        const std::size_t kept =
            header.number_of_samples - header.discard_pre - header.discard_post;
        samples += kept;
        used += kept > 0 ? 1 : 0;
        known = known && (kept == 0 || is_known(header.sample_time_us));
    }
    if (used == 0) {
        findings.push_back({Found::noise_discarded, {{"count", noise_.size()}}});
        return {};
    }
    CoilRows::Floats noise(static_cast<Eigen::Index>(frames_.kind.channels),
                           static_cast<Eigen::Index>(samples));
    Eigen::Index column = 0;
    std::vector<double> scales;
    for (const auto& [index, acquisition] : noise_) {
        const IsmrmrdHeader& header = acquisition.header;
        const std::size_t end = header.number_of_samples - header.discard_post;
        const double own_dwell = 1e-6 * static_cast<double>(header.sample_time_us);
        const double scale = known ? std::sqrt(own_dwell / (dwell * noise_bandwidth)) : 1;
        if (header.discard_pre < end) {
            scales.push_back(scale);
        }
        for (std::size_t i = header.discard_pre; i < end; ++i, ++column) {
            for (std::size_t c = 0; c < frames_.kind.channels; ++c) {
                const float* const at =
                    acquisition.values.data() + 2 * (c * header.number_of_samples + i);
                if (!std::isfinite(at[0]) || !std::isfinite(at[1])) {
                    const double bad = std::isfinite(at[0]) ? at[1] : at[0];
                    refuse(index, " (noise), data", text(shown(bad), " at [", c, ", ", i, "]"),
                           "finite numbers", "remove or repair the value and write the file again");
                }
                noise(static_cast<Eigen::Index>(c), column) =
                    static_cast<float>(scale) * std::complex<float>(at[0], at[1]);
            }
        }
    }
    if (known) {
        facts.push_back(text("kept ", counted(samples, "noise sample"), " a coil from ",
                             counted(used, "acquisition"), ", times ", range_in_words(scales),
                             " for the bandwidth of the image"));
    } else {
        findings.push_back({Found::noise_unscaled, {{"samples", samples}, {"count", used}}});
    }
    return noise;
}

/// Raw data whose headers were read.
struct RawHeaders {
    std::shared_ptr<const IsmrmrdFile> file;
    std::string format;
    MeasurementHeader header;
    IsmrmrdContents contents;
    RawFrames frames;
    std::vector<std::size_t> wanted; ///< acquisitions
    std::size_t calibrations; ///< acquisitions of calibration alone
    std::optional<double> dwell; ///< dwell time of noise, as of dwell_for_noise()
    std::optional<ReadOptions> reference; ///< options by which a reference scan is read
    std::vector<std::string> facts;
    Findings findings;
    std::vector<std::pair<std::string, std::string>> details;
};

ScanHeader open_acquisitions(const std::shared_ptr<const IsmrmrdFile>& opened,
                             const ReadOptions& options, const std::string& format,
                             Findings findings);

/// Takes the reference scan for coil maps, if it serves. Otherwise the finding stays that it is
/// left out, whose command says what is wrong with it.
void take_reference(RawHeaders& raw, Scan& scan) {
    const ReadOptions& options = *raw.reference;
    try {
        const StoredScan reference = open_acquisitions(raw.file, options, raw.format, {}).load();
        if (!add_reference(reference, options, scan)) {
            return;
        }
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) {
        return;
    }
    Findings& findings = raw.findings;
    findings.erase(std::remove_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) {
                                      return finding.code == Found::encoding_left_out &&
                                             finding.number("encoding") ==
                                                 static_cast<double>(*options.encoding);
                                  }),
                   findings.end());
}

StoredScan load(RawHeaders& raw) {
    Receiver receiver(*raw.file, raw.contents, raw.frames);
    raw.file->read(raw.wanted, [&](std::size_t index, const IsmrmrdAcquisition& acquisition) {
        receiver.take(index, acquisition);
    });
    receiver.find_zeros(raw.findings);
    CoilRows noise;
    if (raw.dwell) {
        noise = receiver.noise(*raw.dwell * raw.frames.longer_dwell(), raw.header.noise_bandwidth(),
                               raw.facts, raw.findings);
    }
    StoredScan stored = assemble(std::move(raw.frames));
    Scan& scan = stored.scan;
    scan.format = raw.format;
    scan.noise = std::move(noise);
    scan.details = std::move(raw.details);
    if (raw.reference) {
        take_reference(raw, scan);
    }
    const std::size_t calibration_left_out = raw.calibrations - receiver.calibrations();
    if (calibration_left_out > 0) {
        raw.facts.push_back(text("left out ", counted(calibration_left_out, "acquisition"),
                                 " flagged parallel calibration: of other slices or counters than "
                                 "the image"));
    }
    scan.findings.insert(scan.findings.begin(), raw.findings.begin(), raw.findings.end());
    scan.facts.insert(scan.facts.begin(), raw.facts.begin(), raw.facts.end());
    return stored;
}

/// Opens raw data that has its trajectory beside it, as if it were stored.
ScanHeader open_with_trajectory(const std::shared_ptr<IsmrmrdWithTrajectory>& opened,
                                const ReadOptions& options, const std::string& format,
                                Findings findings) {
    ReadOptions as_stored = options;
    as_stored.beside.trajectory.clear();
    if (as_stored.trajectory_units.empty()) {
        as_stored.trajectory_units = opened->units();
    }
    const MeasurementHeader header(opened->xml(), opened->path(), opened->xml_name());
    const IsmrmrdContents contents(*opened, header, as_stored);
    Findings unused;
    opened->set_space(
        header.encoding(contents.choose_encoding(*opened, header, as_stored), unused, as_stored)
            .grid);
    ScanHeader result = open_acquisitions(opened, as_stored, format, std::move(findings));
    result.load = [opened, load = std::move(result.load)] {
        StoredScan stored = load();
        stored.has_trajectory_beside = true;
        stored.scan.facts.push_back(opened->fact());
        return stored;
    };
    return result;
}

ScanHeader open_acquisitions(const std::shared_ptr<const IsmrmrdFile>& opened,
                             const ReadOptions& options, const std::string& format,
                             Findings findings) {
    if (const auto with = with_trajectory(opened, options)) {
        return open_with_trajectory(with, options, format, std::move(findings));
    }
    const IsmrmrdFile& file = *opened;
    const MeasurementHeader header(file.xml(), file.path(), file.xml_name());
    IsmrmrdContents contents(file, header, options);
    const std::size_t chosen = contents.choose_encoding(file, header, options);
    IsmrmrdContents::OfEncoding& of_image = contents.encodings.at(chosen);
    of_image.choice.decide(file.path(), file.data_name());
    RawEncoding encoding = header.encoding(chosen, findings, options);
    take_slices(file, of_image, options, encoding, findings);
    require_memory(file, of_image);
    encoding.dataset = file.data_name();
    encoding.some_reversed = contents.some_reversed;
    std::vector<std::string> facts;
    contents.add_findings(chosen, facts, findings);
    std::vector<std::size_t> wanted = contents.wanted(chosen);
    const std::optional<double> dwell =
        dwell_for_noise(file, contents, chosen, options.whitens, findings);
    const std::optional<ReadOptions> reference = options_of_reference(contents, chosen, options);
    auto details = contents.details(header, chosen);
    for (const auto& parameter : header.details()) {
        details.push_back(parameter);
    }
    file.add_waveforms(details);
    const RawKind kind = of_image.first().kind;
    RawFrames frames(std::move(encoding), kind, std::move(of_image.choice), options);
    ScanShape shape{file.path(),
                    options.image.matrix.empty() ? file.xml_name() + ", encodedSpace" : "`matrix`",
                    options.image.grid_of_image(frames.space.grid), kind.channels, 0};
    const std::size_t calibrations = of_image.calibration;
    const auto raw = std::make_shared<RawHeaders>(RawHeaders{
        opened, format, header, std::move(contents), std::move(frames), std::move(wanted),
        calibrations, dwell, reference, std::move(facts), std::move(findings), std::move(details)});
    return {std::move(shape), [raw] { return load(*raw); }};
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
                         const std::string& requested) {
    if (requested.empty()) {
        const auto with_images =
            groups.size() == 1
                ? groups.begin()
                : std::find_if(groups.begin(), groups.end(), [&](const std::string& group) {
                      return has_images(IsmrmrdHdf5(reader, group));
                  });
        return with_images == groups.end() ? groups.front() : *with_images;
    }
    const std::string name = (requested.front() == '/' ? "" : "/") + requested;
    if (std::find(groups.begin(), groups.end(), name) == groups.end()) {
        throw UsageError(text(reader.path(), ": `group` ", requested,
                              ", but the groups with xml and data are ", comma_separated(groups),
                              "\n  next:     name one of them"));
    }
    return name;
}

/// The result of work(). An error in a group says that there are others.
template <typename Work> auto naming_others(const std::string& others, const Work& work) {
    try {
        return work();
    } catch (const RunError&) {
        throw;
    } catch (const InputError& error) {
        Fault fault = error.fault();
        fault.next_step += others.empty() ? "" : "; or read another group, `group` " + others;
        throw InputError(fault);
    }
}

} // namespace

ScanHeader open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& opened,
                        const ReadOptions& options) {
    const Hdf5Reader& reader = *opened;
    const std::vector<std::string> groups = IsmrmrdHdf5::groups(reader);
    if (groups.empty()) {
        throw InputError({reader.path(), "file", "no group with xml and data", "an ISMRMRD file",
                          "check that it is the raw data"});
    }
    const std::string group = choose_group(reader, groups, options.group);
    Findings findings;
    std::vector<std::string> not_read;
    for (const std::string& other : groups) {
        if (other != group) {
            not_read.push_back(shell_word(other));
        }
    }
    const std::string others = comma_separated(not_read);
    if (!others.empty()) {
        findings.push_back({Found::group_unused, {}, {{"group", group}, {"others", others}}});
    }
    ScanHeader header = naming_others(others, [&] {
        return open_acquisitions(std::make_shared<IsmrmrdHdf5>(reader, group), options, "ismrmrd",
                                 std::move(findings));
    });
    header.load = [others, load = std::move(header.load)] { return naming_others(others, load); };
    return header;
}

ScanHeader open_ismrmrd_stream(const InputFile& file, const ReadOptions& options) {
    if (!options.group.empty()) {
        throw UsageError(text(file.path(), ": `group` ", options.group,
                              ", but a stream has no groups\n  next:     leave it out"));
    }
    return open_acquisitions(std::make_shared<IsmrmrdStream>(file), options, "ismrmrd-stream", {});
}

} // namespace lsrecon
