// Parameters of kernels: the space of a search for them, and those that a device gets.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "device/devices.hpp"

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

/// The parameters that a kernel is compiled with and launched by, and where they come from.
struct ChosenParameters {
    Parameters values; ///< empty for a kernel that has none
    std::string origin; ///< "given", "tuned on this device" or "default for nvidia"
    double pairs_per_second = 0; ///< rate as tuned on this device; 0 where it was not tuned

    /// "GROUP=128 VOXELS=8 (tuned on this device)"; "" without parameters.
    std::string text() const { return values.empty() ? "" : to_text(values) + " (" + origin + ")"; }
    /// The members, for a message between ranks.
    template <typename Archive> void each(Archive& archive) {
        std::vector<std::pair<std::string, int>> pairs(values.begin(), values.end());
        archive(pairs, origin, pairs_per_second);
        values = {pairs.begin(), pairs.end()};
    }
    /// " -DGROUP=128 -DVOXELS=8", for the compiler of kernels.
    std::string defines() const {
        std::string result;
        for (const auto& [name, value] : values) {
            result += " -D" + name + "=" + std::to_string(value);
        }
        return result;
    }
};

/// One transform of one kernel that has parameters: a row of kernels/tuning.json.
struct Tunable {
    std::string kernel;
    std::string stage; ///< "fhd", "q" or "f"
};
/// All rows. DeviceError when that file is broken.
std::vector<Tunable> tunables();

/// The first of these that exists (docs/tuning.md):
///
///   1. the winner that `lsrecon tune` stored for this device, its driver, the source of this
///      kernel, and the stage
///   2. the default of the device's family: cpu, nvidia, amd or intel
///   3. the default of "gpu"
///
/// with the values that are `given` put in place of these. A stage without parameters of its own
/// has those of "fhd". UsageError when a given name is not a parameter of the kernel.
ChosenParameters choose_parameters(const DeviceInfo& device, const std::string& kernel,
                                   const std::string& stage, const Parameters& given = {});
/// The parameters without those that were tuned.
ChosenParameters shipped_parameters(const DeviceInfo& device, const std::string& kernel,
                                    const std::string& stage, const Parameters& given = {});

/// The candidates of a search: the default of the device's family, then every other choice that the
/// device allows. The same at every start; earlier findings do not change it.
Candidates tuning_candidates(const DeviceInfo& device, const std::string& kernel,
                             const std::string& stage);

/// The best candidate of a search.
struct Winner {
    Parameters parameters;
    double pairs_per_second = 0;
    std::string made_with; ///< the problem that it was timed on
};

/// Keeps a winner for choose_parameters, in place of an earlier one. UsageError when it cannot be
/// written.
void store_winner(const DeviceInfo& device, const std::string& kernel, const std::string& stage,
                  const Winner& winner);

/// SHA-256 of the source of a kernel; "" where it has no files of its own.
std::string kernel_hash(const std::string& kernel);

/// Path, without its ending, of the winners of a device. The folder may not exist yet.
std::string tuning_path(const DeviceInfo& device);

/// The entry of kernels/tuning.json for one stage of one kernel, for one device.
struct TuningEntry {
    SearchSpace space;
    std::vector<DeviceBound> bounds;
    Parameters defaults;
    std::string family; ///< family whose defaults they are
};
/// False for a kernel without parameters. A stage without its own row has that of "fhd".
bool find_tuning_entry(const DeviceInfo& device, const std::string& kernel,
                       const std::string& stage, TuningEntry& entry);

} // namespace lsrecon
