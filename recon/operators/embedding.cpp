// Chooses the lengths of FFTs and how many maps share one, and uploads the factors of boxes.

#include "operators/embedding.hpp"

#include <algorithm>

#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

/// Enough to keep a device busy; and to stay in the caches of a large one.
constexpr std::size_t most_bytes = std::size_t(1) << 26;

} // namespace

Embedding::Embedding(const Grid& grid, bool on_host) : parities{{0, 0, 0}}, on_host_(on_host) {
    for (std::size_t d = 0; d < 3; ++d) {
        extents[d] = fast_length(grid.size[d]);
        if (grid.size[d] > 1) {
            const std::size_t even = parities.size();
            for (std::size_t i = 0; i < even; ++i) {
                parities.push_back(parities[i]);
                parities.back()[d] = 1;
            }
        }
    }
}

std::size_t Embedding::periods(Precision precision) const {
    if (on_host_) {
        return extents[2] == 1 ? 2 : 1;
    }
    const std::size_t of_parity_of_x = extents[2] > 1 ? 3 : 1;
    const bool both = 2 * of_parity_of_x * points() * 2 * bytes_of(precision) <= most_bytes;
    return (both ? 2 : 1) * of_parity_of_x;
}

// The batches are of equal size, as far as they can be.
std::size_t Embedding::batch(std::size_t maps, Precision precision) const {
    const std::size_t of_one = (on_host_ ? 1 : periods(precision)) * points();
    const std::size_t bytes = of_one * 2 * bytes_of(precision);
    const std::size_t affordable = std::max<std::size_t>(1, most_bytes / bytes);
    const std::size_t all = std::max<std::size_t>(maps, 1);
    return divide_up(all, divide_up(all, affordable));
}

std::size_t Embedding::workspace(std::size_t batch, Precision precision) const {
    // On the host a core takes one map after the other; the reference pads all.
    const std::size_t of_cores = std::min(batch, all_cores()) * periods(precision);
    return (on_host_ ? std::max(batch, of_cores) : batch * periods(precision)) * points();
}

Box with_factors(Device& device, Precision precision, Box box,
                 const std::function<Complex(std::size_t d, std::size_t n)>& factor) {
    ComplexVector factors(static_cast<Eigen::Index>(box.size[0] + box.size[1] + box.size[2]));
    Eigen::Index i = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t n = 0; n < box.size[d]; ++n) {
            factors(i++) = factor(d, n);
        }
    }
    box.factors = device.zeros(static_cast<std::size_t>(factors.size()), {true, precision});
    device.upload(factors, box.factors);
    return box;
}

} // namespace lsrecon
