#include "simulate/forward_model.hpp"

#include "engines/on_host.hpp"
#include "engines/piecewise.hpp"

namespace lsrecon {

ForwardModel forward_model(Transforms& transforms) {
    return [&transforms](const SamplePoints& points, const Voxels& voxels) -> Forward {
        const auto transform = std::make_shared<PiecewiseTransform>(transforms, points, voxels);
        return [&transforms, transform](const CoilRows& rho, const Progress& progress) {
            OnHost samples = forward_on_host(transforms, *transform, rho, progress);
            return ForwardSamples{std::move(samples.values), samples.error};
        };
    };
}

} // namespace lsrecon
