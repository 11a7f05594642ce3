// Keeps the images of echoes as they are solved, and makes a field of those of each slice.

#include "reconstruct_echoes.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "model/bipolar_echoes.hpp"
#include "model/field_from_echoes.hpp"
#include "model/slice_periods.hpp"
#include "reconstruct.hpp"
#include "scan/echoes.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// The images of all echoes, on the grid of the prepared scan.
class EchoImageSink : public ImageSink {
public:
    void begin(const Scan& scan, const Record&, bool) override {
        grid = scan.grid;
        slices = slices_of(scan);
        frames = scan.frames;
        images.resize(frames.size());
    }
    void put(std::size_t frame, ImageFrame image) override {
        has_phase = has_phase || !image.values.imag().isZero(0);
        images[frame] = CoilRows(CoilMatrix(image.values.transpose()));
    }

    Grid grid;
    std::vector<Slice> slices;
    std::vector<Frame> frames;
    std::vector<CoilRows> images;
    bool has_phase = false;
};

/// Least squares with a small fixed weight: a rule would see the echoes' noise as their object.
ReconstructOptions for_echoes(ReconstructOptions options, const Scan& scan) {
    constexpr double lambda = 0.01;
    options.prepare.field_map = scan.off_resonance ? field_source("none") : FieldSource();
    options.prepare.field_scale = 1;
    options.prepare.estimate.sets = 1; // an image of two has the phase of the first alone
    options.solve = {};
    options.solve.lambda = lambda;
    options.lambda_rule = RuleChoice();
    options.best_regulariser = false;
    options.effort = {};
    options.effort.tolerance = 1e-3; // noise is larger
    options.q = nullptr;
    options.noise_solves = 0;
    options.certify = 0;
    options.on_iteration = nullptr;
    return options;
}

SliceField field_of(const EchoImageSink& sink, const Slice& slice, Reporter& report) {
    std::vector<std::size_t> frames = slice.frames();
    std::sort(frames.begin(), frames.end());
    EchoImages echoes{sink.grid, {}, {}};
    std::vector<bool> reversed;
    for (const std::size_t f : frames) {
        const Echo& echo = *sink.frames[f].echo;
        echoes.times.push_back(echo.time);
        echoes.images.push_back(sink.images[f]);
        reversed.push_back(echo.is_reversed);
    }
    const auto backward = std::count(reversed.begin(), reversed.end(), true);
    if (backward > 0 && backward < static_cast<long>(reversed.size())) {
        const std::optional<BipolarPhase> phase = take_out_directions(echoes, reversed);
        if (slice.index == 0) {
            report.add(phase ? Finding{Found::echoes_corrected,
                                       {{"offset", phase->offset}, {"slope", phase->slope}}}
                             : Finding{Found::echoes_bipolar});
        }
    }
    const Frame& first = sink.frames[frames.front()];
    return {slice_in(first.label), first.position, field_from_echoes(echoes)};
}

EchoImageSink images_of(EchoFrames& echoes, Transforms& transforms,
                        const ReconstructOptions& options, Reporter& report) {
    EchoImageSink sink;
    const std::string file = echoes.scan().file;
    const Reconstructed made = reconstruct(echoes, sink, transforms, options, report);
    for (const auto& [frame, failed] : made.failed) {
        throw InputError({file, text("echo ", frame), on_one_line(failed.error),
                          "an image of each echo", "leave its slice out"});
    }
    if (!sink.has_phase) { // the root of the coils' sum of squares
        throw InputError({file, "coil maps", "none", "maps, which keep the phase of the images",
                          "name some by `maps` FILE"});
    }
    return sink;
}

EchoFieldMap fitted(const EchoImageSink& sink, Reporter& report) {
    EchoFieldMap map;
    map.grid = sink.grid;
    for (const Slice& slice : sink.slices) {
        map.slices.push_back(field_of(sink, slice, report));
    }
    for (const Frame& frame : sink.frames) {
        if (std::count(map.times.begin(), map.times.end(), frame.echo->time) == 0) {
            map.times.push_back(frame.echo->time);
        }
    }
    agree_on_periods(map);
    return map;
}

