// Computes the two dominant eigenvectors of a Hermitian matrix at every voxel by power iteration.

#include "model/estimated_maps.hpp"

#include <cmath>
#include <optional>

#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

using ComplexPlane =
    Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Voxels side by side: the loops over them become vector instructions.
using Lanes = Eigen::ArrayXf;

constexpr std::size_t rows_at_a_time = 16;
constexpr std::size_t voxels_at_a_time = 256;
constexpr int most_steps = 100;
constexpr int steps_of_a_power = 25; ///< before the matrices are squared
constexpr float converged = 1e-5F; ///< change of the vector in one step, relative

/// The matrices of some voxels, with a row a pair: real and imaginary parts apart.
struct Matrices {
    Eigen::ArrayXXf real; ///< voxels x pairs
    Eigen::ArrayXXf imaginary;
};

struct Vectors {
    Eigen::ArrayXXf real; ///< voxels x coils
    Eigen::ArrayXXf imaginary;

    Lanes squares() const {
        return real.square().rowwise().sum() + imaginary.square().rowwise().sum();
    }
    void scale(const Lanes& factor) {
        real.colwise() *= factor;
        imaginary.colwise() *= factor;
    }
};

/// Entry (a, b) for a <= b.
Eigen::Index pair_of(Eigen::Index a, Eigen::Index b, Eigen::Index coils) {
    return a * coils - a * (a - 1) / 2 + (b - a);
}

Vectors product(const Matrices& m, const Vectors& x) {
    const Eigen::Index coils = x.real.cols();
    Vectors y{Eigen::ArrayXXf::Zero(x.real.rows(), coils),
              Eigen::ArrayXXf::Zero(x.real.rows(), coils)};
    for (Eigen::Index a = 0; a < coils; ++a) {
        const Eigen::Index diagonal = pair_of(a, a, coils);
        y.real.col(a) += m.real.col(diagonal) * x.real.col(a);
        y.imaginary.col(a) += m.real.col(diagonal) * x.imaginary.col(a);
        for (Eigen::Index b = a + 1; b < coils; ++b) {
            const Eigen::Index ab = pair_of(a, b, coils);
            const auto re = m.real.col(ab);
            const auto im = m.imaginary.col(ab);
            y.real.col(a) += re * x.real.col(b) - im * x.imaginary.col(b);
            y.imaginary.col(a) += re * x.imaginary.col(b) + im * x.real.col(b);
            y.real.col(b) += re * x.real.col(a) + im * x.imaginary.col(a);
            y.imaginary.col(b) += re * x.imaginary.col(a) - im * x.real.col(a);
        }
    }
    return y;
}

/// The column of the largest diagonal entry: it is never orthogonal to the wanted vector.
Vectors first_guess(const Matrices& m, Eigen::Index coils) {
    const Eigen::Index voxels = m.real.rows();
    Vectors x{Eigen::ArrayXXf(voxels, coils), Eigen::ArrayXXf(voxels, coils)};
    for (Eigen::Index v = 0; v < voxels; ++v) {
        Eigen::Index largest = 0;
        for (Eigen::Index c = 1; c < coils; ++c) {
            if (m.real(v, pair_of(c, c, coils)) > m.real(v, pair_of(largest, largest, coils))) {
                largest = c;
            }
        }
        for (Eigen::Index c = 0; c < coils; ++c) {
            const bool above = c <= largest;
            const Eigen::Index pair = pair_of(std::min(c, largest), std::max(c, largest), coils);
            x.real(v, c) = m.real(v, pair);
            x.imaginary(v, c) = above ? m.imaginary(v, pair) : -m.imaginary(v, pair);
        }
    }
    return x;
}

Lanes inverse_or_zero(const Lanes& values) {
    return (values > 0).select(values.inverse(), Lanes::Zero(values.size()));
}

/// Scales vectors to norm 1, or to 0 where they are 0. Returns the norms.
Lanes normalise(Vectors& x) {
    const Lanes norms = x.squares().sqrt();
    x.scale(inverse_or_zero(norms));
    return norms;
}

