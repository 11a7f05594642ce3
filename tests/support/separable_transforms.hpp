#pragma once

#include "engines/transforms.hpp"

namespace lsrecon::test {

/// Those of the separable engine with these parameters for every stage, in place of those that the
/// device would choose.
inline std::unique_ptr<Transforms> separable_with(const Parameters& parameters, Precision precision,
                                                  double memory = 0) {
    ComputeOptions options;
    options.precision = precision;
    options.device_memory = memory;
    Engine separable = engine_of("separable");
    separable.make = [make = separable.make, chosen = ChosenParameters{parameters, "given"}](
                         EngineContext context, const Variant& variant, const SamplePoints& points,
                         const Voxels& voxels) {
        context.parameters = [&chosen](const auto&, const auto&) -> const ChosenParameters& {
            return chosen;
        };
        return make(context, variant, points, voxels);
    };
    return open_transforms(options, {separable});
}

} // namespace lsrecon::test
