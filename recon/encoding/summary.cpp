// Gathers the solves of all frames, and puts them into words, findings and numbers.

#include "encoding/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/tolerance.hpp"
#include "encoding/certificate.hpp"
#include "encoding/methods.hpp"
#include "solve/lanczos.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

/// Right models left up to 1.4 times a measured noise once regularisation was left out: spokes of
/// an analytic phantom at an SNR of 100.
constexpr double times_of_right_model = 2;
/// The share of the energy that voxels and single precision may leave, however little noise there
/// is.
constexpr double least_of_wrong_model = 1e-4;

double most_of_right_model(double noise) {
    return std::max(least_of_wrong_model, times_of_right_model * noise);
}

/// The share of the samples' energy that is noise: as measured, or at most.
double share_of_noise(const ImageFrame& frame) {
    return frame.unexplained > 0 ? (1 - frame.explained) / frame.unexplained : frame.noise;
}

} // namespace

double least_explained_by_right_model(const ImageFrame& frame) {
    return 1 - most_of_right_model(share_of_noise(frame));
}

bool leaves_more_than_noise(const ImageFrame& frame) {
    return frame.explained != 0 && frame.explained < least_explained_by_right_model(frame);
}

void SolveSummary::add(const ImageFrame& frame) {
    ++frames_;
    for (std::size_t p = 0; p < frame.residuals.size(); ++p) { // none of a frame that failed
        residuals_.push_back(frame.residuals[p].back());
        iterations_.push_back(static_cast<double>(frame.residuals[p].size() - 1));
        ended_by_limit_ += frame.stops[p] == Stop::iterations ? 1 : 0;
    }
    late_change_ = std::max(late_change_, frame.late_change);
    if (frame.explained != 0) {
        if (explained_ == 0 || frame.explained < explained_) {
            explained_ = frame.explained;
            noise_ = frame.noise;
        }
        unexplained_ = std::max(unexplained_, frame.unexplained);
        compare(frame);
    }
    resolved_ = std::max(resolved_, frame.resolved_lambda);
    image_error_ = std::max(image_error_, frame.image_error);
    for (ErrorEstimate Certificate::*const of :
         {&Certificate::fhd, &Certificate::gram, &Certificate::image}) {
        ErrorEstimate& largest = certificate_.*of;
        largest.estimate = std::max(largest.estimate, (frame.certificate.*of).estimate);
        largest.upper = std::max(largest.upper, (frame.certificate.*of).upper);
    }
    certificate_.voxels = std::max(certificate_.voxels, frame.certificate.voxels);
}

std::string SolveSummary::certificate_in_words() const {
    if (certificate_.voxels == 0) {
        return "";
    }
    return text("F^H d ", rounded(certificate_.fhd.estimate), ", Q ",
                rounded(certificate_.gram.estimate), ", image ",
                certificate_.image.upper > 0
                    ? text(rounded(certificate_.image.estimate), ", at most ",
                           rounded(certificate_.image.upper), " with a confidence of 95 %")
                    : "not known: `certify` finds it");
}

double SolveSummary::worst_residual() const {
    return residuals_.empty() ? 0 : *std::max_element(residuals_.begin(), residuals_.end());
}

std::string SolveSummary::effort_in_words() const {
    const std::string count = range_in_words(iterations_);
    const std::string one = need_splitting(options_.regularisers) ? " pass" : " iteration";
    return count + one + (count == "1" ? "" : need_splitting(options_.regularisers) ? "es" : "s");
}

std::string SolveSummary::residuals_in_words() const {
    const std::string worst = rounded(worst_residual());
    return (residuals_.size() == 1
                ? "residual " + worst
                : text("residuals up to ", worst, ", median ", rounded(median(residuals_)))) +
           text(", target ", rounded(options_.tolerance));
}

std::string SolveSummary::late_change_in_words() const {
    const std::size_t done = *std::max_element(iterations_.begin(), iterations_.end());
    const int late = late_iterations(std::max(options_.iterations, static_cast<int>(done)));
    return text("the last ", late == 1 ? "one" : text(late), " changed ",
                residuals_.size() == 1 ? "the image by " : "an image by up to ",
                rounded(100 * late_change_), " %");
}

std::string SolveSummary::as_text() const {
    if (!method_of(options_).solves) {
        return method_of(options_).name + ", no iterations";
    }
    const std::size_t solves = residuals_.size();
    const std::string line = (solves == 1 ? "" : text(solves, " solves, ")) + effort_in_words() +
                             (ended_as_requested() ? ", as many as asked for" : "");
    if (!need_splitting(options_.regularisers)) {
        return line + ", " + residuals_in_words();
    }
    return late_change_ > 0 ? line + ", " + late_change_in_words() : line;
}

