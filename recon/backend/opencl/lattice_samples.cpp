#include "backend/opencl/lattice_samples.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace lsrecon::opencl {

namespace {
constexpr double two_pi = 6.283185307179586476925286766559;
} // namespace

LatticeColumns::LatticeColumns(const Voxels& voxels) {
    const std::size_t size = voxels.lattice_size()[0];
    const long first = voxels.lattice_first()[0];
    halved = size % 2 == 0 && first == -static_cast<long>(size / 2);
    const long last = first + static_cast<long>(size) - 1;
    count =
        halved ? size / 2 : static_cast<std::size_t>(std::max(std::abs(first), std::abs(last))) + 1;
}

LatticeSamples::LatticeSamples(const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                               const Voxels& voxels)
    : trajectory_(trajectory), values_(values), per_fov_(voxels.per_fov()),
      offset_(LatticeColumns(voxels).offset()),
      scale_(2 * voxels.extent_in_voxels()), // halves of voxels are exact, too
      order_(columns(values)) {
    std::iota(order_.begin(), order_.end(), std::size_t(0));
    const RealVector energy = values.colwise().squaredNorm().transpose();
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
        return energy(static_cast<Eigen::Index>(i)) > energy(static_cast<Eigen::Index>(j));
    });
}

Complex LatticeSamples::from_centre(std::size_t m) const {
    return offset_ == 0 ? Complex(1)
                        : std::polar(1.0, two_pi * offset_ * trajectory_[m][0] / per_fov_[0]);
}

void LatticeSamples::pack(const Range& range, std::size_t padded,
                          std::vector<float>& packed) const {
    packed.assign(floats() * padded, 0.0F);
    for (std::size_t i = 0; i < range.count; ++i) {
        const std::size_t m = order_[range.first + i];
        for (std::size_t d = 0; d < 3; ++d) {
            const SplitScale::Parts k = scale_.trajectory(trajectory_[m][d] / per_fov_[d]);
            packed[2 * d * padded + i] = k.high;
            packed[(2 * d + 1) * padded + i] = k.low;
        }
        const Complex to_centre = std::conj(from_centre(m));
        for (std::size_t c = 0; c < rows(values_); ++c) {
            const Complex value =
                to_centre * values_(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(m));
            packed[(6 + 2 * c) * padded + i] = static_cast<float>(value.real());
            packed[(7 + 2 * c) * padded + i] = static_cast<float>(value.imag());
        }
    }
}

} // namespace lsrecon::opencl
