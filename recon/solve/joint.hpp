#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engines/transforms.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

/// A frame of those that are solved together, once its samples are transformed.
struct JointFrame {
    std::shared_ptr<System> system; ///< one for frames that were sampled alike
    std::vector<Volume> fhd; ///< its right-hand sides; given away
    Monitor monitor = nullptr;
};

/// Minimises over the images rho_f of all frames, in their order,
///
///     sum over f of Q_f(0) / q (1/2 rho_f^H A_f rho_f - Re(rho_f^H b_f) + terms) + joint terms
///
/// with everything in units of Q_f(0) as in solve(), and q its mean: a frame of more samples counts
/// more. Alternating directions (solve/splitting.hpp) of all frames go in step: conjugate gradients
/// frame by frame, then the proximal map over all of them (solve/over_frames.hpp). s of every term
/// is the largest voxel of all frames (System::first_image). Coils without maps are one such
/// problem after another. A residual is that of its frame; the solve ends when all are low enough.
/// ToleranceError as from split_solve. The stage "solve".
std::vector<Solved> solve_jointly(const Grid& grid, std::vector<JointFrame>& frames,
                                  const CoilRows& coil_maps, const SolveOptions& options,
                                  Reporter& report);

} // namespace lsrecon