bool SolveSummary::converged() const {
    // Changes of the image by the last iterations. Where the image is regularised, more iterations
    // would change nothing.
    constexpr double nothing = 0.001;
    if (need_splitting(options_.regularisers)) {
        return late_change_ <= settled_change && std::isfinite(worst_residual());
    }
    const bool is_regularised = options_.lambda > 0 || !options_.regularisers.empty();
    return worst_residual() <= options_.tolerance ||
           (is_regularised && late_change_ > 0 && late_change_ <= nothing);
}

Finding SolveSummary::on_convergence() const {
    const bool split = need_splitting(options_.regularisers);
    const bool changed = late_change_ > 0 && options_.iterations > 1;
    return {Found::not_converged,
            {{"solves", residuals_.size()},
             {"limited", ended_by_limit_},
             {"residual", worst_residual()},
             {"early", stops_early()}},
            {{"effort", effort_in_words()},
             {"residuals", split ? "" : residuals_in_words()},
             {"change", changed ? late_change_in_words() : ""}}};
}

Finding SolveSummary::on_transforms() const {
    return {lambda_is_lost() ? Found::lambda_unresolved : Found::transform_errors,
            {{"lambda", options_.lambda},
             {"resolved", resolved_},
             {"error", image_error_},
             {"exact", with_.exact},
             {"in_double", with_.epsilon < tolerance::eps},
             {"time_segments", with_.time_segments}}};
}

void SolveSummary::compare(const ImageFrame& frame) {
    constexpr double much = 0.2; // that a user may not have meant to smooth away
    const double noise = share_of_noise(frame);
    const double left = 1 - frame.explained;
    const double of_model = frame.left_by_model > 0 ? frame.left_by_model : left;
    times_noise_ = std::max(times_noise_, noise > 0 ? left / noise : 0);
    if (!leaves_more_than_noise(frame)) {
        return;
    }
    left_by_model_ = std::max(left_by_model_, of_model);
    model_times_noise_ = std::max(model_times_noise_, noise > 0 ? of_model / noise : 0);
    if (of_model > most_of_right_model(noise)) {
        ++by_model_;
        return;
    }
    ++by_regularisation_;
    smoothed_away_ += left > std::max(much, most_of_right_model(noise)) ? 1 : 0;
}

std::string SolveSummary::left_in_words() const {
    const std::string times = rounded(times_noise_) + " times the noise";
    const bool exceeds = by_model_ + by_regularisation_ > 0;
    return text(frames_ == 1 ? "" : "up to ", rounded(100 * left()), " % unexplained",
                unexplained_ > 0        ? ", " + times
                : exceeds && noise_ > 0 ? ", at least " + times
                : noise_ > 0            ? ", noise at most " + rounded(100 * noise_) + " %"
                                        : "");
}

std::string SolveSummary::verdict() const {
    if (by_model_ > 0) {
        return text("something in the model is wrong",
                    frames_ == 1 ? "" : text(" for ", counted(by_model_, "frame")),
                    ", see docs/trust.md");
    }
    if (by_regularisation_ > 0) {
        return text("regularisation leaves that; without it, ",
                    model_times_noise_ > 0 ? rounded(model_times_noise_) + " times the noise"
                                           : rounded(100 * left_by_model_) + " %");
    }
    return times_noise_ > times_of_right_model || times_noise_ == 0 ? "next to nothing"
                                                                    : "as noise would leave it";
}

std::string SolveSummary::samples_in_words() const {
    return explained_ == 0 ? "" : left_in_words() + ": " + verdict();
}

Finding SolveSummary::on_samples() const {
    return {Found::data_unexplained,
            {{"left", left()},
             {"times_noise", times_noise_},
             {"left_by_model", left_by_model_},
             {"by_model", by_model_},
             {"frames", frames_},
             {"limited", ended_by_limit_},
             {"lambda", options_.lambda},
             {"smooths", smooths()},
             {"coil_maps", with_.coil_maps},
             {"field_map", with_.field_map},
             {"prior", need_prior(options_.regularisers)}},
            {{"samples", left_in_words()}, {"joined", with_.joined}}};
}

double SolveSummary::left() const {
    constexpr double least = 1e-6; // F^H d is in single precision
    return std::max(least, 1 - explained_);
}

/// Whether a penalty may leave more of the samples unexplained than noise.
bool SolveSummary::smooths() const {
    return std::any_of(options_.regularisers.begin(), options_.regularisers.end(),
                       [](const RegulariserChoice& choice) {
                           return !regulariser_named(choice.name).of_unmeasured;
                       });
}

