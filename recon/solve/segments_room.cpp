#include "solve/segments_room.hpp"

#include <cmath>

#include "base/error.hpp"
#include "engines/segments.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

void require_room_of_segments(const Scan& scan, const MemoryLimit& limit) {
    constexpr double copies = 2; // as they are computed, and in the precision of the transforms
    const auto voxels = static_cast<double>(scan.off_resonance->field.size());
    double most = 0;
    std::string found;
    for (const Frame& frame : scan.frames) {
        const RealVector& times = frame.sampling->times;
        if (times.size() == 0) { // of a frame that has failed
            continue;
        }
        const double segments = std::ceil(expected_segments(times, *scan.off_resonance));
        const double bytes =
            copies * sizeof(Complex) * segments * (voxels + static_cast<double>(times.size()));
        if (bytes > most) {
            most = bytes;
            found =
                text("up to ", segments, " of ", times.size(), " samples and ", voxels, " voxels");
        }
    }
    HostMemory memory;
    memory.add("time segments of the field map", found, most);
    if (!scan.voxels) {
        memory.add_volumes("matrix", scan.grid, scan.coils());
    }
    memory.require(scan.file, limit);
}

} // namespace lsrecon
