#include "prepare/prior_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "prepare/interpolation.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t bins = 16;
constexpr std::size_t fewest_blocks = 4 * bins * bins; ///< of which information is estimated
/// Of the prior as it is, over that of the prior as it matches best.
constexpr double refused_share = 0.6;
constexpr double noted_share = 0.85;
/// By how much the information of the best must be more, too.
constexpr double refused_gain = 0.08;
constexpr double noted_gain = 0.03;

/// Means of blocks of voxels, from 0 for nothing to 1.
struct Blocks {
    static constexpr double dark = 0.1;
    static constexpr double few = 0.05; ///< of the blocks at an edge

    std::array<std::size_t, 3> size{};
    std::array<double, 3> centre{}; ///< of the field of view, in blocks from the first one
    std::vector<double> values; ///< x fastest

    /// Whether the object goes on beyond the field of view along a dimension.
    bool are_cut(std::size_t dimension) const {
        std::size_t step = 1;
        for (std::size_t d = 0; d < dimension; ++d) {
            step *= size[d];
        }
        std::size_t at_edge = 0;
        std::size_t bright = 0;
        for (std::size_t n = 0; n < values.size(); ++n) {
            const std::size_t i = n / step % size[dimension];
            if (i == 0 || i + 1 == size[dimension]) {
                ++at_edge;
                bright += values[n] > dark ? 1 : 0;
            }
        }
        return static_cast<double>(bright) > few * static_cast<double>(at_edge);
    }
};

/// What a prior image is compared as.
struct View {
    double size = 1; ///< times its own
    std::optional<std::size_t> mirrored = std::nullopt; ///< along this dimension

    std::string in_words() const {
        return mirrored ? text("mirrored along ", "xyz"[*mirrored])
                        : text("at ", size, " times its size");
    }
    double source(double at, std::size_t dimension) const {
        return (mirrored == dimension ? -at : at) / size;
    }
};

std::vector<View> views_of(int dimensions) {
    std::vector<View> views;
    for (const double size : {0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.4, 1.65, 2.0}) {
        views.push_back({size});
    }
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        views.push_back({1, d});
    }
    return views;
}

/// The values to 0..1, but for the brightest hundredth.
void scale(std::vector<double>& values) {
    std::vector<double> sorted = values;
    const auto brightest = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 99 / 100);
    std::nth_element(sorted.begin(), brightest, sorted.end());
    const double largest = *brightest > 0 ? *brightest : *std::max_element(brightest, sorted.end());
    for (double& value : values) {
        value = largest > 0 ? std::min(1.0, value / largest) : 0;
    }
}

template <typename Magnitudes> Blocks blocks_of(const Magnitudes& magnitudes, const Grid& grid) {
    const std::size_t most = grid.dimensions == 3 ? 32 : 96; // along each dimension
    Blocks blocks;
    std::array<std::size_t, 3> step{};
    std::array<std::size_t, 3> first{}; // what is no whole block is left out on both sides
    for (std::size_t d = 0; d < 3; ++d) {
        step[d] = (grid.size[d] - 1) / most + 1;
        blocks.size[d] = grid.size[d] / step[d];
        first[d] = (grid.size[d] - blocks.size[d] * step[d]) / 2;
        blocks.centre[d] = (static_cast<double>(grid.size[d] / 2 - first[d]) + 0.5) /
                               static_cast<double>(step[d]) -
                           0.5;
    }
    const auto& [nx, ny, nz] = blocks.size;
    blocks.values.assign(nx * ny * nz, 0);
    for (std::size_t z = 0; z < nz * step[2]; ++z) {
        for (std::size_t y = 0; y < ny * step[1]; ++y) {
            const std::size_t row =
                ((first[2] + z) * grid.size[1] + first[1] + y) * grid.size[0] + first[0];
            double* const to = &blocks.values[(z / step[2] * ny + y / step[1]) * nx];
            for (std::size_t x = 0; x < nx * step[0]; ++x) {
                to[x / step[0]] += magnitudes(static_cast<Eigen::Index>(row + x));
            }
        }
    }
    scale(blocks.values);
    return blocks;
}

/// Where a view takes a block from along one dimension.
struct Source {
    std::optional<Between> at; ///< nothing beyond the field of view
    bool is_known = true;
};

std::vector<Source> sources_of(const View& view, const Blocks& blocks, std::size_t d) {
    const bool beyond_is_known = !blocks.are_cut(d);
    std::vector<Source> sources(blocks.size[d]);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const double at =
            blocks.centre[d] + view.source(static_cast<double>(i) - blocks.centre[d], d);
        if (at >= -0.5 && at <= static_cast<double>(sources.size()) - 0.5) {
            sources[i].at = between(at, sources.size());
        } else {
            sources[i].is_known = beyond_is_known;
        }
    }
    return sources;
}

