// Gives acquisitions positions of a file or by a rule: an array by the number of its samples, a
// rule by their numbers in their frame.

#include "io/ismrmrd/trajectory_beside.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/arrays.hpp"
#include "io/ismrmrd/choice.hpp"
#include "io/ismrmrd/contents.hpp"
#include "io/pulseq.hpp"
#include "io/trajectory_rules.hpp"

namespace lsrecon {

namespace {

/// What is known of an acquisition before its values are read.
struct Listed {
    std::size_t index; ///< in the file
    RawCounters frame;
    std::size_t samples, discard_pre, kept;
    std::size_t step_1, step_2;
};

/// The acquisitions of the image and its calibration, and all of the file.
struct Listing {
    std::vector<Listed> image;
    std::vector<std::size_t> all; ///< samples of each acquisition
    bool stores_trajectory = false;
};

Listing listing_of(const IsmrmrdFile& file, const ReadOptions& options) {
    const RawChoice choice(options);
    std::vector<std::pair<std::size_t, Listed>> by_encoding;
    Listing listing;
    std::size_t encoding = options.encoding.value_or(~std::size_t{0});
    file.read_headers([&](const IsmrmrdHeader& header) {
        const std::size_t index = listing.all.size();
        const std::size_t samples = header.number_of_samples;
        listing.all.push_back(samples);
        const IsmrmrdRole role = role_of(header);
        if (role.image && !options.encoding) {
            encoding = std::min<std::size_t>(encoding, header.encoding_space_ref);
        }
        listing.stores_trajectory =
            listing.stores_trajectory || (role.image && header.trajectory_dimensions > 0);
        if (role.image || role.calibration) {
            const std::size_t dropped =
                std::min<std::size_t>(samples, header.discard_pre + header.discard_post);
            by_encoding.push_back(
                {header.encoding_space_ref,
                 {index, choice.frame_of(header.counters()), samples, header.discard_pre,
                  samples - dropped, header.idx.kspace_encode_step_1,
                  header.idx.kspace_encode_step_2}});
        }
    });
    for (const auto& [of, listed] : by_encoding) {
        if (of == encoding) {
            listing.image.push_back(listed);
        }
    }
    return listing;
}

/// The file as it is but for positions, which a kind of source adds.
class Decorated : public IsmrmrdWithTrajectory {
public:
    Decorated(std::shared_ptr<const IsmrmrdFile> file, std::size_t dimensions)
        : file_(std::move(file)), dimensions_(dimensions) {}

    const std::string& path() const override { return file_->path(); }
    std::string data_name() const override { return file_->data_name(); }
    std::string xml_name() const override { return file_->xml_name(); }
    std::string xml() const override { return file_->xml(); }
    void add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const override {
        file_->add_waveforms(details);
    }
    void set_space(const Grid&) override {}

    void read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const override {
        std::size_t index = 0;
        file_->read_headers([&](const IsmrmrdHeader& stored) {
            IsmrmrdHeader header = stored;
            if (has(index++)) {
                header.trajectory_dimensions = static_cast<std::uint16_t>(dimensions_);
            }
            take(header);
        });
    }
    void read(const std::vector<std::size_t>& wanted, const Take& take) const override {
        file_->read(wanted, [&](std::size_t index, const IsmrmrdAcquisition& stored) {
            if (!has(index)) {
                take(index, stored);
                return;
            }
            IsmrmrdAcquisition acquisition = stored;
            acquisition.header.trajectory_dimensions = static_cast<std::uint16_t>(dimensions_);
            acquisition.positions.assign(acquisition.header.number_of_samples * dimensions_, 0);
            put(index, acquisition.header, acquisition.positions.data());
            take(index, acquisition);
        });
    }

protected:
    virtual bool has(std::size_t index) const = 0;
    /// Writes number_of_samples x dimensions.
    virtual void put(std::size_t index, const IsmrmrdHeader& header, float* to) const = 0;
    std::size_t dimensions() const { return dimensions_; }

private:
    std::shared_ptr<const IsmrmrdFile> file_;
    std::size_t dimensions_;
};

/// An array has all points, a sequence all of them or those of readouts that are encoded.
using Points = TrajectoryPoints;

/// The points of each acquisition among those of a file.
class OfPoints final : public Decorated {
public:
    struct Begin {
        std::size_t point;
        bool without_discarded; ///< the points leave out discarded samples
    };
    OfPoints(std::shared_ptr<const IsmrmrdFile> file, Points points,
             std::map<std::size_t, Begin> begins, std::string units, std::string fact)
        : Decorated(std::move(file), points.dimensions), points_(std::move(points)),
          begins_(std::move(begins)), units_(std::move(units)), fact_(std::move(fact)) {}

    std::string units() const override { return units_; }
    std::string fact() const override { return fact_; }

protected:
    bool has(std::size_t index) const override { return begins_.count(index) > 0; }
    void put(std::size_t index, const IsmrmrdHeader& header, float* to) const override {
        const Begin& begin = begins_.at(index);
        const std::size_t before = begin.without_discarded ? header.discard_pre : 0;
        const std::size_t dropped =
            begin.without_discarded ? header.discard_pre + header.discard_post : 0;
        const std::size_t count = header.number_of_samples - dropped;
        std::copy_n(points_.values.data() + begin.point * dimensions(), count * dimensions(),
                    to + before * dimensions());
    }

private:
    Points points_;
    std::map<std::size_t, Begin> begins_;
    std::string units_, fact_;
};

using Begins = std::map<std::size_t, OfPoints::Begin>;

/// The acquisitions one after the other, or those of each frame from the begin of the points; none
/// where their samples are not as many as the points.
Begins begins_of(const Listing& listing, std::size_t points, bool by_frame, bool kept) {
    std::map<RawCounters, std::size_t> passed;
    Begins begins;
    for (const Listed& one : listing.image) {
        std::size_t& at = passed[by_frame ? one.frame : RawCounters{}];
        begins[one.index] = {at, kept};
        at += kept ? one.kept : one.samples;
    }
    for (const auto& [frame, count] : passed) {
        if (count != points) {
            return {};
        }
    }
    return begins;
}

/// Points of every acquisition of the file, those of noise among them.
Begins begins_in_all(const Listing& listing, std::size_t points) {
    std::vector<std::size_t> at{0};
    for (const std::size_t samples : listing.all) {
        at.push_back(at.back() + samples);
    }
    Begins begins;
    for (const Listed& one : listing.image) {
        begins[one.index] = {at[one.index], false};
    }
    return at.back() == points ? begins : Begins{};
}

/// The way in which the points belong to acquisitions; empty where there is none.
Begins fitting(const Listing& listing, std::size_t points) {
    for (const bool kept : {false, true}) {
        for (const bool by_frame : {false, true}) {
            if (Begins begins = begins_of(listing, points, by_frame, kept); !begins.empty()) {
                return begins;
            }
        }
    }
    return begins_in_all(listing, points);
}

[[noreturn]] void refuse_points(const IsmrmrdFile& file, const Listing& listing,
                                const std::string& named, const std::string& found) {
    std::size_t samples = 0;
    std::map<RawCounters, std::size_t> frames;
    for (const Listed& one : listing.image) {
        samples += one.samples;
        frames[one.frame] += one.samples;
    }
    const std::size_t of_first = frames.empty() ? 0 : frames.begin()->second;
    throw InputError({named, "number of points", found,
                      text(samples, ", the samples of ", counted(listing.image.size(), "readout"),
                           " of the image in ", file.path(), "; or ", of_first,
                           ", those of one of its ", counted(frames.size(), "frame")),
                      "name the trajectory of this scan"});
}

std::shared_ptr<IsmrmrdWithTrajectory> of_sequence(const std::shared_ptr<const IsmrmrdFile>& file,
                                                   const Listing& listing,
                                                   const std::string& path) {
    const Sequence sequence = read_sequence(path);
    Points encoded;
    Points all;
    const auto add = [](Points& points, const SequenceReadout& readout) {
        for (const Vec3& k : readout.positions) {
            for (const double value : k) {
                points.values.push_back(static_cast<float>(value));
            }
        }
    };
    for (const SequenceReadout& readout : sequence.readouts) {
        add(all, readout);
        if (readout.is_encoded) {
            add(encoded, readout);
        }
    }
    const std::size_t left_out = all.count() - encoded.count();
    Begins begins = fitting(listing, encoded.count());
    const bool is_encoded = !begins.empty();
    if (!is_encoded) {
        begins = fitting(listing, all.count());
    }
    if (begins.empty()) {
        refuse_points(*file, listing, path,
                      text(encoded.count(), ", and ", left_out, " that no gradient encodes"));
    }
    return std::make_shared<OfPoints>(
        file, is_encoded ? encoded : all, std::move(begins), "1/m",
        text("trajectory of the sequence ", path, ", Pulseq ", sequence.version, ", SHA-256 ",
             sequence.sha256,
             is_encoded && left_out > 0
                 ? text("; left out ", left_out, " samples that nothing encodes")
                 : ""));
}

/// Readouts rotated about z, by their numbers in their frame and partition.
class ByRule final : public Decorated {
public:
    ByRule(std::shared_ptr<const IsmrmrdFile> file, const Listing& listing, TrajectoryRule rule)
        : Decorated(std::move(file), 2), readout_(std::move(rule)) {
        const TrajectoryRule::Kind& kind = *readout_.rule().kind;
        std::map<std::vector<std::size_t>, std::vector<const Listed*>> groups;
        for (const Listed& one : listing.image) {
            const RawCounters& c = one.frame;
            groups[kind.goes_on
                       ? std::vector<std::size_t>{c[Counter::slice], c[Counter::contrast],
                                                  c[Counter::set], one.step_2}
                       : std::vector<std::size_t>{c[0], c[1], c[2], c[3], c[4], one.step_2}]
                .push_back(&one);
        }
        for (auto& [key, group] : groups) {
            number(group);
        }
        fact_ = text("trajectory by the rule ", kind.name, ": ",
                     counted(listing.image.size(), "readout"), ", ",
                     by_step_ ? "numbered by kspace_encode_step_1" : "in the order of the file",
                     readout_.fact());
    }

