// A, from images to samples, and its adjoint: how a scan is formulated, F^H d, and the operator.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/computation.hpp"
#include "base/report.hpp"
#include "device/volume.hpp"
#include "engines/on_host.hpp"
#include "engines/piecewise.hpp"
#include "operators/coil_maps.hpp"
#include "scan/parts.hpp"
#include "scan/scan.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// The ways to make products with F^H W F, the cheapest first.
enum class Products { one_convolution, convolutions, transforms };

/// The decisions about a scan before any work: a pure function of the scan.
struct Formulation {
    Grid grid; ///< grid of the image, which may have its voxels elsewhere
    Voxels voxels; ///< voxels of the image
    bool through_q; ///< F^H F by convolution with Q, or by F and F^H themselves
    bool coils_share_one_problem; ///< one problem with coil maps, or one a coil and then combined
    bool off_resonance = false; ///< then F^H F through Q is a sum of such terms

    Products products() const;
};

/// The inputs of a formulation that do not come from the scan.
struct FormulationOptions {
    bool with_q = false; ///< the user brings Q
    bool with_neighbours = false; ///< regularisers that need a grid
    /// Off-resonance comes in time segments, as of Transforms::segment_error above 0, and not
    /// exactly.
    bool in_segments = false;
};

/// InputError for phases of a field map in another unit, which are no physics: 1 kHz during half a
/// second is more than any scan has.
void require_few_turns(const Scan& scan, const OffResonance& off_resonance);

/// UsageError when the scan cannot use what the options bring; InputError when the field map must
/// be in another unit.
Formulation formulate(const Scan& scan, const FormulationOptions& options = {});
/// The formulation of an image on this grid, of slices with coil maps or without. `off_resonance`
/// is the field, or null.
Formulation formulate(const Scan& scan, const Grid& grid, bool has_maps,
                      const std::shared_ptr<const OffResonance>& off_resonance,
                      const FormulationOptions& options);

/// F^H mu_c of every coil, whole, on the device: what F^H d is made of by any coil maps.
struct FhdOfCoils {
    std::vector<Array> coils;
    int exponent; ///< the values lack this power of two
};
/// The cost of the transform in F^H d, for as many coils at a time as the device takes, without
/// coil maps and volumes.
Cost cost_of_fhd(Transforms& transforms, std::size_t coils, std::size_t samples,
                 std::size_t voxels);

/// F^H d of a frame with coil maps C x N, or with none, handed over in parts as it is computed: all
/// volumes at some voxels, then all volumes at the next. Returns a bound of the relative L2 error
/// of F^H.
using TakeFhd =
    std::function<void(std::size_t volume, const Range& at, const ComplexVector& values)>;
double fhd_of_frame(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                    const CoilRows& coil_maps, const TakeFhd& take, Reporter& report);

/// F^H d of a frame as rows on the host.
struct FhdOnHost {
    CoilMatrix values;
    double error;
};
FhdOnHost fhd_on_host(Transforms& transforms, const Voxels& voxels, const Frame& frame,
                      const CoilRows& coil_maps, Reporter& report);

/// The voxels of a slice, and its coil maps on the device of the transforms: what the encodings of
/// its trajectories share.
struct ImageSpace {
    /// The device, the formulation and the maps must outlive it. `maps_on_host` are C x N, C x S N
    /// of S sets, or empty for none.
    ImageSpace(Device& device, const Formulation& of, const CoilRows& maps_on_host)
        : formulation(of), coil_maps(maps_on_host), maps(device, maps_on_host, of.voxels.count()) {}
    ImageSpace(const ImageSpace&) = delete;

    const Formulation& formulation;
    const CoilRows& coil_maps;
    CoilMaps maps;
};

/// F^H d of one frame, and a bound of the relative L2 error of F^H as it was computed.
struct RightHandSides {
    std::vector<Volume> volumes; ///< one with coil maps, of S N values; one a coil without
    double error = 0;
};

