#include "prepare/complete_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// Cycles a voxel; floats, in any unit of trajectories, are right to 3e-8 there.
constexpr double same_position = 1e-6;
/// Relative to the largest of all samples.
constexpr double same_value = 1e-5;

/// Numbers positions in the order in which they are first seen. Those that differ by no more than
/// `same` are one.
class Positions {
public:
    explicit Positions(double same) : same_(same) {}

    std::size_t count() const { return known_.size(); }

    std::size_t number_of(const Vec3& position) {
        // A position that is the same may lie in a neighbouring cell.
        const Cell low = cell_of(position, -same_);
        const Cell high = cell_of(position, same_);
        for (unsigned corner = 0; corner < 8; ++corner) {
            Cell cell = low;
            bool another = true;
            for (std::size_t d = 0; d < 3; ++d) {
                if ((corner >> d & 1) != 0) {
                    another = another && low[d] != high[d];
                    cell[d] = high[d];
                }
            }
            if (!another) {
                continue;
            }
            const auto [first, last] = of_cell_.equal_range(hash(cell));
            for (auto number = first; number != last; ++number) {
                if (same(known_[number->second], position)) {
                    return number->second;
                }
            }
        }
        of_cell_.emplace(hash(cell_of(position, 0)), known_.size());
        known_.push_back(position);
        return known_.size() - 1;
    }

private:
    using Cell = std::array<std::int64_t, 3>;
    static constexpr double cell_size = 64 * same_position;

    static Cell cell_of(const Vec3& position, double beside) {
        Cell cell{};
        for (std::size_t d = 0; d < 3; ++d) {
            cell[d] = std::llround((position[d] + beside) / cell_size);
        }
        return cell;
    }
    static std::size_t hash(const Cell& cell) {
        std::uint64_t hash = 0;
        for (const std::int64_t part : cell) {
            hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 32;
        }
        return static_cast<std::size_t>(hash);
    }
    bool same(const Vec3& a, const Vec3& b) const {
        return std::abs(a[0] - b[0]) <= same_ && std::abs(a[1] - b[1]) <= same_ &&
               std::abs(a[2] - b[2]) <= same_;
    }

    double same_;
    std::vector<Vec3> known_;
    std::unordered_multimap<std::size_t, std::size_t> of_cell_; ///< numbers by the cell's hash
};

/// Where a sample is on which line.
struct OnLine {
    std::size_t line;
    std::size_t step; ///< along it, below N
};

struct Numbered {
    std::vector<OnLine> samples; ///< fewer than all where lines are too many to be complete
    std::size_t lines = 0;
};

Numbered numbered(std::size_t dimension, const std::vector<Vec3>& trajectory, const Grid& grid,
                  double same) {
    const auto length = static_cast<double>(grid.size[dimension]);
    Positions positions(same); // of lines, in cycles a voxel
    Numbered result;
    result.samples.reserve(trajectory.size());
    for (const Vec3& k : trajectory) {
        const double whole = std::floor(k[dimension] + same * length);
        Vec3 line = k;
        line[dimension] -= whole;
        for (std::size_t d = 0; d < 3; ++d) {
            line[d] /= static_cast<double>(grid.size[d]);
        }
        const double step = whole - length * std::floor(whole / length);
        result.samples.push_back({positions.number_of(line), static_cast<std::size_t>(step)});
        result.lines = positions.count();
        if (result.lines * grid.size[dimension] > trajectory.size()) {
            break;
        }
    }
    return result;
}

template <typename Values> bool constant_along(const CompleteLines& lines, const Values& values) {
    if (values.size() == 0) {
        return true;
    }
    const double allowed = same_value * values.cwiseAbs().maxCoeff();
    const auto of = [&](std::size_t i) {
        return values(static_cast<Eigen::Index>(lines.samples[i]));
    };
    for (std::size_t i = 0; i < lines.samples.size(); ++i) {
        if (std::abs(of(i) - of(i - i % lines.length)) > allowed) {
            return false;
        }
    }
    return true;
}

/// "" where nothing does.
std::string what_changes_along(const CompleteLines& lines, const Sampling& sampling,
                               bool off_resonance) {
    if (!constant_along(lines, sampling.weights)) {
        return "weights change";
    }
    if (!constant_along(lines, sampling.phi)) {
        return "phi changes";
    }
    return off_resonance && !constant_along(lines, sampling.times) ? "times change" : "";
}

/// With positions that are the same up to this.
LinesFound lines_with(double same, std::size_t dimension, const Sampling& sampling,
                      const Grid& grid, bool off_resonance) {
    const std::size_t length = grid.size[dimension];
    const std::size_t samples = sampling.samples();
    const auto missing = [](const std::string& what) { return LinesFound{{}, what}; };
    const Numbered of = numbered(dimension, sampling.trajectory, grid, same);
    if (of.lines * length > samples) {
        return missing(text("its ", samples, " samples are on more lines than ", samples / length,
                            ", too many to have ", length, " each"));
    }
    std::vector<std::size_t> copies(of.lines * length, 0); // of each step of each line
    for (const OnLine& at : of.samples) {
        ++copies[at.line * length + at.step];
    }
    CompleteLines found{dimension, length, std::vector<std::size_t>(samples)};
    std::vector<std::size_t> first(of.lines); // of the copies of a line
    std::size_t incomplete = 0;
    std::size_t lines = 0;
    for (std::size_t line = 0; line < of.lines; ++line) {
        const std::size_t* const steps = &copies[line * length];
        const bool alike =
            std::all_of(steps, steps + length, [&](std::size_t count) { return count == *steps; });
        incomplete += alike ? 0 : 1;
        first[line] = lines;
        lines += *steps;
    }
    if (incomplete > 0) {
        return missing(text(incomplete, " of its ", of.lines,
                            " lines lack samples, or have some more often than others"));
    }
    for (std::size_t m = samples; m-- > 0;) {
        const OnLine& at = of.samples[m];
        const std::size_t copy = --copies[at.line * length + at.step];
        found.samples[(first[at.line] + copy) * length + at.step] = m;
    }
    const std::string changes = what_changes_along(found, sampling, off_resonance);
    return changes.empty() ? LinesFound{std::move(found), ""}
                           : missing(changes + " along its lines");
}

} // namespace

LinesFound lines_along(std::size_t dimension, const Sampling& sampling, const Grid& grid,
                       bool off_resonance) {
    // Lines may lie closer than rounding, as where spirals begin: those without any come apart.
    LinesFound exact = lines_with(0, dimension, sampling, grid, off_resonance);
    return exact.missing.empty()
               ? exact
               : lines_with(same_position, dimension, sampling, grid, off_resonance);
}

} // namespace lsrecon
