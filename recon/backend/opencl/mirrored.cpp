#include "backend/opencl/mirrored.hpp"

namespace lsrecon::opencl {

namespace {

constexpr double two_pi = 6.283185307179586476925286766559;

/// The first half of a lattice, whole rows of it, in halves of voxels from its middle. Voxel n and
/// the n-th from the end are each other's image.
class FirstHalf : public Points {
public:
    explicit FirstHalf(const Voxels& voxels) : voxels_(voxels) {
        const std::array<std::size_t, 3>& size = voxels.lattice_size();
        for (std::size_t d = 0; d < 3; ++d) {
            middle_[d] = static_cast<double>(2 * voxels.lattice_first()[d]) +
                         static_cast<double>(size[d] - 1);
        }
        count_ = divide_up(size[1] * size[2], 2) * size[0];
    }

    std::size_t count() const override { return count_; }
    bool has_low() const override { return false; }
    Parts parts(std::size_t n) const override {
        const Vec3 u = voxels_.in_voxels(n);
        Parts result{};
        for (std::size_t d = 0; d < 3; ++d) {
            result.high[d] = static_cast<float>(2 * u[d] - middle_[d]);
        }
        return result;
    }
    std::size_t row_length() const override { return voxels_.lattice_size()[0]; }
    double largest_rest() const override { return 0; }

    /// In halves of voxels.
    const Vec3& middle() const { return middle_; }

private:
    const Voxels& voxels_;
    Vec3 middle_{};
    std::size_t count_;
};

} // namespace

bool can_mirror(const Voxels& voxels) {
    return voxels.on_lattice() && voxels.lattice_size()[1] * voxels.lattice_size()[2] > 1;
}

CoilMatrix mirrored_transform(Queue& queue, const KernelRow& row,
                              const ChosenParameters& parameters,
                              const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                              const Voxels& voxels, const Progress& progress) {
    const FirstHalf half(voxels);
    const Vec3& per_fov = voxels.per_fov();
    const Vec3 halves_per_fov{2 * per_fov[0], 2 * per_fov[1], 2 * per_fov[2]};
    CoilMatrix from_middle = values;
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            turns += trajectory[m][d] / halves_per_fov[d] * half.middle()[d];
        }
        from_middle.col(static_cast<Eigen::Index>(m)) *= std::polar(1.0, two_pi * turns);
    }
    const SplitScale scale(2 * voxels.extent_in_voxels());
    const CoilMatrix both = direct_transform(queue, row, parameters,
                                             TrajectoryPoints(trajectory, halves_per_fov, scale),
                                             from_middle, false, half, true, +1, progress);

    CoilMatrix all(values.rows(), static_cast<Eigen::Index>(voxels.count()));
    all.leftCols(both.cols()) = both.topRows(values.rows());
    all.rightCols(both.cols()) = both.bottomRows(values.rows()).rowwise().reverse();
    return all;
}

} // namespace lsrecon::opencl
