#include "operators/toeplitz.hpp"

#include <algorithm>
#include <cmath>

namespace lsrecon {

namespace {

/// The box in a period of L with the twist exp(-i pi s n / L) of a parity s, times `weight` beside
/// the origin of dimension `weighted`.
Box twisted(Device& device, Precision precision, Box box, const std::array<int, 3>& parity,
            std::size_t weighted, double weight) {
    ComplexVector factors(static_cast<Eigen::Index>(box.size[0] + box.size[1] + box.size[2]));
    Eigen::Index i = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto extent = static_cast<double>(box.extents[d]);
        for (std::size_t k = 0; k < box.size[d]; ++k) {
            const auto n = static_cast<double>(box.first[d] + static_cast<long>(k));
            factors(i++) =
                std::polar(d == weighted && n > 0 ? weight : 1.0, -pi * parity[d] * n / extent);
        }
    }
    box.factors = device.zeros(static_cast<std::size_t>(factors.size()), {true, precision});
    device.upload(factors, box.factors);
    return box;
}

} // namespace

Toeplitz::Toeplitz(Device& device, const Q& q, Precision precision, std::size_t maps,
                   double diagonal)
    : device_(device), embedding_(q.grid), voxels_(q.grid.voxels()),
      batch_(embedding_.batch(maps, precision)), diagonal_(diagonal),
      fft_(device.plan_fft(embedding_.extents, batch_, precision)),
      padded_(device.zeros(batch_ * embedding_.points(), {true, precision})),
      spectra_(device.zeros(embedding_.parities.size() * embedding_.points(), {false, precision})) {
    // T depends only on differences of voxels, so their origin may be anywhere.
    const Box image{q.grid.size, {0, 0, 0}, embedding_.extents, {}};
    for (const std::array<int, 3>& parity : embedding_.parities) {
        boxes_.push_back(twisted(device, precision, image, parity, 0, 1));
    }
    make_spectra(q, precision);
}

// Half of Q is enough for its real spectrum: Q(-d) = conj Q(d), so that each difference counts
// twice. Those with 0 in the slowest dimension are all present and count once.
void Toeplitz::make_spectra(const Q& q, Precision precision) {
    const Voxels half = Voxels::half_differences(q.grid);
    const Box differences{half.lattice_size(), half.lattice_first(), embedding_.extents, {}};
    const Array values = q.half.on(device_, precision, 1 / diagonal_);
    Array period = device_.zeros(embedding_.points(), {true, precision});
    const std::unique_ptr<FftPlan> fft = device_.plan_fft(embedding_.extents, 1, precision);
    const auto slowest = static_cast<std::size_t>(q.grid.dimensions - 1);
    const auto all = static_cast<double>(embedding_.parities.size() * embedding_.points());
    for (std::size_t i = 0; i < embedding_.parities.size(); ++i) {
        const Box box =
            twisted(device_, precision, differences, embedding_.parities[i], slowest, 2);
        device_.pad(box, {}, values, 0, period);
        fft->forward(period);
        // The scale of the inverse FFT goes with it.
        device_.keep_real(period, 1 / all, i * embedding_.points(), spectra_);
    }
}

void Toeplitz::add(CoilMaps& maps, const Array& in, Array& out) {
    for (const Range& coils : split_into_ranges(maps.count(), batch_)) {
        std::vector<Array> of_batch;
        for (std::size_t c = 0; c < batch_; ++c) {
            // Slots that the last batch does not use are filled too, or their values would grow
            // without bound.
            of_batch.push_back(maps.map(coils.first + std::min(c, coils.count - 1), c));
        }
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            for (std::size_t c = 0; c < batch_; ++c) {
                device_.pad(boxes_[i], of_batch[c], in, c, padded_);
            }
            fft_->forward(padded_);
            device_.multiply(spectra_, i * embedding_.points(), embedding_.points(), padded_);
            fft_->backward(padded_);
            for (std::size_t c = 0; c < coils.count; ++c) {
                device_.crop(boxes_[i], of_batch[c], padded_, c, out);
            }
        }
    }
}

} // namespace lsrecon
