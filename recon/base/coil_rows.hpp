// Samples and coil maps, a row a coil, in the precision of their file.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/float_range.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// Complex numbers, a row a coil, in the precision of the file that they come from: samples, C x M,
/// or coil maps, C x N. A row is contiguous, and so are all rows together. They may be values of
/// somebody else, which are copied before they are changed.
class CoilRows {
public:
    using Floats =
        Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    CoilRows() = default; ///< none
    CoilRows(CoilMatrix values) : values_(std::move(values)) {}
    CoilRows(Floats values) : values_(std::move(values)) {}
    template <typename Derived> CoilRows(const Eigen::MatrixBase<Derived>& values)
        : CoilRows(Eigen::Matrix<typename Derived::Scalar, Eigen::Dynamic, Eigen::Dynamic,
                                 Eigen::RowMajor>(values)) {}
    /// Rows of values that are not set yet.
    CoilRows(std::size_t rows, std::size_t columns, Precision precision) {
        const auto r = static_cast<Eigen::Index>(rows);
        const auto n = static_cast<Eigen::Index>(columns);
        if (precision == Precision::float32) {
            values_ = Floats(r, n);
        } else {
            values_ = CoilMatrix(r, n);
        }
    }

    /// The values of somebody else, one row after another, without a copy: `keeper` and its copies
    /// keep them as they are. Real is float or double.
    template <typename Real> static CoilRows of(const std::complex<Real>* values, std::size_t rows,
                                                std::size_t columns,
                                                std::shared_ptr<const void> keeper) {
        CoilRows result;
        result.values_ = Borrowed<Real>{values, static_cast<Eigen::Index>(rows),
                                        static_cast<Eigen::Index>(columns), std::move(keeper)};
        return result;
    }

    /// function(values), which are an Eigen::Map of constant Floats or of a constant CoilMatrix.
    template <typename Visit> decltype(auto) visit(const Visit& function) const {
        return std::visit(
            [&](const auto& held) -> decltype(auto) {
                using Held = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<Held, CoilMatrix> || std::is_same_v<Held, Floats>) {
                    return function(Eigen::Map<const Held>(held.data(), held.rows(), held.cols()));
                } else {
                    return function(held.map());
                }
            },
            values_);
    }
    /// function(values), which are Floats or a CoilMatrix, to change them.
    template <typename Visit> decltype(auto) visit(const Visit& function) {
        largest_part_.reset();
        own();
        Floats* const floats = std::get_if<Floats>(&values_);
        return floats ? function(*floats) : function(std::get<CoilMatrix>(values_));
    }

    std::size_t rows() const {
        return visit([](const auto& values) { return static_cast<std::size_t>(values.rows()); });
    }
    std::size_t columns() const {
        return visit([](const auto& values) { return static_cast<std::size_t>(values.cols()); });
    }
    bool empty() const { return rows() * columns() == 0; }
    Precision precision() const {
        return visit([](const auto& values) {
            return sizeof(values(0, 0)) == sizeof(std::complex<float>) ? Precision::float32
                                                                       : Precision::float64;
        });
    }

    template <typename Row, typename Column> Complex operator()(Row row, Column column) const {
        return visit([&](const auto& values) {
            return Complex(
                values(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
        });
    }
    /// Equal values; the precision may differ.
    friend bool operator==(const CoilRows& a, const CoilRows& b) {
        return a.rows() == b.rows() && a.columns() == b.columns() &&
               a.to_doubles() == b.to_doubles();
    }
    friend bool operator!=(const CoilRows& a, const CoilRows& b) { return !(a == b); }

    /// The largest |real or imaginary part|; infinity or NaN when a part is. The maker of the
    /// values may have computed it already.
    double largest_part() const {
        return largest_part_ ? *largest_part_ : visit([](const auto& values) {
            LargestPart largest;
            largest.add(parts_of(values), 2 * static_cast<std::size_t>(values.size()));
            return largest.value();
        });
    }
    void know_largest_part(double value) { largest_part_ = value; }

    /// A copy in double precision: what the reference computes with.
    CoilMatrix to_doubles() const {
        return visit(
            [](const auto& values) { return CoilMatrix(values.template cast<Complex>()); });
    }

    /// The values themselves where they are doubles, as those that a program makes.
    CoilMatrix& doubles() {
        largest_part_.reset();
        own();
        return std::get<CoilMatrix>(values_);
    }

    /// Real and imaginary parts of all values, one after the other.
    template <typename Matrix> static const typename Matrix::RealScalar* parts_of(const Matrix& m) {
        return reinterpret_cast<const typename Matrix::RealScalar*>(m.data());
    }
    template <typename Matrix> static typename Matrix::RealScalar* parts_of(Matrix& m) {
        return reinterpret_cast<typename Matrix::RealScalar*>(m.data());
    }

private:
    template <typename Real> struct Borrowed {
        using Matrix =
            Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        Eigen::Map<const Matrix> map() const { return {data, rows, columns}; }

        const std::complex<Real>* data;
        Eigen::Index rows, columns;
        std::shared_ptr<const void> keeper;
    };

    /// Copies values of somebody else.
    void own() {
        if (const auto* doubles = std::get_if<Borrowed<double>>(&values_)) {
            values_ = CoilMatrix(doubles->map());
        } else if (const auto* floats = std::get_if<Borrowed<float>>(&values_)) {
            values_ = Floats(floats->map());
        }
    }

    std::variant<CoilMatrix, Floats, Borrowed<double>, Borrowed<float>> values_;
    std::optional<double> largest_part_; ///< when it is known
};

} // namespace lsrecon
