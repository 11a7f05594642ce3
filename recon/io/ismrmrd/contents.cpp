// Sorts the acquisitions of a file by flag into image, calibration, noise and others, and chooses
// the encoding to read.

#include "io/ismrmrd/contents.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// Acquisitions with one of these flags, unless they are noise, are for nothing here.
struct SkippedFlag {
    int flag;
    const char* name;
};
constexpr SkippedFlag skipped_flags[] = {
    {ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA, "navigation"},
    {ISMRMRD::ISMRMRD_ACQ_IS_HPFEEDBACK_DATA, "HP feedback"},
    {ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA, "dummy scan"},
    {ISMRMRD::ISMRMRD_ACQ_IS_RTFEEDBACK_DATA, "RT feedback"},
    {ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA, "surface coil correction"},
    {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION_REFERENCE, "phase stabilization reference"},
    {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION, "phase stabilization"},
};

/// Whether the acquisitions of an encoding are for calibration alone, and none for the image.
bool has_calibration_alone(const IsmrmrdFile& file, std::size_t encoding) {
    bool image = false;
    bool calibration = false;
    file.read_headers([&](const IsmrmrdHeader& header) {
        if (header.encoding_space_ref == encoding && header.number_of_samples > 0) {
            const IsmrmrdRole role = role_of(header);
            image = image || role.image;
            calibration = calibration || role.calibration;
        }
    });
    return calibration && !image;
}

} // namespace

IsmrmrdRole role_of(const IsmrmrdHeader& header) {
    IsmrmrdRole role;
    // Noise may carry the flag of what it was measured for, such as surface coil correction.
    role.noise = header.has_flag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
    if (role.noise) {
        return role;
    }
    for (const SkippedFlag& skipped : skipped_flags) {
        if (header.has_flag(skipped.flag)) {
            role.skipped = skipped.name;
            return role;
        }
    }
    role.navigator = header.has_flag(ISMRMRD::ISMRMRD_ACQ_IS_PHASECORR_DATA);
    if (role.navigator) {
        return role;
    }
    // Lines that serve calibration and image can carry both flags.
    const bool both = header.has_flag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING);
    role.calibration = both || header.has_flag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION);
    role.image = both || !role.calibration;
    return role;
}

IsmrmrdContents::IsmrmrdContents(const IsmrmrdFile& file, const MeasurementHeader& measurement,
                                 const ReadOptions& options) {
    const bool calibration_is_image =
        options.for_maps && options.encoding && has_calibration_alone(file, *options.encoding);
    const RawChoice none_counted(options);
    std::size_t index = 0;
    file.read_headers([&](const IsmrmrdHeader& header) {
        const bool empty = header.number_of_samples == 0;
        IsmrmrdRole role = empty ? IsmrmrdRole() : role_of(header);
        if (calibration_is_image && role.calibration &&
            header.encoding_space_ref == *options.encoding) {
            role.calibration = false;
            role.image = true;
        }
        without_samples += empty ? 1 : 0;
        some_reversed = some_reversed || header.reversed();
        acquisitions_.push_back(
            {role, header.encoding_space_ref, header.counters(), header.sample_time_us});
        if (role.skipped != nullptr) {
            ++skipped[role.skipped];
        }
        if (role.noise) {
            noise.push_back({index, header.active_channels});
        }
        if (role.image || role.calibration) {
            OfEncoding& of =
                encodings.try_emplace(header.encoding_space_ref, OfEncoding{none_counted, {}, 0, 0})
                    .first->second;
            of.calibration += role.image ? 0 : 1;
            if (role.calibration) {
                of.choice.count_calibration(header.counters());
            }
        }
        if (role.image) {
            count_image(index, header);
        }
        ++index;
    });
    const bool some_have_both =
        std::any_of(encodings.begin(), encodings.end(), [](const auto& entry) {
            return entry.second.image > 0 && entry.second.calibration > 0;
        });
    if (some_have_both) {
        calibration_lines_ =
            calibration_lines(file, measurement, options, [&](const RawCounters& counters) {
                return none_counted.frame_of(counters);
            });
        join_calibration_lines();
    }
}

void IsmrmrdContents::count_image(std::size_t index, const IsmrmrdHeader& header) {
    OfEncoding& of = encodings.at(header.encoding_space_ref);
    ++of.image;
    of.measurements.insert(header.measurement_uid);
    of.choice.count(header.counters(), header.number_of_samples);
    const First next{{index, header.active_channels, header.trajectory_dimensions},
                     header.idx.kspace_encode_step_2};
    First& first = of.firsts.try_emplace(of.choice.frame_of(header.counters()), next).first->second;
    first.partitions_differ = first.partitions_differ || next.partition != first.partition;
}

