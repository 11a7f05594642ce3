#pragma once

#include "encoding/solve.hpp"

namespace lsrecon::test {

/// The encoding of one trajectory with its normal operator; Q is computed by the same transforms.
struct Equations {
    Equations(Transforms& transforms, const Formulation& formulation, const CoilRows& maps,
              const Trajectory& trajectory, const NormalOperator::Options& options = {})
        : Equations(
              transforms, formulation, maps, trajectory,
              [&](const Trajectory& of) { return compute_q(transforms, of, formulation.grid); },
              options) {}
    Equations(Transforms& transforms, const Formulation& formulation, const CoilRows& maps,
              const Trajectory& trajectory, const NormalOperator::MakeQ& make_q,
              const NormalOperator::Options& options = {})
        : images(transforms.device(), formulation, maps), encoding(transforms, images, trajectory),
          n(encoding, make_q, options) {}

    /// Of F^H d and Q.
    double error(const RightHandSides& fhd) const { return std::max(fhd.error, n.error()); }
    Solved solve(const std::vector<Volume>& fhd, const SolveOptions& options,
                 Listener listener = {}) const {
        return lsrecon::solve(LeastSquares(n, options), fhd, options, listener);
    }

    ImageSpace images;
    Encoding encoding;
    NormalOperator n;
};

} // namespace lsrecon::test
