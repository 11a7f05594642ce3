#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// Finds frames that were sampled alike, in any order, by a hash of what their samplings hold:
/// they share one Sampling, so that Q is computed once for all of them.
class SamplingPool {
public:
    /// An equal one that was shared before, or else this one.
    std::shared_ptr<const Sampling> share(Sampling sampling);

private:
    std::unordered_multimap<std::size_t, std::shared_ptr<const Sampling>> known_;
};

/// Each sampling of the frames once, in the order in which they first occur.
std::vector<const Sampling*> samplings_of(const std::vector<Frame>& frames);

/// The indices of all frames, those of one sampling one after the other: what is made for a
/// sampling, as Q, is then made once and let go before the next.
std::vector<std::size_t> by_sampling(const std::vector<Frame>& frames);

} // namespace lsrecon
