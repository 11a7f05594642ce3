// The rows of the table of regularisers: each makes its operator and its proximal map.

#include "operators/regularisers.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "operators/differences.hpp"
#include "operators/operator.hpp"
#include "operators/over_frames.hpp"
#include "operators/sets.hpp"
#include "operators/unsampled.hpp"
#include "operators/wavelet.hpp"

namespace lsrecon {

namespace {

/// A share of the steps' root mean square, which edges dominate. Measured on a simulated sodium
/// scan (scripts/anatomical_prior.py): errors of 13.8, 13.8, 14.0 and 15.4 % at 0.2, 0.35, 0.5 and
/// 1; the larger a scale, the more noise an image may have.
constexpr double edge_share = 0.5;

/// Weights of the differences of neighbours by the edges of another image of the object: where its
/// magnitude changes by `step` from voxel n to the next one along d,
///
///     w_d(n) = 1 / (1 + (step / scale)^2),    scale = half the root mean square of its steps
///
/// (Perona and Malik 1990, equation 8, with the scale from the image itself), 1 at the end of the
/// grid; a component of N a dimension. The penalty sum of w_d(n) |difference|^2 is the quadratic
/// one of Haldar et al. 2008 and Stone et al. 2008: smooth within tissues, not across their
/// borders. InputError when the image has no edges.
RealVector edge_weights(const PriorImage& prior, const Grid& grid) {
    const RealVector size = prior.values.cwiseAbs();
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    RealVector steps = RealVector::Zero(grid.dimensions * voxels);
    Eigen::Index neighbours = 0;
    Eigen::Index stride = 1;
    for (Eigen::Index d = 0; d < grid.dimensions; ++d) {
        const auto extent = static_cast<Eigen::Index>(grid.size[static_cast<std::size_t>(d)]);
        for (Eigen::Index n = 0; n < voxels; ++n) {
            if (n / stride % extent + 1 < extent) {
                steps(d * voxels + n) = size(n + stride) - size(n);
                ++neighbours;
            }
        }
        stride *= extent;
    }
    const double count = std::max<double>(1, static_cast<double>(neighbours));
    const double scale = edge_share * steps.stableNorm() / std::sqrt(count);
    if (!(scale > 0)) {
        throw InputError({prior.file, "/image",
                          "the same magnitude in every voxel of the scan's grid",
                          "an image with edges, for `reg` anatomical",
                          "name an image of the same object with some contrast"});
    }
    return (1 + (steps / scale).array().square()).inverse();
}

std::size_t dimensions_of(const Grid& grid) {
    return static_cast<std::size_t>(grid.dimensions);
}

RegulariserTerm differences(const RegulariserContext& context) {
    if (context.seen == nullptr) {
        return {std::make_unique<Differences>(context.device, context.grid)};
    }
    return {std::make_unique<Differences>(context.device, context.grid, context.precision,
                                          differences_within(*context.seen, context.grid))};
}

std::unique_ptr<Proximal> threshold_of_gradients(const Grid& grid) {
    return std::make_unique<SoftThreshold>(
        std::vector<Penalised>{{0, grid.voxels(), dimensions_of(grid)}});
}

/// The volumes of a term whose inner factors are real.
RegulariserVolumes of_differences(const Grid& grid) {
    return {dimensions_of(grid), (dimensions_of(grid) + 1) / 2};
}

RegulariserTerm identity(const RegulariserContext& context) {
    return {std::make_unique<Identity>(context.device, context.grid.voxels())};
}

std::unique_ptr<Proximal> threshold_of_voxels(const Grid& grid) {
    return std::make_unique<SoftThreshold>(std::vector<Penalised>{{0, grid.voxels()}});
}

RegulariserVolumes of_identity(const Grid&) {
    return {1, 0, true};
}

RegulariserTerm to_prior(const RegulariserContext& context) {
    RegulariserTerm term = identity(context);
    term.target = context.prior;
    return term;
}

void any_prior(const PriorImage&, const Grid&) {}

RegulariserTerm weighted_differences(const RegulariserContext& context) {
    RealVector factors = edge_weights(*context.prior, context.grid).cwiseSqrt();
    if (context.seen != nullptr) {
        factors.array() *= differences_within(*context.seen, context.grid).array();
    }
    return {
        std::make_unique<Differences>(context.device, context.grid, context.precision, factors)};
}

void with_edges(const PriorImage& prior, const Grid& grid) {
    edge_weights(prior, grid);
}

RegulariserTerm unsampled(const RegulariserContext& context) {
    return {std::make_unique<Unsampled>(context.device, context.grid, context.precision,
                                        *context.positions)};
}

RegulariserVolumes of_unsampled(const Grid&) {
    return {1, 2};
}

RegulariserTerm wavelet(const RegulariserContext& context) {
    return {std::make_unique<Wavelet>(context.device, context.grid, context.precision)};
}

std::unique_ptr<Proximal> threshold_of_details(const Grid& grid) {
    return std::make_unique<SoftThreshold>(wavelet_details(grid));
}

RegulariserVolumes of_wavelet(const Grid& grid) {
    return {wavelet_components(grid), 2 * dimensions_of(grid), true};
}

std::unique_ptr<Proximal> make_singular_value_threshold(const Grid& grid) {
    return std::make_unique<OverFrames>(grid, &low_rank_shortened<float>,
                                        &low_rank_shortened<double>, &shortening_by_length);
}

std::unique_ptr<Proximal> make_temporal_variation(const Grid& grid) {
    return std::make_unique<OverFrames>(grid, &temporal_variation_shortened<float>,
                                        &temporal_variation_shortened<double>,
                                        [](const Grid&, std::size_t) { return 1.0; });
}

} // namespace

const std::vector<Regulariser>& regularisers() {
    static const std::vector<Regulariser> table{
        {"roughness", "squared differences of neighbouring voxels", &differences, nullptr,
         &of_differences},
        {"prior", "squared differences from a prior image", &to_prior, nullptr, &of_identity, false,
         &any_prior},
        {"anatomical", "roughness, but not across the edges of a prior image",
         &weighted_differences, nullptr, &of_differences, false, &with_edges},
        {"band", "squared spatial frequencies of the image that were not sampled", &unsampled,
         nullptr, &of_unsampled, false, nullptr, true},
        {"tv", "total variation: the norm of the image gradient", &differences,
         &threshold_of_gradients, &of_differences, false, nullptr, false, true},
        {"wavelet", "the L1 norm of shift-invariant Daubechies-4 coefficients", &wavelet,
         &threshold_of_details, &of_wavelet, false, nullptr, false, true},
        {"l1", "the sum of magnitudes, for an image that is mostly empty", &identity,
         &threshold_of_voxels, &of_identity},
        {"llr",
         "locally low rank: the singular values of patches over all frames, for dynamic scans",
         &identity, &make_singular_value_threshold, &of_identity, true, nullptr, false, true},
        {"ttv",
         "temporal total variation: the norm of differences of consecutive frames, for dynamic "
         "scans",
         &identity, &make_temporal_variation, &of_identity, true, nullptr, false, true, "tv"},
    };
    return table;
}

const Regulariser& regulariser_named(const std::string& name) {
    for (const Regulariser& row : regularisers()) {
        if (row.name == name) {
            return row;
        }
    }
    throw UsageError("`reg` " + name + ": no such regulariser\n  expected: one of " +
                     comma_separated(names_of(regularisers())));
}

std::string in_words(const std::vector<RegulariserChoice>& chosen) {
    std::string words;
    for (const RegulariserChoice& choice : chosen) {
        words += text(words.empty() ? "" : " ", choice.name,
                      choice.weight > 0 ? ":" + exact(choice.weight) : "");
    }
    return words;
}

bool need_splitting(const std::vector<RegulariserChoice>& chosen) {
    return std::any_of(chosen.begin(), chosen.end(), [](const RegulariserChoice& choice) {
        return !regulariser_named(choice.name).quadratic();
    });
}

bool need_all_frames(const std::vector<RegulariserChoice>& chosen) {
    return !flags_over_frames(chosen).empty();
}

std::string flags_over_frames(const std::vector<RegulariserChoice>& chosen) {
    std::string flags;
    for (const RegulariserChoice& choice : chosen) {
        if (regulariser_named(choice.name).couples_frames) {
            flags += text(flags.empty() ? "" : " ", "`reg` ", choice.name);
        }
    }
    return flags;
}

bool need_prior(const std::vector<RegulariserChoice>& chosen) {
    return std::any_of(chosen.begin(), chosen.end(), [](const RegulariserChoice& choice) {
        return regulariser_named(choice.name).require != nullptr;
    });
}

void require_prior(const std::vector<RegulariserChoice>& chosen, const PriorImage& prior,
                   const Grid& grid) {
    for (const RegulariserChoice& choice : chosen) {
        const Regulariser& row = regulariser_named(choice.name);
        if (row.require != nullptr) {
            row.require(prior, grid);
        }
    }
}

namespace {

struct VolumesOfTerms {
    std::size_t kept = 0;
    std::size_t products = 0; ///< K x and K^H K x of one of them
};

VolumesOfTerms volumes_of_terms(const std::vector<RegulariserChoice>& chosen, const Grid& grid) {
    VolumesOfTerms of;
    for (const RegulariserChoice& choice : chosen) {
        const Regulariser& row = regulariser_named(choice.name);
        const RegulariserVolumes of_row = row.volumes(grid);
        of.kept += of_row.inside;
        of.kept += row.quadratic() ? 0 : 3 * of_row.components + 2; // z, u, K x; K^H of z and u
        of.products = std::max(of.products, of_row.is_isometry ? 0 : of_row.components + 1);
    }
    return of;
}

} // namespace

std::size_t volumes_of(const std::vector<RegulariserChoice>& chosen, const Grid& grid) {
    if (chosen.empty()) {
        return 0;
    }
    const VolumesOfTerms of = volumes_of_terms(chosen, grid);
    // b, the right-hand side, K^H of either, and of the preconditioner a period with its inverse
    const std::size_t of_splitting = need_splitting(chosen) ? 6 : 0;
    return of_splitting + of.kept + of.products;
}

double passes_of(const std::vector<RegulariserChoice>& chosen, const Grid& grid,
                 bool in_host_memory) {
    double passes = 0;
    for (const RegulariserChoice& choice : chosen) {
        // Most of an isometry's components are touched by its own transform alone. Measured: on
        // processors the wavelet's steps through memory take longer than all else.
        const bool is_isometry = regulariser_named(choice.name).volumes(grid).is_isometry;
        const double share = !is_isometry ? 1 : in_host_memory ? 1.4 : 0.4;
        passes += share * static_cast<double>(volumes_of({choice}, grid));
    }
    return passes;
}

std::size_t volumes_of_each_frame(const std::vector<RegulariserChoice>& chosen, const Grid& grid) {
    const VolumesOfTerms of = volumes_of_terms(chosen, grid);
    return 4 + of.kept + of.products; // x, b, the right-hand side and its residual
}

namespace {

/// A term whose operator is that of each set, by the voxels that this one sees.
RegulariserTerm made_of_sets(const Regulariser& row, RegulariserContext context) {
    if (context.sets == 1) {
        return row.make(context);
    }
    const auto voxels = static_cast<Eigen::Index>(context.grid.voxels());
    const RealVector* const all = context.seen;
    RegulariserTerm term;
    std::vector<std::unique_ptr<Operator>> of_sets;
    for (std::size_t s = 0; s < context.sets; ++s) {
        const RealVector seen =
            all != nullptr ? RealVector(all->segment(static_cast<Eigen::Index>(s) * voxels, voxels))
                           : RealVector();
        context.seen = all != nullptr ? &seen : nullptr;
        term = row.make(context);
        of_sets.push_back(std::move(term.k));
    }
    if (term.target != nullptr) {
        throw UsageError("`reg` " + row.name + ": there are two sets of coil maps, and " +
                         term.target->file + " is one image\n  next:     pass `maps` espirit:1");
    }
    term.k = std::make_unique<BlockDiagonal>(context.device, context.precision, std::move(of_sets));
    return term;
}

} // namespace

std::vector<RegulariserTerm> make_regularisers(const std::vector<RegulariserChoice>& chosen,
                                               const RegulariserContext& context) {
    std::vector<RegulariserTerm> terms;
    for (const RegulariserChoice& choice : chosen) {
        const Regulariser& row = regulariser_named(choice.name);
        terms.push_back(made_of_sets(row, context));
        if (!row.quadratic()) {
            terms.back().proximal = row.proximal(context.grid);
            terms.back().proximal->repeat(context.sets, terms.back().k->outputs() / context.sets);
        }
        terms.back().couples_frames = row.couples_frames;
        terms.back().weight = choice.weight;
    }
    return terms;
}

} // namespace lsrecon
