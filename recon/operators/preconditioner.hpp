// Preconditioners that are diagonal in a basis with a fast transform: cosines or exponentials.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "operators/coil_maps.hpp"
#include "operators/operator.hpp"
#include "operators/q.hpp"
#include "operators/sets.hpp"

namespace lsrecon {

/// An orthonormal basis in which convolutions are next to diagonal, with its fast transform.
/// Preconditioners of one grid may share one, as long as one of them works at a time.
class Basis {
public:
    virtual ~Basis() = default;
    virtual std::size_t count() const = 0; ///< number of eigenvalues
    /// Eigenvalues of the matrix next to `scale` T, by the Frobenius norm; T = F^H W F is the
    /// convolution with q. With maps, or null, a basis may approximate sum_c S_c^H T S_c instead,
    /// for maps whose squares have a mean of 1.
    virtual RealVector of_t(const Q& q, double scale, CoilMaps* maps) = 0;
    /// Eigenvalues of a convolution that makes `response` of one voxel in the middle (grid.size /
    /// 2).
    virtual RealVector of_response(const ComplexVector& response) = 0;
    /// out = the matrix of these eigenvalues times in, and times the number of eigenvalues.
    virtual void multiply(const Array& eigenvalues, const Array& in, Array& out) = 0;
};

/// Cosines (DCT-II), which end the grid like mirrors: Chan, Chan and Wong 1999, IEEE Trans. Image
/// Process. 8:1472. DeviceError when the device has no room; it must outlive the basis, here and
/// below.
std::shared_ptr<Basis> make_cosine_basis(Device& device, const Grid& grid, Precision precision);

/// Exponentials of a period, whose matrices are circulant: Chan 1988, SIAM J. Sci. Stat. Comput.
/// 9:766. They distinguish directions of k-space, such as spokes, that are each other's mirror
/// image. To them opposite faces of the grid are neighbours. With
/// maps the first column is multiplied by their autocorrelation, scaled to 1 at 0: coils see
/// directions of k-space that were not sampled, from those beside them.
std::shared_ptr<Basis> make_periodic_basis(Device& device, const Grid& grid, Precision precision);

/// A preconditioner by its basis.
struct PreconditionerKind {
    const char* name; ///< after --preconditioner, and in the record
    std::shared_ptr<Basis> (*make_basis)(Device& device, const Grid& grid, Precision precision);
};
constexpr PreconditionerKind cosine_kind{"cosine", &make_cosine_basis};
constexpr PreconditionerKind circulant_kind{"circulant", &make_periodic_basis};
/// The preconditioner of splitting, or of conjugate gradients alone.
constexpr const PreconditionerKind& preconditioner_kind(bool split) {
    return split ? circulant_kind : cosine_kind;
}

/// The inverse of a matrix next to A + lambda + sum of weight K^H K that is diagonal in a basis, to
/// precondition conjugate gradients; positive as A is. A is next to `squares` T / Q(0). That of
/// K^H K is by what it does to the voxel in the middle, exact in cosines for differences of
/// neighbours on three voxels and more.
class Preconditioner : public SelfAdjoint {
public:
    /// `squares` is the mean of the coil maps' sum of squares. DeviceError when the device has no
    /// room. The device must outlive it; the maps are not kept. Images of several sets of maps are
    /// inverted by themselves.
    Preconditioner(Device& device, const Q& q, Precision precision, std::shared_ptr<Basis> basis,
                   double squares, double lambda, CoilMaps* maps = nullptr);

    /// The cost with the basis, whose period is little longer than the image: at most two volumes
    /// with the eigenvalues, and a third where maps do not see every voxel.
    static Cost cost(std::size_t voxels, Precision precision, bool with_maps) {
        return (with_maps ? 3.0 : 2.0) * Cost::array(voxels, Element{true, precision}.bytes());
    }

    /// Raises eigenvalues of A below their mean to it: for conjugate gradients without other terms.
    /// Corners of k-space that nobody sampled have eigenvalues of T of all sizes below, and no
    /// such matrix knows them.
    void raise_to_mean();
    /// A is lambda alone where coil maps see nothing. Voxels of 1 are those that they see: the
    /// inverse is that of the matrix next to A there, and of the diagonal elsewhere. Before weights
    /// are set.
    void restrict_to(const RealVector& voxels);
    void set_lambda(double lambda);

    /// The weight of K^H K of an operator on the grid's voxels is 0 until it is set. The operator
    /// must outlive the preconditioner.
    void set_weight(Operator* k, double weight);

    std::size_t inputs() const override { return sets_ * grid_.voxels(); }
    void apply(const Array& in, Array& out) override;

private:
    /// A term K^H K, from what it does to a voxel that is seen and to one that is not.
    struct Term {
        Operator* k;
        RealVector eigenvalues;
        double outside; ///< its diagonal where nothing is seen
        double weight;
    };
    Term term_of(Operator& k);
    /// Over the number of eigenvalues.
    RealVector inverse_of_sum() const;
    void multiply_by_inverse(const Array& in, Array& out);

    Device& device_;
    Grid grid_;
    Precision precision_;
    std::shared_ptr<Basis> basis_;
    double squares_;
    double lambda_;
    std::size_t sets_;
    std::optional<Parts> parts_; ///< where there are several sets
    Array of_set_;
    Array inverse_; ///< real, of the eigenvalues
    Array support_; ///< real, 1 or 0 a voxel; empty for all
    Array inside_; ///< what is inverted, of the support
    double outside_ = 0; ///< inverse of the diagonal there
    std::size_t seen_voxel_; ///< amid others that are seen, near the middle
    std::size_t unseen_voxel_ = 0; ///< any, where there are some
    RealVector of_a_; ///< without lambda
    std::vector<Term> terms_;
    bool stale_ = true; ///< inverse_
};

} // namespace lsrecon
