// Images without a solver: one adjoint of weighted samples (docs/maths.md#gridding).

#include "encoding/methods.hpp"

namespace lsrecon {

Density density_of_gridding(const Sampling& sampling, const Scan& scan, const Formulation&,
                            const SolveOptions& options) {
    const DensityMethod& method =
        options.density == nullptr ? density_methods().front() : *options.density;
    return method.of(sampling, scan.grid);
}

Density weights_of(const Method& method, const Sampling& sampling, const Scan& scan,
                   const Formulation& formulation, const SolveOptions& options) {
    Density density = method.density(sampling, scan, formulation, options);
    density.cells /= static_cast<double>(formulation.grid.voxels());
    for (Eigen::Index m = 0; m < sampling.phi.size(); ++m) {
        const double square = std::norm(sampling.phi(m));
        density.cells(m) = square > 0 ? density.cells(m) / square : 0;
    }
    return density;
}

Solved combined(const Method& method, const Density& weights, const CoilRows& coil_maps,
                const std::vector<Volume>& fhd) {
    RealVector divisor = RealVector::Ones(static_cast<Eigen::Index>(fhd.front().count()));
    if (!coil_maps.empty()) {
        divisor = squares_of(coil_maps);
    }
    Solved solved;
    solved.solver = method.name + ", density: " + weights.method;
    for (const Volume& volume : fhd) {
        const ComplexVector image =
            (divisor.array() > 0)
                .select(volume.values().array() / divisor.array().cast<Complex>(), Complex(0));
        if (fhd.size() == 1) {
            solved.image = image;
        } else if (solved.image.size() == 0) {
            solved.image = image.cwiseAbs2().cast<Complex>();
        } else {
            solved.image.real() += image.cwiseAbs2();
        }
    }
    if (fhd.size() > 1) {
        solved.image.real() = solved.image.real().cwiseSqrt().eval();
    }
    return solved;
}

} // namespace lsrecon
