// Moves volumes between device and host, and gathers those that several ranks have computed.

#include "device/volume.hpp"

#include <cmath>

#include "base/linear_algebra.hpp"

namespace lsrecon {

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
    } else if (device_ == nullptr) {
        device.upload(times(host_, factor), result);
    } else {
        device.upload(times(values(), factor), result);
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

std::vector<Volume> Volumes::finished_by(JobRanks& ranks, std::size_t together) {
    constexpr std::size_t bytes_at_a_time = std::size_t(32) << 20;
    std::vector<char> bytes(bytes_at_a_time);
    for (Array& part : shares_) {
        const std::size_t of_value = part.element().bytes();
        Array array = device_.zeros(voxels_, part.element());
        for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
            const Range share = share_of_rank(voxels_, together, rank, ranks.count());
            for (const Range& some : split_into_ranges(share.count, bytes_at_a_time / of_value)) {
                if (rank == ranks.rank()) {
                    device_.read(part, some.first, some.count, bytes.data());
                }
                ranks.broadcast(rank, bytes.data(), some.count * of_value);
                device_.write(bytes.data(), share.first + some.first, some.count, array);
            }
        }
        part = Array();
        volumes_.emplace_back(device_, std::move(array), exponent_);
    }
    shares_.clear();
    return std::move(volumes_);
}

} // namespace lsrecon
