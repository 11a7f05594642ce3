// One scan, from its samples to its image: read it top to bottom.

#include "reconstruct.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/numbers.hpp"
#include "reconstruct_first_pass.hpp"
#include "scan/check.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

namespace {

Record record_of(const ReconstructOptions& request, const Settings& settings) {
    const SolveOptions& solve = settings.solve;
    const ComputeOptions& compute = settings.compute.transforms->options();
    Record record{{"method", method_of(solve).name}};
    if (request.snr_units) {
        record.emplace_back(image_unit, unit_of_snr);
    }
    if (compute.accuracy_is_of_image) {
        record.emplace_back("accuracy", text(compute.accuracy));
    }
    if (method_of(solve).solves) {
        record.insert(record.end(),
                      {{"lambda", exact(solve.lambda)},
                       {"regularisers", in_words(solve.regularisers)},
                       {"solved_together", settings.are_for_all_frames_together() ? "yes" : "no"},
                       {"iterations", text(solve.iterations)},
                       {"tolerance", text(solve.tolerance)},
                       {"preconditioner", preconditioner_of(solve)}});
    }
    return record;
}

/// The bytes of Q that the run keeps: slices share trajectories, and so do transforms of several
/// ranks and of each by itself. One slice uses its Q once.
double bytes_of_qs(Transforms& transforms, std::size_t slices) {
    constexpr double share_of_memory = 1.0 / 16;
    const bool is_used_again = slices > 1 || transforms.ranks().count() > 1;
    return is_used_again ? share_of_memory * transforms.device().memory() : 0;
}

/// The slices in the order in which they are solved: that of a frame comes first, with its
/// trajectory and the frame itself.
std::vector<Slice> slices_beginning_with(std::size_t frame, std::vector<Slice> slices) {
    const auto has_it = [&](const SampledFrames& of) {
        return std::count(of.frames.begin(), of.frames.end(), frame) > 0;
    };
    const auto slice = std::find_if(slices.begin(), slices.end(), [&](const Slice& one) {
        return std::any_of(one.trajectories.begin(), one.trajectories.end(), has_it);
    });
    const auto trajectory =
        std::find_if(slice->trajectories.begin(), slice->trajectories.end(), has_it);
    const auto at = std::find(trajectory->frames.begin(), trajectory->frames.end(), frame);
    std::rotate(trajectory->frames.begin(), at, at + 1);
    std::rotate(slice->trajectories.begin(), trajectory, trajectory + 1);
    std::rotate(slices.begin(), slice, slice + 1);
    return slices;
}

std::vector<std::size_t> frames_of(const std::vector<Slice>& slices) {
    std::vector<std::size_t> all;
    for (const Slice& slice : slices) {
        const std::vector<std::size_t> frames = slice.frames();
        all.insert(all.end(), frames.begin(), frames.end());
    }
    return all;
}

/// The loops over the slices of a scan, their trajectories and the frames of each. What lives for
/// one pass of a loop is in its scope.
class Loops {
public:
    /// `compute` is that of the first pass, or of the settings of a part.
    Loops(const Run& run, const ComputeOptions& requested, const Formulation& formulation,
          Compute compute, std::optional<Settings> settings, ImageSink& sink, FrameResults& frames,
          Image& about)
        : run_(run), requested_(requested), formulation_(formulation), compute_(std::move(compute)),
          settings_(std::move(settings)), sink_(sink), frames_(frames), about_(about) {
        if (settings_) {
            begin_image();
        }
    }

    /// Solves the frames of a slice in their order, which may differ from that of the prepared
    /// scan.
    void solve(const Slice& slice) {
        const auto scope = frames_.shared(slice.frames(), [&] {
            return std::make_unique<SliceScope>(run_, *compute_.transforms,
                                                run_.prepared.slices()[slice.index]);
        });
        for (std::size_t t = 0; scope && t < slice.trajectories.size(); ++t) {
            solve(slice.trajectories[t], *scope);
        }
        if (scope && settings_) {
            solve_together(
                run_, *compute_.transforms, *scope, settings_->solve,
                [&](std::size_t f, ImageFrame image) { frames_.put(f, std::move(image)); });
        }
    }
    /// None where every frame failed before settings were chosen.
    const std::optional<Settings>& settings() const { return settings_; }

private:
    void solve(const SampledFrames& of, SliceScope& slice) {
        std::unique_ptr<TrajectoryScope> at;
        for (const std::size_t f : of.frames) {
            if (run_.prepared.is_bad(f)) {
                frames_.take(f, [&] { return refused(f); });
                continue;
            }
            if (!at) {
                at = frames_.shared(of.frames, [&] { return scope_of(*of.trajectory, slice); });
            }
            if (!at) {
                return;
            }
            std::optional<FrameData> data;
            if (!settings_) {
                data = choose_by(f, *of.trajectory, at);
            }
            if (settings_) {
                solve(f, *at, std::move(data));
            }
        }
    }

