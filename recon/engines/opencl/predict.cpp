// The cost of an exact transform, and the bound of its error, before it is made.

#include "engines/opencl/engines.hpp"
#include "engines/opencl/separable_forms.hpp"
#include "engines/pieces.hpp"

namespace lsrecon::opencl {

double error_of_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                      const SamplePoints& points, const Voxels& voxels) {
    const std::size_t terms = stage == "f" ? voxels.count() : points.count();
    if (context.precision == Precision::float64) {
        // The error against the reference: both round.
        return 2 * tolerance::reference(largest_turns(points, voxels), terms);
    }
    const Parameters& parameters = context.parameters(variant.name, stage).values;
    return tolerance::direct_transform(variant.arithmetic_by(parameters).rounding, terms);
}

Cost predict_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    const ChosenParameters& parameters = context.parameters(variant.name, stage);
    const double half_of_q = stage == "q" ? 2 : 1; // its voxels are half of all differences
    const double pairs =
        half_of_q * static_cast<double>(points.count()) * static_cast<double>(voxels.count());
    const PairCost& of_pair = variant.arithmetic_by(parameters.values).cost;
    const DeviceRates rates = nominal_rates(context.machine.device);
    // Measured by `lsrecon tune`, else by the numbers of the device.
    const double rate = parameters.pairs_per_second > 0
                            ? parameters.pairs_per_second
                            : limit_of(of_pair, stage, rates).pairs_per_second;
    const double of_doubles = context.precision == Precision::float64 ? 3 : 1; // measured
    Cost cost = cost_of_pieces({1, points.count(), voxels.count()}, context.precision);
    cost.seconds = of_doubles * (rate > 0 ? pairs / rate : 0);
    cost.error = error_of_exact(context, variant, stage, points, voxels);
    return cost;
}

Cost predict_separable(const EngineFacts& context, const Variant& variant, const std::string& stage,
                       const SamplePoints& points, const Voxels& voxels) {
    constexpr double multiply_adds = 800; // as many take as long as one factor in doubles, measured
    Cost cost = predict_exact(context, variant, stage, points, voxels);
    const Parameters& parameters = context.parameters(variant.name, stage).values;
    if (stage != "f" && static_cast<Form>(parameters.at("FORM")) == Form::in_private) {
        const std::size_t columns = LatticeColumns(voxels).count;
        cost.seconds *= static_cast<double>(round_up(columns, lanes_of(context.precision))) /
                        static_cast<double>(columns);
    }
    double factors = 0;
    for (const std::size_t size : voxels.lattice_size()) {
        factors += size > 1 ? static_cast<double>(size) : 0;
    }
    const double rate = nominal_rates(context.machine.device).multiply_adds;
    cost.once = rate > 0 ? factors * static_cast<double>(points.count()) * multiply_adds / rate : 0;
    cost.seconds += cost.once;
    return cost;
}

} // namespace lsrecon::opencl
