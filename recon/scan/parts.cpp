// Compares the share that each readout or coil leaves with the median of others.

#include "scan/parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t fewest_parts = 4;
constexpr double least_share = 0.02; ///< left, of which an image shows something

/// How much larger than the others' a share is that stands out.
struct Margin {
    double times; ///< the median of the others
    double deviations; ///< of the others' logarithms
};
constexpr Margin of_readouts{4, 4}; ///< shares of spokes of one scan differ by up to 3
constexpr Margin of_coils{6, 3}; ///< a coil that is wrong spoils those beside it

constexpr double of_normal = 1.4826; ///< deviation over the median of absolute differences

/// Whether a share stands out of others, by their logarithms.
bool stands_out(double share, const std::vector<double>& others, const Margin& margin) {
    const double middle = median(others);
    if (share < least_share || share < margin.times * middle) {
        return false;
    }
    std::vector<double> scatter;
    for (const double other : others) {
        if (other > 0 && middle > 0) {
            scatter.push_back(std::abs(std::log(other / middle)));
        }
    }
    return scatter.empty() ||
           std::log(share / middle) > margin.deviations * of_normal * median(scatter);
}

/// The parts, or none if they are too many to be exceptions.
std::vector<std::size_t> if_few(std::vector<std::size_t> found, std::size_t of) {
    return 4 * found.size() <= of ? found : std::vector<std::size_t>();
}

} // namespace

std::vector<std::size_t> readouts_that_stand_out(const EnergyOfParts& readouts) {
    constexpr std::size_t compared = 16;
    const std::size_t count = readouts.energy.size();
    if (count < fewest_parts) {
        return {};
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return readouts.energy[a] != readouts.energy[b] ? readouts.energy[a] < readouts.energy[b]
                                                        : a < b;
    });
    const double mean_left = std::accumulate(readouts.left.begin(), readouts.left.end(), 0.0) /
                             static_cast<double>(count);
    std::vector<std::size_t> found;
    for (std::size_t rank = 0; rank < count; ++rank) {
        const std::size_t window = std::min(compared + 1, count);
        const std::size_t first =
            std::min(rank - std::min(rank, window / 2), count - window); // of those next to it
        std::vector<double> others;
        for (std::size_t i = first; i < first + window; ++i) {
            if (i != rank) {
                others.push_back(readouts.share_left(order[i]));
            }
        }
        const std::size_t readout = order[rank];
        if (readouts.left[readout] > mean_left &&
            stands_out(readouts.share_left(readout), others, of_readouts)) {
            found.push_back(readout);
        }
    }
    std::sort(found.begin(), found.end());
    return if_few(std::move(found), count);
}

std::vector<std::size_t> coils_that_stand_out(const EnergyOfParts& coils) {
    const std::size_t count = coils.energy.size();
    if (count < fewest_parts) {
        return {};
    }
    const double noise = *std::min_element(coils.left.begin(), coils.left.end());
    std::vector<std::size_t> found;
    for (std::size_t c = 0; c < count; ++c) {
        std::vector<double> others;
        for (std::size_t other = 0; other < count; ++other) {
            if (other != c) {
                others.push_back(coils.share_left(other));
            }
        }
        const double of_noise = noise < coils.energy[c] ? noise / coils.energy[c] : 1;
        if (stands_out(coils.share_left(c) - of_noise, others, of_coils)) {
            found.push_back(c);
        }
    }
    return if_few(std::move(found), count);
}

} // namespace lsrecon
