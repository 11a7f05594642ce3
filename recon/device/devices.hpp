// The devices of a machine: their facts, the choice of one, and their measured rates.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/finding.hpp"

namespace lsrecon {

class Device;

/// A device as OpenCL reports it.
struct DeviceInfo {
    int index = 0; ///< what --device takes
    std::string platform;
    std::string name;
    std::string type; ///< "gpu", "cpu", "accelerator" or "other"
    std::string vendor;
    std::string version; ///< version of OpenCL
    std::string driver;
    std::string compute_capability; ///< "9.0", of NVIDIA's driver; "" of others
    bool available = true;
    bool double_precision = false;
    unsigned compute_units = 0;
    unsigned clock_mhz = 0;
    std::size_t global_bytes = 0;
    std::size_t max_allocation_bytes = 0;
    std::size_t constant_bytes = 0;
    std::size_t local_bytes = 0;
    std::size_t max_work_group = 0;
};

/// Every device of every platform, in the order of their index; empty when there is none, or when
/// the program has no OpenCL.
std::vector<DeviceInfo> list_devices();

/// Whether there is an OpenCL driver: it may lack a device, and choose_device then says why.
bool has_opencl_driver();

/// Index of the device that `wanted` (index, part of a name, type, "") chooses.
/// DeviceError when there is none; its message lists those that there are.
int choose_device(const std::vector<DeviceInfo>& devices, const std::string& wanted);

/// Opens the device that `wanted` chooses. `memory` is what may be used of its memory, in bytes; 0
/// for all of it. `on_finding` is called on trouble with a
/// cache. DeviceError when it cannot be used.
std::unique_ptr<Device> open_device(const std::string& wanted, double memory, OnFinding on_finding);

/// The most that a device does in a second, as microbenchmarks measure it; in single precision
/// unless it says otherwise.
struct DeviceRates {
    double multiply_adds = 0;
    double native_pairs = 0; ///< one native_sin and one native_cos of the same phase
    double library_pairs = 0; ///< one sin and one cos of the same phase, right to 4 ulp
    double matrix_multiply_adds = 0; ///< rate in double precision by matrix units; 0 without them
};

/// Measures the rates of one device repeatedly: other processes, or a clock that is still rising,
/// can only lower them.
class RateMeter {
public:
    virtual ~RateMeter() = default;
    /// Runs kernels/limits.cl for a fraction of a second; the largest rates of all calls so far.
    virtual DeviceRates measure() = 0;
};

/// A meter of the device that `wanted` chooses. DeviceError when there is none.
std::unique_ptr<RateMeter> make_rate_meter(const std::string& wanted);

} // namespace lsrecon
