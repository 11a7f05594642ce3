#pragma once

#include "scan/image.hpp"

namespace lsrecon {

/// The ends of an image's solves, for people, as rows of a name and words: iterations that were
/// done, what stopped them, the residuals that are left, the late change. Several frames give
/// ranges. `record` has the limits that were asked for. An image that was not solved has no row.
Record solves_in_words(const std::vector<ImageFrame>& frames, const Record& record);

} // namespace lsrecon
