#pragma once

#include <string>

#include "device/devices.hpp"

namespace lsrecon {

/// A unit of a device, and how tables call it.
struct DeviceUnit {
    double DeviceRates::*rate; ///< null for none
    const char* name;
};
constexpr DeviceUnit no_unit{nullptr, ""};
constexpr DeviceUnit library_trigonometry{&DeviceRates::library_pairs, "sin, cos"};
constexpr DeviceUnit native_trigonometry{&DeviceRates::native_pairs, "native"};
constexpr DeviceUnit multiply_adder{&DeviceRates::multiply_adds, "multiply-add"};
constexpr DeviceUnit matrix_unit{&DeviceRates::matrix_multiply_adds, "fp64 matrix"};

/// The use of the device by one computed pair of a kernel, counted in docs/performance.md, Limits.
struct PairCost {
    DeviceUnit trigonometry = no_unit; ///< one sine and one cosine
    double fhd_multiply_adds = 0; ///< and of F; 0 when nothing is known of the kernel
    double q_multiply_adds = 0;
    /// Counted pairs that one computed pair of F^H d and of F stands for.
    double fhd_pairs = 1;
    double f_pairs = 1;
    DeviceUnit multiply_adds = multiply_adder;
};

struct Limit {
    double pairs_per_second = 0; ///< 0 when nothing is known of the kernel
    std::string unit; ///< what sets it
};

/// The pairs a second that the device allows such a kernel in stage "fhd", "q" or "f", by the
/// slowest unit that each pair needs. Pairs of Q are counted over all differences, of which half
/// are computed.
Limit limit_of(const PairCost& cost, const std::string& stage, const DeviceRates& rates);

} // namespace lsrecon
