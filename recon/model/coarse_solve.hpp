// A low-resolution solve of some samples of a frame.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "encoding/encoding.hpp"
#include "encoding/solve.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Some samples of a frame on a coarse grid, with one model. Coils are calibrated by it, and the
/// check of the model compares several.
class CoarseSolve {
public:
    /// `maps` are C x N or none, `field` null for none; `lambda` is relative to Q(0). All must
    /// outlive it.
    CoarseSolve(Transforms& transforms, const Grid& grid, const CoilRows& maps,
                const std::shared_ptr<const OffResonance>& field, const Trajectory& trajectory,
                double lambda, const NormalOperator::MakeQ& make_q)
        : formulation_{grid, Voxels::of_grid(grid).in_field(field),
                       !field || transforms.segment_error() > 0, !maps.empty(), field != nullptr},
          space_(transforms.device(), formulation_, maps),
          encoding_(transforms, space_, trajectory), n_(encoding_, make_q),
          problem_(n_, SolveOptions{lambda}) {}

    /// F^H d of C x M samples: one volume with maps, one a coil without.
    std::vector<Volume> fhd(const CoilRows& samples) const {
        return encoding_.adjoint(samples).volumes;
    }
    /// The same in two steps, of which models with one trajectory and one field share the first.
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

private:
    Formulation formulation_;
    ImageSpace space_;
    Encoding encoding_;
    NormalOperator n_;
    LeastSquares problem_;
};

} // namespace lsrecon
