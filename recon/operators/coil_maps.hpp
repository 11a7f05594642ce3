// The coil maps that operators multiply by, kept on a device or uploaded one at a time.

#pragma once

#include <vector>

#include "base/coil_rows.hpp"
#include "base/computation.hpp"
#include "device/device.hpp"

namespace lsrecon {

/// The coil maps of a scan on a device, an array a coil: all of them where they leave half of its
/// room, else each when it is asked for. They take most of a scan's memory, so they are in single
/// precision where the file's are, and where doubles lose nothing by it. There may be S sets of
/// them, of as many images, which the coils see together.
class CoilMaps {
public:
    /// Rows of C x N; none for one coil whose map is 1. Both must outlive it.
    CoilMaps(Device& device, const CoilRows& rows) : CoilMaps(device, rows, rows.columns()) {}
    /// Rows of C x S N, one set after the other.
    CoilMaps(Device& device, const CoilRows& rows, std::size_t voxels);

    /// The cost of so many maps at once, in single precision.
    static Cost cost(std::size_t maps, std::size_t voxels) {
        return static_cast<double>(maps) * Cost::array(voxels, sizeof(std::complex<float>));
    }
    /// Whether all maps stay on a device of so much room, in bytes.
    static bool stay(double bytes, double room) { return 2 * bytes <= room; }

    bool given() const { return !rows_.empty(); }
    /// 1 without maps.
    std::size_t count() const { return given() ? rows_.rows() : 1; }
    std::size_t sets() const { return given() ? rows_.columns() / voxels_ : 1; } ///< S
    std::size_t voxels() const { return voxels_; } ///< N
    /// The map of a coil; without maps an empty array, which stands for 1. Valid until the same
    /// slot is asked for again.
    Array map(std::size_t coil, std::size_t slot, std::size_t set = 0);
    /// The map of a coil at some voxels alone, of a range that is not all.
    Array part(std::size_t coil, const Range& voxels, std::size_t set = 0);
    /// Frees the memory of the maps: each is then uploaded when it is asked for.
    void stream() { resident_.clear(); }

private:
    Array uploaded(std::size_t coil, const Range& voxels, Array to);

    Device& device_;
    const CoilRows& rows_;
    std::size_t voxels_;
    Element element_;
    std::vector<Array> resident_; ///< one a coil of the first set, then of the next; or none
    std::vector<Array> slots_;
};

} // namespace lsrecon
