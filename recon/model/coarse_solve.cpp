#include "model/coarse_solve.hpp"

namespace lsrecon {

CoarseSolve::CoarseSolve(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                         const std::shared_ptr<const OffResonance>& field, const Sampling& sampling,
                         double lambda, const NormalOperator::MakeQ& make_q)
    : formulation_{grid, Voxels::of_grid(grid).in_field(field),
                   !field || transforms.segment_error() > 0, !maps.empty(), field != nullptr},
      space_(transforms.device(), formulation_, maps), encoding_(transforms, space_, sampling),
      n_(encoding_, make_q), problem_(n_, SolveOptions{lambda}) {}

CoilMatrix CoarseSolve::images_of_coils(const std::vector<Volume>& fhd, const SolveOptions& options,
                                        double& explained) const {
    CoilMatrix images(static_cast<Eigen::Index>(fhd.size()),
                      static_cast<Eigen::Index>(encoding_.voxels()));
    for (std::size_t c = 0; c < fhd.size(); ++c) {
        const ComplexVector image = problem_.system().solve(fhd[c], options).x;
        // ||W^1/2 (d - F x)||^2 + lambda Q(0) ||x||^2 of the least x, for which T x = F^H d.
        explained += image.dot(fhd[c].values()).real();
        images.row(static_cast<Eigen::Index>(c)) = image.transpose();
    }
    return images;
}

} // namespace lsrecon
