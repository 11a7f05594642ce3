// Compares the lines for calibration alone with those of the image's frames by their headers.

#include "io/ismrmrd/contents.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

using Steps = std::array<std::uint16_t, 2>;

Steps steps_of(const IsmrmrdHeader& header) {
    return {header.idx.kspace_encode_step_1, header.idx.kspace_encode_step_2};
}

/// What one sequence has in common for all of its lines.
using ReadoutOfLine =
    std::tuple<bool, std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t, float>;

ReadoutOfLine readout_of(const IsmrmrdHeader& header) {
    const float dwell = header.sample_time_us;
    return {header.reversed(),  header.number_of_samples, header.center_sample,
            header.discard_pre, header.discard_post,      dwell};
}

bool at_one_pose(const IsmrmrdHeader& a, const IsmrmrdHeader& b) {
    return are_same_position(position_of(a), position_of(b)) &&
           are_same_directions(directions_of(a), directions_of(b));
}

/// The image lines of a frame.
struct ImageLines {
    IsmrmrdHeader first;
    std::size_t begin = 0; ///< index of the first in the file
    std::size_t last = 0;
    std::set<ReadoutOfLine> readouts{};
    std::set<Steps> measured{};
    Steps least{};
    Steps most{};

    void add(std::size_t index, const IsmrmrdHeader& header) {
        const Steps steps = steps_of(header);
        last = index;
        readouts.insert(readout_of(header));
        measured.insert(steps);
        for (std::size_t d = 0; d < steps.size(); ++d) {
            least[d] = std::min(least[d], steps[d]);
            most[d] = std::max(most[d], steps[d]);
        }
    }

    /// Why a line was not measured as one of these; "" where it was.
    std::string unlike(std::size_t index, const IsmrmrdHeader& header) const {
        const Steps steps = steps_of(header);
        bool within = true;
        for (std::size_t d = 0; d < steps.size(); ++d) {
            within = within && steps[d] >= least[d] && steps[d] <= most[d];
        }
        return header.trajectory_dimensions > 0          ? "they store a trajectory"
               : readouts.count(readout_of(header)) == 0 ? "their readouts differ from the image's"
               : !at_one_pose(first, header)             ? "they lie elsewhere than the image"
               : measured.count(steps) > 0               ? "the image's lines measure the same"
               : !within                                 ? "they lie beyond the image's lines"
               : index < begin || index > last ? "they were not measured between the image's lines"
                                               : "";
    }
};

/// What the header says against lines of the image that are flagged as calibration alone.
std::string against(const MeasurementHeader& header, std::size_t encoding) {
    if (encoding >= header.encodings()) {
        return "";
    }
    const std::string mode = header.calibration_mode(encoding);
    return header.echo_train(encoding) ? "the trajectory is that of EPI"
           : mode.empty() || mode == "embedded" || mode == "interleaved"
               ? ""
               : "the header says calibrationMode " + mode;
}

/// `use` is ReadOptions::calibration_lines.
void decide(const MeasurementHeader& header, const std::string& use, const ImageLines& image,
            CalibrationLine& line) {
    const IsmrmrdHeader& of = line.header;
    if (of.active_channels != image.first.active_channels ||
        of.trajectory_dimensions != image.first.trajectory_dimensions) {
        line.why = "their channels or trajectory dimensions are not the image's";
        return;
    }
    if (use != "auto") {
        line.is_image = use == "image";
        line.why = "`calibration_lines` is " + use;
        return;
    }
    std::string why = against(header, of.encoding_space_ref);
    why = why.empty() ? image.unlike(line.index, of) : why;
    line.is_image = why.empty();
    line.why = line.is_image ? "measured between its lines by the same readout; "
                               "`calibration_lines` maps keeps them out"
                             : why + "; `calibration_lines` image puts them there";
}

} // namespace

std::vector<CalibrationLine> calibration_lines(const IsmrmrdFile& file,
                                               const MeasurementHeader& header,
                                               const ReadOptions& options,
                                               const FrameOf& frame_of) {
    std::map<std::pair<std::size_t, RawCounters>, ImageLines> frames;
    std::vector<CalibrationLine> lines;
    const auto frame = [&](const IsmrmrdHeader& of) {
        return std::pair(std::size_t{of.encoding_space_ref}, frame_of(of.counters()));
    };
    std::size_t index = 0;
    file.read_headers([&](const IsmrmrdHeader& of) {
        const IsmrmrdRole role = of.number_of_samples > 0 ? role_of(of) : IsmrmrdRole();
        if (role.image) {
            const ImageLines none{of, index, index, {}, {}, steps_of(of), steps_of(of)};
            frames.try_emplace(frame(of), none).first->second.add(index, of);
        } else if (role.calibration) {
            lines.push_back({index, of, false, ""});
        }
        ++index;
    });
    for (CalibrationLine& line : lines) {
        const auto image = frames.find(frame(line.header));
        if (image == frames.end()) {
            line.why = "no frame of the image has their counters";
        } else {
            decide(header, options.calibration_lines, image->second, line);
        }
    }
    return lines;
}

} // namespace lsrecon
