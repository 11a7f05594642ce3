// What an exact transform takes, and how wrong it may be, before it is made.

#include "engines/opencl/engines.hpp"

#include "engines/pieces.hpp"

namespace lsrecon::opencl {

double error_of_exact(const EngineContext& context, const Variant& variant,
                      const std::string& stage, const SamplePoints& points, const Voxels& voxels) {
    const std::size_t terms = stage == "f" ? voxels.count() : points.count();
    if (context.precision == Precision::float64) {
        // Against the reference: both round.
        return 2 * tolerance::reference(largest_turns(points, voxels), terms);
    }
    const Parameters& parameters = context.parameters(variant.name, stage).values;
    return tolerance::direct_transform(variant.arithmetic_by(parameters).rounding, terms);
}

Cost predict_exact(const EngineContext& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    const ChosenParameters& parameters = context.parameters(variant.name, stage);
    const double half_of_q = stage == "q" ? 2 : 1; // its voxels are half of all differences
    const double pairs =
        half_of_q * static_cast<double>(points.count()) * static_cast<double>(voxels.count());
    // Measured by `lsrecon tune`, else by the numbers of the device.
    const double rate = parameters.pairs_per_second > 0
                            ? parameters.pairs_per_second
                            : limit_of(variant.arithmetic_by(parameters.values).cost, stage,
                                       nominal_rates(context.device.info()))
                                  .pairs_per_second;
    Cost cost = cost_of_pieces({1, points.count(), voxels.count()}, context.precision);
    cost.seconds = rate > 0 ? pairs / rate : 0;
    cost.error = error_of_exact(context, variant, stage, points, voxels);
    return cost;
}

} // namespace lsrecon::opencl
