#include "operators/toeplitz.hpp"

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "device/devices.hpp"
#include "operators/box_factors.hpp"

namespace lsrecon {

namespace {

/// The box in a period of L with the twist exp(-i pi s n / L) of a parity s, times `weight` beside
/// the origin of dimension `weighted`.
Box twisted(Device& device, Precision precision, Box box, const std::array<int, 3>& parity,
            std::size_t weighted, double weight) {
    const auto factor = [&](std::size_t d, std::size_t k) {
        const auto n = static_cast<double>(box.first[d] + static_cast<long>(k));
        return std::polar(d == weighted && n > 0 ? weight : 1.0,
                          -pi * parity[d] * n / static_cast<double>(box.extents[d]));
    };
    return with_factors(device, precision, box, factor);
}

} // namespace

ToeplitzWorkspace::ToeplitzWorkspace(Device& device, const Grid& grid, Precision precision,
                                     std::size_t maps)
    : embedding(grid, device.in_host_memory()), batch(embedding.batch(maps, precision)),
      of_batch(device.plan_fft(embedding.extents, batch, precision)),
      of_one(batch == 1 ? of_batch : device.plan_fft(embedding.extents, 1, precision)),
      padded(device.zeros(embedding.workspace(batch, precision), {true, precision})) {
    // T depends only on differences of voxels, so their origin may be anywhere.
    const Box image{grid.size, {0, 0, 0}, embedding.extents, {}};
    for (const std::array<int, 3>& parity : embedding.parities) {
        boxes.push_back(twisted(device, precision, image, parity, 0, 1));
    }
}

Cost ToeplitzWorkspace::cost(const Device& device, const Grid& grid, Precision precision,
                             std::size_t maps) {
    const Embedding embedding(grid, device.in_host_memory());
    return Cost::array(embedding.workspace(embedding.batch(maps, precision), precision),
                       Element{true, precision}.bytes());
}

Toeplitz::Toeplitz(Device& device, const Q& q, Precision precision, CoilMaps& maps,
                   std::shared_ptr<ToeplitzWorkspace> workspace, double unit)
    : Gram(device), maps_(maps), workspace_(std::move(workspace)), voxels_(q.grid.voxels()),
      unit_(unit),
      spectra_(device.zeros(workspace_->embedding.parities.size() * workspace_->embedding.points(),
                            {false, precision})) {
    make_spectra(q, precision);
}

Cost Toeplitz::cost(const Device& device, const Grid& grid, Precision precision) {
    const Embedding embedding(grid, device.in_host_memory());
    return Cost::array(embedding.parities.size() * embedding.points(),
                       Element{false, precision}.bytes());
}

Cost Toeplitz::cost_of_making(const Device& device, const Grid& grid, Precision precision) {
    return Q::cost(grid, precision) + ToeplitzWorkspace::cost(device, grid, precision, 1);
}

double Toeplitz::seconds(const Device& device, const Machine& machine, const Grid& grid,
                         Precision precision, std::size_t maps) {
    // The cost in multiply-adds, measured on a CPU of two cores and an NVIDIA H100.
    constexpr double of_butterfly = 30;
    const Embedding embedding(grid, device.in_host_memory());
    const auto points = static_cast<double>(embedding.points());
    const double rate = nominal_rates(machine.device).multiply_adds;
    // FFTs of other lengths: 70, 75, 81 and 90 against 64, 72, 80 and 96 on a CPU.
    constexpr double slower = 1.25;
    double butterflies = 0; // of a point
    for (const std::size_t length : embedding.extents) {
        butterflies += (length % 8 == 0 ? 1 : slower) * std::log2(static_cast<double>(length));
    }
    const double of_map = slowdown_of(precision, device.in_host_memory()) *
                          static_cast<double>(embedding.parities.size()) * points * butterflies *
                          of_butterfly / rate;
    const std::size_t batches = divide_up(maps, embedding.batch(maps, precision));
    return static_cast<double>(batches) * machine.pace.product +
           static_cast<double>(maps) * machine.pace.convolution * of_map;
}

// Half of Q is enough for its real spectrum: Q(-d) = conj Q(d), so that each difference counts
// twice. Those with 0 in the slowest dimension are all present and count once.
void Toeplitz::make_spectra(const Q& q, Precision precision) {
    const Embedding& embedding = workspace_->embedding;
    const Voxels half = Voxels::half_differences(q.grid);
    const Box differences{half.lattice_size(), half.lattice_first(), embedding.extents, {}};
    const Array values = q.half.on(device_, precision, 1 / unit_);
    Array period = device_.zeros(embedding.points(), {true, precision});
    const auto slowest = static_cast<std::size_t>(q.grid.dimensions - 1);
    const auto all = static_cast<double>(embedding.parities.size() * embedding.points());
    for (std::size_t i = 0; i < embedding.parities.size(); ++i) {
        const Box box = twisted(device_, precision, differences, embedding.parities[i], slowest, 2);
        device_.pad(box, {}, values, 0, period);
        workspace_->of_one->forward(period);
        // The scale of the inverse FFT goes with it.
        device_.keep_real(period, 1 / all, i * embedding.points(), spectra_);
    }
}

void Toeplitz::add(const Array& in, Array& out) {
    for (const Range& coils : split_into_ranges(maps_.count(), workspace_->batch)) {
        std::vector<Array> of_coils;
        for (std::size_t c = 0; c < coils.count; ++c) {
            of_coils.push_back(maps_.map(coils.first + c, c));
        }
        workspace_->of_batch->add_convolution({workspace_->boxes, spectra_, workspace_->padded},
                                              of_coils, in, out);
    }
}

} // namespace lsrecon
