#include "engines/opencl/mirrored.hpp"

#include "engines/chunks.hpp"

namespace lsrecon::opencl {

namespace {

constexpr double two_pi = 2 * pi;

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
    Vec3 at(std::size_t n) const override {
        const Vec3 u = voxels_.in_voxels(n);
        return {2 * u[0] - middle_[0], 2 * u[1] - middle_[1], 2 * u[2] - middle_[2]};
    }
    Parts parts(std::size_t n) const override {
        const Vec3 u = at(n);
        return {SplitScale::voxel(u[0]), SplitScale::voxel(u[1]), SplitScale::voxel(u[2])};
    }
    std::size_t row_length() const override { return voxels_.lattice_size()[0]; }
    double largest_rest() const override { return 0; }

    /// The middle of the lattice, in halves of voxels.
    const Vec3& middle() const { return middle_; }

private:
    const Voxels& voxels_;
    Vec3 middle_{};
    std::size_t count_;
};

Vec3 halves_of_voxels(const Voxels& voxels) {
    const Vec3& per_fov = voxels.per_fov();
    return {2 * per_fov[0], 2 * per_fov[1], 2 * per_fov[2]};
}

} // namespace

bool can_mirror(const Voxels& voxels) {
    return voxels.on_lattice() && !voxels.off_resonance() &&
           voxels.lattice_size()[1] * voxels.lattice_size()[2] > 1;
}

Mirrored::Mirrored(const Resources& resources, const std::vector<Vec3>& trajectory,
                   const Voxels& voxels, SourceLayout layout)
    : samples(resources,
              TrajectoryPoints(trajectory, halves_of_voxels(voxels),
                               SplitScale(2 * voxels.extent_in_voxels())),
              layout),
      half(resources, FirstHalf(voxels), layout),
      phases(resources.device.zeros(trajectory.size(), {true, resources.wide()})) {
    const Vec3 middle = FirstHalf(voxels).middle();
    const Vec3 per_fov = halves_of_voxels(voxels);
    ComplexVector values(static_cast<Eigen::Index>(trajectory.size()));
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            turns += trajectory[m][d] / per_fov[d] * middle[d];
        }
        values(static_cast<Eigen::Index>(m)) = std::polar(1.0, two_pi * turns);
    }
    resources.device.upload(values, phases);
}

} // namespace lsrecon::opencl