    void set_space(const Grid& encoded) override { space_ = encoded; }
    std::string units() const override { return readout_.units(); }
    std::string fact() const override { return fact_; }

protected:
    bool has(std::size_t index) const override { return angles_.count(index) > 0; }
    void put(std::size_t index, const IsmrmrdHeader& header, float* to) const override {
        const std::size_t samples = header.number_of_samples;
        const double centre = header.center_sample > 0
                                  ? header.center_sample
                                  : std::floor(static_cast<double>(samples) / 2);
        const std::vector<float> positions =
            readout_.positions(angles_.at(index), samples, centre, space_);
        std::copy(positions.begin(), positions.end(), to);
    }

private:
    /// The angles of readouts: by their encoding steps where these number them, else in order.
    void number(const std::vector<const Listed*>& group) {
        std::set<std::size_t> steps;
        for (const Listed* const one : group) {
            steps.insert(one->step_1);
        }
        const bool by_step = steps.size() == group.size() && group.size() > 1;
        by_step_ = by_step_ || by_step;
        std::size_t order = 0;
        for (const Listed* const one : group) {
            const auto rank =
                static_cast<std::size_t>(std::distance(steps.begin(), steps.find(one->step_1)));
            const std::size_t number = !by_step                        ? order
                                       : readout_.rule().kind->goes_on ? one->step_1
                                                                       : rank;
            ++order;
            angles_[one->index] = readout_.angle(number, group.size());
        }
    }

    RuledReadout readout_;
    Grid space_;
    std::map<std::size_t, double> angles_; ///< in rad, of each acquisition
    bool by_step_ = false;
    std::string fact_;
};

} // namespace

std::shared_ptr<IsmrmrdWithTrajectory>
with_trajectory(const std::shared_ptr<const IsmrmrdFile>& file, const ReadOptions& options) {
    const std::string& word = options.beside.trajectory;
    if (word.empty()) {
        return nullptr;
    }
    const std::optional<TrajectoryRule> rule = trajectory_rule_of(word);
    const bool is_sequence = !rule && recognises_sequence(word);
    const Listing listing = listing_of(*file, options);
    if (listing.image.empty() || (listing.stores_trajectory && !rule && !is_sequence)) {
        return nullptr;
    }
    if (rule) {
        return std::make_shared<ByRule>(file, listing, *rule);
    }
    if (is_sequence) {
        return of_sequence(file, listing, word);
    }
    const StoredArray array = open_array(word, "trajectory");
    Points points = points_of_array(array);
    Begins begins = fitting(listing, points.count());
    if (begins.empty()) {
        refuse_points(*file, listing, array.file,
                      text(points.count(), " of ", array.shape.to_string()));
    }
    return std::make_shared<OfPoints>(file, std::move(points), std::move(begins), array.units,
                                      "trajectory of " + array.file + ", SHA-256 " +
                                          array.sha256());
}

} // namespace lsrecon
