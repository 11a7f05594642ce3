#pragma once

#include <string>
#include <vector>

#include "device/devices.hpp"
#include "engines/search_space.hpp"

namespace lsrecon {

/// The parameters that a kernel is compiled with and launched by, and where they come from.
struct ChosenParameters {
    Parameters values; ///< empty for a kernel that has none
    std::string origin; ///< "given", "tuned on this device" or "default for nvidia"
    double pairs_per_second = 0; ///< rate as tuned on this device; 0 where it was not tuned

    /// "GROUP=128 VOXELS=8 (tuned on this device)"; "" without parameters.
    std::string text() const { return values.empty() ? "" : to_text(values) + " (" + origin + ")"; }
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

} // namespace lsrecon
