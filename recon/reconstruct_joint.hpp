#pragma once

#include "plan/cost.hpp"
#include "reconstruct_turns.hpp"
#include "schedule/frame_results.hpp"

namespace lsrecon {

FrameShape shape_of_frames(const Scan& scan, const Formulation& formulation);

/// What frames that are solved together take, which is told. InputError when they find no room
/// (plan/cost.hpp).
JointRoom require_joint_room(const Run& run, const Formulation& formulation);

/// The turn of a place whose frames are solved together: one frame's samples at a time become F^H d
/// and Q, which stay, and then all are solved. RunError when the device has no room.
void solve_together(const Run& run, const Place& place, const JointRoom& room, TurnAhead& ahead,
                    FrameResults& frames);

} // namespace lsrecon
