// How fast a machine is: nominal rates of its device, and its times of the parts of a
// reconstruction.

#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "device/devices.hpp"

namespace lsrecon {

/// Whether matrix units multiply doubles at the rate of floats, and the compiler takes the PTX for
/// them (MATRIX_UNITS in kernels): NVIDIA's compute capability 9.0.
bool has_double_matrix_units(const DeviceInfo& info);

/// The rates of a device before any measurement, from the lanes of a compute unit in its family:
/// right to a factor of two or so.
DeviceRates nominal_rates(const DeviceInfo& info);

/// How long one machine, its device and its host, takes for the parts of a reconstruction: seconds
/// a unit of work, or factors on estimates from the numbers of the device. Their ratios are those
/// of a usual machine (nominal_model); four factors on them are measured (machine_factors).
struct MachineModel {
    double start = 0; ///< the program, its libraries, and opening the device and a scan
    double byte = 0; ///< byte of a scan, read and checked
    double making = 0; ///< making what transforms a trajectory, or the FFTs of products with Q
    double sample = 0; ///< sample of a scan, sorted and placed
    double value = 0; ///< value of a coil at a sample, taken to the device
    double exact = 1; ///< factor on an exact engine's sums
    double phases = 1; ///< the same on sines and cosines that it computes before them
    double spreading = 1; ///< the same on sums of the NUFFT over samples
    double fine = 1; ///< and on its FFTs
    double convolution = 1; ///< factor on products with Q
    double product = 0; ///< product with Q, of coils that are done together, whatever its size
    double pass = 0; ///< a voxel in the vectors of an iteration
    double shrink = 0; ///< a vector of an iteration of splitting, whatever its size
    double shrinking = 0; ///< a number in it
    double window = 0; ///< a product in the matrices of ESPIRiT's windows
    double map = 0; ///< a product of two coils in a voxel
    double exact_sum = 0; ///< exact sum of the check of transforms
    double written = 0; ///< a voxel of the image

    double cores = 1; ///< cores of the host that a process works on
    std::vector<double> factors = {}; ///< factors as they were measured; none of a nominal model
    /// Nine of ten times are between the prediction over it and the prediction times it.
    double spread = 2;
};

/// A measured factor on the numbers that one resource limits, by its name in files. The numbers
/// become as much faster or slower as the resource. Predictions are linear in the factors, so that
/// `lsrecon devices --measure` finds them by least squares.
struct MachineFactor {
    const char* name;
    std::vector<double MachineModel::*> members;
};
/// Starting; the host's memory and loops; exact sums; grids and vectors of the device.
const std::vector<MachineFactor>& machine_factors();

/// The model before any measurement: as an NVIDIA H200 or cores of a server (Xeon with AVX-512).
MachineModel nominal_model(bool is_gpu, std::size_t cores);
/// The nominal model times the factors of machine_factors().
MachineModel measured_model(bool is_gpu, std::size_t cores, const std::vector<double>& factors);
/// The model of the machine of a device: kept by keep(), else nominal, with the cores that this
/// process works on.
MachineModel machine_model_of(const DeviceInfo& info);

/// How many of a host's cores a transform of so many points keeps busy, as far as predictions go:
/// two do most of a small one.
double busy_cores(double cores, double points);

/// The factor by which products and vectors take longer than in floats, measured.
double slowdown_of(Precision precision, bool in_host_memory);

/// A machine as predictions know it.
struct Machine {
    DeviceInfo device;
    MachineModel model;
};
/// The machine by which a process chooses what its image's bits depend on: a GPU by its numbers, a
/// CPU as two cores of a server whatever it is, whose factors are all 1. So the same scan is
/// computed in the same way by processes that have more cores or fewer, and before and after a
/// measurement.
Machine standard_machine(const DeviceInfo& info);
/// UsageError when the file cannot be written.
void write_machine(const std::string& path, const Machine& machine);
/// UsageError when the file is missing, holds something else, or a number that no machine has.
Machine read_machine(const std::string& path);
/// Keeps a measurement for machine_model_of, in place of an earlier one.
void keep(const Machine& machine);

} // namespace lsrecon
