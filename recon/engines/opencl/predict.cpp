// What an exact transform takes, and how wrong it may be, before it is made.

#include "engines/opencl/engines.hpp"

#include "engines/pieces.hpp"

namespace lsrecon::opencl {

namespace {

/// In double precision against the reference: both round.
double error_in_doubles(const SamplePoints& points, const Voxels& voxels, std::size_t terms) {
    Vec3 reach{};
    for (const Vec3& k : points.trajectory) {
        for (std::size_t d = 0; d < 3; ++d) {
            reach[d] = std::max(reach[d], std::abs(k[d]) / voxels.per_fov()[d]);
        }
    }
    double turns = voxels.extent_in_voxels() * (reach[0] + reach[1] + reach[2]);
    if (const OffResonance* const off_resonance = off_resonance_of(points, voxels)) {
        turns += points.times->cwiseAbs().maxCoeff() * off_resonance->field.cwiseAbs().maxCoeff();
    }
    return 2 * tolerance::reference(turns, terms);
}

} // namespace

double error_of_exact(const EngineContext& context, const Variant& variant,
                      const std::string& stage, const SamplePoints& points, const Voxels& voxels) {
    const std::size_t terms = stage == "f" ? voxels.count() : points.count();
    if (context.precision == Precision::float64) {
        return error_in_doubles(points, voxels, terms);
    }
    const Parameters& parameters = context.parameters(variant.name, stage).values;
    return tolerance::direct_transform(variant.arithmetic_by(parameters).rounding, terms);
}

Cost predict_exact(const EngineContext& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    const PairCost& pair =
        variant.arithmetic_by(context.parameters(variant.name, stage).values).cost;
    const double half_of_q = stage == "q" ? 2 : 1; // its voxels are half of all differences
    const double pairs =
        half_of_q * static_cast<double>(points.count()) * static_cast<double>(voxels.count());
    const Limit limit = limit_of(pair, stage, nominal_rates(context.device.info()));
    Cost cost = cost_of_pieces({1, points.count(), voxels.count()}, context.precision);
    cost.seconds = limit.pairs_per_second > 0 ? pairs / limit.pairs_per_second : 0;
    cost.error = error_of_exact(context, variant, stage, points, voxels);
    return cost;
}

} // namespace lsrecon::opencl
