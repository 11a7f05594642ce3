// Adds numbers and tables to an image.

#include "reconstruct_first_pass.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/numbers.hpp"
#include "base/ranges.hpp"
#include "encoding/lambda_curve.hpp"

namespace lsrecon {

namespace {

/// What the notes on the solves need to know of the run.
SolvedWith facts_of_solves(const Run& run, const Settings& settings,
                           const Formulation& formulation) {
    const SamplePoints points = run.scan().frames[run.prepared.first_good()].trajectory->points();
    Transforms& transforms = *settings.compute.transforms;
    return {transforms.epsilon(),
            !run.method().solves || transforms.engine_for(points, formulation.voxels).exact,
            formulation.off_resonance && transforms.segment_error() > 0,
            run.request.effort.iterations.has_value(),
            formulation.coils_share_one_problem,
            formulation.off_resonance,
            comma_separated(run.scan().joined_counters)};
}

/// Adds the number that coil maps were divided by; where frames differ, the largest and the least.
void add_scales_of_maps(Image& about) {
    std::vector<double> scales;
    for (const ImageFrame& frame : about.frames) {
        if (!frame.failed()) {
            scales.push_back(frame.maps_scale);
        }
    }
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    if (scales.empty() || (*least == 1 && *most == 1)) {
        return;
    }
    about.numbers.emplace_back("coil_maps_divided_by", *most);
    if (*least != *most) {
        about.numbers.emplace_back("coil_maps_divided_by_least", *least);
    }
}

/// What `conjugate_symmetry` found, and a finding where some frames are solved without.
void add_symmetry(Image& about, const Run& run) {
    if (!run.request.conjugate_symmetry) {
        return;
    }
    double frames = 0;
    double used = 0;
    SymmetryOfFrame all; // the largest asymmetry, and the mean of what is filled
    for (const ImageFrame& frame : about.frames) {
        if (!frame.failed()) {
            ++frames;
            used += frame.symmetry.filled > 0 ? 1 : 0;
            all.is_partial = all.is_partial || frame.symmetry.is_partial;
            all.asymmetry = std::max(all.asymmetry, frame.symmetry.asymmetry);
            all.filled += frame.symmetry.filled;
        }
    }
    about.numbers.emplace_back("conjugate_symmetry_frames", used);
    about.numbers.emplace_back("conjugate_symmetry_asymmetry", all.asymmetry);
    about.numbers.emplace_back("conjugate_symmetry_filled", used > 0 ? all.filled / used : 0);
    if (used < frames) {
        run.report.add({all.is_partial ? Found::phase_not_smooth : Found::not_partial_fourier,
                        {{"frames", frames - used}, {"asymmetry", all.asymmetry}}});
    }
}

/// What the frames and their models say of the image.
void add_numbers(Image& about, const Run& run, const FrameResults& frames,
                 const SolveSummary& solves) {
    const auto add = [&](const std::string& name, double number) {
        about.numbers.emplace_back(name, number);
    };
    about.record.emplace_back("solver", solvers_of(about));
    for (const auto& [name, number] : solves.numbers()) {
        add(name, number);
    }
    const std::optional<SliceMaps>& maps = run.prepared.maps_of_all();
    if (maps && !maps->values->empty()) {
        const SumOfSquares squares = sum_of_squares(*maps->values);
        add("coil_maps_squares_largest", maps->scale * maps->scale * squares.largest);
        add("coil_maps_squares_mean", maps->scale * maps->scale * squares.mean);
        const std::size_t sets = maps->values->columns() / run.scan().image_voxels().count();
        if (sets > 1) {
            add("coil_maps_sets", static_cast<double>(sets));
        }
    }
    add_scales_of_maps(about);
    if (!frames.failed().empty()) {
        add("frames_failed", static_cast<double>(frames.failed().size()));
    }
    if (frames.finished_before() > 0) {
        add("frames_resumed", static_cast<double>(frames.finished_before()));
    }
    for (const auto& [name, number] : run.prepared.numbers()) {
        add(name, number);
    }
    for (const auto& [name, number] : run.prepared.refined_fields().numbers()) {
        add(name, number);
    }
    for (const auto& [name, number] : run.model_check.numbers()) {
        add(name, number);
    }
}

/// Readouts or coils of a frame: the table of the record and its finding.
struct KindOfPart {
    const char* name;
    Found found;
    EnergyOfParts ImageFrame::*parts;
    std::vector<std::size_t> (*stand_out)(const EnergyOfParts& parts);
    std::function<std::vector<std::size_t>(std::size_t frame, std::size_t parts)> numbers;
};

Finding finding_on(const KindOfPart& kind, std::size_t f, const Scan& scan,
                   const EnergyOfParts& parts, const std::vector<std::size_t>& found) {
    const std::vector<std::size_t> all = kind.numbers(f, parts.energy.size());
    std::set<std::size_t> numbers;
    double share = 0;
    std::vector<double> others;
    for (std::size_t i = 0; i < parts.energy.size(); ++i) {
        const bool stands_out = std::binary_search(found.begin(), found.end(), i);
        if (stands_out) {
            numbers.insert(all[i]);
            share = std::max(share, parts.share_left(i));
        } else {
            others.push_back(parts.share_left(i));
        }
    }
    return {kind.found,
            {{"count", found.size()},
             {"parts", parts.energy.size()},
             {"share", share},
             {"others", median(others)}},
            {{"list", IndexList(numbers).to_string()},
             {"frame", scan.frames.size() > 1 ? text("frame ", f) : ""}}};
}

/// Adds what the first frame with parts that stand out leaves of each, or else the first frame that
/// leaves more than noise, and names these parts.
void add_parts(Image& about, const Run& run, const KindOfPart& kind) {
    std::optional<std::size_t> shown;
    std::vector<std::size_t> found;
    for (std::size_t f = 0; f < about.frames.size() && found.empty(); ++f) {
        const EnergyOfParts& parts = about.frames[f].*kind.parts;
        found = kind.stand_out(parts);
        if (!found.empty() || (!shown && !parts.empty())) {
            shown = f;
        }
    }
    if (!shown) {
        return;
    }
    const EnergyOfParts& parts = about.frames[*shown].*kind.parts;
    const std::vector<std::size_t> numbers = kind.numbers(*shown, parts.energy.size());
    RecordTable table{unexplained_table(kind.name), unexplained_columns(kind.name), {}};
    for (std::size_t i = 0; i < parts.energy.size(); ++i) {
        for (const double value : {static_cast<double>(*shown), static_cast<double>(numbers[i]),
                                   parts.share_left(i), parts.energy[i]}) {
            table.values.push_back(value);
        }
    }
    about.tables.push_back(std::move(table));
    if (!found.empty()) {
        run.report.add(finding_on(kind, *shown, run.scan(), parts, found));
    }
}

void add_parts(Image& about, const Run& run) {
    const LeaveOut& out = run.prepared.left_out();
    add_parts(about, run,
              {"readout", Found::readouts_unexplained, &ImageFrame::readouts,
               &readouts_that_stand_out,
               [&](std::size_t f, std::size_t parts) { return out.readouts_in_file(f, parts); }});
    if (!run.prepared.coils_are_virtual()) {
        add_parts(about, run,
                  {"coil", Found::coils_unexplained, &ImageFrame::coils, &coils_that_stand_out,
                   [&](std::size_t, std::size_t parts) { return out.coils_in_file(parts); }});
    }
}

/// Makes the noise map where an earlier run or another rank made the first good frame: of the first
/// frame that there is, which is read again.
void add_noise_map_of_finished(Image& about, const Run& run, const Settings& settings,
                               const FrameResults& frames) {
    if (run.request.noise_solves == 0) {
        return;
    }
    const auto made = std::find_if(frames.about().begin(), frames.about().end(),
                                   [](const ImageFrame& frame) { return !frame.failed(); });
    const auto f = static_cast<std::size_t>(made - frames.about().begin());
    const std::vector<Slice>& slices = run.prepared.slices();
    SliceScope slice(run, *settings.compute.transforms, slices[slice_of_frames(slices)[f]]);
    slice.is_compared = true; // when the frame was solved
    TrajectoryScope at(run, slice, settings.compute, *run.scan().frames[f].trajectory);
    add_noise_map(about, at, begin_frame(run, at, f), settings, frames);
}

} // namespace

SolveSummary summarise(Image& about, const Run& run, const Settings& settings,
                       const Formulation& formulation, const FrameResults& frames) {
    SolveSummary solves(settings.solve, facts_of_solves(run, settings, formulation));
    about.frames = frames.about();
    for (const ImageFrame& frame : about.frames) {
        solves.add(frame);
    }
    if (about.noise_map.size() == 0) {
        add_noise_map_of_finished(about, run, settings, frames);
    }
    add_numbers(about, run, frames, solves);
    add_symmetry(about, run);
    if (settings.choices.weight) {
        add_weight_curves(about, *settings.choices.weight);
    }
    if (settings.choices.curve) {
        add_lambda_curve(about, *settings.choices.curve);
    }
    add_parts(about, run);
    if (const auto better = run.model_check.finding()) {
        run.report.add(*better);
    }
    run.report.add(solves.findings());
    return solves;
}

} // namespace lsrecon
