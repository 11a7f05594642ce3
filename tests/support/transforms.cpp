#include "support/transforms.hpp"

#include "engines/reference.hpp"

namespace lsrecon::test {

OnHost adjoint_of(Backend& backend, const Problem& problem) {
    return adjoint_on_host(backend, problem.points(), problem.samples, problem.voxels, silent);
}

OnHost forward_of(Backend& backend, const Problem& problem) {
    return forward_on_host(backend, problem.points(), problem.rho, problem.voxels, silent);
}

OnHost q_of(Backend& backend, const Problem& problem, const Voxels& where) {
    const RealVector weights = problem.samples.row(0).cwiseAbs().transpose();
    return q_on_host(backend, problem.trajectory(), weights, where, silent);
}

Voxels places_of_q(const Problem& problem) {
    return problem.voxels.on_lattice() ? Voxels::half_differences(problem.grid) : problem.voxels;
}

OnHost exact_adjoint_of(const Problem& problem) {
    return adjoint_of(*make_reference_backend(), problem);
}

OnHost exact_forward_of(const Problem& problem) {
    return forward_of(*make_reference_backend(), problem);
}

OnHost exact_q_of(const Problem& problem, const Voxels& where) {
    return q_of(*make_reference_backend(), problem, where);
}

Q exact_q(const Sampling& sampling, const Grid& grid) {
    Reporter report;
    const auto backend = make_reference_backend();
    Q q = compute_q(*backend, sampling, grid, report);
    q.half = Volume(q.half.values());
    return q;
}

Case cartesian(const std::array<std::size_t, 3>& size) {
    Case of{"cartesian", size};
    of.trajectory = "cartesian";
    return of;
}

Scan scan_of(const Problem& problem) {
    Scan scan;
    scan.grid = problem.grid;
    scan.off_resonance = problem.voxels.off_resonance();
    Frame frame = problem.frame();
    frame.samples = forward_on_host(*make_reference_backend(), problem.points(),
                                    CoilMatrix(problem.rho.row(0)), problem.voxels, silent)
                        .values;
    scan.frames = {frame};
    return scan;
}

} // namespace lsrecon::test