void IsmrmrdContents::join_calibration_lines() {
    for (const CalibrationLine& line : calibration_lines_) {
        if (line.is_image) {
            acquisitions_[line.index].role.image = true;
            --encodings.at(line.header.encoding_space_ref).calibration;
            count_image(line.index, line.header);
        }
    }
}

const IsmrmrdContents::First& IsmrmrdContents::OfEncoding::first() const {
    const First* first = nullptr;
    for (const auto& [counters, of_frame] : firsts) {
        const bool earlier = first == nullptr || of_frame.kind.index < first->kind.index;
        if (choice.wants(counters) && earlier) {
            first = &of_frame;
        }
    }
    return *first;
}

std::set<std::size_t> IsmrmrdContents::noise_of(std::size_t chosen) const {
    const std::size_t channels = encodings.at(chosen).first().kind.channels;
    std::set<std::size_t> result;
    for (const Noise& one : noise) {
        if (one.channels == channels) {
            result.insert(one.index);
        }
    }
    return result;
}

std::vector<std::size_t> IsmrmrdContents::wanted(std::size_t chosen) const {
    const RawChoice& choice = encodings.at(chosen).choice;
    const std::set<std::size_t> whitens = noise_of(chosen);
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < acquisitions_.size(); ++i) {
        const Acquisition& acquisition = acquisitions_[i];
        const IsmrmrdRole& role = acquisition.role;
        bool needed = whitens.count(i) > 0;
        if (acquisition.encoding == chosen && role.skipped == nullptr) {
            const RawCounters frame = choice.frame_of(acquisition.counters);
            needed = needed || ((role.image || role.navigator) && choice.wants(frame)) ||
                     (role.calibration && choice.wants_calibration(frame));
        }
        if (needed) {
            indices.push_back(i);
        }
    }
    return indices;
}

std::optional<std::size_t> IsmrmrdContents::reference_for(std::size_t chosen) const {
    if (encodings.at(chosen).choice.has_calibration()) {
        return std::nullopt;
    }
    std::vector<std::size_t> alone;
    for (const auto& [encoding, of] : encodings) {
        if (of.image == 0 && of.calibration > 0) {
            alone.push_back(encoding);
        }
    }
    return alone.size() == 1 ? std::optional(alone.front()) : std::nullopt;
}

std::set<std::size_t> IsmrmrdContents::slices_of_both(std::size_t encoding,
                                                      std::size_t chosen) const {
    const RawChoice& choice = encodings.at(chosen).choice;
    std::set<std::size_t> of_image;
    std::set<std::size_t> both;
    for (const Acquisition& acquisition : acquisitions_) {
        if (acquisition.encoding == chosen && acquisition.role.image &&
            choice.wants(choice.frame_of(acquisition.counters))) {
            of_image.insert(acquisition.counters[0]);
        }
    }
    for (const Acquisition& acquisition : acquisitions_) {
        const std::size_t slice = acquisition.counters[0];
        if (acquisition.encoding == encoding && acquisition.role.calibration &&
            of_image.count(slice) > 0) {
            both.insert(slice);
        }
    }
    return both;
}

std::set<float> IsmrmrdContents::dwells(std::size_t chosen) const {
    const RawChoice& choice = encodings.at(chosen).choice;
    std::set<float> all;
    for (const Acquisition& acquisition : acquisitions_) {
        if (acquisition.encoding == chosen && acquisition.role.image &&
            choice.wants(choice.frame_of(acquisition.counters))) {
            all.insert(acquisition.dwell);
        }
    }
    std::set<float> different;
    for (const float dwell : all) {
        if (different.empty() || !are_same_dwell(dwell, *different.rbegin())) {
            different.insert(dwell);
        }
    }
    return different;
}

std::string IsmrmrdContents::with_image() const {
    std::string result;
    for (const auto& [encoding, of] : encodings) {
        if (of.image > 0) {
            result += text(result.empty() ? "" : ", ", encoding, " (",
                           counted(of.image, "acquisition"), ")");
        }
    }
    return result;
}

