#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "encoding/encoding.hpp"
#include "encoding/solve.hpp"
#include "scan/off_resonance.hpp"

namespace lsrecon {

/// Some samples of a frame on a coarse grid, with one model: what coils are calibrated by, and what
/// the check of the model compares.
class CoarseSolve {
public:
    /// `maps` are C x N or none, `field` null for none; `lambda` is relative to Q(0). All must
    /// outlive it.
    CoarseSolve(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                const std::shared_ptr<const OffResonance>& field, const Sampling& sampling,
                double lambda, const NormalOperator::MakeQ& make_q);

    /// F^H d of C x M samples: one volume with maps, one a coil without.
    std::vector<Volume> fhd(const CoilRows& samples) const {
        return encoding_.adjoint(samples).volumes;
    }
    /// The same in two steps, of which models with one sampling and one field share the first.
    std::optional<FhdOfCoils> fhd_of_coils(const CoilRows& samples) const {
        return encoding_.adjoint_of_coils(samples);
    }
    std::vector<Volume> fhd(const FhdOfCoils& of_coils) const {
        return encoding_.combine(of_coils);
    }
    /// The image of all coils by maps, and what it explains of the samples' energy.
    Solved solve(const std::vector<Volume>& fhd, const SolveOptions& options) const {
        return lsrecon::solve(problem_, fhd, options);
    }
    /// Images of the coils without maps, C x N. Adds to `explained` what they explain of the
    /// samples' energy.
    CoilMatrix images_of_coils(const std::vector<Volume>& fhd, const SolveOptions& options,
                               double& explained) const;
    /// (F^H W F + lambda Q(0)) x
    ComplexVector apply(const ComplexVector& x) const { return problem_.system().apply(x); }

private:
    Formulation formulation_;
    ImageSpace space_;
    Encoding encoding_;
    NormalOperator n_;
    LeastSquares problem_;
};

} // namespace lsrecon
