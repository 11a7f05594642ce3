// Finds equal trajectories by a hash, and holds out one of every eight pieces of readouts that lie
// at similar radii.

#include "scan/trajectories.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
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
    void add(double radius_of_sample) {
        sum += radius_of_sample;
        least = std::min(least, radius_of_sample);
        ++samples;
    }
};

/// Samples of a readout, one after the other.
struct Section {
    Range samples;
    std::size_t piece; ///< its index
};

struct Pieces {
    std::vector<Piece> pieces;
    std::vector<Section> sections; ///< in the order of their samples
};

/// Cuts the readouts of a trajectory.
class Cut {
public:
    /// `at_centre`: pieces end where the centre begins, for short readouts that all pass through
    /// it.
    Cut(const std::vector<Vec3>& positions, bool at_centre)
        : positions_(positions), at_centre_(at_centre), steps_(steps_of(positions)),
          longest_(longest_step(steps_)) {
        double path = 0;
        for (const double step : steps_) {
            path += step <= longest_ ? step : 0;
        }
        length_of_piece_ = std::clamp(path / fewest_pieces, shortest_piece, longest_piece);
    }

    /// Pieces by the keys of their ends.
    Pieces pieces() const {
        const std::vector<Pieces> parts =
            of_each_range(positions_.size(), cores_for(positions_.size()),
                          [&](const Range& range) { return part(range); });
        std::size_t count = 0;
        for (const Pieces& part : parts) {
            count += part.pieces.size();
        }
        Pieces all;
        std::unordered_map<std::uint64_t, std::size_t> indices(count);
        for (const Pieces& part : parts) {
            for (const Section& section : part.sections) {
                const Piece& piece = part.pieces[section.piece];
                const auto [found, is_new] = indices.emplace(piece.key, all.pieces.size());
                if (is_new) {
                    all.pieces.push_back(piece);
                } else {
                    add(section.samples, all.pieces[found->second]);
                }
                all.sections.push_back({section.samples, found->second});
            }
        }
        return all;
    }

private:
    /// Each piece of the readouts that begin in this range.
    Pieces part(const Range& range) const {
        Pieces result;
        const std::size_t end = begin_of_readout(range.first + range.count);
        for (std::size_t first = begin_of_readout(range.first); first < end;) {
            const Range samples{first, end_of_piece(first) - first};
            result.sections.push_back({samples, result.pieces.size()});
            result.pieces.push_back(piece_of(samples));
            first += samples.count;
        }
        return result;
    }

    /// The first sample of a readout, from this one on.
    std::size_t begin_of_readout(std::size_t m) const {
        while (m > 0 && m < positions_.size() && steps_[m - 1] <= longest_) {
            ++m;
        }
        return m;
    }

    std::size_t end_of_piece(std::size_t first) const {
        double along = 0;
        std::size_t end = first + 1;
        for (; end < positions_.size(); ++end) {
            along += steps_[end - 1];
            const bool ends_at_centre = at_centre_ && is_central(end) != is_central(first);
            if (steps_[end - 1] > longest_ || along >= length_of_piece_ || ends_at_centre) {
                break;
            }
        }
        return end;
    }

    bool is_central(std::size_t m) const { return length(positions_[m]) < centre; }

    Piece piece_of(const Range& samples) const {
        const std::size_t last = samples.first + samples.count - 1;
        Piece piece{scattered(positions_[samples.first]) + scattered(positions_[last])};
        add(samples, piece);
        return piece;
    }

    void add(const Range& samples, Piece& piece) const {
        for (std::size_t i = 0; i < samples.count; ++i) {
            piece.add(length(positions_[samples.first + i]));
        }
    }

    const std::vector<Vec3>& positions_;
    const bool at_centre_;
    const std::vector<double> steps_;
    const double longest_;
    double length_of_piece_;
};

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
void draw(const std::vector<Piece*>& pieces) {
    std::vector<std::tuple<double, std::uint64_t, Piece*>> order;
    order.reserve(pieces.size());
    for (Piece* piece : pieces) {
        order.emplace_back(piece->radius(), piece->key, piece);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t first = 0; first < order.size(); first += of_pieces) {
        const std::size_t count = std::min(of_pieces, order.size() - first);
        std::size_t drawn = scattered(std::get<std::uint64_t>(order[first])) % of_pieces;
        drawn = first == 0 ? drawn % count : drawn; // of few pieces one is held out
        if (drawn < count) {
            std::get<Piece*>(order[first + drawn])->is_held = true;
        }
    }
}

} // namespace

HeldOut hold_out(const Trajectory& trajectory) {
    HeldOut result;
    if (trajectory.samples() < 2) {
        return result;
    }
    Pieces all = Cut(trajectory.positions, false).pieces();
    if (static_cast<double>(pieces_off_centre(all.pieces).size()) < fewest_pieces) {
        all = Cut(trajectory.positions, true).pieces();
    }
    draw(pieces_off_centre(all.pieces));
    for (const Section& section : all.sections) {
        const bool is_drawn = all.pieces[section.piece].is_held;
        for (std::size_t i = 0; i < section.samples.count; ++i) {
            const std::size_t m = section.samples.first + i;
            (is_drawn && trajectory.weight(m) > 0 ? result.held : result.kept).push_back(m);
        }
    }
    return result;
}

} // namespace lsrecon
