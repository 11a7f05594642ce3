#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/opencl/resources.hpp"
#include "engines/opencl/variant.hpp"
#include "engines/transform.hpp"
#include "engines/tuning.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

/// What an engine is given: what to compute with, and the parameters of a variant of it for a stage
/// ("fhd", "q" or "f"), which are on the record from then on.
struct EngineContext {
    Resources resources;
    std::function<const ChosenParameters&(const std::string& variant, const std::string& stage)>
        parameters;
};

/// What makes a transform: F of this sampling at these voxels, by a variant of the engine. All of
/// them must outlive it.
using MakeTransform = std::unique_ptr<Transform>(const EngineContext& context,
                                                 const Variant& variant, const SamplePoints& points,
                                                 const Voxels& voxels);

/// A way to compute transforms on an OpenCL device.
struct Engine {
    std::vector<Variant> variants; ///< in the order of the ladder
    bool (*serves)(const Voxels& voxels);
    bool divides_time; ///< off-resonance needs time segments (engines/segments.hpp)
    MakeTransform* make; ///< defined in a separate file
};
MakeTransform make_direct, make_separable;

/// The table of engines: one row each.
const std::vector<Engine>& engines();
/// UsageError for a name that no engine has.
const Engine& engine_of(const std::string& variant);
const Variant& variant_named(const std::string& name);

/// Used where the chosen engine cannot serve: the fastest variant that takes voxels anywhere.
constexpr const char* variant_for_any_voxels = "tuned";

/// Bound of the error of a transform in double precision against the reference: both round.
double error_in_doubles(const SamplePoints& points, const Voxels& voxels, std::size_t terms);

} // namespace lsrecon::opencl
