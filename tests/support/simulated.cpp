#include "support/simulated.hpp"

#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

Simulation simulated(const SimulationOptions& options) {
    Reporter report;
    const auto reference = reference_transforms();
    return simulate(
        options, [&]() -> Transforms& { return *reference; }, report);
}

SimulationOptions options_of(const std::string& design, const Grid& grid) {
    SimulationOptions options;
    options.design = design;
    options.trajectory.grid = grid;
    return options;
}

ComplexVector inverse_transform(const Scan& scan, std::size_t index) {
    const Frame& frame = scan.frames.at(index);
    const CoilMatrix image =
        adjoint_on_host(*reference_transforms(), frame.trajectory->positions,
                        frame.samples.to_doubles(), scan.image_voxels(), [](double) {})
            .values;
    return image.row(0).transpose() / static_cast<double>(scan.grid.voxels());
}

double relative_difference(const ComplexVector& a, const ComplexVector& b) {
    return (a - b).norm() / b.norm();
}

} // namespace lsrecon
