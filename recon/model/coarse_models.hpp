// Models of a frame that are compared at low resolution.

#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engines/transforms.hpp"
#include "model/calibration.hpp"
#include "model/coarse_solve.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// A trajectory in place of a scan's own: k, -k, or k with kx and ky exchanged, which also stands
/// for transposed coil maps and field maps.
enum class Axes { kept, mirrored, exchanged };

/// The difference between a model and the one with which a scan is reconstructed.
struct ModelChange {
    Axes axes = Axes::kept;
    double field = 1; ///< the field map is so many times as large
    bool estimates = false; ///< coil maps are estimated from the scan
    /// Maps are estimated from images with that field; without it they take less time.
    bool estimates_in_field = true;
};

/// Coil maps of a grid on a coarser one, of a sum of squares of 1.
CoilRows coarse_maps(const CoilRows& maps, const Grid& from, const Grid& to,
                     const std::string& file);

/// Models of one frame of a slice, solved at low resolution: the samples of the centre of k-space
/// on a grid with room beyond its edge for what coil maps move across it (docs/maths.md).
class CoarseModels {
public:
    /// All must outlive it.
    CoarseModels(Transforms& transforms, const Scan& scan, const Model& own, const Frame& frame);
    ~CoarseModels();

    /// The time of `models` models of a scan with this trajectory and `maps` coil maps, which are
    /// estimated once, or none.
    static double seconds(Transforms& transforms, const Grid& grid,
                          const std::vector<Vec3>& positions, std::size_t maps, double models);

    /// ||W^1/2 d||^2 of the samples.
    double energy() const;
    /// The noise's part of the energy: as it was measured, or at most, from the edge of k-space.
    double noise() const { return noise_; }
    /// Whether the frame samples the centre densely enough for estimated maps.
    bool can_estimate() const;

    /// The energy that the scan's own model leaves unexplained.
    double own();
    /// The energy that another model leaves, with estimated maps where they can be estimated.
    double changed(const ModelChange& change);
    /// The factor by which such a model, which leaves `left`, leaves less than the scan's own model
    /// of noise that is added to the samples. The noise is as strong as the residual of the own
    /// model. Maps that are estimated from the samples fit their noise, too. Infinity where one of
    /// the two leaves none of it.
    double gain_of_noise(const ModelChange& change, double left);

private:
    struct Samples;
    Samples parts_of(Frame all) const;
    const CoilRows& estimated_maps(const ModelChange& change, Samples& samples);
    std::shared_ptr<const Trajectory> trajectory_of(const ModelChange& change,
                                                    const Samples& samples);
    double left_by(const ModelChange& change, Samples& samples);
    std::vector<Volume> fhd_of(CoarseSolve& model, const ModelChange& change, Samples& samples);
    std::shared_ptr<const OffResonance> field_on(const Grid& grid, double factor);
    Q q_of(const Trajectory& trajectory, const Grid& grid);
    CoarseSolve solve_with(const CoilRows& maps, const std::shared_ptr<const OffResonance>& field,
                           const Grid& grid, const Trajectory& trajectory, double lambda);

    Transforms& transforms_;
    const Scan& scan_;
    const Model& model_; ///< the scan's own
    Grid grid_; ///< grid of the models
    std::size_t radius_; ///< so far maps can be estimated, in cycles/FOV
    CoilRows maps_; ///< coil maps of the scan
    std::map<std::array<std::size_t, 3>, OffResonance> fields_; ///< field of the scan, by matrix
    double noise_;
    std::map<Axes, std::shared_ptr<const Trajectory>> changed_; ///< of the centre, by their axes
    /// Q of a trajectory, by matrix.
    std::map<std::pair<const Trajectory*, std::array<std::size_t, 3>>, Q> qs_;
    std::unique_ptr<Samples> samples_;
    std::optional<double> own_;
    std::unique_ptr<Samples> noisy_;
    double own_of_noise_ = 0; ///< what the scan's own model leaves of it
};

} // namespace lsrecon
