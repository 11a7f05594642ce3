// Transforms of any size, cut into the pieces of samples and voxels for which the device has room.

#pragma once

#include "base/ranges.hpp"
#include "engines/transforms.hpp"

namespace lsrecon {

/// F of one trajectory and one set of voxels of any size: one Transform, which is kept, or one
/// after another for pieces of the samples and of the voxels that the device has room for. Values
/// are loaded and taken a few coils at a time.
class PiecewiseTransform {
public:
    /// `transforms`, and the data that `points` refers to, must outlive it.
    PiecewiseTransform(Transforms& transforms, const SamplePoints& points, const Voxels& voxels)
        : transforms_(transforms), points_(points), voxels_(voxels) {}

    /// Fills an array with the values of some coils at some samples (adjoint) or voxels (forward),
    /// a row a coil.
    using Load = std::function<void(const Range& coils, const Range& at, Array& to)>;
    /// Called with the results of some coils at some voxels (adjoint) or samples (forward): all
    /// coils of some points before the next points.
    using Take = std::function<void(const Range& coils, const Range& at, const Array& from)>;

    /// The adjoint at all voxels, or at those of a share.
    void adjoint(std::size_t coils, bool real_values, const Load& load, const Take& take,
                 const Progress& progress, std::optional<Range> share = {});
    void forward(std::size_t coils, const Load& load, const Take& take, const Progress& progress);

    /// The voxels at which this rank computes so many coils in "fhd" or "q", for all of them to
    /// have the whole; nothing where each computes all, as exchanging it would take longer, or bits
    /// would change.
    std::optional<Range> share_of_rank(const std::string& stage, std::size_t coils) const;

    /// The cost of so many coils in "fhd", "q" or "f", from making the transform on.
    Cost predicted(const std::string& stage, std::size_t coils) const;

    /// Bound of the relative L2 error of the last transform.
    double error() const { return error_; }

    std::size_t samples() const { return points_.count(); }
    const Voxels& voxels() const { return voxels_; }

private:
    struct Job;
    struct Pieces;
    void run(const Job& job);
    Pieces pieces_of(const Job& job) const;
    void add_piece(const Job& job, const Range& coils, const Range& from, const Range& at,
                   const Progress& progress, Array& out);
    bool sharing_pays(const std::string& stage, std::size_t coils) const;
    /// The share of the device's room that the values of so many coils may take.
    double share_of_values(std::size_t coils) const;
    Transform& transform_of(const Range& samples, const Range& voxels);

    Transforms& transforms_;
    SamplePoints points_;
    Voxels voxels_;
    std::vector<Vec3> some_; ///< points of the trajectory, where it comes in pieces
    RealVector some_times_;
    std::unique_ptr<Transform> transform_;
    Range made_for_samples_{0, 0};
    Range made_for_voxels_{0, 0};
    double error_ = 0;
};

} // namespace lsrecon
