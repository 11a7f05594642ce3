#pragma once

#include "backend/opencl/device_fft.hpp"
#include "backend/resident_system.hpp"
#include "scan/grid.hpp"

namespace lsrecon::opencl {

/// The system on the queue's device in single precision (kernels/solve.cl). `half_of_q` are the
/// values of Q at Voxels::half_differences(grid), `coil_maps` C x N or empty, `shift` in units of
/// Q(0). DeviceError when the device refuses or has no memory for it; the queue must outlive it.
std::unique_ptr<ResidentSystem> make_resident_system(Queue& queue, FftEngine engine,
                                                     const Grid& grid,
                                                     const ComplexVector& half_of_q,
                                                     const CoilMatrix& coil_maps, double shift);

} // namespace lsrecon::opencl
