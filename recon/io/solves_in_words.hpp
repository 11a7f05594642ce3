#pragma once

#include "scan/image.hpp"

namespace lsrecon {

/// How the solves of an image ended, for people, as rows of a name and words: iterations that were
/// done, what stopped them, the residuals that are left, the late change. Of several frames they
/// are ranges. `record` has the limits that were asked for. No row of an image that was not solved.
Record solves_in_words(const std::vector<ImageFrame>& frames, const Record& record);

} // namespace lsrecon
