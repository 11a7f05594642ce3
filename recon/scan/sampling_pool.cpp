#include "scan/sampling_pool.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace lsrecon {

namespace {

std::string_view bytes_of(const std::vector<Vec3>& trajectory) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double), "Vec3 without padding");
    return {reinterpret_cast<const char*>(trajectory.data()), trajectory.size() * sizeof(Vec3)};
}

template <typename Vector> std::string_view bytes_of(const Vector& values) {
    return {reinterpret_cast<const char*>(values.data()),
            static_cast<std::size_t>(values.size()) * sizeof(typename Vector::Scalar)};
}

/// The hash of some points spread over the trajectory: hashing all takes as long as reading them.
std::size_t hash_of(const std::vector<Vec3>& trajectory) {
    constexpr std::size_t most_points = 1024;
    const std::size_t step = trajectory.size() / most_points + 1;
    std::vector<Vec3> some;
    for (std::size_t m = 0; m < trajectory.size(); m += step) {
        some.push_back(trajectory[m]);
    }
    return std::hash<std::string_view>()(bytes_of(some));
}

/// Byte by byte: a NaN, which is refused later, is still itself.
bool same(const Sampling& a, const Sampling& b) {
    return bytes_of(a.trajectory) == bytes_of(b.trajectory) && bytes_of(a.phi) == bytes_of(b.phi) &&
           bytes_of(a.weights) == bytes_of(b.weights) && bytes_of(a.times) == bytes_of(b.times);
}

} // namespace

std::shared_ptr<const Sampling> SamplingPool::share(Sampling sampling) {
    const std::size_t hash = hash_of(sampling.trajectory);
    const auto [first, last] = known_.equal_range(hash);
    for (auto candidate = first; candidate != last; ++candidate) {
        if (same(*candidate->second, sampling)) {
            return candidate->second;
        }
    }
    auto shared = std::make_shared<const Sampling>(std::move(sampling));
    known_.emplace(hash, shared);
    return shared;
}

std::vector<const Sampling*> samplings_of(const std::vector<Frame>& frames) {
    std::unordered_set<const Sampling*> known;
    std::vector<const Sampling*> samplings;
    for (const Frame& frame : frames) {
        if (known.insert(frame.sampling.get()).second) {
            samplings.push_back(frame.sampling.get());
        }
    }
    return samplings;
}

std::vector<std::size_t> by_sampling(const std::vector<Frame>& frames) {
    std::unordered_map<const Sampling*, std::size_t> first; // frame of each
    std::vector<std::size_t> order(frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f) {
        first.try_emplace(frames[f].sampling.get(), f);
        order[f] = f;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return first[frames[a].sampling.get()] < first[frames[b].sampling.get()];
    });
    return order;
}

} // namespace lsrecon
