// Readouts that are lines of one plane of a Cartesian k-space.

#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "base/coil_rows.hpp"
#include "scan/readouts.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A readout that is a straight line along an axis of k-space.
struct Line {
    std::size_t first = 0; ///< sample
    std::size_t count = 0; ///< 0 where the readout is no line
    std::size_t axis = 0;
    double step = 0; ///< mean; below 0 where it runs backwards
    Vec3 start{}; ///< its sample of the least k
    std::size_t readout = 0;
    std::size_t number = 0; ///< in the order of the plane's lines
    std::uint16_t segment = 0;
};
/// Lines of one plane of k-space that lie evenly beside each other, by their position in it. The
/// values of each, where there are any, hold the samples, a row a channel, that all lines have, in
/// the order of rising k.
struct Lines {
    std::vector<Line> lines;
    std::vector<Eigen::MatrixXcd> values;
    std::vector<long> at; ///< position in steps of the least distance
    std::vector<double> energy;
    double floor = 0; ///< energy of lines of little but noise
    std::size_t across = 0; ///< axis on which they lie beside each other
    double distance = 0; ///< cycles per field of view

    /// Lines with a neighbour on both sides.
    std::vector<std::size_t> inner() const {
        std::vector<std::size_t> result;
        for (std::size_t i = 1; i + 1 < at.size(); ++i) {
            if (at[i] - at[i - 1] == 1 && at[i + 1] - at[i] == 1) {
                result.push_back(i);
            }
        }
        return result;
    }
};

/// Each readout of a frame as a line. None unless all are lines along one axis, those of `evenly`
/// with samples evenly apart that fall on those of the others.
std::vector<Line> readouts_as_lines(const std::vector<Vec3>& positions,
                                    const FrameReadouts& readouts, bool evenly);
/// The lines of the plane with the most energy, up to `most` around the strongest, without values;
/// none where they are too few.
Lines plane_of(const std::vector<Line>& lines, const CoilRows& samples, std::size_t most);
/// The lines of a frame with their values; none where its readouts are no lines of samples evenly
/// apart, or too few.
Lines lines_of(const Trajectory& trajectory, const CoilRows& samples,
               const FrameReadouts& readouts);
/// Replaces the coils of all lines by their `most` strongest combinations.
void combine_coils(Lines& lines, Eigen::Index most = 6);

} // namespace lsrecon
