// Brings the problems of all frames to common scales and solves them together.

#include "encoding/joint.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"

namespace lsrecon {

namespace {

/// The scales that problem p of all frames has in common.
struct Scales {
    double norm = 0; ///< largest ||F^H d|| / Q(0)
    double image = 0; ///< largest voxel of the frames' images, see System::iterate_briefly
    double mean_unit = 0; ///< mean Q(0)
};

/// All but that of the images.
Scales scales_of_data(const std::vector<JointFrame>& frames, std::size_t p) {
    Scales scales;
    for (const JointFrame& frame : frames) {
        const double unit = frame.system->unit();
        scales.norm = std::max(scales.norm, frame.fhd[p].norm() / unit);
        scales.mean_unit += unit / static_cast<double>(frames.size());
    }
    return scales;
}

Scales scales_of(const std::vector<JointFrame>& frames, std::size_t p) {
    Scales scales = scales_of_data(frames, p);
    for (const JointFrame& frame : frames) {
        const ComplexVector first = frame.system->iterate_briefly(frame.fhd[p]);
        scales.image = std::max(scales.image, largest_size(first) / frame.system->unit());
    }
    return scales;
}

/// The problem of a frame among all.
SplitProblem problem_of(System& system, Volume fhd, const Scales& scales) {
    const double unit = system.unit();
    SplitProblem problem = system.split(std::move(fhd), scales.image * unit);
    problem.norm = scales.norm * unit;
    problem.x_norm = scales.norm;
    problem.share = unit / scales.mean_unit;
    return problem;
}

/// Solves problem p of all frames together; their right-hand sides are given away.
std::vector<Solution> solve_problem(std::vector<JointFrame>& frames, std::size_t p,
                                    const SolveOptions& options, Reporter& report) {
    const Scales scales = scales_of(frames, p);
    const std::size_t of = frames.front().fhd.size();
    std::vector<SplitProblem> problems;
    for (JointFrame& frame : frames) {
        problems.push_back(problem_of(*frame.system, std::move(frame.fhd[p]), scales));
        SolveOptions of_frame = options;
        of_frame.monitor = frame.monitor;
        problems.back().monitor = monitor_of(p, of, of_frame, report);
    }
    System& any = *frames.front().system;
    return split_solve(any.device(), any.precision(), std::move(problems), options);
}

} // namespace

std::vector<Solved> solve_jointly(std::vector<JointFrame>& frames, const CoilRows& coil_maps,
                                  const SolveOptions& options, Reporter& report) {
    const Stage stage(report, "solve");
    for (JointFrame& frame : frames) {
        require_scale(*frame.system, frame.fhd, report);
    }
    const std::size_t problems = frames.front().fhd.size();
    std::vector<Solved> solved(frames.size());
    for (std::size_t p = 0; p < problems; ++p) {
        std::vector<double> norms;
        for (const JointFrame& frame : frames) {
            norms.push_back(frame.fhd[p].norm() / frame.system->unit());
        }
        std::vector<Solution> solutions = solve_problem(frames, p, options, report);
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

JointPath::JointPath(std::vector<JointFrame> frames) : frames_(std::move(frames)) {
    System& any = *frames_.front().system;
    for (std::size_t p = 0; p < frames_.front().fhd.size(); ++p) {
        Scales scales = scales_of_data(frames_, p);
        for (const JointFrame& frame : frames_) {
            scales.image = std::max(scales.image, frame.scales[p]);
        }
        std::vector<SplitProblem> problems;
        for (JointFrame& frame : frames_) {
            problems.push_back(problem_of(*frame.system, std::move(frame.fhd[p]), scales));
            problems.back().start = times(frame.start[p], frame.system->unit());
        }
        problems_.emplace_back(any.device(), any.precision(), std::move(problems));
    }
}

void JointPath::set_weight(std::size_t regulariser, double weight) {
    for (JointFrame& frame : frames_) {
        frame.system->set_weight(regulariser, weight);
    }
}

void JointPath::go_on(int iterations) {
    for (SplitPath& problem : problems_) {
        problem.go_on(iterations);
    }
}

std::vector<ComplexVector> JointPath::images(std::size_t frame) const {
    std::vector<ComplexVector> images = frames_[frame].start;
    for (std::size_t p = 0; p < images.size(); ++p) {
        if (const Array* const image = problems_[p].image(frame)) {
            images[p] =
                times(frames_[frame].system->device().download(*image), problems_[p].scale(frame));
        }
    }
    return images;
}

} // namespace lsrecon
