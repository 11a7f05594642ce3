#pragma once

#include <string>

#include "engines/pair_cost.hpp"

namespace lsrecon {

/// Operations of one pair by the convention of Stone et al. 2008: sin 13, cos 12, each + - * / 1.
/// The phase takes 3 products, 2 sums and the factor 2 pi in three dimensions (2, 1 and 1 in two);
/// FHd 4 products and 4 sums more, Q 2 and 2.
double stone_operations(const std::string& stage, int dimensions);

struct Limit {
    double pairs_per_second = 0; ///< 0 when nothing is known of the kernel
    std::string unit; ///< what sets it
};

/// What the device allows such a kernel in stage "fhd", "q" or "f", by the slowest unit that each
/// pair needs. Pairs of Q are counted over all differences, of which half are computed.
Limit limit_of(const PairCost& cost, const std::string& stage, const DeviceRates& rates);

} // namespace lsrecon