    /// Reading a bad frame says why it is one.
    ImageFrame refused(std::size_t f) {
        run_.prepared.frame(f);
        throw std::logic_error("a bad frame can be read");
    }

    std::unique_ptr<TrajectoryScope> scope_of(const Trajectory& trajectory, SliceScope& slice) {
        return std::make_unique<TrajectoryScope>(run_, slice, compute_, trajectory);
    }

    /// The first pass: chooses the settings of all frames by this one. Where it fails the next one
    /// does.
    std::optional<FrameData> choose_by(std::size_t f, const Trajectory& trajectory,
                                       std::unique_ptr<TrajectoryScope>& at) {
        std::optional<FrameData> data;
        SliceScope& slice = at->slice;
        const bool is_chosen = frames_.attempt(f, [&] {
            data = begin_frame(run_, *at, f);
            settings_ = choose_settings(run_, requested_, formulation_, compute_, at, *data);
        });
        if (is_chosen) {
            compute_ = settings_->compute;
            const Transforms* const together = compute_.transforms.get();
            begin_image();
            if (compute_.transforms.get() != together) { // each rank by itself from here on
                at.reset();
                at = scope_of(trajectory, slice);
            }
        }
        return data;
    }

    /// Begins the image once settings are there. Ranks solve frames by themselves from here on,
    /// where there are several that are solved one by one.
    void begin_image() {
        const bool together = settings_->are_for_all_frames_together();
        sink_.keep_chosen(settings_->kept);
        sink_.begin(run_.scan(), record_of(run_.request, *settings_), !together);
        const bool divides = !together && run_.scan().frames.size() > 1;
        frames_.divide(divides ? compute_.transforms->ranks() : alone_);
        if (divides && compute_.transforms->ranks().count() > 1) {
            compute_ = settings_->compute =
                Compute(run_, formulation_, compute_.transforms->alone());
        }
    }

    /// Solves frame f, or keeps it for the solve of the whole slice. `data` is there for a frame
    /// that was transformed to choose the settings.
    void solve(std::size_t f, TrajectoryScope& at, std::optional<FrameData> data) {
        const auto begin = [&] {
            if (!data) {
                data = begin_frame(run_, at, f);
            }
            PreparedScan::release_large(data->frame); // what follows needs their memory
        };
        if (settings_->are_for_all_frames_together()) {
            frames_.attempt(f, [&] {
                begin();
                data->frame.samples = {};
                keep_for_others(at, std::move(*data), settings_->solve, settings_->room,
                                frames_.monitor_of(f));
            });
            return;
        }
        const bool is_made = frames_.take(f, [&] {
            begin();
            return solve_frame(at, *data, settings_->solve, frames_.monitor_of(f));
        });
        if (is_made && f == run_.prepared.first_good() && !frames_.are_elsewhere()) {
            add_noise_map(about_, at, *data, *settings_, frames_);
        }
    }

    const Run& run_;
    const ComputeOptions& requested_;
    const Formulation& formulation_;
    Compute compute_;
    std::optional<Settings> settings_;
    JobRanks alone_;
    ImageSink& sink_;
    FrameResults& frames_;
    Image& about_;
};

SolveFacts facts_of(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                    const Formulation& formulation, const FrameShape& shape) {
    SolveFacts facts{formulation.products(), unit_roundoff(transforms.solver_precision()),
                     may_be_joint(transforms, options, scan, shape),
                     too_large_to_weigh(transforms, options, scan, shape)};
    // Each rank has found these by its own memory.
    transforms.ranks().broadcast(0, &facts.series, sizeof facts.series);
    transforms.ranks().broadcast(0, &facts.too_large, sizeof facts.too_large);
    return facts;
}

} // namespace

