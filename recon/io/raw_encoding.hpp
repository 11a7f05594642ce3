#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "scan/grid.hpp"

namespace lsrecon {

/// Readouts along gradients that ramp: where sample i lies, found from the times of the trapezoid.
struct RampReadout {
    std::vector<double> k; ///< cycles per encoded field of view; backwards when reversed
};

/// A matrix and its field of view in mm, as the header says them.
struct RawSpace {
    std::array<std::size_t, 3> size{1, 1, 1};
    Vec3 fov_mm{1, 1, 1};
};

/// Where acquisitions come from and what they encode.
struct RawEncoding {
    std::string file;
    std::string dataset; ///< of the acquisitions, for messages
    Grid grid; ///< the encoded space
    std::optional<RawSpace> recon; ///< the space that the image is meant for
    std::array<long, 2> encode_centers{0, 0}; ///< the steps that lie at the centre of k-space
    /// What the header calls the trajectory when acquisitions must store it; "" otherwise.
    std::string stored_trajectory;
    bool echo_train = false; ///< EPI: several acquisitions may share an excitation
    std::optional<RampReadout> ramps; ///< of acquisitions that store no trajectory
};

} // namespace lsrecon
