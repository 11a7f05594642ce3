#pragma once

#include <memory>
#include <vector>

#include "operators/coil_maps.hpp"
#include "operators/gram.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// One term of the normal operator off resonance (engines/segments.hpp): Q with its weights of the
/// samples, and the time whose phases stand before and after.
struct TimeTerm {
    Q q;
    double time; ///< s
};

/// The terms of one sampling on the grid of voxels off resonance.
std::vector<TimeTerm> compute_time_terms(Transforms& transforms, const Sampling& sampling,
                                         const Grid& grid, const OffResonance& off_resonance,
                                         Listener listener);

/// N with T = sum_l conj(D_l) T_l D_l, D_l = exp(-z time_l) and a convolution T_l with the Q of a
/// term: Fessler et al. 2005, IEEE TSP 53(9), section IV. The device and the maps must outlive it.
std::unique_ptr<Gram> make_time_terms_gram(Device& device, Precision precision, CoilMaps& maps,
                                           const std::vector<TimeTerm>& terms,
                                           const OffResonance& off_resonance, double unit);

/// The cost without what is there until the spectra of its terms are made.
Cost cost_of_time_terms_gram(const Device& device, const Grid& grid, Precision precision,
                             std::size_t terms, std::size_t maps);

} // namespace lsrecon