double interpolated(const Blocks& blocks, const std::array<Between, 3>& at) {
    const auto& [nx, ny, nz] = blocks.size;
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double share = 1;
        std::array<std::size_t, 3> index{};
        for (std::size_t d = 0; d < 3; ++d) {
            const bool above = (corner >> d) % 2 == 1;
            index[d] = above ? at[d].above : at[d].below;
            share *= above ? at[d].share : 1 - at[d].share;
        }
        sum += share * blocks.values[(index[2] * ny + index[1]) * nx + index[0]];
    }
    return sum;
}

/// Of two images, whose pairs of values are counted.
class JointHistogram {
public:
    void add(double a, double b) { counts_(bin(a), bin(b)) += 1; }

    /// (H(a) + H(b)) / H(a, b) - 1: 0 when neither tells of the other, 1 when each tells all
    double normalised() const {
        const Eigen::ArrayXXd shares = counts_ / counts_.sum();
        const double both = entropy(shares);
        return both > 0
                   ? (entropy(shares.rowwise().sum()) + entropy(shares.colwise().sum())) / both - 1
                   : 0;
    }

private:
    static Eigen::Index bin(double value) {
        return std::min<Eigen::Index>(bins - 1, static_cast<Eigen::Index>(value * bins));
    }
    static double entropy(const Eigen::ArrayXXd& shares) {
        return (shares > 0).select(-shares * shares.max(1e-300).log(), 0).sum();
    }
    Eigen::ArrayXXd counts_ = Eigen::ArrayXXd::Zero(bins, bins);
};

struct Likeness {
    double as_it_is = 0; ///< normalised information
    double viewed = 0;
    bool is_judged() const { return viewed >= PriorFit::least_information; }
    double share() const { return is_judged() ? as_it_is / viewed : 1; }
    double gain() const { return viewed - as_it_is; }
};

/// Where it is known what the view shows.
std::optional<Likeness> likeness_of(const View& view, const Blocks& prior, const Blocks& image) {
    std::array<std::vector<Source>, 3> sources;
    for (std::size_t d = 0; d < 3; ++d) {
        sources[d] = sources_of(view, prior, d);
    }
    JointHistogram as_it_is;
    JointHistogram viewed;
    std::size_t known = 0;
    std::size_t n = 0;
    for (const Source& z : sources[2]) {
        for (const Source& y : sources[1]) {
            for (const Source& x : sources[0]) {
                if (x.is_known && y.is_known && z.is_known) {
                    const bool is_inside = x.at && y.at && z.at;
                    as_it_is.add(image.values[n], prior.values[n]);
                    viewed.add(image.values[n],
                               is_inside ? interpolated(prior, {*x.at, *y.at, *z.at}) : 0);
                    ++known;
                }
                ++n;
            }
        }
    }
    if (known < fewest_blocks) {
        return std::nullopt;
    }
    return Likeness{as_it_is.normalised(), viewed.normalised()};
}

} // namespace

PriorFit require_fit(const PriorImage& prior, const Grid& grid, const RealVector& image,
                     bool serves_all_frames, Reporter& report) {
    const Blocks of_prior = blocks_of(prior.values.cwiseAbs(), grid);
    const Blocks of_scan = blocks_of(image, grid);
    PriorFit fit;
    if (const auto as_it_is = likeness_of({}, of_prior, of_scan)) {
        fit.information = as_it_is->as_it_is;
    }
    std::pair<Likeness, View> best; // the share is 1
    for (const View& view : views_of(grid.dimensions)) {
        const std::optional<Likeness> likeness = likeness_of(view, of_prior, of_scan);
        if (!likeness) {
            continue;
        }
        fit.is_judged = fit.is_judged || likeness->is_judged();
        if (likeness->share() < best.first.share()) {
            best = {*likeness, view};
        }
    }
    const auto& [likeness, view] = best;
    const auto rounded = [](double information) { return std::round(100 * information) / 100; };
    const std::string how =
        text(view.in_words(), " (normalised mutual information ", rounded(likeness.viewed),
             "; as it is ", rounded(likeness.as_it_is), ")");
    // Receiver coils on opposite sides shade one object as if it were mirrored.
    if (likeness.share() < refused_share && likeness.gain() > refused_gain && !view.mirrored) {
        const Finding finding{prior.file, "size of the object in the prior image",
                              "it matches the scan far better " + how,
                              "an image of the same object, in its size and place",
                              "correct its field of view, or name another image"};
        if (serves_all_frames) {
            throw RunError(finding);
        }
        throw InputError(finding);
    }
    if (likeness.share() < noted_share && likeness.gain() > noted_gain) {
        report.note("the prior image " + prior.file + " matches the scan better " + how +
                    ": check that it is of the same object, in its size and place");
        fit.is_noted = true;
    }
    return fit;
}

} // namespace lsrecon