/// The squares of the matrices over their traces: the same eigenvectors, farther apart.
Matrices squared(Matrices m, Eigen::Index coils) {
    Lanes trace = Lanes::Zero(m.real.rows());
    for (Eigen::Index a = 0; a < coils; ++a) {
        trace += m.real.col(pair_of(a, a, coils));
    }
    const Lanes scale = inverse_or_zero(trace);
    m.real.colwise() *= scale;
    m.imaginary.colwise() *= scale;
    Matrices result{Eigen::ArrayXXf::Zero(m.real.rows(), m.real.cols()),
                    Eigen::ArrayXXf::Zero(m.real.rows(), m.real.cols())};
    const auto sign = [](Eigen::Index a, Eigen::Index b) { return a <= b ? 1.0F : -1.0F; };
    for (Eigen::Index a = 0; a < coils; ++a) {
        for (Eigen::Index b = a; b < coils; ++b) {
            const Eigen::Index ab = pair_of(a, b, coils);
            for (Eigen::Index k = 0; k < coils; ++k) { // m_ak m_kb
                const Eigen::Index ak = pair_of(std::min(a, k), std::max(a, k), coils);
                const Eigen::Index kb = pair_of(std::min(k, b), std::max(k, b), coils);
                const auto im_ak = sign(a, k) * m.imaginary.col(ak);
                const auto im_kb = sign(k, b) * m.imaginary.col(kb);
                result.real.col(ab) += m.real.col(ak) * m.real.col(kb) - im_ak * im_kb;
                result.imaginary.col(ab) += m.real.col(ak) * im_kb + im_ak * m.real.col(kb);
            }
        }
    }
    return result;
}

/// Power iteration: for coil maps the other eigenvalues are far below where there is signal. Where
/// the next eigenvalue is near, as where artefacts have signal, a hundred steps would leave some of
/// the first guess, which jumps from voxel to voxel.
Lanes iterate(const Matrices& m, Vectors& x) {
    normalise(x);
    Lanes eigenvalues;
    std::optional<Matrices> power;
    for (int step = 0; step < most_steps; ++step) {
        if (step > 0 && step % steps_of_a_power == 0) {
            power = squared(power ? *power : m, x.real.cols());
        }
        Vectors next = product(power ? *power : m, x);
        eigenvalues = normalise(next);
        const Vectors change{next.real - x.real, next.imaginary - x.imaginary};
        const bool done = change.squares().maxCoeff() < converged * converged;
        x = std::move(next);
        if (done) {
            break;
        }
    }
    return power ? product(m, x).squares().sqrt().eval() : eigenvalues;
}

class RowsOfVectors {
public:
    /// `largest` are the eigenvectors before those that are wanted, or null.
    RowsOfVectors(const HermitianField& field, const Grid& grid, const Eigen::VectorXcf& reference,
                  const Eigenvectors* largest, Eigenvectors& out)
        : field_(field), grid_(grid), reference_(reference), largest_(largest), out_(out) {}

