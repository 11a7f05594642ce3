// What the files of the Python module share: arrays of NumPy, who listens, and devices that stay
// open between calls.

#pragma once

#include <chrono>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "io/shared_values.hpp"
#include "lsrecon.hpp"

namespace lsrecon::python {

namespace nb = nanobind;

void bind_scan(nb::module_& m);
void bind_recon(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_coils(nb::module_& m);

/// Numbers of the host, one row after another; the package hands over no other arrays.
using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// function(const Number* values), for complex numbers in their precision.
template <typename Visit> auto visit_complex(const Array& array, const Visit& visit) {
    if (array.dtype() == nb::dtype<std::complex<float>>()) {
        return visit(static_cast<const std::complex<float>*>(array.data()));
    }
    if (array.dtype() != nb::dtype<std::complex<double>>()) {
        throw nb::type_error("an array of complex64 or complex128 was expected");
    }
    return visit(static_cast<const std::complex<double>*>(array.data()));
}

/// Rows of an array from number `first` on, without a copy: the array must outlive them.
CoilRows rows_of(const Array& array, std::size_t first, std::size_t rows, std::size_t columns);
/// The last dimension as columns, all others as rows.
CoilRows rows_of(const Array& array);
/// Real numbers of either precision, as doubles.
RealVector reals_of(const Array& array);

/// An array of NumPy that owns its values.
template <typename Number>
nb::object numpy(std::vector<Number> values, const std::vector<std::size_t>& shape) {
    auto* const kept = new std::vector<Number>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
    return nb::cast(
        nb::ndarray<nb::numpy, Number>(kept->data(), shape.size(), shape.data(), owner));
}
/// Values of Eigen, converted to the numbers of the array.
template <typename Number, typename Values>
nb::object numpy_of(const Values& values, const std::vector<std::size_t>& shape) {
    std::vector<Number> numbers(static_cast<std::size_t>(values.size()));
    Eigen::Map<Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        numbers.data(), values.rows(), values.cols()) = values.template cast<Number>();
    return numpy(std::move(numbers), shape);
}
nb::object numpy_of(const CoilRows& rows, const std::vector<std::size_t>& shape);

/// X, Y (and Z) as a grid, and the shape of its arrays: (Z,) Y, X.
Grid grid_of(const std::vector<std::size_t>& matrix, const std::vector<double>& fov_mm);
std::vector<std::size_t> shape_of(const Grid& grid);
/// `first` before `shape`.
std::vector<std::size_t> joined(std::vector<std::size_t> first,
                                const std::vector<std::size_t>& shape);

/// Positions in cycles per field of view, from number `first` on.
std::vector<Vec3> positions_of(const Array& trajectory, std::size_t first, std::size_t samples,
                               const std::string& units, const Grid& grid);

/// What distinguishes devices of this process; a child process cannot use one of its parent.
std::string device_in_words(const ComputeOptions& options);
/// The same, and what else bits of Q depend on beside its engine and accuracy.
std::string making_in_words(const ComputeOptions& options);

/// The Qs of an encoding, by what made them: each is computed once, and several threads may ask.
class KeptQs {
public:
    /// `making` is in words.
    SharedByScans of(const std::string& making) { return {&values_, making}; }

private:
    static constexpr double most_bytes =
        1e300; // one a precision, and an accuracy that was asked for
    SharedValues values_{most_bytes};
};

/// Hands progress to a function of Python, (stage, fraction), and asks it for Ctrl-C; its errors
/// end the work. The interpreter may do anything else meanwhile.
class ToPython : public Reporter {
public:
    explicit ToPython(nb::object progress = nb::none()) : progress_(std::move(progress)) {}
    void progress(double fraction) override;
    /// Calls the function with the interpreter held, unless it was called just now.
    void check_signals();

protected:
    void on_begin(const std::string& stage, double expected_seconds) override;

private:
    void call(double fraction);

    nb::object progress_; ///< None for nobody
    std::string stage_;
    std::chrono::steady_clock::time_point last_{};
};

/// Transforms on a device that no other call uses, and that stays open for the next one. A device
/// whose work ended by an error is closed.
class LentTransforms {
public:
    explicit LentTransforms(ComputeOptions options, Reporter& report);
    ~LentTransforms();
    LentTransforms(const LentTransforms&) = delete;
    Transforms& operator*() const { return *transforms_; }
    Transforms* operator->() const { return transforms_.get(); }
    void give_back() { works_ = true; }

private:
    std::string key_;
    std::unique_ptr<Transforms> transforms_;
    bool works_ = false;
};
/// Closes the devices that are not lent.
void close_devices();

} // namespace lsrecon::python
