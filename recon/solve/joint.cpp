#include "solve/joint.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solve/cg.hpp"
#include "solve/late_change.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

/// What problem p of all frames has in common.
struct Scales {
    double norm = 0; ///< largest ||F^H d|| / Q(0), and
    double image = 0; ///< of the frames' images, largest voxel, see System::first_image
    double mean_unit = 0; ///< of Q(0)
};

double unit_of(const JointFrame& frame) {
    return frame.system->gram().diagonal();
}

Scales scales_of(const std::vector<JointFrame>& frames, std::size_t p) {
    Scales scales;
    for (const JointFrame& frame : frames) {
        const Volume& b = frame.fhd[p];
        scales.norm = std::max(scales.norm, b.norm() / unit_of(frame));
        scales.image = std::max(scales.image, frame.system->first_image(b).cwiseAbs().maxCoeff() /
                                                  unit_of(frame));
        scales.mean_unit += unit_of(frame) / static_cast<double>(frames.size());
    }
    return scales;
}

/// The alternating directions of one problem of all frames, in units of norm and each frame's Q(0).
template <typename Real> class InStep {
public:
    InStep(const Grid& grid, std::vector<JointFrame>& frames, std::size_t p, const Scales& scales,
           int iterations)
        : grid_(grid), device_(frames.front().system->device()) {
        for (JointFrame& frame : frames) {
            System& system = *frame.system;
            const Volume b = system.right_hand_side(frame.fhd[p]);
            frame.fhd[p] = {}; // its memory is the next one's
            frames_.push_back(std::make_unique<Alternation>(
                device_, system.precision(), system.split(b, scales.image * unit_of(frame)),
                scales.norm * unit_of(frame), frames_.empty() ? nullptr : frames_.front().get()));
            earlier_.emplace_back(iterations);
            share_.push_back(unit_of(frame) / scales.mean_unit);
        }
        const Alternation& any = *frames_.front(); // all have the same scale
        for (std::size_t t = 0; t < any.terms(); ++t) {
            if (any.term(t).over_frames != nullptr) {
                joint_.push_back({t, *any.term(t).over_frames, any.length(t), any.penalty(t)});
            }
        }
        for (Term& term : joint_) {
            // It shortens what is penalised, not voxels, by the share that splitting begins with.
            term.penalty *= term.over_frames.shortening(grid, frames.size());
            for (std::size_t f = 0; f < frames_.size(); ++f) {
                frames_[f]->begin_with(term.index, term.penalty / share_[f]);
            }
        }
        images_.resize(static_cast<Eigen::Index>(grid.voxels()),
                       static_cast<Eigen::Index>(frames.size()));
    }

    /// Iteration `i`, from 0: the larger relative residual of each frame.
    std::vector<double> iterate(int i, const Progress& progress) {
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            earlier_[f].before(i, device_, frames_[f]->image());
        }
        std::vector<double> worst;
        for (const std::unique_ptr<Alternation>& frame : frames_) {
            worst.push_back(iterate(*frame));
            progress(static_cast<double>(worst.size()) / static_cast<double>(frames_.size()));
        }
        for (Term& term : joint_) {
            shorten(term);
            Distances sum;
            for (std::size_t f = 0; f < frames_.size(); ++f) {
                const Distances of_frame = frames_[f]->update(term.index);
                worst[f] = std::max(worst[f], of_frame.larger());
                sum += of_frame;
            }
            const double factor = sum.penalty_factor();
            term.penalty *= factor;
            for (const std::unique_ptr<Alternation>& frame : frames_) {
                frame->change_penalty(term.index, factor);
            }
        }
        return worst;
    }

    ComplexVector solution(std::size_t f) const { return frames_[f]->solution(); }
    ComplexVector earlier(std::size_t f, double scale) { return earlier_[f].take(scale); }

