#include "prepare/estimated_maps.hpp"

#include <Eigen/Eigenvalues>

namespace lsrecon {

const std::vector<MapsMethod>& maps_methods() {
    static const std::vector<MapsMethod> table{
        {"espirit", "ESPIRiT from the centre of k-space", &espirit_maps, true, &cost_of_espirit},
        {"walsh", "adaptive combination of low-resolution images", &walsh_maps, false,
         &cost_of_walsh},
    };
    return table;
}

Eigen::VectorXcf strongest_combination(const CoilMatrix& rows) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(rows * rows.adjoint());
    return solver.eigenvectors().rightCols(1).cast<std::complex<float>>();
}

} // namespace lsrecon
