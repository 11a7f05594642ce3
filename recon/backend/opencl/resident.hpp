#pragma once

#include "backend/opencl/device_fft.hpp"
#include "backend/resident_system.hpp"
#include "scan/grid.hpp"

namespace lsrecon::opencl {

/// The precision of a system on this device: double where it has it.
Precision resident_precision(const DeviceInfo& device);

/// The system on the queue's device (kernels/solve.cl). `half_of_q` are the values of Q at
/// Voxels::half_differences(grid), `coil_maps` C x N or empty, `shift` in units of Q(0).
/// DeviceError when the device refuses or has no memory for it; the queue must outlive it.
std::unique_ptr<ResidentSystem> make_resident_system(Queue& queue, FftEngine engine,
                                                     Precision precision, const Grid& grid,
                                                     const ComplexVector& half_of_q,
                                                     const CoilMatrix& coil_maps, double shift);

} // namespace lsrecon::opencl