    void operator()(std::size_t z, const Range& rows) const {
        const std::vector<ComplexPlane> pairs = entries(static_cast<Eigen::Index>(z), rows);
        const auto coils = static_cast<Eigen::Index>(field_.coils);
        const std::size_t start = (z * grid_.size[1] + rows.first) * grid_.size[0];
        for (const Range& range : split_into_ranges(rows.count * grid_.size[0], voxels_at_a_time)) {
            const auto first = static_cast<Eigen::Index>(range.first);
            const auto count = static_cast<Eigen::Index>(range.count);
            const auto pair_count = static_cast<Eigen::Index>(pairs.size());
            Matrices m{Eigen::ArrayXXf(count, pair_count), Eigen::ArrayXXf(count, pair_count)};
            for (Eigen::Index p = 0; p < pair_count; ++p) {
                const Eigen::Map<const Eigen::ArrayXcf> values(
                    pairs[static_cast<std::size_t>(p)].data() + first, count);
                m.real.col(p) = values.real();
                m.imaginary.col(p) = values.imag();
            }
            const Eigen::Index to = static_cast<Eigen::Index>(start) + first;
            if (largest_ != nullptr) {
                take_out(*largest_, to, m);
            }
            Vectors x = first_guess(m, coils);
            out_.eigenvalues.segment(to, count) = iterate(m, x);
            for (Eigen::Index v = 0; v < count; ++v) {
                put(x, v, to + v);
            }
        }
    }

private:
    /// Some rows of a plane for each pair: the sum over z, then y, then x.
    std::vector<ComplexPlane> entries(Eigen::Index z, const Range& rows) const {
        const Eigen::Index x_terms = field_.basis[0].cols();
        const Eigen::Index y_terms = field_.basis[1].cols();
        const Eigen::Index z_terms = field_.basis[2].cols();
        std::vector<ComplexPlane> planes;
        for (Eigen::Index pair = 0; pair < field_.coefficients.rows(); ++pair) {
            ComplexPlane of_plane = ComplexPlane::Zero(y_terms, x_terms);
            for (Eigen::Index t = 0; t < z_terms; ++t) {
                of_plane += field_.basis[2](z, t) *
                            Eigen::Map<const ComplexPlane>(field_.coefficients.row(pair).data() +
                                                               t * y_terms * x_terms,
                                                           y_terms, x_terms);
            }
            planes.emplace_back(field_.basis[1].middleRows(static_cast<Eigen::Index>(rows.first),
                                                           static_cast<Eigen::Index>(rows.count)) *
                                of_plane * field_.basis[0].transpose());
        }
        return planes;
    }

    /// M - lambda v v^H
    void take_out(const Eigenvectors& known, Eigen::Index first, Matrices& m) const {
        const auto coils = static_cast<Eigen::Index>(field_.coils);
        const auto eigenvalues = known.eigenvalues.segment(first, m.real.rows());
        for (Eigen::Index a = 0; a < coils; ++a) {
            for (Eigen::Index b = a; b < coils; ++b) {
                const Eigen::ArrayXcf product =
                    (known.vectors.row(a).segment(first, m.real.rows()).array() *
                     known.vectors.row(b).segment(first, m.real.rows()).array().conjugate())
                        .transpose();
                m.real.col(pair_of(a, b, coils)) -= eigenvalues * product.real();
                m.imaginary.col(pair_of(a, b, coils)) -= eigenvalues * product.imag();
            }
        }
    }

    void put(const Vectors& x, Eigen::Index v, Eigen::Index n) const {
        std::complex<float> along = 0;
        for (Eigen::Index c = 0; c < x.real.cols(); ++c) {
            along +=
                std::conj(reference_(c)) * std::complex<float>(x.real(v, c), x.imaginary(v, c));
        }
        const float size = std::abs(along);
        const std::complex<float> phase_factor = size > 0 ? std::conj(along) / size : 1;
        for (Eigen::Index c = 0; c < x.real.cols(); ++c) {
            out_.vectors(c, n) =
                phase_factor * std::complex<float>(x.real(v, c), x.imaginary(v, c));
        }
    }

    const HermitianField& field_;
    const Grid& grid_;
    const Eigen::VectorXcf& reference_;
    const Eigenvectors* largest_;
    Eigenvectors& out_;
};

Eigenvectors eigenvectors_after(const Eigenvectors* largest, const HermitianField& field,
                                const Grid& grid, const Eigen::VectorXcf& reference) {
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    Eigenvectors out{CoilRows::Floats(static_cast<Eigen::Index>(field.coils), voxels),
                     Eigen::ArrayXf(voxels)};
    const RowsOfVectors compute(field, grid, reference, largest, out);
    const std::vector<Range> rows = split_into_ranges(grid.size[1], rows_at_a_time);
    for_each_in_parallel(grid.size[2] * rows.size(),
                         [&](std::size_t i) { compute(i / rows.size(), rows[i % rows.size()]); });
    return out;
}

} // namespace

Eigenvectors dominant_eigenvectors(const HermitianField& field, const Grid& grid,
                                   const Eigen::VectorXcf& reference) {
    return eigenvectors_after(nullptr, field, grid, reference);
}

Eigenvectors next_eigenvectors(const HermitianField& field, const Grid& grid,
                               const Eigen::VectorXcf& reference, const Eigenvectors& largest) {
    return eigenvectors_after(&largest, field, grid, reference);
}

} // namespace lsrecon
