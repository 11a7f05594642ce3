#pragma once

#include "engines/transforms.hpp"
#include "support/wrapped_transform.hpp"

namespace lsrecon::test {

/// The table of engines with every transform in a wrapper: for tests that watch or spoil them.
inline std::vector<Engine>
wrapped(const std::function<std::unique_ptr<Transform>(std::unique_ptr<Transform>)>& wrap) {
    std::vector<Engine> table = engines();
    for (Engine& engine : table) {
        engine.make = [make = engine.make, wrap](const EngineContext& context,
                                                 const Variant& variant, const SamplePoints& points,
                                                 const Voxels& voxels) {
            return wrap(make(context, variant, points, voxels));
        };
    }
    return table;
}

inline ComputeOptions on_reference() {
    ComputeOptions options;
    options.backend = "reference";
    return options;
}

} // namespace lsrecon::test
