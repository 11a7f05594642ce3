#include "support/transforms.hpp"

#include "engines/transforms.hpp"

namespace lsrecon::test {

OnHost adjoint_of(Transforms& transforms, const Problem& problem) {
    return adjoint_on_host(transforms, problem.points(), problem.samples, problem.voxels, silent);
}

OnHost forward_of(Transforms& transforms, const Problem& problem) {
    return forward_on_host(transforms, problem.points(), problem.rho, problem.voxels, silent);
}

OnHost q_of(Transforms& transforms, const Problem& problem, const Voxels& where) {
    const RealVector weights = problem.samples.row(0).cwiseAbs().transpose();
    return q_on_host(transforms, problem.positions(), weights, where, silent);
}

Voxels differences_of_problem(const Problem& problem) {
    return problem.voxels.on_lattice() ? Voxels::half_differences(problem.grid) : problem.voxels;
}

OnHost exact_adjoint_of(const Problem& problem) {
    return adjoint_of(*reference_transforms(), problem);
}

OnHost exact_forward_of(const Problem& problem) {
    return forward_of(*reference_transforms(), problem);
}

OnHost exact_q_of(const Problem& problem, const Voxels& where) {
    return q_of(*reference_transforms(), problem, where);
}

Q exact_q(const Trajectory& trajectory, const Grid& grid) {
    Reporter report;
    const auto transforms = reference_transforms();
    Q q = compute_q(*transforms, trajectory, grid, report);
    q.half = Volume(q.half.values());
    return q;
}

Case cartesian(const std::array<std::size_t, 3>& size) {
    Case of{"cartesian", size};
    of.design = "cartesian";
    return of;
}

Scan scan_of(const Problem& problem) {
    Scan scan;
    scan.grid = problem.grid;
    scan.off_resonance = problem.voxels.off_resonance();
    Frame frame = problem.frame();
    frame.samples = forward_on_host(*reference_transforms(), problem.points(),
                                    CoilMatrix(problem.rho.row(0)), problem.voxels, silent)
                        .values;
    scan.frames = {frame};
    return scan;
}

} // namespace lsrecon::test
