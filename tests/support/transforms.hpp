#pragma once

#include "engines/on_host.hpp"
#include "operators/q.hpp"
#include "support/case.hpp"

namespace lsrecon::test {

/// A problem's transforms on a device: F^H of its samples as they are, F of its rho.
OnHost adjoint_of(Transforms& transforms, const Problem& problem);
OnHost forward_of(Transforms& transforms, const Problem& problem);
/// Q there, of |samples| of its first coil.
OnHost q_of(Transforms& transforms, const Problem& problem, const Voxels& where);
/// Where Q of it is wanted: at half of the differences of a grid, or at the voxels of a list.
Voxels differences_of_problem(const Problem& problem);

/// What they are, by the reference; the error is that of its own loops, which do not reduce a
/// phase.
OnHost exact_adjoint_of(const Problem& problem);
OnHost exact_forward_of(const Problem& problem);
OnHost exact_q_of(const Problem& problem, const Voxels& where);

/// Q by the reference, on the host: it outlives the device that made it.
Q exact_q(const Trajectory& trajectory, const Grid& grid);

/// A full Cartesian scan of this size.
Case cartesian(const std::array<std::size_t, 3>& size);
/// The scan of the problem's first row of rho, by the reference.
Scan scan_of(const Problem& problem);

} // namespace lsrecon::test
