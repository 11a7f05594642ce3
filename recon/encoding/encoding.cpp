#include "encoding/encoding.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "operators/finite.hpp"
#include "scan/check.hpp"

namespace lsrecon {

namespace {

/// DeviceError for zeros of a sample that counts, of a coil that has a map.
void require_not_of_device(const std::vector<Volume>& fhd, const Sampling& sampling,
                           const CoilRows& samples, const CoilRows& coil_maps) {
    if (std::any_of(fhd.begin(), fhd.end(), [](const Volume& v) { return v.norm() > 0; })) {
        return;
    }
    for (std::size_t c = 0; c < samples.rows(); ++c) {
        const bool is_seen = coil_maps.empty() || !is_silent(coil_maps, c);
        for (std::size_t m = 0; is_seen && m < samples.columns(); ++m) {
            if (counts(sampling, m) && samples(c, m) != Complex(0)) {
                require_not_zero("fhd", 0);
            }
        }
    }
}

/// A row of values that pad() puts next to other rows, times a map.
Box row_of(std::size_t count, Device& device, Precision precision) {
    Box row;
    row.size = row.extents = {count, 1, 1};
    row.factors = device.zeros(count + 2, {true, precision});
    device.upload(ComplexVector::Ones(static_cast<Eigen::Index>(count + 2)), row.factors);
    return row;
}

} // namespace

Encoding::Encoding(Transforms& transforms, ImageSpace& images, const Sampling& sampling)
    : Encoding(transforms, images, sampling, sampling.weights) {}

Encoding::Encoding(Transforms& transforms, ImageSpace& images, const Sampling& sampling,
                   const RealVector& weights)
    : transforms_(transforms), images_(images), sampling_(sampling),
      transform_(transforms, sampling.points(), images.formulation.voxels),
      factors_(transforms.device(), transforms.precision(), sampling.phi, weights) {}

bool Encoding::is_exact() const {
    return transforms_.engine_for(sampling_.points(), formulation().voxels).exact;
}

RightHandSides Encoding::adjoint(const CoilRows& samples, Listener listener) const {
    const std::lock_guard<std::recursive_mutex> one_at_a_time(transforms_.device().in_use);
    RightHandSides result;
    result.volumes =
        compute_fhd(transforms_, transform_, factors_, samples, images_.maps, listener);
    require_not_of_device(result.volumes, sampling_, samples, images_.coil_maps);
    result.error = transform_.error();
    return result;
}

std::optional<FhdOfCoils> Encoding::adjoint_of_coils(const CoilRows& samples) const {
    const std::lock_guard<std::recursive_mutex> one_at_a_time(transforms_.device().in_use);
    return compute_fhd_of_coils(transforms_, transform_, factors_, samples, {});
}

std::vector<Volume> Encoding::combine(const FhdOfCoils& of_coils) const {
    const std::lock_guard<std::recursive_mutex> one_at_a_time(transforms_.device().in_use);
    return combined(transforms_, of_coils, images_.maps);
}

void Encoding::visit_samples(const std::vector<ComplexVector>& images, std::size_t coils,
                             const Take& take, Listener listener) const {
    Device& device = transforms_.device();
    const std::lock_guard<std::recursive_mutex> one_at_a_time(device.in_use);
    CoilMaps& maps = images_.maps;
    double largest = 0; // floats end at 1e38
    for (const ComplexVector& image : images) {
        largest = std::max(largest, image.cwiseAbs().maxCoeff());
    }
    const double scale = largest > 0 ? largest : 1;
    transform_.forward(
        coils,
        [&](const Range& some, const Range& at, Array& to) {
            const Box row = row_of(at.count, device, to.element().precision);
            Array image = device.zeros(at.count, to.element());
            for (std::size_t c = 0; c < some.count; ++c) {
                const std::size_t coil = some.first + c;
                if (c == 0 || !maps.given()) {
                    const ComplexVector& values = images[maps.given() ? 0 : coil];
                    device.upload(values.segment(static_cast<Eigen::Index>(at.first),
                                                 static_cast<Eigen::Index>(at.count)) /
                                      scale,
                                  image);
                }
                device.pad(row, maps.given() ? maps.part(coil, at) : Array(), image, c, to);
            }
        },
        [&](const Range& some, const Range& at, const Array& from) {
            for (std::size_t c = 0; c < some.count; ++c) { // one at a time in the host's memory
                ComplexVector values = device.download(from, c * at.count, at.count);
                for (Eigen::Index i = 0; i < values.size(); ++i) {
                    const Eigen::Index m = static_cast<Eigen::Index>(at.first) + i;
                    const Complex phi = sampling_.phi.size() > 0 ? sampling_.phi(m) : Complex(1);
                    values(i) = phi * scale * values(i);
                }
                take(some.first + c, at, values);
            }
        },
        [&](double fraction) { listener.progress(fraction); });
}

std::size_t Encoding::coils_of(const std::vector<ComplexVector>& images) const {
    return images_.coil_maps.empty() ? images.size() : images_.coil_maps.rows();
}

CoilMatrix Encoding::forward(const std::vector<ComplexVector>& images, Listener listener) const {
    const std::size_t coils = coils_of(images);
    CoilMatrix samples(static_cast<Eigen::Index>(coils),
                       static_cast<Eigen::Index>(sampling_.samples()));
    visit_samples(
        images, coils,
        [&](std::size_t c, const Range& at, const ComplexVector& values) {
            samples.row(static_cast<Eigen::Index>(c))
                .segment(static_cast<Eigen::Index>(at.first), values.size()) = values.transpose();
        },
        listener);
    return samples;
}

CoilMatrix Encoding::derivative(const std::vector<ComplexVector>& images,
                                const std::vector<Vec3>& directions, Listener listener) const {
    const Voxels& voxels = formulation().voxels;
    CoilMatrix sum = CoilMatrix::Zero(static_cast<Eigen::Index>(coils_of(images)),
                                      static_cast<Eigen::Index>(sampling_.samples()));
    for (std::size_t d = 0; d < static_cast<std::size_t>(formulation().grid.dimensions); ++d) {
        std::vector<ComplexVector> moments = images;
        for (ComplexVector& moment : moments) {
            for (Eigen::Index n = 0; n < moment.size(); ++n) {
                moment(n) *= voxels.position(static_cast<std::size_t>(n))[d];
            }
        }
        const CoilMatrix samples = forward(moments, listener);
        for (Eigen::Index m = 0; m < sum.cols(); ++m) {
            sum.col(m) +=
                Complex(0, -2 * pi * directions[static_cast<std::size_t>(m)][d]) * samples.col(m);
        }
    }
    return sum;
}

Eigen::VectorXd Encoding::misfits(const CoilRows& samples, const std::vector<ComplexVector>& images,
                                  Listener listener) const {
    Eigen::VectorXd misfits = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(samples.columns()));
    visit_samples(
        images, samples.rows(),
        [&](std::size_t c, const Range& at, const ComplexVector& values) {
            for (std::size_t i = 0; i < at.count; ++i) {
                const std::size_t m = at.first + i;
                misfits(static_cast<Eigen::Index>(m)) +=
                    sampling_.weight(m) *
                    std::norm(values(static_cast<Eigen::Index>(i)) - samples(c, m));
            }
        },
        listener);
    return misfits;
}

} // namespace lsrecon
