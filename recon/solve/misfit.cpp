#include "solve/misfit.hpp"

#include <numeric>

#include "base/parallel.hpp"

namespace lsrecon {

double compute_misfit(Transforms& transforms, PiecewiseTransform& transform,
                      const Sampling& sampling, const CoilRows& samples, const CoilRows& coil_maps,
                      const std::vector<ComplexVector>& images, Reporter& report) {
    Device& device = transforms.device();
    double largest = 0; // floats end at 1e38
    for (const ComplexVector& image : images) {
        largest = std::max(largest, image.cwiseAbs().maxCoeff());
    }
    const double scale = largest > 0 ? largest : 1;
    double sum = 0;
    transform.forward(
        samples.rows(),
        [&](const Range& coils, const Range& at, Array& to) {
            CoilMatrix rows(static_cast<Eigen::Index>(coils.count),
                            static_cast<Eigen::Index>(at.count));
            for (std::size_t c = 0; c < coils.count; ++c) {
                const std::size_t coil = coils.first + c;
                const ComplexVector& image = images[coil_maps.empty() ? coil : 0];
                for (std::size_t n = 0; n < at.count; ++n) {
                    const std::size_t voxel = at.first + n;
                    const Complex map = coil_maps.empty() ? 1 : coil_maps(coil, voxel);
                    rows(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(n)) =
                        map * image(static_cast<Eigen::Index>(voxel)) / scale;
                }
            }
            device.upload(CoilRows(std::move(rows)), {0, coils.count}, {0, at.count}, 0, to);
        },
        [&](const Range& coils, const Range& at, const Array& from) {
            for (std::size_t c = 0; c < coils.count; ++c) { // one at a time in the host's memory
                const ComplexVector values = device.download(from, c * at.count, at.count);
                for (std::size_t i = 0; i < at.count; ++i) {
                    const auto m = static_cast<Eigen::Index>(at.first + i);
                    const Complex phi = sampling.phi.size() > 0 ? sampling.phi(m) : Complex(1);
                    sum += sampling.weight(at.first + i) *
                           std::norm(phi * scale * values(static_cast<Eigen::Index>(i)) -
                                     samples(coils.first + c, m));
                }
            }
        },
        [&](double fraction) { report.progress(fraction); });
    return sum;
}

double energy_of(const Sampling& sampling, const CoilRows& samples) {
    std::vector<double> of_coils(samples.rows());
    samples.visit([&](const auto& rows) {
        for_each_in_parallel(of_coils.size(), [&](std::size_t c) {
            const auto* const row = rows.data() + c * samples.columns();
            double sum = 0;
            for (std::size_t m = 0; m < samples.columns(); ++m) {
                sum += sampling.weight(m) * std::norm(Complex(row[m]));
            }
            of_coils[c] = sum;
        });
    });
    return std::accumulate(of_coils.begin(), of_coils.end(), 0.0);
}

} // namespace lsrecon