std::size_t IsmrmrdContents::choose_encoding(const IsmrmrdFile& file,
                                             const MeasurementHeader& header,
                                             const ReadOptions& options) const {
    const std::string there_is = with_image();
    if (options.encoding && *options.encoding >= header.encodings()) {
        throw UsageError(
            text(file.path(), ": `encoding` ", *options.encoding, ", but the header has ",
                 counted(header.encodings(), "encoding"),
                 ", counted from 0; with image data: ", there_is.empty() ? "none" : there_is));
    }
    const auto found = std::find_if(encodings.begin(), encodings.end(), [&](const auto& entry) {
        return entry.second.image > 0 && entry.first == options.encoding.value_or(entry.first);
    });
    if (found == encodings.end()) {
        std::vector<std::string> others;
        Findings findings;
        add_findings(options.encoding.value_or(0), others, findings);
        for (const Finding& finding : findings) {
            others.push_back(words_of(finding));
        }
        std::string none = "none";
        for (const std::string& other : others) {
            none += "; " + other;
        }
        throw InputError({file.path(),
                          file.data_name() + ", acquisitions with image data" +
                              (options.encoding ? text(" of encoding ", *options.encoding) : ""),
                          none, "at least one",
                          there_is.empty() ? "check the flags of the acquisitions"
                                           : "pass `encoding` with one of " + there_is});
    }
    if (found->first >= header.encodings()) {
        throw InputError(
            {file.path(),
             text(file.data_name(), ", acquisition ",
                  found->second.firsts.begin()->second.kind.index, ", encoding_space_ref"),
             text(found->first),
             text("below ", header.encodings(), ", the encodings of the header"),
             "write the header with all encodings"});
    }
    return found->first;
}

/// Says how many calibration lines of the chosen frames the image has, and why it has no others.
void IsmrmrdContents::add_facts_on_calibration(std::size_t chosen,
                                               std::vector<std::string>& facts) const {
    const auto found = encodings.find(chosen);
    if (found == encodings.end()) {
        return;
    }
    const RawChoice& choice = found->second.choice;
    std::map<std::pair<bool, std::string>, std::size_t> counts; // by whether they are, and why
    std::size_t all = 0;
    for (const CalibrationLine& line : calibration_lines_) {
        const RawCounters frame = choice.frame_of(line.header.counters());
        if (line.header.encoding_space_ref == chosen &&
            (choice.wants(frame) || choice.wants_calibration(frame))) {
            ++all;
            ++counts[{line.is_image, line.why}];
        }
    }
    for (const auto& [use, count] : counts) {
        const auto& [is_image, why] = use;
        facts.push_back(text(count, " of ", counted(all, "acquisition"),
                             " flagged parallel calibration alone are ",
                             is_image ? "in the image, too: " : "not in the image: ", why));
    }
}

void IsmrmrdContents::add_findings(std::size_t chosen, std::vector<std::string>& facts,
                                   Findings& findings) const {
    for (const auto& [flag, count] : skipped) {
        facts.push_back(text("skipped ", counted(count, "acquisition"), " flagged ", flag));
    }
    if (without_samples > 0) {
        facts.push_back(
            text("skipped ", counted(without_samples, "acquisition"), " without samples"));
    }
    add_facts_on_calibration(chosen, facts);
    bool image = false;
    for (const auto& [encoding, of] : encodings) {
        if (encoding == chosen && of.measurements.size() > 1) {
            const auto first = of.measurements.begin();
            findings.push_back({Found::several_measurements,
                                {{"count", of.measurements.size()}},
                                {{"first", text(*first, ", ", *std::next(first),
                                                of.measurements.size() > 2 ? ", ..." : "")}}});
        }
        image = image || (encoding == chosen && of.image > 0);
        if (encoding != chosen) {
            findings.push_back({Found::encoding_left_out,
                                {{"count", of.image + of.calibration},
                                 {"encoding", encoding},
                                 {"read", chosen},
                                 {"images", of.image}}});
        } else if (of.image == 0 && of.calibration > 0) {
            facts.push_back(text("left out ", counted(of.calibration, "acquisition"),
                                 " flagged parallel calibration"));
        }
    }
    if (!noise.empty() && !image) {
        facts.push_back(
            text("left out ", counted(noise.size(), "acquisition"), " flagged noise measurement"));
    }
}

std::vector<std::pair<std::string, std::string>>
IsmrmrdContents::details(const MeasurementHeader& header, std::size_t chosen) const {
    std::vector<std::pair<std::string, std::string>> rows;
    for (std::size_t e = 0; e < header.encodings(); ++e) {
        const auto found = encodings.find(e);
        const bool used = found != encodings.end();
        const std::size_t image = used ? found->second.image : 0;
        const std::size_t calibration = used ? found->second.calibration : 0;
        rows.emplace_back(text("encoding ", e),
                          text(header.summary(e), "; ", counted(image, "acquisition"),
                               " of images, ", calibration, " of calibration alone; ",
                               e == chosen ? "read here"
                               : image > 0 ? text("`encoding` ", e, " reads it")
                               : calibration > 0
                                   ? text("lsrecon maps `encoding` ", e, " makes coil maps of it")
                                   : "not read"));
        if (image > 0) {
            rows.emplace_back("counters", found->second.choice.counters());
        }
    }
    const std::set<float> times = dwells(chosen);
    rows.emplace_back("dwell", comma_separated(times) +
                                   (times.count(0) > 0 ? " us (0: not written)" : " us"));
    rows.emplace_back("noise lines", noise.empty() ? "none" : text(noise.size()));
    return rows;
}

} // namespace lsrecon
