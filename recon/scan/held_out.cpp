#include "scan/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace lsrecon {

namespace {

constexpr double longest_piece = 8; ///< cycles/FOV
constexpr double shortest_piece = 2; ///< neighbouring cycles/FOV predict each other
constexpr double fewest_pieces = 64;
constexpr std::size_t of_pieces = 8; ///< one of them is held out
constexpr double centre = 1; ///< cycles/FOV

double size(const Vec3& k) {
    return std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
}

double distance(const Vec3& a, const Vec3& b) {
    return size({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

bool is_central(const Vec3& k) {
    return size(k) < centre;
}

std::vector<double> steps_of(const std::vector<Vec3>& trajectory) {
    std::vector<double> steps;
    steps.reserve(trajectory.size());
    for (std::size_t m = 1; m < trajectory.size(); ++m) {
        steps.push_back(distance(trajectory[m - 1], trajectory[m]));
    }
    return steps;
}

/// Steps that are longer lead from one readout to the next.
double longest_step(std::vector<double> steps) {
    constexpr double of_median = 2.5;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return of_median * *middle;
}

/// The finalizer of splitmix64 (Steele et al. 2014, OOPSLA).
std::uint64_t scattered(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

/// A number that depends on all bits of where a sample was taken, to a quarter of a cycle/FOV.
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
Pieces cut(const std::vector<Vec3>& trajectory, bool at_centre) {
    const std::vector<double> steps = steps_of(trajectory);
    const double longest = longest_step(steps);
    double path = 0;
    for (const double step : steps) {
        path += step <= longest ? step : 0;
    }
    const double length = std::clamp(path / fewest_pieces, shortest_piece, longest_piece);
    Pieces result;
    std::unordered_map<std::uint64_t, std::size_t> indices;
    for (std::size_t first = 0, end = 0; first < trajectory.size(); first = end) {
        double along = 0;
        for (end = first + 1; end < trajectory.size(); ++end) {
            along += steps[end - 1];
            const bool ends_at_centre =
                at_centre && is_central(trajectory[end]) != is_central(trajectory[first]);
            if (steps[end - 1] > longest || along >= length || ends_at_centre) {
                break;
            }
        }
        const std::uint64_t key = scattered(trajectory[first]) + scattered(trajectory[end - 1]);
        const auto [found, is_new] = indices.emplace(key, result.pieces.size());
        if (is_new) {
            result.pieces.push_back({key});
        }
        Piece& piece = result.pieces[found->second];
        for (std::size_t m = first; m < end; ++m) {
            piece.sum += size(trajectory[m]);
            piece.least = std::min(piece.least, size(trajectory[m]));
            result.of_samples.push_back(found->second);
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

HeldOut hold_out(const Sampling& sampling) {
    HeldOut result;
    if (sampling.samples() < 2) {
        return result;
    }
    Pieces pieces = cut(sampling.trajectory, false);
    if (static_cast<double>(pieces_off_centre(pieces.pieces).size()) < fewest_pieces) {
        pieces = cut(sampling.trajectory, true);
    }
    draw(pieces_off_centre(pieces.pieces));
    for (std::size_t m = 0; m < sampling.samples(); ++m) {
        const bool is_held = pieces.pieces[pieces.of_samples[m]].is_held && sampling.weight(m) > 0;
        (is_held ? result.held : result.kept).push_back(m);
    }
    return result;
}

} // namespace lsrecon
