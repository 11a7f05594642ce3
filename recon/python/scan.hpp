// A scan as an object of Python.

#pragma once

#include "python/bindings.hpp"

namespace lsrecon::python {

/// A scan in memory. Its copies share samples and maps.
struct ScanOfArrays {
    Scan scan;
    nb::object arrays; ///< what keeps borrowed values
    Eigen::MatrixXcd truth = {}; ///< N x F, of a phantom

    /// The scan for one run, with the findings that a file of these arrays has. With `check_reach`
    /// its trajectory must fill the matrix.
    Scan for_run(bool check_reach, const GeometryOptions& geometry) const;
};

} // namespace lsrecon::python
