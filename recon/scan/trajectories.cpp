// Finds equal trajectories by a hash, and holds out one of every eight pieces of readouts that lie
// at similar radii.

#include "scan/trajectories.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

std::string_view bytes_of(const std::vector<Vec3>& positions) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double), "Vec3 without padding");
    return {reinterpret_cast<const char*>(positions.data()), positions.size() * sizeof(Vec3)};
}

template <typename Vector> std::string_view bytes_of(const Vector& values) {
    return {reinterpret_cast<const char*>(values.data()),
            static_cast<std::size_t>(values.size()) * sizeof(typename Vector::Scalar)};
}

/// The hash of some points spread over the trajectory: hashing all takes as long as reading them.
std::size_t hash_of(const std::vector<Vec3>& positions) {
    constexpr std::size_t most_points = 1024;
    const std::size_t step = positions.size() / most_points + 1;
    std::vector<Vec3> some;
    for (std::size_t m = 0; m < positions.size(); m += step) {
        some.push_back(positions[m]);
    }
    return std::hash<std::string_view>()(bytes_of(some));
}

/// Byte by byte: a NaN, which is refused later, is still itself.
bool same(const Trajectory& a, const Trajectory& b) {
    return bytes_of(a.positions) == bytes_of(b.positions) && bytes_of(a.phi) == bytes_of(b.phi) &&
           bytes_of(a.weights) == bytes_of(b.weights) && bytes_of(a.times) == bytes_of(b.times);
}

} // namespace

std::shared_ptr<const Trajectory> TrajectoryPool::share(Trajectory trajectory) {
    const std::size_t hash = hash_of(trajectory.positions);
    const auto [first, last] = known_.equal_range(hash);
    for (auto candidate = first; candidate != last; ++candidate) {
        if (same(*candidate->second, trajectory)) {
            return candidate->second;
        }
    }
    auto shared = std::make_shared<const Trajectory>(std::move(trajectory));
    known_.emplace(hash, shared);
    return shared;
}

std::vector<const Trajectory*> trajectories_of(const std::vector<Frame>& frames) {
    std::unordered_set<const Trajectory*> known;
    std::vector<const Trajectory*> trajectories;
    for (const Frame& frame : frames) {
        if (known.insert(frame.trajectory.get()).second) {
            trajectories.push_back(frame.trajectory.get());
        }
    }
    return trajectories;
}

std::vector<std::size_t> by_trajectory(const std::vector<Frame>& frames) {
    std::unordered_map<const Trajectory*, std::size_t> first; // frame of each
    std::vector<std::size_t> order(frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f) {
        first.try_emplace(frames[f].trajectory.get(), f);
        order[f] = f;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return first[frames[a].trajectory.get()] < first[frames[b].trajectory.get()];
    });
    return order;
}

