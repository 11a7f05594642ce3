#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/report.hpp"
#include "prepare/model_check.hpp"
#include "prepare/prepared_scan.hpp"
#include "prepare/prior.hpp"
#include "reconstruct_q.hpp"
#include "solve/lambda_curve.hpp"
#include "solve/normal_equations.hpp"

namespace lsrecon {

/// The equations of the frames of a scan, in the order of PreparedScan::order(): those of a frame
/// are made when it needs them, with the maps, the field map and the prior image of its place, and
/// serve frames that were sampled alike. All that it is made of must outlive it.
class ScanEquations {
public:
    /// What a solve is of beside the scan.
    struct Parts {
        Backend& backend;
        const Plan& plan;
        QSource& q;
        ScanPrior* prior; ///< null where regularisers need none
    };

    ScanEquations(PreparedScan& prepared, const Parts& parts, const SolveOptions& options,
                  Reporter& report)
        : prepared_(prepared), parts_(parts), plan_(parts.plan), options_(options), report_(report),
          model_(parts.backend, prepared.maps_are_stored()) {}

    /// Whether places have maps, a field map or a prior image of their own.
    bool places_differ() const;
    NormalEquations& of(std::size_t frame);

    /// A frame whose samples have become F^H d.
    struct Transformed {
        Frame frame; ///< without samples
        std::vector<Volume> fhd;
        double energy = 0; ///< of the samples: ||W^1/2 d||^2
    };
    /// The only frame of a scan can be taken once.
    Transformed transformed(std::size_t frame);

    /// Chooses lambda for all frames by a bright one (solve/choose_lambda.hpp); the first good one
    /// stays to be taken. The options were those of smallest_lambda.
    LambdaCurve choose_lambda(const RuleChoice& rule);
    /// Of all that follow, too.
    void set_lambda(double lambda);

    const ModelCheck& model() const { return model_; }

private:
    std::size_t bright_frame();
    bool is_at_place_of(std::size_t frame) const;
    void move_to(std::size_t frame);
    Q make_q(const Sampling& sampling);
    void compare_models(std::size_t f, const Frame& frame);

    PreparedScan& prepared_;
    Parts parts_;
    Plan plan_; ///< with the field map of a place
    SolveOptions options_;
    Reporter& report_;
    ModelCheck model_;
    std::set<std::size_t> compared_; ///< places whose models were
    std::optional<FrameEquations> of_place_;
    std::deque<std::pair<const Sampling*, Q>> kept_qs_; ///< for places that come; the last ones
    std::optional<std::pair<std::size_t, Transformed>> in_hand_;
};

} // namespace lsrecon
