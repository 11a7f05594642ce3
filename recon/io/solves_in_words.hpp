#pragma once

#include <optional>
#include <vector>

#include "scan/image.hpp"

namespace lsrecon {

/// How the solves of an image ended, one value a solve.
struct Endings {
    std::vector<double> iterations; ///< that were done
    std::vector<double> residuals; ///< relative, that are left
    std::size_t by_tolerance = 0; ///< solves that reached the tolerance
    std::size_t by_limit = 0; ///< solves that the limit of iterations stopped
};
/// Nothing for an image that was not solved.
std::optional<Endings> endings_of(const std::vector<ImageFrame>& frames);

/// The ends of an image's solves, for people, as rows of a name and words: iterations that were
/// done, what stopped them, the residuals that are left, the late change. Several frames give
/// ranges. `record` has the limits that were asked for. An image that was not solved has no row.
Record solves_in_words(const std::vector<ImageFrame>& frames, const Record& record);

} // namespace lsrecon
