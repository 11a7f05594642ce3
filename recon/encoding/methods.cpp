#include "encoding/methods.hpp"

#include <algorithm>

namespace lsrecon {

const std::vector<Method>& methods() {
    static const std::vector<Method> rows{
        {"least_squares", "the image that explains the samples best", true, nullptr, nullptr},
        {"gridding", "samples weighted by their density, one adjoint, no iterations", false,
         &density_of_gridding, nullptr},
        {"fft", "inverse FFT of a full Cartesian scan", false, &density_of_cartesian, &fhd_by_fft},
    };
    return rows;
}

const Method& method_named(const std::string& name) {
    return *std::find_if(methods().begin(), methods().end(),
                         [&](const Method& row) { return row.name == name; });
}

const Method& method_of(const SolveOptions& options) {
    return options.method == nullptr ? methods().front() : *options.method;
}

} // namespace lsrecon