namespace {

constexpr double longest_piece = 8; ///< cycles/FOV
constexpr double shortest_piece = 2; ///< neighbouring cycles/FOV predict each other
constexpr double fewest_pieces = 64;
constexpr std::size_t of_pieces = 8; ///< one of them is held out
constexpr double centre = 1; ///< cycles/FOV

std::vector<double> steps_of(const std::vector<Vec3>& positions) {
    std::vector<double> steps(positions.size() - 1);
    for_each_range_in_parallel(steps.size(), cores_for(steps.size()), [&](const Range& some) {
        for (std::size_t m = some.first; m < some.first + some.count; ++m) {
            steps[m] = distance(positions[m], positions[m + 1]);
        }
    });
    return steps;
}

/// Steps that are longer lead from one readout to the next.
double longest_step(const std::vector<double>& steps) {
    constexpr double of_median = 2.5;
    return of_median * median(steps);
}

/// The finalizer of splitmix64 (Steele et al. 2014, OOPSLA).
std::uint64_t scattered(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

/// Hashes a position, rounded to a quarter of a cycle/FOV, so that pieces with equal ends share a
/// key.
std::uint64_t scattered(const Vec3& k) {
    constexpr double a_cycle = 4;
    std::uint64_t bits = 0;
    for (const double component : k) {
        bits += 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(std::llround(a_cycle * component));
        bits = scattered(bits);
    }
    return bits;
}

/// Pieces of readouts that lie at the same k.
struct Piece {
    std::uint64_t key = 0; ///< the same for a readout in the other direction
    double sum = 0; ///< of |k|
    double least = std::numeric_limits<double>::infinity(); ///< |k|
    std::size_t samples = 0;
    bool is_held = false;

    double radius() const { return sum / static_cast<double>(samples); }
};

struct Pieces {
    std::vector<Piece> pieces;
    std::vector<std::size_t> of_samples; ///< the index of each sample's piece
};

/// `at_centre`: pieces end where the centre begins, for short readouts that all pass through it.
Pieces cut(const std::vector<Vec3>& positions, bool at_centre) {
    const std::vector<double> steps = steps_of(positions);
    const double longest = longest_step(steps);
    double path = 0;
    for (const double step : steps) {
        path += step <= longest ? step : 0;
    }
    const double length_of_piece = std::clamp(path / fewest_pieces, shortest_piece, longest_piece);
    std::vector<double> radii(positions.size());
    for_each_range_in_parallel(radii.size(), cores_for(radii.size()), [&](const Range& some) {
        for (std::size_t m = some.first; m < some.first + some.count; ++m) {
            radii[m] = length(positions[m]);
        }
    });
    const auto is_central = [&](std::size_t m) { return radii[m] < centre; };
    Pieces result;
    result.of_samples.resize(positions.size());
    std::unordered_map<std::uint64_t, std::size_t> indices;
    for (std::size_t first = 0, end = 0; first < positions.size(); first = end) {
        double along = 0;
        for (end = first + 1; end < positions.size(); ++end) {
            along += steps[end - 1];
            const bool ends_at_centre = at_centre && is_central(end) != is_central(first);
            if (steps[end - 1] > longest || along >= length_of_piece || ends_at_centre) {
                break;
            }
        }
        const std::uint64_t key = scattered(positions[first]) + scattered(positions[end - 1]);
        const auto [found, is_new] = indices.emplace(key, result.pieces.size());
        if (is_new) {
            result.pieces.push_back({key});
        }
        Piece& piece = result.pieces[found->second];
        for (std::size_t m = first; m < end; ++m) {
            piece.sum += radii[m];
            piece.least = std::min(piece.least, radii[m]);
            result.of_samples[m] = found->second;
        }
        piece.samples += end - first;
    }
    return result;
}

/// The pieces that do not touch the centre.
std::vector<Piece*> pieces_off_centre(std::vector<Piece>& pieces) {
    std::vector<Piece*> result;
    for (Piece& piece : pieces) {
        if (piece.least >= centre) {
            result.push_back(&piece);
        }
    }
    return result;
}

/// Draws one of eight pieces that follow each other by |k|, of what is left at the edge, too.
void draw(std::vector<Piece*> order) {
    std::sort(order.begin(), order.end(), [](const Piece* a, const Piece* b) {
        return std::make_pair(a->radius(), a->key) < std::make_pair(b->radius(), b->key);
    });
    for (std::size_t first = 0; first < order.size(); first += of_pieces) {
        const std::size_t count = std::min(of_pieces, order.size() - first);
        std::size_t drawn = scattered(order[first]->key) % of_pieces;
        drawn = first == 0 ? drawn % count : drawn; // of few pieces one is held out
        if (drawn < count) {
            order[first + drawn]->is_held = true;
        }
    }
}

} // namespace

HeldOut hold_out(const Trajectory& trajectory) {
    HeldOut result;
    if (trajectory.samples() < 2) {
        return result;
    }
    Pieces pieces = cut(trajectory.positions, false);
    if (static_cast<double>(pieces_off_centre(pieces.pieces).size()) < fewest_pieces) {
        pieces = cut(trajectory.positions, true);
    }
    draw(pieces_off_centre(pieces.pieces));
    for (std::size_t m = 0; m < trajectory.samples(); ++m) {
        const bool is_held =
            pieces.pieces[pieces.of_samples[m]].is_held && trajectory.weight(m) > 0;
        (is_held ? result.held : result.kept).push_back(m);
    }
    return result;
}

} // namespace lsrecon