/// Whether a field changes within the readouts what the images show. All samples have times.
bool blurs(const EchoFieldMap& map, const std::vector<Frame>& frames) {
    constexpr double few = 0.05; // turns: as many voxels at a line's end
    double field = 0;
    for (const SliceField& slice : map.slices) {
        field = std::max(field, slice.of.field.cwiseAbs().maxCoeff());
    }
    double turns = 0;
    for (const Frame& frame : frames) {
        const RealVector& times = frame.trajectory->times;
        if (times.size() == 0) {
            return false;
        }
        turns = std::max(turns, field * (times.maxCoeff() - times.minCoeff()));
    }
    return turns > few;
}

/// Images that were corrected by a map have the phases of time 0. Those of two scans may count
/// their times differently: from the excitation, for example.
void add_phases_of_centre(const EchoFieldMap& map, EchoImageSink& sink) {
    for (std::size_t s = 0; s < map.slices.size(); ++s) {
        for (const std::size_t f : sink.slices[s].frames()) {
            const Trajectory& trajectory = *sink.frames[f].trajectory;
            const auto centre = std::min_element(
                trajectory.positions.begin(), trajectory.positions.end(),
                [](const Vec3& a, const Vec3& b) { return length(a) < length(b); });
            const double time = trajectory.times(centre - trajectory.positions.begin());
            const RealVector turns = time * map.slices[s].of.field;
            sink.images[f].visit([&](auto& rows) {
                for (Eigen::Index n = 0; n < turns.size(); ++n) {
                    using Value = typename std::decay_t<decltype(rows)>::Scalar;
                    rows.col(n) *= Value(std::polar(1.0, -2 * pi * turns(n)));
                }
            });
        }
    }
}

} // namespace

EchoFieldMap field_map_of(const std::vector<FrameSource*>& scans, const std::vector<double>& times,
                          Transforms& transforms, ReconstructOptions options,
                          const AsStored& as_stored, Reporter& report) {
    EchoFrames echoes(scans, times);
    const std::string file = echoes.scan().file;
    options = for_echoes(std::move(options), echoes.scan());
    const EchoImageSink first = images_of(echoes, transforms, options, report);
    const Stage stage(report, "field map");
    EchoFieldMap map = fitted(first, report);
    if (blurs(map, echoes.scan().frames)) {
        Reporter nobody_watches;
        options.is_checked = false;
        options.prepare.field_map = FromEchoes();
        options.prepare.stored_field = as_stored(map);
        EchoImageSink second = images_of(echoes, transforms, options, nobody_watches);
        add_phases_of_centre(map, second);
        map = fitted(second, nobody_watches);
    }
    consider_pieces(map, file, report);
    return map;
}

void consider_pieces(const EchoFieldMap& map, const std::string& file, Reporter& report) {
    std::size_t slices = 0;
    std::size_t more = 0;
    std::size_t voxels = 0;
    for (const SliceField& slice : map.slices) {
        const std::vector<FieldPiece>& pieces = slice.of.pieces;
        slices += pieces.empty() ? 0 : 1;
        for (std::size_t i = 1; i < pieces.size(); ++i) {
            ++more;
            voxels += pieces[i].voxels;
        }
    }
    if (slices == 0) {
        throw InputError({file, "echoes", "no voxels whose phases agree with their neighbours'",
                          "signal in the images of all echoes",
                          "look at these images with 'lsrecon recon'"});
    }
    if (!map.unsure.empty()) {
        report.add(
            {Found::field_slices,
             {{"slices", map.unsure.size()}, {"period", std::round(map.slices.front().of.period)}},
             {{"names", comma_separated(map.unsure)}}});
    }
    if (more > 0) {
        report.add({Found::field_pieces,
                    {{"pieces", more},
                     {"voxels", voxels},
                     {"period", std::round(map.slices.front().of.period)}}});
    }
}

} // namespace lsrecon
