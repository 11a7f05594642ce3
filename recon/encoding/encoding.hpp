#pragma once

#include <optional>
#include <vector>

#include "encoding/fhd.hpp"
#include "encoding/formulation.hpp"

namespace lsrecon {

/// The voxels of a slice, and its coil maps on the device of the transforms: what the encodings of
/// its trajectories share.
struct ImageSpace {
    /// The device, the formulation and the maps must outlive it. `maps_on_host` are C x N, or empty
    /// for none.
    ImageSpace(Device& device, const Formulation& of, const CoilRows& maps_on_host)
        : formulation(of), coil_maps(maps_on_host), maps(device, maps_on_host) {}
    ImageSpace(const ImageSpace&) = delete;

    const Formulation& formulation;
    const CoilRows& coil_maps;
    CoilMaps maps;
};

/// F^H d of one frame, and a bound of the relative L2 error of F^H as it was computed.
struct RightHandSides {
    std::vector<Volume> volumes; ///< one with coil maps, one a coil without
    double error = 0;
};

/// A: from images to the samples of one trajectory, d_m = phi_m sum_n S_n rho_n exp(-i 2 pi k_m .
/// x_n), and back. Nothing of it changes after it is made. Several threads may use it.
class Encoding {
public:
    /// All must outlive it. `weights` are M, in place of those of the sampling.
    Encoding(Transforms& transforms, ImageSpace& images, const Sampling& sampling);
    Encoding(Transforms& transforms, ImageSpace& images, const Sampling& sampling,
             const RealVector& weights);
    Encoding(const Encoding&) = delete;

    Transforms& transforms() const { return transforms_; }
    ImageSpace& images() const { return images_; }
    const Formulation& formulation() const { return images_.formulation; }
    const Sampling& sampling() const { return sampling_; }
    std::size_t voxels() const { return images_.formulation.voxels.count(); }
    bool is_exact() const;

    /// F^H d of C x M samples, in a.u. DeviceError where the device gives zeros.
    RightHandSides adjoint(const CoilRows& samples, Listener listener = {}) const;
    /// F^H mu of every coil, and F^H d of it: encodings of one sampling that differ in their coil
    /// maps alone share it. None as of compute_fhd_of_coils().
    std::optional<FhdOfCoils> adjoint_of_coils(const CoilRows& samples) const;
    std::vector<Volume> combine(const FhdOfCoils& of_coils) const;
    /// A of images of N voxels, one with coil maps, one a coil without: C x M, without noise.
    CoilMatrix forward(const std::vector<ComplexVector>& images, Listener listener = {}) const;
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
    /// The cost of adjoint() for so many coils.
    Cost cost(std::size_t coils) const { return transform_.predicted("fhd", coils); }

private:
    /// Called with A of the images at some samples of a coil.
    using Take = std::function<void(std::size_t coil, const Range& at, const ComplexVector&)>;
    void visit_samples(const std::vector<ComplexVector>& images, std::size_t coils,
                       const Take& take, Listener listener) const;
    std::size_t coils_of(const std::vector<ComplexVector>& images) const;

    Transforms& transforms_;
    ImageSpace& images_;
    const Sampling& sampling_;
    mutable PiecewiseTransform transform_; ///< which keeps what it made
    mutable MuFactors factors_; ///< whose device computes
};

} // namespace lsrecon
