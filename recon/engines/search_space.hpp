#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace lsrecon {

/// The numbers that a kernel is compiled with and launched by, by the names of its macros.
using Parameters = std::map<std::string, int>;

/// Values to try, by the names of a kernel's parameters.
using SearchSpace = std::map<std::string, std::vector<int>>;

/// A number of a device that bounds a sum of products of parameters and constants:
///
///     sum_i prod_j factor_ij <= number
struct DeviceBound {
    struct Factor {
        std::string parameter; ///< "" for a constant
        int constant = 1;
    };
    std::string number; ///< a key of DeviceNumbers
    std::vector<std::vector<Factor>> sum;
};

using DeviceNumbers = std::map<std::string, double>;

/// False when a bound is broken; parameters and numbers that are missing bound nothing.
bool fits(const Parameters& parameters, const std::vector<DeviceBound>& bounds,
          const DeviceNumbers& numbers);

struct Candidates {
    std::vector<Parameters> valid;
    std::size_t skipped = 0; ///< beyond what the device allows
};

/// The full product of the space without what the device does not allow, each combination once, the
/// last parameter running fastest. `first` comes before them even where the device does not allow
/// it: it is what runs without a search.
Candidates candidates_of(const SearchSpace& space, const Parameters& first,
                         const std::vector<DeviceBound>& bounds, const DeviceNumbers& numbers);

/// "GROUP=128 VOXELS=8".
std::string to_text(const Parameters& parameters);

} // namespace lsrecon
