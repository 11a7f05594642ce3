// The smooth phase of a frame of partial Fourier, and how real its image is without it.

#pragma once

#include <memory>

#include "encoding/encoding.hpp"
#include "operators/conjugate_symmetry.hpp"
#include "scan/image.hpp"

namespace lsrecon {

struct FoundSymmetry {
    SymmetryOfFrame about;
    std::shared_ptr<const Symmetry> symmetry = nullptr; ///< null where it would not help
};

/// The most that the solve of the centre takes, on the grid of the image.
constexpr int iterations_of_symmetry = 8;

/// Finds the phase of a frame by least squares of the samples on both sides of the centre, with a
/// Hann window along the axes that are sampled on one side alone. Whether more of k-space has that
/// phase is measured within the centre: by the phase of its inner three quarters, what is imaginary
/// of the rest. `noise` is the energy of a sample of all coils, or the most that it may be. With
/// maps, or of one coil. InputError for a centre that is too narrow.
FoundSymmetry find_symmetry(const Encoding& encoding, const Frame& frame, double noise,
                            const std::string& file, Listener listener);

} // namespace lsrecon
