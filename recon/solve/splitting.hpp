#pragma once

#include <functional>

#include "device/volume.hpp"
#include "operators/preconditioner.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/regularisers.hpp"

namespace lsrecon {

/// 1/2 x^H A x - Re(b^H x) + the terms.
struct SplitProblem {
    SelfAdjoint& a;
    std::vector<const RegulariserTerm*> terms; ///< none of them quadratic
    const Volume& b;
    double scale; ///< s of the terms: near the largest voxel of x
    /// Near the inverse of A, to precondition, or null; it gets the weights of the terms.
    Preconditioner* inverse = nullptr;
};

/// Minimises it by the alternating direction method of multipliers (Boyd et al. 2011) around
/// conjugate gradients: from x = `start`, on arrays of the device. The residuals of the solution
/// are the larger of the primal and the dual one, relative, after each of its iterations.
/// ToleranceError when they stop being finite, or when the precision cannot keep the tolerance.
Solution split_solve(Device& device, Precision precision, const SplitProblem& problem,
                     const ComplexVector& start, const SolveOptions& options,
                     const std::function<void(double)>& progress);

/// What an iteration left between a term and its solution: squares of norms.
struct Distances {
    double apart = 0; ///< K x - z
    double size = 0; ///< K x
    double changed = 0; ///< K^H (z - z before)
    double multipliers = 0; ///< K^H u

    Distances& operator+=(const Distances& other);
    double primal() const; ///< relative
    double dual() const;
    double larger() const { return std::max(primal(), dual()); }
    /// What the penalty is to be multiplied by, to keep the two within a factor of each other (Boyd
    /// et al. 2011, section 3.4.1).
    double penalty_factor() const;
};

/// The alternating directions of one problem, step by step. Numbers are relative to `norm`: squares
/// of floats leave their range at 1e19.
class Alternation {
public:
    /// What the problem refers to must outlive it, but for b. `other`, or null, works at another
    /// time and lends its workspace.
    Alternation(Device& device, Precision precision, const SplitProblem& problem, double norm,
                const Alternation* other = nullptr);

    std::size_t terms() const { return parts_.size(); }
    /// Begins with this image, in place of 0.
    void begin_at(const ComplexVector& x);
    /// x for the z and u of all terms.
    void solve_for_x();
    /// z of a term becomes K x, over-relaxed, + u: what its proximal map is to be applied to.
    void relax(std::size_t term);
    /// Applies the proximal map of a term that is one of this problem alone.
    void shorten(std::size_t term);
    /// u of a term for its new z.
    Distances update(std::size_t term);

    const RegulariserTerm& term(std::size_t term) const { return *parts_[term].term; }
    /// Its weight times scale.
    double length(std::size_t term) const { return parts_[term].length; }
    double penalty(std::size_t term) const { return left_.terms()[term].weight; }
    /// Before the first step.
    void begin_with(std::size_t term, double penalty) { left_.terms()[term].weight = penalty; }
    void change_penalty(std::size_t term, double factor);
    /// z of a term.
    Array& auxiliary(std::size_t term) { return parts_[term].z; }
    const Array& image() const { return x_; }
    ComplexVector solution() const { return device_.download(x_); }

private:
    struct Part {
        const RegulariserTerm* term;
        double length; ///< weight times scale
        Array z; ///< K x, shortened
        Array u; ///< scaled multipliers
        Array v; ///< K x
        Array back_z; ///< K^H z
        Array back_u; ///< K^H u
        double largest_penalty; ///< since r was computed anew
    };

    Array zeros(std::size_t count) { return device_.zeros(count, {true, precision_}); }
    Array zeros() { return zeros(b_.count()); }
    double square(const Array& array) { return device_.dot(array, array); }
    const Array& preconditioned();
    bool penalty_has_fallen() const;
    void conjugate_gradients();
    double update_back(Part& part);

    Device& device_;
    Precision precision_;
    Array b_;
    Regularised left_; ///< A + sum of penalty K^H K
    Preconditioner* inverse_; ///< next to that of left_
    Array x_;
    Array right_;
    Array back_;
    Array r_; ///< right - left x
    Array p_;
    Array a_p_;
    std::vector<Part> parts_;
    int done_ = 0;
};

} // namespace lsrecon
