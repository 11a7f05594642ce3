#include "encoding/joint.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// The scales that problem p of all frames has in common.
struct Scales {
    double norm = 0; ///< largest ||F^H d|| / Q(0)
    double image = 0; ///< largest voxel of the frames' images, see System::first_image
    double mean_unit = 0; ///< mean Q(0)
};

Scales scales_of(const std::vector<JointFrame>& frames, std::size_t p) {
    Scales scales;
    for (const JointFrame& frame : frames) {
        const Volume& b = frame.fhd[p];
        const double unit = frame.system->unit();
        scales.norm = std::max(scales.norm, b.norm() / unit);
        scales.image =
            std::max(scales.image, frame.system->first_image(b).cwiseAbs().maxCoeff() / unit);
        scales.mean_unit += unit / static_cast<double>(frames.size());
    }
    return scales;
}

/// Solves problem p of all frames together; their right-hand sides are given away.
std::vector<Solution> solve_problem(std::vector<JointFrame>& frames, std::size_t p,
                                    const SolveOptions& options, Reporter& report) {
    const Scales scales = scales_of(frames, p);
    const std::size_t of = frames.front().fhd.size();
    std::vector<SplitProblem> problems;
    for (JointFrame& frame : frames) {
        const double unit = frame.system->unit();
        problems.push_back(frame.system->split(std::move(frame.fhd[p]), scales.image * unit));
        problems.back().norm = scales.norm * unit;
        problems.back().x_norm = scales.norm;
        problems.back().share = unit / scales.mean_unit;
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

} // namespace lsrecon
