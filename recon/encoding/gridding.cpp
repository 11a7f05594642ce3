// Images without a solver: one adjoint of weighted samples (docs/maths.md#gridding).

#include "encoding/methods.hpp"
#include "encoding/normal_equations.hpp"

namespace lsrecon {

Density density_of_gridding(const Sampling& sampling, const Scan& scan, const Formulation&,
                            const SolveOptions& options) {
    const DensityMethod& method =
        options.density == nullptr ? density_methods().front() : *options.density;
    return method.of(sampling, scan.grid);
}

Solved combined(NormalEquations& equations, const std::vector<Volume>& fhd,
                const SolveOptions& options) {
    const CoilRows& maps = equations.coil_maps();
    RealVector divisor = RealVector::Ones(static_cast<Eigen::Index>(equations.voxels()));
    if (!maps.empty()) {
        divisor = squares_of(maps);
    }
    Solved solved;
    solved.solver = method_of(options).name + ", density: " + equations.density();
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
