// Sequences of Pulseq: where the samples of their readouts lie in k-space.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace lsrecon {

/// An ADC of a sequence.
struct SequenceReadout {
    std::vector<Vec3> positions; ///< of its samples along the gradient axes x, y, z in 1/m
    double begin = 0; ///< s from the excitation's centre to the first sample
    double dwell = 0; ///< s
    /// Whether gradients encode it; those of noise or of a free decay are not in an image.
    bool is_encoded = false;

    double time(std::size_t sample) const { return begin + static_cast<double>(sample) * dwell; }
};

struct Sequence {
    std::string version; ///< "1.4.1"
    std::vector<double> fov; ///< definition FOV as it stands; none without
    std::vector<SequenceReadout> readouts; ///< in the order of the sequence
    std::string sha256;

    /// Positions along axes of planes, in which all that is encoded lies or each readout does,
    /// where these planes are tilted to the gradient axes: the axes nearest to these, which are
    /// returned. Nothing where no plane is tilted, or none is known, as of parallel lines.
    std::optional<std::array<Vec3, 3>> along_planes();
};

/// Whether the text begins as a sequence does.
bool recognises_sequence(const std::string& path);

/// Integrates the gradients of a sequence of the formats 1.2 to 1.5. An excitation sets k to 0 at
/// its centre, and a refocusing pulse inverts it; formats before 1.5 do not say which a pulse
/// is, and above 90 degrees it refocuses. Labels, triggers and phases are left alone. InputError
/// for anything that a sequence lacks or that is not of the format.
Sequence read_sequence(const std::string& path);

} // namespace lsrecon
