#include "base/eigenvectors.hpp"

#include <Eigen/Eigenvalues>

namespace lsrecon {

HermitianEigen eigen_of(const Eigen::MatrixXcd& hermitian) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(hermitian);
    return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

} // namespace lsrecon
