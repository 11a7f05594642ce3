#include "engines/segmented.hpp"

#include <cmath>

#include "base/tolerance.hpp"

namespace lsrecon {

namespace {

Array on(Device& device, Precision precision, const CoilRows& rows) {
    Array array = device.zeros(rows.rows() * rows.columns(), {true, precision});
    device.upload(rows, {0, rows.rows()}, {0, rows.columns()}, 0, array);
    return array;
}

/// The relative rounding of two factors, two products with them and the sum of `count` parts, whose
/// squares add up to about those of the sum.
double rounding(std::size_t count, Precision precision) {
    return (4 + std::sqrt(static_cast<double>(count))) * unit_roundoff(precision);
}

} // namespace

SegmentedTransform::SegmentedTransform(Device& device, Precision precision,
                                       std::unique_ptr<Transform> plain,
                                       const TimeSegments& segments)
    : device_(device), plain_(std::move(plain)),
      error_(segments.error + rounding(segments.count(), precision)), count_(segments.count()),
      of_samples_(on(device, precision, segments.of_samples)),
      of_voxels_(on(device, precision, segments.of_voxels)) {}

void SegmentedTransform::prepare(const Array& in, std::size_t parts) {
    if (in_.count() != in.count()) {
        in_ = device_.zeros(in.count(), in.element());
    }
    if (part_.count() != parts) {
        part_ = device_.zeros(parts, in.element());
    }
}

void SegmentedTransform::forward(const Array& rho, Array& out, const Progress& progress) {
    prepare(rho, out.count());
    device_.combine(0, out, 0, out);
    for (std::size_t l = 0; l < count_; ++l) {
        device_.combine(1, rho, 0, in_);
        device_.multiply(of_voxels_, l * voxels(), voxels(), in_);
        plain_->forward(in_, part_, [&](double fraction) {
            progress((static_cast<double>(l) + fraction) / static_cast<double>(count_));
        });
        device_.multiply(of_samples_, l * samples(), samples(), part_);
        device_.combine(1, part_, 1, out);
    }
}

void SegmentedTransform::adjoint(const Array& values, Array& out, const Progress& progress) {
    prepare(values, out.count());
    device_.combine(0, out, 0, out);
    for (std::size_t l = 0; l < count_; ++l) {
        device_.combine(1, values, 0, in_);
        device_.multiply_conjugate(of_samples_, l * samples(), samples(), in_);
        plain_->adjoint(in_, part_, [&](double fraction) {
            progress((static_cast<double>(l) + fraction) / static_cast<double>(count_));
        });
        device_.multiply_conjugate(of_voxels_, l * voxels(), voxels(), part_);
        device_.combine(1, part_, 1, out);
    }
}

} // namespace lsrecon
