// The alternating direction method of multipliers, for terms that are not quadratic.

#pragma once

#include <memory>
#include <vector>

#include "device/volume.hpp"
#include "operators/gram.hpp"
#include "operators/preconditioner.hpp"
#include "operators/regularisers.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// The largest number of conjugate gradients within one iteration; they begin where the last ended.
constexpr int most_inner_iterations = 10;

/// The problem of one frame: 1/2 x^H A x - Re(b^H x) + the terms.
struct SplitProblem {
    const Regularised& a; ///< relative to Q(0)
    std::vector<const RegulariserTerm*> terms; ///< none of them quadratic; in each frame the same
    Volume b; ///< given away
    double scale; ///< s of the terms: near the largest voxel of x
    /// Near the inverse of A, to precondition, or null; it gets the weights of the terms.
    Preconditioner* inverse = nullptr;
    ComplexVector start = {}; ///< x to begin with; empty for 0
    double norm = b.norm(); ///< numbers are relative to it: squares of floats end at 1e19
    double x_norm = norm; ///< what a relative x is multiplied by in the end
    double share = 1; ///< Q(0) relative to its mean over the frames
    Monitor monitor = nullptr;
};

/// Minimises the sum of share times the problems over the images of one frame, or of several that
/// some terms couple, by the alternating direction method of multipliers (Boyd et al. 2011) around
/// conjugate gradients, on arrays of the device. A frame's residuals are the larger of the primal
/// and the dual one, relative, after each of its iterations; all frames go in step until those of
/// all are low enough. ToleranceError when they stop being finite, or when the precision cannot
/// keep the tolerance.
std::vector<Solution> split_solve(Device& device, Precision precision,
                                  std::vector<SplitProblem> problems, const SolveOptions& options);

class SplitFrames; // solve/splitting.cpp

/// Such problems whose terms change their weights on the way. Each weight begins where the last one
/// ended, with its auxiliary variables and multipliers, so that a few iterations are enough.
class SplitPath {
public:
    /// The terms and what they refer to must outlive it.
    SplitPath(Device& device, Precision precision, std::vector<SplitProblem> problems);
    ~SplitPath();
    SplitPath(SplitPath&&) noexcept;

    /// Iterates with the weights that the terms have now. ToleranceError as of split_solve().
    void go_on(int iterations);
    /// The image of a problem: a scale times an array of the device. Null for an image of zeros.
    const Array* image(std::size_t problem) const;
    double scale(std::size_t problem) const { return x_norms_[problem]; }

private:
    std::unique_ptr<SplitFrames> frames_; ///< null for a right-hand side of zeros
    std::vector<double> x_norms_;
    int done_ = 0;
};

} // namespace lsrecon
