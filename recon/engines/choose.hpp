// The choice of an engine for some points.

#pragma once

#include <optional>

#include "engines/compute_options.hpp"
#include "engines/engine.hpp"

namespace lsrecon {

/// Whether an engine that is not exact may compute.
bool may_be_inexact(const ComputeOptions& options, const std::vector<Engine>& table = engines());

/// The kernel that the user asks for, or the usual one of a kind of device. UsageError for an
/// engine and a kernel of another one.
std::string kernel_of(const ComputeOptions& request, const std::string& device_kind,
                      const std::vector<Engine>& table = engines());

/// The words of ComputeOptions::engine: by cost, any exact one, or the engine of this name. The
/// reference takes none.
std::vector<std::string> engine_words(const std::vector<Engine>& table = engines());
/// The words of which each may make another engine compute: any exact one, and those that are not.
std::vector<std::string> list_rival_engines(const std::vector<Engine>& table = engines());

struct EngineAndVariant {
    const Engine* engine;
    const Variant* variant;
};

/// The engine that serves some points, and notes on it.
struct Choice : EngineAndVariant {
    std::string why_replaced = {}; ///< why another serves than the one that was asked for
    /// Exact engine that would serve in place of an inexact one.
    std::optional<EngineAndVariant> exact = {};
};

/// The engine that is asked for, else one that serves in its place. Where no engine is asked for by
/// name, one that is not exact serves where its error is below the accuracy and it takes less than
/// half of the time by `standard`; errors are those of `facts`, with the parameters that will run.
/// DeviceError that says why each engine cannot serve when none can.
Choice choose(const std::vector<Engine>& table, const ComputeOptions& request,
              const EngineFacts& facts, const EngineFacts& standard, const SamplePoints& points,
              const Voxels& voxels);

/// The cost of one coil of a transform in "fhd", "q" or "f", by the model of the machine in the
/// facts.
Cost cost_of(const EngineFacts& facts, const EngineAndVariant& by, const std::string& stage,
             const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon
