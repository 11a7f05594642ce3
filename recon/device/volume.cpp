#include "device/volume.hpp"

#include <cmath>

#include "base/norm.hpp"

namespace lsrecon {

namespace {

ComplexVector scaled(ComplexVector values, int exponent) {
    if (exponent != 0) {
        for (Complex& value : values) {
            value = ldexp(value, exponent);
        }
    }
    return values;
}

} // namespace

Volume::Volume(Device& device, const ParkedVolume& parked) {
    if (!parked.of_array) {
        host_ = parked.values;
        return;
    }
    device_ = &device;
    array_ = device.zeros(static_cast<std::size_t>(parked.values.size()), {true, *parked.of_array});
    device.upload(parked.values, array_);
    exponent_ = parked.exponent;
}

ParkedVolume Volume::parked() const {
    if (device_ == nullptr) {
        return {host_};
    }
    return {device_->download(array_), array_.element().precision, exponent_};
}

Complex Volume::value(std::size_t n) const {
    return device_ ? scaled(device_->download(array_, n, 1), exponent_)(0)
                   : host_(static_cast<Eigen::Index>(n));
}

ComplexVector Volume::values() const {
    return device_ ? scaled(device_->download(array_), exponent_) : host_;
}

double Volume::norm() const {
    return device_ ? std::ldexp(std::sqrt(device_->dot(array_, array_)), exponent_)
                   : norm_of(host_);
}

Array Volume::on(Device& device, Precision precision, double factor) const {
    Array result = device.zeros(count(), {true, precision});
    if (device_ == &device) {
        device.convert(array_, result);
        // Halved, because either factor may leave the range of doubles where their product does
        // not.
        const double half = std::ldexp(1.0, exponent_ / 2);
        device.combine(half * factor * std::ldexp(1.0, exponent_ - exponent_ / 2), result, 0,
                       result);
    } else {
        device.upload(values() * factor, result);
    }
    return result;
}

void Volumes::add(const Range& at, const Array& values) {
    if (at.count == voxels_) {
        volumes_.emplace_back(device_, values, exponent_);
        return;
    }
    if (begun_.empty()) {
        first_ = at.first;
    }
    if (at.first == first_) {
        begun_.push_back(ComplexVector(static_cast<Eigen::Index>(voxels_)));
    } else if (next_ == begun_.size()) {
        next_ = 0;
    }
    ComplexVector& volume = at.first == first_ ? begun_.back() : begun_[next_++];
    volume.segment(static_cast<Eigen::Index>(at.first), static_cast<Eigen::Index>(at.count)) =
        Volume(device_, values, exponent_).values();
}

std::vector<Volume> Volumes::finished() {
    for (ComplexVector& volume : begun_) {
        volumes_.emplace_back(std::move(volume));
    }
    return std::move(volumes_);
}

namespace {

/// Of each rank its part of the values, as they are in an array, which has fewer bytes than
/// doubles.
template <typename Number> void exchange(JobRanks& ranks, std::size_t together, Device& device,
                                         const Array& part, ComplexVector& values) {
    using Numbers = Eigen::Matrix<std::complex<Number>, Eigen::Dynamic, 1>;
    constexpr std::size_t at_a_time = std::size_t(1) << 20; // which stay in caches
    const auto count = static_cast<std::size_t>(values.size());
    for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
        const Range share = share_of_rank(count, together, rank, ranks.count());
        for (const Range& some : split_into_ranges(share.count, at_a_time)) {
            Numbers numbers(static_cast<Eigen::Index>(some.count));
            if (rank == ranks.here()) {
                numbers = device.download(part, some.first, some.count)
                              .template cast<std::complex<Number>>();
            }
            ranks.broadcast(rank, numbers.data(), some.count * sizeof(std::complex<Number>));
            values.segment(static_cast<Eigen::Index>(share.first + some.first), numbers.size()) =
                numbers.template cast<Complex>();
        }
    }
}

} // namespace

std::vector<Volume> Volumes::finished_by(JobRanks& ranks, std::size_t together) {
    ComplexVector values(static_cast<Eigen::Index>(voxels_));
    for (Array& part : shares_) {
        const Element element = part.element();
        element.precision == Precision::float32
            ? exchange<float>(ranks, together, device_, part, values)
            : exchange<double>(ranks, together, device_, part, values);
        part = Array();
        Array array = device_.zeros(voxels_, element);
        device_.upload(values, array);
        volumes_.emplace_back(device_, std::move(array), exponent_);
    }
    shares_.clear();
    return std::move(volumes_);
}

} // namespace lsrecon