/// A: from images to the samples of one trajectory, d_m = phi_m sum_n S_n rho_n exp(-i 2 pi k_m .
/// x_n), and back. With S sets of coil maps an image is S N values, and the sum is over the sets,
/// too. Nothing of it changes after it is made. Several threads may use it.
class Encoding {
public:
    /// All must outlive it. `weights` are M, in place of those of the trajectory.
    Encoding(Transforms& transforms, ImageSpace& images, const Trajectory& trajectory);
    Encoding(Transforms& transforms, ImageSpace& images, const Trajectory& trajectory,
             const RealVector& weights);
    Encoding(const Encoding&) = delete;

    Transforms& transforms() const { return transforms_; }
    ImageSpace& images() const { return images_; }
    const Formulation& formulation() const { return images_.formulation; }
    const Trajectory& trajectory() const { return trajectory_; }
    std::size_t voxels() const { return images_.formulation.voxels.count(); } ///< N
    std::size_t unknowns() const { return images_.maps.sets() * voxels(); } ///< of a problem
    bool is_exact() const;

    /// F^H d of C x M samples, in a.u. With coil maps it is one volume, sum_c conj(S_c) F^H mu_c;
    /// without, one a coil: the right-hand sides of as many least-squares problems. DeviceError
    /// where the device gives zeros.
    RightHandSides adjoint(const CoilRows& samples, Listener listener = {}) const;
    /// F^H mu of every coil: encodings of one trajectory that differ in their coil maps alone share
    /// it. None where the device has no room for whole volumes, or ranks compute together.
    std::optional<FhdOfCoils> adjoint_of_coils(const CoilRows& samples) const;
    /// F^H d of them with the coil maps of this encoding, with the bits of adjoint().
    std::vector<Volume> combine(const FhdOfCoils& of_coils) const;
    /// A of images, one with coil maps, one a coil without: C x M, without noise.
    CoilMatrix forward(const std::vector<ComplexVector>& images, Listener listener = {}) const;
    /// Called with A of the images at some samples of a coil.
    using Take = std::function<void(std::size_t coil, const Range& at, const ComplexVector&)>;
    /// The same as it is computed, without memory for all samples.
    void forward(const std::vector<ComplexVector>& images, const Take& take,
                 Listener listener = {}) const;
    /// How these samples change when each is moved along its direction, M of them in cycles per
    /// field of view: -2 pi i sum_d g_d A(x_d rho), C x M.
    CoilMatrix derivative(const std::vector<ComplexVector>& images,
                          const std::vector<Vec3>& directions, Listener listener = {}) const;
    /// w_m sum_c |(A rho - d)_cm|^2 of each sample, M, in a.u.^2. What the samples have in common
    /// with A rho cancels before anything is squared, so that the relative error is that of F times
    /// ||A rho|| over the residual's norm; the equal sum ||d||^2 - 2 Re<rho, F^H d> + <rho, T rho>
    /// would lose twice as many digits.
    Eigen::VectorXd misfits(const CoilRows& samples, const std::vector<ComplexVector>& images,
                            Listener listener = {}) const;
    /// What each readout, up to these ends, and each coil has of the energy of C x M samples, and
    /// what images leave of it.
    struct Parts {
        EnergyOfParts readouts; ///< none without ends
        EnergyOfParts coils;
    };
    Parts parts_left(const CoilRows& samples, const std::vector<ComplexVector>& images,
                     const std::vector<std::size_t>& ends, Listener listener = {}) const;
    /// The cost of adjoint() for so many coils.
    Cost cost(std::size_t coils) const { return transform_.predicted("fhd", coils); }

private:
    void visit_samples(const std::vector<ComplexVector>& images, std::size_t coils,
                       const Take& take, Listener listener) const;
    std::size_t coils_of(const std::vector<ComplexVector>& images) const;

    Transforms& transforms_;
    ImageSpace& images_;
    const Trajectory& trajectory_;
    mutable PiecewiseTransform transform_; ///< which keeps what it made
    mutable MuFactors factors_; ///< whose device computes
};

} // namespace lsrecon
