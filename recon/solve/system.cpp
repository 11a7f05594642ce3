#include "solve/system.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// Maps that are floats, as files have them, stay floats: they are most of the memory.
Precision precision_of(const CoilMatrix& coil_maps, Precision of_vectors) {
    const auto is_float = [](double value) { return value == static_cast<float>(value); };
    const bool floats =
        std::all_of(coil_maps.data(), coil_maps.data() + coil_maps.size(), [&](Complex value) {
            return is_float(value.real()) && is_float(value.imag());
        });
    return floats ? Precision::float32 : of_vectors;
}

/// An array a coil.
std::vector<Array> uploaded(Device& device, const CoilMatrix& coil_maps, Precision of_vectors) {
    const Precision precision = precision_of(coil_maps, of_vectors);
    std::vector<Array> maps;
    for (Eigen::Index c = 0; c < coil_maps.rows(); ++c) {
        maps.push_back(device.zeros(columns(coil_maps), {true, precision}));
        device.upload(coil_maps.row(c).transpose(), maps.back());
    }
    return maps;
}

} // namespace

System::System(Device& device, Precision precision, std::unique_ptr<Gram> gram,
               const CoilMatrix& coil_maps, double lambda)
    : device_(device), precision_(precision), gram_(std::move(gram)),
      relative_(device, *gram_, uploaded(device, coil_maps, precision), lambda) {}

ComplexVector System::apply(const ComplexVector& x) {
    const double norm = x.stableNorm() > 0 ? x.stableNorm() : 1;
    Array in = device_.zeros(static_cast<std::size_t>(x.size()), {true, precision_});
    Array out = device_.zeros(static_cast<std::size_t>(x.size()), {true, precision_});
    device_.upload(x / norm, in);
    relative_.apply(in, out);
    return gram_->diagonal() * norm * device_.download(out);
}

Solution System::solve(const ComplexVector& b, const SolveOptions& options,
                       const std::function<void(double)>& progress) {
    Solution solution = conjugate_gradient(device_, relative_, precision_, b, options, progress);
    solution.x /= gram_->diagonal();
    return solution;
}

std::string System::description() const {
    return text("conjugate gradients on ", device_.name(), ", ",
                precision_ == Precision::float64 ? "double" : "single", " precision, ",
                gram_->means());
}

} // namespace lsrecon
