// The table of regularisers, and what a choice of them needs.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operators/operator.hpp"
#include "operators/proximal.hpp"
#include "scan/grid.hpp"
#include "scan/prior_image.hpp"

namespace lsrecon {

/// A term of what is minimised beside the data: a name in regularisers() and its weight, as after
/// --reg.
struct RegulariserChoice {
    std::string name;
    double weight = 0; ///< 0: to be chosen from the scan
    template <typename Archive> void each(Archive& archive) { archive(name, weight); }
};
using Regularisers = std::vector<RegulariserChoice>;

/// A weight of tv or wavelet where the best one is not known, for images of any scale.
constexpr double usual_weight = 0.01;

/// A term on a device, with K from a row of the table, in units of Q(0):
///
///     quadratic:  weight / 2 ||K rho||^2, which joins the normal equations
///     otherwise:  weight s phi(K rho), where s is the largest voxel of System::iterate_briefly, so
///                 that the weight serves scans of any scale
struct RegulariserTerm {
    std::unique_ptr<Operator> k;
    /// The target of a quadratic term with K = 1, weight / 2 ||rho - target||^2; null for 0.
    const PriorImage* target = nullptr;
    /// Proximal map of phi; null for a quadratic term.
    std::unique_ptr<Proximal> proximal = nullptr;
    bool couples_frames = false; ///< phi is of K rho of all frames
    double weight = 0;
    bool is_real_linear = false; ///< K conjugates images, and no preconditioner knows it
};

/// The device, grid and inputs with which a term is made.
struct RegulariserContext {
    Device& device;
    Precision precision;
    const Grid& grid;
    /// The prior image on the grid; it must outlive the term. Not null for a kind that needs one.
    const PriorImage* prior = nullptr;
    /// The trajectory of the frame; not null for `band`.
    const std::vector<Vec3>* positions = nullptr;
    /// 1 at voxels that coil maps see, 0 at the others, N of each set; null where they see all.
    /// Differences to the others are left out.
    const RealVector* seen = nullptr;
    std::size_t sets = 1; ///< images that are regularised, each by itself
};

/// Arrays of the image's size that a term needs.
struct RegulariserVolumes {
    std::size_t components; ///< components of K rho
    std::size_t inside; ///< K's own
    bool is_isometry = false; ///< then K^H K is 1, and needs none
};

/// One kind of term.
struct Regulariser {
    std::string name;
    std::string summary;
    /// Makes the operator of the kind.
    RegulariserTerm (*make)(const RegulariserContext& context);
    /// Makes the proximal map of the kind; null for a quadratic term.
    std::unique_ptr<Proximal> (*proximal)(const Grid& grid);
    RegulariserVolumes (*volumes)(const Grid& grid);
    bool couples_frames = false; ///< they are then solved together
    /// The check of a kind that needs a prior image: InputError when it has no use for this one.
    /// Null for other kinds.
    void (*require)(const PriorImage& prior, const Grid& grid) = nullptr;
    bool of_unmeasured = false; ///< whether it leaves a rule for lambda as it is

    /// Cross-validation chooses weights of it that are near the best (scripts/study_weights.py).
    bool may_be_weighed = false;
    /// The regulariser that a choice among all gives the same weight beside this one; "" for none.
    std::string weighed_with = {};

    bool quadratic() const { return proximal == nullptr; }
};

/// The table: a row each.
const std::vector<Regulariser>& regularisers();

/// UsageError that lists the names when there is none of this one.
const Regulariser& regulariser_named(const std::string& name);

/// Whether some are not quadratic: conjugate gradients alone do not minimise them.
bool need_splitting(const std::vector<RegulariserChoice>& chosen);

/// Whether some couple the frames, which are then solved together (encoding/joint.hpp).
bool need_all_frames(const std::vector<RegulariserChoice>& chosen);
/// The terms that couple frames, as they are asked for: "--reg llr".
std::string flags_over_frames(const std::vector<RegulariserChoice>& chosen);

/// Whether some need a prior image, and the first InputError of one that cannot use this image.
bool need_prior(const std::vector<RegulariserChoice>& chosen);
void require_prior(const std::vector<RegulariserChoice>& chosen, const PriorImage& prior,
                   const Grid& grid);

/// "tv:0.02 roughness:0.01"
std::string in_words(const std::vector<RegulariserChoice>& chosen);

/// The number of volumes of the image's size that the terms need at most while they are minimised.
std::size_t volumes_of(const std::vector<RegulariserChoice>& chosen, const Grid& grid);
/// The number of those volumes that one iteration passes through, for predictions of time.
double passes_of(const std::vector<RegulariserChoice>& chosen, const Grid& grid,
                 bool in_host_memory);
/// The number of those volumes that each of the frames needs that are solved together.
std::size_t volumes_of_each_frame(const std::vector<RegulariserChoice>& chosen, const Grid& grid);

std::vector<RegulariserTerm> make_regularisers(const std::vector<RegulariserChoice>& chosen,
                                               const RegulariserContext& context);

} // namespace lsrecon
