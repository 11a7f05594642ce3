// Compares two poses by distance and angle, and decides whether their coil maps can be shared.

#include "scan/pose.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace lsrecon {

namespace {

// Coil maps are smooth. With those of calibration lines elsewhere, images of a third of the lines
// were as far from the truth up to 10 mm and 3 degrees (11 % of them, 240 mm wide), by a quarter
// further at 15 mm and by a fifth at 10 degrees. 5 mm are a slice's thickness.
constexpr double maps_reach_mm = 5;
constexpr double maps_reach_degrees = 3;

std::string in_tenths(double value) {
    return text(std::round(10 * value) / 10);
}

} // namespace

bool PoseDifference::share_maps() const {
    return mm <= maps_reach_mm && degrees <= maps_reach_degrees;
}

std::string PoseDifference::in_words() const {
    std::string words;
    if (mm >= same_position_mm) {
        words = in_tenths(mm) + " mm away";
    }
    if (degrees >= same_degrees) {
        words += text(words.empty() ? "" : ", ", "turned by ", in_tenths(degrees), " degrees");
    }
    return words;
}

PoseDifference apart(const Pose& a, const Pose& b) {
    PoseDifference result;
    if (a.position && b.position) {
        result.mm = distance(*a.position, *b.position);
    }
    for (std::size_t d = 0; a.directions && b.directions && d < 3; ++d) {
        const double half = distance((*a.directions)[d], (*b.directions)[d]) / 2;
        result.degrees = std::max(result.degrees, 2 * std::asin(std::min(half, 1.0)) * 180 / pi);
    }
    return result;
}

} // namespace lsrecon
