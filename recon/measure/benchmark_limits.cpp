#include "measure/benchmark_limits.hpp"

namespace lsrecon {

double stone_operations(const std::string& stage, int dimensions) {
    const double sine = 13;
    const double cosine = 12;
    const double phase = 2 * dimensions;
    return sine + cosine + phase + (stage == "q" ? 4 : 8);
}

Limit limit_of(const PairCost& cost, const std::string& stage, const DeviceRates& rates) {
    const bool is_q = stage == "q";
    const double needed = is_q ? cost.q_multiply_adds : cost.fhd_multiply_adds;
    if (needed == 0) {
        return {};
    }
    const double counted = is_q ? 2 : stage == "f" ? cost.f_pairs : cost.fhd_pairs;
    Limit limit{counted * rates.*cost.multiply_adds.rate / needed, cost.multiply_adds.name};
    if (cost.trigonometry.rate != nullptr) {
        const double pairs = counted * rates.*cost.trigonometry.rate;
        if (pairs < limit.pairs_per_second) {
            limit = {pairs, cost.trigonometry.name};
        }
    }
    return limit;
}

} // namespace lsrecon
