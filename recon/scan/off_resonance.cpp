#include "scan/off_resonance.hpp"

namespace lsrecon {

namespace {

RealVector picked(const RealVector& values, const std::vector<std::size_t>& indices) {
    RealVector result(values.size() > 0 ? static_cast<Eigen::Index>(indices.size()) : 0);
    for (Eigen::Index i = 0; i < result.size(); ++i) {
        result(i) = values(static_cast<Eigen::Index>(indices[static_cast<std::size_t>(i)]));
    }
    return result;
}

} // namespace

bool OffResonance::is_zero() const {
    return field.isZero(0) && r2star.isZero(0);
}

Complex OffResonance::rate(std::size_t n) const {
    const auto i = static_cast<Eigen::Index>(n);
    return {r2star.size() > 0 ? r2star(i) : 0, 2 * pi * field(i)};
}

OffResonance OffResonance::part(const Range& range) const {
    const auto first = static_cast<Eigen::Index>(range.first);
    const auto count = static_cast<Eigen::Index>(range.count);
    return {field.segment(first, count),
            r2star.size() > 0 ? RealVector(r2star.segment(first, count)) : RealVector()};
}

OffResonance OffResonance::subset(const std::vector<std::size_t>& indices) const {
    return {picked(field, indices), picked(r2star, indices)};
}

} // namespace lsrecon
