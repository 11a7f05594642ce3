// Takes readouts out of each frame and its trajectory, and coils out of all of a scan.

#include "model/leave_out.hpp"

#include <functional>
#include <optional>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "model/steps.hpp"
#include "scan/readouts.hpp"

namespace lsrecon {

namespace {

constexpr const char* for_readouts = "readouts:";
constexpr const char* for_coils = "coils:";
constexpr const char* for_all = "auto";

/// The first `count` numbers that are not left out.
std::vector<std::size_t> numbers_left(std::size_t count,
                                      const std::function<bool(std::size_t)>& is_out) {
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; numbers.size() < count; ++number) {
        if (!is_out(number)) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

/// InputError for numbers that a scan does not have, or when nothing is left.
void require_some_of(const Scan& scan, const IndexList& listed, std::size_t count,
                     const std::string& things) {
    if (const IndexList missing = listed.ranges_beyond(count); !missing.empty()) {
        throw InputError({scan.file, things,
                          text("no ", things, " ", missing.to_string(), " of `leave_out`"),
                          text("0 to ", count - 1), "list numbers of the scan"});
    }
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
        left += listed.contains(i) ? 0 : 1;
    }
    if (left == 0) {
        throw InputError({scan.file, things, text("all ", count, " of them in `leave_out`"),
                          "one that is left, at least", "list fewer"});
    }
}

void leave_out_coils(ScanInPreparation& preparation) {
    const IndexList& coils = preparation.options.leave_out.coils;
    const std::size_t count = preparation.scan.coils();
    require_some_of(preparation.scan, coils, count, "coils");
    std::vector<Eigen::Index> left;
    for (std::size_t c = 0; c < count; ++c) {
        if (!coils.contains(c)) {
            left.push_back(static_cast<Eigen::Index>(c));
        }
    }
    const auto all = static_cast<Eigen::Index>(count);
    preparation.mix(CoilTransform(CoilTransform::Identity(all, all)(left, Eigen::all)));
    preparation.scan.facts.push_back(
        text("left out coils ", coils.to_string(), " of ", count, " (`leave_out`)"));
}

/// The samples of the readouts that are left in a frame.
std::vector<std::size_t> samples_left(const Scan& scan, std::size_t f, const LeaveOut& leave_out) {
    const Trajectory& trajectory = *scan.frames[f].trajectory;
    const std::vector<std::size_t> ends = readouts_of(trajectory).ends;
    if (ends.empty()) {
        throw InputError({scan.file, text("readouts of frame ", f), "no ends that positions show",
                          "readouts of one length, with a break between each two",
                          "set the weights of their samples to 0 in place of `leave_out`"});
    }
    require_some_of(scan, leave_out.readouts, ends.size(), "readouts");
    std::vector<std::size_t> left;
    std::size_t m = 0;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        for (; m < ends[r]; ++m) {
            if (!leave_out.has_readout(f, r)) {
                left.push_back(m);
            }
        }
    }
    return left;
}

/// What is left of one trajectory.
struct Left {
    std::vector<std::size_t> samples;
    std::shared_ptr<const Trajectory> trajectory;
};

void leave_out_readouts(ScanInPreparation& preparation) {
    const LeaveOut& leave_out = preparation.options.leave_out;
    Scan& scan = preparation.scan;
    std::map<std::pair<const Trajectory*, std::string>, std::shared_ptr<const Left>> known;
    std::vector<std::shared_ptr<const Left>> of_frames;
    std::size_t samples = 0;
    std::size_t all = 0;
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        const Trajectory& trajectory = *scan.frames[f].trajectory;
        const auto found = leave_out.readouts_of_frames.find(f);
        const bool is_found = found != leave_out.readouts_of_frames.end();
        std::shared_ptr<const Left>& left =
            known[{&trajectory, is_found ? found->second.to_string() : ""}];
        if (!left) {
            std::vector<std::size_t> indices = samples_left(scan, f, leave_out);
            auto rest = std::make_shared<const Trajectory>(subset(trajectory, indices));
            left = std::make_shared<const Left>(Left{std::move(indices), std::move(rest)});
        }
        of_frames.push_back(left);
        all += trajectory.samples();
        samples += left->samples.size();
    }
    for (std::size_t f = 0; f < scan.frames.size(); ++f) { // known by where they were
        scan.frames[f].trajectory = of_frames[f]->trajectory;
    }
    preparation.slices = slices_of(scan);
    preparation.frames.change([of_frames](std::size_t index, Frame& frame) {
        frame.samples = subset(frame, of_frames[index]->samples).samples;
    });
    scan.facts.push_back(text("left out ", words_of(leave_out), ": ", all - samples, " of ", all,
                              " samples of all frames (`leave_out`)"));
}

} // namespace

bool LeaveOut::has_readout(std::size_t frame, std::size_t readout) const {
    const auto found = readouts_of_frames.find(frame);
    return readouts.contains(readout) ||
           (found != readouts_of_frames.end() && found->second.contains(readout));
}

std::vector<std::size_t> LeaveOut::readouts_in_file(std::size_t frame, std::size_t count) const {
    return numbers_left(count, [&](std::size_t number) { return has_readout(frame, number); });
}

std::vector<std::size_t> LeaveOut::coils_in_file(std::size_t count) const {
    return numbers_left(count, [&](std::size_t number) { return coils.contains(number); });
}

std::string add_word(LeaveOut& leave_out, const std::string& word) {
    const auto list_after = [&](const std::string& name) {
        return word.rfind(name, 0) == 0 ? std::optional(IndexList(word.substr(name.size())))
                                        : std::nullopt;
    };
    if (word == for_all) {
        leave_out.automatic = true;
    } else if (const auto readouts = list_after(for_readouts)) {
        leave_out.readouts = *readouts;
    } else if (const auto coils = list_after(for_coils)) {
        leave_out.coils = *coils;
    } else {
        return "readouts:17,20-22, coils:3, or auto";
    }
    return "";
}

std::string words_of(const LeaveOut& leave_out) {
    std::vector<std::string> words;
    if (leave_out.automatic) {
        words.emplace_back(for_all);
    }
    if (!leave_out.readouts.empty()) {
        words.push_back(for_readouts + leave_out.readouts.to_string());
    }
    for (const auto& [frame, readouts] : leave_out.readouts_of_frames) {
        words.push_back(text(for_readouts, readouts.to_string(), " of frame ", frame));
    }
    if (!leave_out.coils.empty()) {
        words.push_back(for_coils + leave_out.coils.to_string());
    }
    return separated_by(" ", words);
}

void leave_out(ScanInPreparation& preparation) {
    const LeaveOut& options = preparation.options.leave_out;
    if (options.automatic) {
        throw UsageError("`leave_out` auto: it needs a scan that is read twice, from a file\n"
                         "  next:     list `leave_out` readouts:...");
    }
    if (!options.coils.empty()) {
        leave_out_coils(preparation);
    }
    if (!options.readouts.empty() || !options.readouts_of_frames.empty()) {
        leave_out_readouts(preparation);
    }
}

} // namespace lsrecon
