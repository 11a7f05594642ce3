// The normal equations of one trajectory with their regularisers, as they are solved on a device.

#pragma once

#include <memory>
#include <string>

#include "operators/gram.hpp"
#include "operators/preconditioner.hpp"
#include "operators/regularisers.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/lanczos.hpp"
#include "solve/splitting.hpp"

namespace lsrecon {

/// The normal equations of one trajectory on one device, A = Q(0) (N + lambda), and the
/// regularisers beside them.
class System {
public:
    /// The device must outlive it. Regularisers are those on this device; `inverse`, or null,
    /// preconditions.
    System(Device& device, Precision precision, std::unique_ptr<Gram> n, double lambda,
           std::vector<RegulariserTerm> regularisers = {},
           std::unique_ptr<Preconditioner> inverse = nullptr);

    /// A x
    ComplexVector apply(const ComplexVector& x);
    /// Conjugate gradients on the device, see conjugate_gradient; with regularisers that are not
    /// quadratic by splitting, see split_solve.
    Solution solve(const Volume& f_h_d, const SolveOptions& options);

    /// (A / Q(0))^-1 v with the quadratic terms alone, whatever they pull to.
    ComplexVector inverse_of(const ComplexVector& v, const SolveOptions& options);
    /// v through the iterations of an earlier solve() without preconditioner, which stopped early.
    ComplexVector repeated(const ComplexVector& v, const Iterations& run);
    /// N v / Q(0)
    ComplexVector normal_product(const ComplexVector& v);

    /// Refines x (an image times Q(0) / ||F^H d||, on this device) by conjugate gradients on its
    /// residual, quadratic terms only, so that each lambda of a path starts from the image of the
    /// one before.
    void improve(Array& x, const Volume& f_h_d, const SolveOptions& options);
    /// Sets the weight of a regulariser, by its index.
    void set_weight(std::size_t regulariser, double weight) {
        regularisers_[regulariser].weight = weight;
    }

    /// Q(0) times the image after a few plain iterations, with which splitting begins. Its largest
    /// voxel is s of the terms: the largest |F^H d| would be up to N^2 times that, where the centre
    /// of k-space is dense.
    ComplexVector iterate_briefly(const Volume& f_h_d);
    /// The problem that solve() splits where some terms are not quadratic, in units of Q(0).
    SplitProblem split(Volume f_h_d, double scale) {
        return {relative_, others_, right_hand_side(std::move(f_h_d)), scale, inverse_.get()};
    }
    /// Solves by plain iterations alone, without preconditioner and without regularisers.
    Solution iterate_plainly(const Volume& f_h_d, const SolveOptions& options);
    /// What the image explains after plain iterations that go on from `image`: of as many as these,
    /// or of those after which it explains `enough`, or would if the gains of iterations went on as
    /// they fall.
    double explained_from(const ComplexVector& image, const Volume& f_h_d, int iterations,
                          double enough);
    /// Such iterations, some at a time; the image is Q(0) times that of iterate_plainly(). The
    /// system must outlive it.
    PlainRun plain_run(const Volume& f_h_d, bool keeps_image) {
        return {device_, plain_, precision_, f_h_d, keeps_image};
    }
    void set_lambda(double lambda);

    /// Whether a term conjugates images: only real parts of inner products mean anything.
    bool is_real_linear() const;
    /// The image that a term pulls to; null for 0.
    const PriorImage* target() const;
    /// F^H d plus the part that such terms add to it, Q(0) times weight times target.
    Volume right_hand_side(Volume f_h_d) const;
    /// <image, F^H d> and Q(0) <image, N image>.
    struct Products {
        double with_data = 0; ///< its real part
        double with_itself = 0;
        /// The scale of the image that explains d best.
        double scale() const { return with_data / with_itself; }
        /// ||d||^2 - ||F image - d||^2
        double explained() const { return 2 * with_data - with_itself; }
    };
    Products products_of(const ComplexVector& image, const Volume& f_h_d);
    /// These products of an image that is `scale` times an array of this device.
    Products products_of(const Array& image, double scale, const Volume& f_h_d);

    double unit() const { return n_->unit(); } ///< Q(0)
    std::string means() const { return n_->means(); } ///< means by which its products are made
    Device& device() { return device_; }
    Precision precision() const { return precision_; }
    double epsilon() const { return unit_roundoff(precision_); }
    /// The solver in words, for the record: "conjugate gradients on the device, double precision,
    /// FFT by fftw-3.3.10".
    std::string description() const;

private:
    Device& device_;
    Precision precision_;
    std::unique_ptr<Gram> n_;
    Regularised plain_; ///< A / Q(0)
    std::vector<RegulariserTerm> regularisers_;
    Regularised relative_; ///< A / Q(0) with the quadratic terms
    std::vector<const RegulariserTerm*> others_;
    std::unique_ptr<Preconditioner> inverse_; ///< next to that of A
};

} // namespace lsrecon
