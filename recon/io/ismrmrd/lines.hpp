// Cartesian lines that lie beyond the matrix of the header: more lines than it has, or lines that
// are counted from a wrong centre.

#pragma once

#include "io/ismrmrd/frames.hpp"

namespace lsrecon {

/// Leaves out the lines beyond N/2 along y and z where some lie further than gradients overshoot,
/// and returns what the user should know of them. Where the image has a matrix of its own its
/// geometry leaves them out. InputError where their centre is wrong: where no more lines than N are
/// there, or the strongest lies elsewhere than k = 0.
Findings leave_out_lines_beyond(RawFrames& raw);

} // namespace lsrecon
