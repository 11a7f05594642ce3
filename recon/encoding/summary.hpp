// What is known of the solves of a scan: their effort, their errors, and what to report of them.

#pragma once

#include <algorithm>

#include "base/finding.hpp"
#include "base/tolerance.hpp"
#include "scan/image.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

struct Solved;

/// Properties of a solve besides its options, on which the advice in notes depends.
struct SolvedWith {
    double epsilon = tolerance::eps; ///< unit roundoff of the transforms' arithmetic
    bool exact = true; ///< the engine; else its accuracy limits the transforms, not their precision
    bool time_segments = false; ///< whether off-resonance comes in time segments
    bool iterations_requested = true; ///< not their usual number
    bool coil_maps = true;
    bool field_map = true;
    std::string joined = {}; ///< "contrast, set": counters whose acquisitions are in one frame
};

/// A summary of the solves of all problems of a scan.
class SolveSummary {
public:
    explicit SolveSummary(const SolveOptions& options, const SolvedWith& with = {})
        : options_(options), with_(with) {}

    void add(const ImageFrame& frame);

    /// "12 iterations, residual 9e-06, target 0.0001"; of a regulariser that is not quadratic how
    /// much the last passes changed the image. It says where the iterations are as many as asked
    /// for, and did not converge.
    std::string as_text() const;
    /// Whether all problems kept the tolerance, or the last passes changed the image by 1 % at
    /// most.
    bool converged() const;

    /// Whether rounding in the transforms decides the image as much as lambda does; false
    /// without lambda, when stopping early is what regularises.
    bool lambda_is_lost() const { return options_.lambda > 0 && options_.lambda < resolved_; }

    /// Whether rounding in the transforms is estimated to change the image by more than the
    /// tolerance that was asked for, or 1e-4 where that follows from lambda.
    bool precision_limits_image() const { return image_error_ > options_.image_tolerance; }

    /// The largest errors of all frames that were sampled.
    const Certificate& certificate() const { return certificate_; }
    /// "F^H d 3e-7, Q 2e-7, image 1e-5, at most 2e-5"; "" where none were.
    std::string certificate_in_words() const;

    /// "10 % unexplained, 1.2 times the noise" of the samples' energy, or "noise at most 9 %" where
    /// none was measured, and a verdict; "" where that is not known.
    std::string samples_in_words() const;
    /// Whether so much of some frame is unexplained that something is likely to be wrong.
    bool explains_too_little() const { return by_model_ > 0 || smoothed_away_ > 0; }

    /// What a user should know of that: of a solve that did not converge, of samples that are not
    /// explained, of transforms whose errors may show.
    Findings findings() const;
    Finding on_convergence() const;
    Finding on_samples() const;
    Finding on_transforms() const;

    /// Numbers for the record: 1 where converged, worst and median of the final residuals, the
    /// largest late change, the smallest lambda that is resolved, the estimated error of the image.
    std::vector<std::pair<std::string, double>> numbers() const;

private:
    std::string effort_in_words() const;
    std::string residuals_in_words() const;
    std::string late_change_in_words() const;
    double worst_residual() const;
    bool ended_as_meant() const; ///< converged, or stopped early where that regularises
    bool ended_as_requested() const; ///< stopped by the number of iterations that was asked for
    bool stops_early() const { return options_.lambda == 0 && options_.regularisers.empty(); }
    double left() const; ///< share of the samples' energy that is left
    void compare(const ImageFrame& frame);
    std::string left_in_words() const; ///< without the verdict
    std::string verdict() const;
    bool smooths() const;

    SolveOptions options_;
    SolvedWith with_;
    std::vector<double> residuals_; ///< the last of every problem
    std::vector<double> iterations_; ///< done
    std::size_t ended_by_limit_ = 0;
    std::size_t frames_ = 0;
    double late_change_ = 0;
    double explained_ = 0; ///< the least of all frames, 0 where that is not known
    double unexplained_ = 0; ///< the most
    double noise_ = 0; ///< share of the samples' energy that it has at most, of the least explained
    double times_noise_ = 0; ///< the most that is left, in units of measured or at most the noise
    double left_by_model_ = 0; ///< the most, as a share of the samples' energy
    double model_times_noise_ = 0; ///< the same in units of noise
    std::size_t by_model_ = 0; ///< frames of which the model leaves too much
    std::size_t by_regularisation_ = 0; ///< frames of which regularisation leaves more than noise
    std::size_t smoothed_away_ = 0; ///< those of them of which it leaves very much
    double resolved_ = 0;
    double image_error_ = 0; ///< estimated, relative; 0 where that is not known
    Certificate certificate_;
};

/// Estimates the effect of rounding in the transforms on a frame. `bound` is that of the
/// transforms' relative error, in arithmetic of this unit roundoff; a gain is
/// ||F^H d|| / (Q(0) ||rho||) of one problem, at most ||A|| / Q(0) and, where the image lies in
/// the directions that were measured best, nearly that.
///
/// Below resolved_lambda, errors of A and b determine the solution of (A + lambda Q(0) I) x = b
/// more than the data do; it is the error times the gain. The error is spread over all directions;
/// in those that the scan did not measure it is divided by lambda Q(0), and is then as large as x.
/// image_error is the estimate of tolerance::image_error for a lambda that holds all directions, 0
/// without lambda.
void estimate_rounding(ImageFrame& frame, const std::vector<double>& gains, double lambda,
                       double bound, double epsilon);

/// The errors that were sampled, in place of that estimate, and what they do to the image of these
/// iterations, or of lambda where they are not known. `voxels`: unknowns of a problem.
void estimate_by_certificate(ImageFrame& frame, const Solved& solved,
                             const Certificate& certificate, double lambda, std::size_t voxels);

/// The share of the samples' energy that an image by a right model is likely to explain at least.
double least_explained_by_right_model(const ImageFrame& frame);
/// Whether a frame leaves more of its samples than a right model and noise are likely to leave.
bool leaves_more_than_noise(const ImageFrame& frame);

/// Compares a frame with its samples. `explained` is ||d||^2 - ||F rho - d||^2 and `energy` is
/// ||d||^2. `noise` is the part of `energy` that measured noise makes up, 0 where none was
/// measured; `most_noise` is then its upper limit.
void compare_with_samples(ImageFrame& frame, double explained, double energy, double noise,
                          double most_noise = 0);

} // namespace lsrecon
