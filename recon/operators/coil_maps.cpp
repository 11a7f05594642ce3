// Keeps coil maps on the device where half of its room is enough; else uploads each.

#include "operators/coil_maps.hpp"

namespace lsrecon {

namespace {

bool are_floats(const CoilRows& rows) {
    return rows.visit([](const auto& values) {
        const auto is_float = [](double part) { return part == static_cast<float>(part); };
        return std::all_of(values.data(), values.data() + values.size(), [&](const auto& value) {
            return is_float(value.real()) && is_float(value.imag());
        });
    });
}

} // namespace

CoilMaps::CoilMaps(Device& device, const CoilRows& rows, std::size_t voxels)
    : device_(device), rows_(rows), voxels_(voxels) {
    if (!given()) {
        return;
    }
    const bool floats = rows.precision() == Precision::float32 || are_floats(rows);
    element_.precision =
        floats || !device.has(Precision::float64) ? Precision::float32 : Precision::float64;
    const auto values = static_cast<double>(rows.rows() * rows.columns());
    const bool all = stay(values * static_cast<double>(element_.bytes()), device.room());
    for (std::size_t i = 0; all && i < sets() * rows.rows(); ++i) {
        resident_.push_back(uploaded(i % rows.rows(), {i / rows.rows() * voxels, voxels}, Array()));
    }
}

Array CoilMaps::map(std::size_t coil, std::size_t slot, std::size_t set) {
    if (!given()) {
        return {};
    }
    if (!resident_.empty()) {
        return resident_[set * rows_.rows() + coil];
    }
    slots_.resize(std::max(slots_.size(), slot + 1));
    slots_[slot] = uploaded(coil, {set * voxels_, voxels_}, slots_[slot]);
    return slots_[slot];
}

Array CoilMaps::part(std::size_t coil, const Range& voxels, std::size_t set) {
    return voxels.count == voxels_
               ? map(coil, 0, set)
               : uploaded(coil, {set * voxels_ + voxels.first, voxels.count}, {});
}

Array CoilMaps::uploaded(std::size_t coil, const Range& voxels, Array to) {
    if (to.empty()) {
        to = device_.zeros(voxels.count, element_);
    }
    device_.upload(rows_, {coil, 1}, voxels, 0, to);
    return to;
}

} // namespace lsrecon
