#pragma once

#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "base/report.hpp"
#include "operators/q_source.hpp"
#include "prepare/model_check.hpp"
#include "prepare/prepared_scan.hpp"
#include "solve/lambda_curve.hpp"
#include "solve/normal_equations.hpp"

namespace lsrecon {

/// The equations of the frames of a scan, made when a frame needs them: those of the last place and
/// of its last sampling are kept. All that it is made of must outlive it.
class ScanEquations {
public:
    ScanEquations(PreparedScan& prepared, Transforms& transforms, QSource& q,
                  const PlanOptions& plan, const SolveOptions& options, SampleErrors sample_errors,
                  Reporter& report)
        : prepared_(prepared), transforms_(transforms), q_(q), plan_(plan), options_(options),
          sample_errors_(sample_errors), report_(report),
          model_(transforms, prepared.maps_are_stored()) {}

    /// InputError when the place of the frame cannot be prepared.
    NormalEquations& of(std::size_t frame);
    /// Of the equations that were asked for last.
    const Place& place() const { return here_->place; }

    /// A frame whose samples have become F^H d.
    struct Transformed {
        Frame frame; ///< without samples
        std::vector<Volume> fhd;
        double energy = 0; ///< of the samples: ||W^1/2 d||^2
        SampledErrors sampled = {}; ///< of F^H d
        double most_noise = 0; ///< what noise has of it at most, where none was measured; else 0
    };
    /// The only frame of a scan can be taken once.
    Transformed transformed(std::size_t frame);

    /// Chooses lambda for all frames by a bright one (solve/choose_lambda.hpp); the first good one
    /// stays to be taken. The options were those of smallest_lambda.
    LambdaCurve choose_lambda(const RuleChoice& rule);
    /// Of all that follow, too.
    void set_lambda(double lambda);

    /// The models of the places whose frames were transformed.
    ModelCheck& model() { return model_; }

private:
    struct OfPlace {
        OfPlace(Place prepared, const Plan& of, ScanEquations& scan);
        Place place;
        Plan plan;
        FrameEquations frames;
    };

    std::size_t bright_frame();
    /// That the frames of one sampling will take, at most; 0 where Q is given.
    double products() const;
    Q make_q(const Sampling& sampling);
    double most_noise_of(const Frame& frame) const;
    /// Of the method, for places of this plan; null where it solves.
    std::function<Density(const Sampling&)> density_for(const Plan& plan) const;
    void compare_models(std::size_t f, const Frame& frame);

    PreparedScan& prepared_;
    Transforms& transforms_;
    QSource& q_;
    PlanOptions plan_;
    SolveOptions options_;
    SampleErrors sample_errors_;
    Reporter& report_;
    ModelCheck model_;
    std::set<std::size_t> compared_; ///< places whose models were
    std::optional<OfPlace> here_;
    std::deque<std::pair<const Sampling*, Q>> kept_qs_; ///< for places that come; the last ones
    std::optional<std::pair<std::size_t, Transformed>> in_hand_;
};

} // namespace lsrecon