Reconstructed reconstruct(FrameSource& source, ImageSink& sink, Transforms& transforms,
                          ReconstructOptions options, Reporter& report) {
    require_samples(source.scan());
    if (!method_of(options.solve).solves || need_prior(options.solve.regularisers)) {
        options.prepare.estimate.sets = 1; // which have one image alone
    }
    if (options.prepare.field_map.is_refined && !options.prepare.estimate.sets) {
        options.prepare.estimate.sets = 1; // which is what the field is fitted with
    }
    const auto* const named = std::get_if<const MapsMethod*>(&options.prepare.maps);
    const bool named_two = named != nullptr && *named != nullptr && (*named)->sets == 2U;
    const bool needs_linear = options.snr_units || (options.noise_solves > 0 && !named_two);
    if (needs_linear && !options.prepare.estimate.sets) {
        options.prepare.estimate.sets = 1; // whose noise is that of a linear image
    }
    if (need_splitting(options.solve.regularisers) && options.effort.tolerance) {
        require_tolerance(*options.effort.tolerance, transforms.precision());
    }
    PreparedScan prepared(source, std::move(options.prepare), transforms, report);
    transforms.device().open(); // in no stage's time; processors prepare the scan meanwhile
    consider_method(prepared.findings(), options);
    report.add(prepared.findings());
    const Scan& scan = prepared.scan();
    require_noise(scan, options);
    sink.check(scan);
    QsOfRun qs(options.q, bytes_of_qs(transforms, prepared.slices().size()), report);
    const FormulationOptions formulation_options{qs.are_given(), needs_grid(options),
                                                 transforms.segment_error() > 0};
    const Formulation formulation =
        formulate(scan, scan.grid, prepared.has_maps(), scan.off_resonance, formulation_options);
    require_use_of_symmetry(options, formulation, scan);
    qs.require(scan, transforms);
    FrameShape shape(scan.grid, scan.coils(), formulation.coils_share_one_problem);
    shape.samples = scan.most_samples();
    shape.system.is_symmetric = options.conjugate_symmetry;
    if (const std::optional<SliceMaps>& maps = prepared.maps_of_all();
        maps && !maps->values->empty()) {
        shape.system.sets = maps->values->columns() / scan.image_voxels().count();
    }
    const SolveFacts facts = facts_of(transforms, options, scan, formulation, shape);
    ModelCheck model_check(prepared.maps_are_stored());
    const bool in_segments = formulation.off_resonance && transforms.segment_error() > 0;
    const Run run{prepared,
                  qs,
                  formulation_options,
                  options,
                  facts,
                  settle(options, facts),
                  shape,
                  model_check,
                  report,
                  qs.are_given() || in_segments,
                  report.findings().size()};

    std::optional<Settings> known = settings_of_part(run, sink, transforms, formulation);
    Compute compute = known ? known->compute : compute_to_choose_by(run, transforms, formulation);
    if (!known) {
        known = settings_of_request(run, compute, formulation);
    }
    const std::size_t first = known ? prepared.first_good() : reference_frame(run);
    const std::vector<Slice> slices = slices_beginning_with(first, prepared.slices());
    FrameResults frames(scan, frames_of(slices), sink, options.on_iteration, report);
    Image about = empty_image(scan);
    about.coils = prepared.coils_apart();
    Loops loops(run, transforms.options(), formulation, std::move(compute), std::move(known), sink,
                frames, about);
    for (const Slice& slice : slices) {
        loops.solve(slice);
    }
    frames.end(model_check);
    report.add(prepared.refined_fields().findings());

    const Settings& settings = *loops.settings();
    Reconstructed result{SolveSummary(settings.solve), std::move(about), frames.finished_before(),
                         frames.failed(), settings.are_for_all_frames_together()};
    if (!frames.are_elsewhere()) {
        result.solves = summarise(result.about, run, settings, formulation, frames);
        sink.end(scan, result.about, settings.compute.transforms->computed_by());
    }
    return result;
}

Reconstructed reconstruct(FrameSource& source, ImageSink& sink, ReconstructOptions options,
                          ComputeOptions compute) {
    require_consistent(options);
    Reporter nobody_watches;
    const auto transforms = open_transforms(choose_compute(std::move(compute), options));
    return reconstruct(source, sink, *transforms, std::move(options), nobody_watches);
}

} // namespace lsrecon
