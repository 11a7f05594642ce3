#include "operators/over_frames.hpp"

namespace lsrecon {

template <typename Real>
void OverFrames::apply(Map<Real> map, Device& device, double length, std::vector<Array>& z) const {
    FrameStack<Real> images(static_cast<Eigen::Index>(grid_.voxels()),
                            static_cast<Eigen::Index>(z.size()));
    for (std::size_t f = 0; f < z.size(); ++f) {
        images.col(static_cast<Eigen::Index>(f)) =
            device.download(z[f]).template cast<std::complex<Real>>();
    }
    images = map(grid_, images, length);
    for (std::size_t f = 0; f < z.size(); ++f) {
        device.upload(images.col(static_cast<Eigen::Index>(f)).template cast<Complex>().eval(),
                      z[f]);
    }
}

void OverFrames::apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const {
    const double length = step.length() / step.penalty;
    if (z.front().element().precision == Precision::float64) {
        apply(of_doubles_, device, length, z);
    } else {
        apply(of_floats_, device, length, z);
    }
}

} // namespace lsrecon
