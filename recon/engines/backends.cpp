#include "engines/backend.hpp"

#include "base/error.hpp"
#include "engines/reference.hpp"
#ifdef LSRECON_WITH_OPENCL
#include "engines/opencl/opencl_backend.hpp"
#endif

namespace lsrecon {

namespace {

using Maker = std::unique_ptr<Backend> (*)(const BackendOptions&);

struct Row {
    BackendRow row;
    Maker make; // null when not built
};

/// The table of backends: one row each.
const std::vector<Row>& table() {
    static const std::vector<Row> rows{
#ifdef LSRECON_WITH_OPENCL
        {{"opencl", "any OpenCL device", true}, &make_opencl_backend},
#else
        {{"opencl", "any OpenCL device", false}, nullptr},
#endif
        {{"reference", "CPU, double precision, plain loops: the oracle", true},
         [](const BackendOptions&) { return make_reference_backend(); }},
        {{"reference-single", "the same loops in single precision, for comparison", true},
         [](const BackendOptions&) { return make_single_reference_backend(); }},
    };
    return rows;
}

const Row& find_row(const BackendOptions& options) {
    std::string names;
    for (const Row& row : table()) {
        if (row.row.name == options.backend) {
            return row;
        }
        names += (names.empty() ? "" : ", ") + row.row.name;
    }
    throw UsageError(
        text("`backend` ", options.backend, " is unknown\n  expected: one of ", names));
}

} // namespace

void check_options(const BackendOptions& options) {
    find_row(options);
    const bool is_own_precision =
        options.backend == "reference" && options.precision == Precision::float64;
    if (options.backend != "opencl" &&
        !(options.device.empty() && options.kernel.empty() && options.device_memory == 0 &&
          (!options.precision || is_own_precision))) {
        throw UsageError(
            text("`backend` ", options.backend,
                 " takes no `device`, `kernel`, `device_memory` or other `precision`\n  "
                 "next:     leave them out, or use `backend` opencl"));
    }
}

std::unique_ptr<Backend> make_backend(const BackendOptions& options) {
    const Row& row = find_row(options);
    if (!row.make) {
        throw NotBuiltError(text("`backend` ", options.backend,
                                 " is not built in\n  next:     configure with "
                                 "-DLSRECON_WITH_OPENCL=ON, or use `backend` reference"));
    }
    check_options(options);
    return row.make(options);
}

std::vector<BackendRow> backend_rows() {
    std::vector<BackendRow> rows;
    for (const Row& row : table()) {
        rows.push_back(row.row);
    }
    return rows;
}

} // namespace lsrecon