private:
    struct Term {
        std::size_t index; ///< among the terms of each frame
        const OverFrames& over_frames;
        double length; ///< weight times s
        double penalty;
    };

    /// x, and the terms of this frame alone.
    double iterate(Alternation& frame) {
        frame.solve_for_x();
        double worst = 0;
        for (std::size_t t = 0; t < frame.terms(); ++t) {
            frame.relax(t);
            if (frame.term(t).over_frames == nullptr) {
                frame.shorten(t);
                const Distances distances = frame.update(t);
                frame.change_penalty(t, distances.penalty_factor());
                worst = std::max(worst, distances.larger());
            }
        }
        return worst;
    }

    void shorten(const Term& term) {
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            images_.col(static_cast<Eigen::Index>(f)) =
                device_.download(frames_[f]->auxiliary(term.index))
                    .template cast<std::complex<Real>>();
        }
        images_ = term.over_frames.shortened(grid_, images_, term.length / term.penalty);
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            device_.upload(
                images_.col(static_cast<Eigen::Index>(f)).template cast<Complex>().eval(),
                frames_[f]->auxiliary(term.index));
        }
    }

    const Grid& grid_;
    Device& device_;
    std::vector<std::unique_ptr<Alternation>> frames_;
    std::vector<EarlierImage> earlier_;
    std::vector<double> share_; ///< Q(0) relative to its mean
    std::vector<Term> joint_;
    FrameStack<Real> images_;
};

/// Of one problem of all frames.
template <typename Real>
std::vector<Solution> solve_problem(const Grid& grid, std::vector<JointFrame>& frames,
                                    std::size_t p, const SolveOptions& options,
                                    const Progress& progress) {
    const Scales scales = scales_of(frames, p);
    if (scales.norm == 0) {
        return std::vector<Solution>(frames.size(),
                                     zero_solution(static_cast<Eigen::Index>(grid.voxels())));
    }
    std::vector<Residuals> residuals;
    for (const JointFrame& frame : frames) {
        SolveOptions of_frame = options;
        of_frame.monitor = monitor_of(p, frame.monitor);
        residuals.emplace_back(of_frame, [](double) {});
        residuals.back().add(scales.norm / scales.norm); // 1, or NaN
    }
    InStep<Real> in_step(grid, frames, p, scales, options.iterations);
    const auto some_are_not_reached = [&] {
        return !std::all_of(residuals.begin(), residuals.end(),
                            [](const Residuals& of_frame) { return of_frame.reached(); });
    };
    for (int i = 0; i < options.iterations && some_are_not_reached(); ++i) {
        const std::vector<double> worst =
            in_step.iterate(i, [&](double done) { progress((i + done) / options.iterations); });
        for (std::size_t f = 0; f < frames.size(); ++f) {
            residuals[f].add(worst[f]);
        }
    }
    std::vector<Solution> solutions;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        ComplexVector x = scales.norm * in_step.solution(f);
        residuals[f].require_finite(x);
        solutions.push_back(
            {std::move(x), residuals[f].history(), residuals[f].stop(),
             residuals[f].reached() ? ComplexVector() : in_step.earlier(f, scales.norm)});
    }
    return solutions;
}

} // namespace

std::vector<Solved> solve_jointly(const Grid& grid, std::vector<JointFrame>& frames,
                                  const CoilRows& coil_maps, const SolveOptions& options,
                                  Reporter& report) {
    const Stage stage(report, "solve");
    const Precision precision = frames.front().system->precision();
    require_tolerance(options.tolerance, precision);
    for (JointFrame& frame : frames) {
        require_scale(*frame.system, frame.fhd, report);
    }
    const std::size_t problems = frames.front().fhd.size();
    std::vector<Solved> solved(frames.size());
    for (std::size_t p = 0; p < problems; ++p) {
        std::vector<double> norms;
        for (const JointFrame& frame : frames) {
            norms.push_back(frame.fhd[p].norm() / unit_of(frame));
        }
        const auto progress = [&](double done) {
            report.progress((static_cast<double>(p) + done) / static_cast<double>(problems));
        };
        std::vector<Solution> solutions =
            precision == Precision::float64
                ? solve_problem<double>(grid, frames, p, options, progress)
                : solve_problem<float>(grid, frames, p, options, progress);
        for (std::size_t f = 0; f < frames.size(); ++f) {
            add(std::move(solutions[f]), norms[f], problems, solved[f]);
        }
    }
    for (std::size_t f = 0; f < frames.size(); ++f) {
        solved[f].solver = frames[f].system->description();
        clear_where_maps_are_zero(coil_maps, solved[f]);
    }
    return solved;
}

} // namespace lsrecon