bool SolveSummary::ended_as_meant() const {
    constexpr double hardly = 0.05; // which one does not see
    return converged() || (options_.is_chosen && late_change_ <= hardly) ||
           (stops_early() && !with_.iterations_requested && worst_residual() < 1);
}

bool SolveSummary::ended_as_requested() const {
    const bool is_solution = need_splitting(options_.regularisers)
                                 ? std::isfinite(worst_residual())
                                 : worst_residual() < 1; // as of an image of zeros
    return with_.iterations_requested && !converged() && is_solution;
}

Findings SolveSummary::findings() const {
    Findings findings;
    if (!ended_as_meant() && !ended_as_requested()) {
        findings.push_back(on_convergence());
    }
    if (explains_too_little()) {
        findings.push_back(on_samples());
    }
    if (lambda_is_lost() || precision_limits_image()) {
        findings.push_back(on_transforms());
    }
    return findings;
}

std::vector<std::pair<std::string, double>> SolveSummary::numbers() const {
    if (!method_of(options_).solves) {
        return {};
    }
    std::vector<std::pair<std::string, double>> numbers{{"converged", ended_as_meant() ? 1 : 0},
                                                        {"residual_worst", worst_residual()},
                                                        {"residual_median", median(residuals_)},
                                                        {"late_change", late_change_},
                                                        {"lambda_resolved", resolved_}};
    const auto add_known = [&](const char* name, double value) {
        if (value != 0) {
            numbers.emplace_back(name, value);
        }
    };
    add_known("unexplained", explained_ == 0 ? 0 : left());
    add_known("unexplained_over_noise", unexplained_);
    add_known("noise_at_most", noise_);
    add_known("unexplained_by_model", left_by_model_);
    add_known("image_error_estimate", image_error_);
    add_known("certified_voxels", certificate_.voxels);
    add_known("certified_fhd", certificate_.fhd.estimate);
    add_known("certified_fhd_upper", certificate_.fhd.upper);
    add_known("certified_q", certificate_.gram.estimate);
    add_known("certified_q_upper", certificate_.gram.upper);
    add_known("certified_image", certificate_.image.estimate);
    add_known("certified_image_upper", certificate_.image.upper);
    return numbers;
}

void estimate_rounding(ImageFrame& frame, const std::vector<double>& gains, double lambda,
                       double bound, double epsilon) {
    const double error = tolerance::normal_equations(bound, epsilon);
    for (const double gain : gains) {
        frame.resolved_lambda = std::max(frame.resolved_lambda, error * gain);
        if (lambda > 0) {
            frame.image_error =
                std::max(frame.image_error, tolerance::image_error(bound, epsilon, gain / lambda));
        }
    }
}

void estimate_by_certificate(ImageFrame& frame, const Solved& solved,
                             const Certificate& certificate, double lambda, std::size_t voxels) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double room = 10; // for eigenvalues that no iteration has seen (docs/maths.md)
    frame.certificate = certificate;
    const bool by_iterations = solved.runs.size() == solved.gains.size();
    if (certificate.voxels == 0 || !(by_iterations || lambda > 0)) {
        return;
    }
    ErrorEstimate& image = frame.certificate.image;
    for (std::size_t p = 0; p < solved.gains.size(); ++p) {
        const double gain = solved.gains[p];
        const ErrorEstimate error = error_of_equations(certificate, gain);
        Amplification by;
        ErrorEstimate moved;
        if (by_iterations) {
            const Sensitivity run(solved.runs[p], lambda);
            by = run.amplification();
            moved = {run.change(error.estimate, voxels), room * run.change(error.upper, voxels)};
        } else {
            by = amplification_by(lambda);
        }
        const ErrorEstimate of_problem{
            std::hypot(error.estimate * gain * by.of_terms, moved.estimate),
            std::hypot(error.upper * gain * by.of_any, moved.upper)};
        image.estimate = std::max(image.estimate, of_problem.estimate);
        image.upper = std::max({image.upper, image.estimate,
                                std::isfinite(of_problem.upper) ? of_problem.upper : infinite});
    }
    frame.image_error = image.estimate;
}

void compare_with_samples(ImageFrame& frame, double explained, double energy, double noise,
                          double most_noise) {
    constexpr double resolved = 1e-5; // of the energy; F^H d is in single precision
    const double share = explained / energy;
    if (share != 0 && std::isfinite(share)) {
        frame.explained = share;
        frame.unexplained = noise > resolved * energy ? (energy - explained) / noise : 0;
        frame.noise = most_noise / energy;
    }
}

} // namespace lsrecon
