// Readouts that are lines of one plane of a Cartesian k-space.

#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "base/coil_rows.hpp"
#include "scan/readouts.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A readout that is a straight line along an axis of k-space, with samples evenly apart.
struct Line {
    std::size_t first = 0; ///< sample
    std::size_t count = 0;
    std::size_t axis = 0;
    double step = 0; ///< below 0 where it runs backwards
    Vec3 start{}; ///< its sample of the least k
    std::size_t number = 0; ///< in the order of the frame's lines
    std::uint16_t segment = 0;
};
/// Lines of one plane of k-space that lie evenly beside each other, by their position in it. The
/// values of each hold the samples, a row a channel, that all lines have, in the order of rising k.
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

/// The lines of a frame; none where its readouts are no such lines, or too few.
Lines lines_of(const Trajectory& trajectory, const CoilRows& samples,
               const FrameReadouts& readouts);
/// Replaces the coils of all lines by their strongest combinations.
void combine_coils(Lines& lines);

} // namespace lsrecon
