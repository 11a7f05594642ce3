#include "support/arrays.hpp"

#include <limits>

#include "base/error.hpp"

namespace lsrecon::test {

double ArrayCase::epsilon() const {
    return precision == Precision::float64 ? std::numeric_limits<double>::epsilon() / 2
                                           : std::numeric_limits<float>::epsilon() / 2.0;
}

void PrintTo(const ArrayCase& of, std::ostream* stream) {
    *stream << of.backend << " in " << 8 * bytes_of(of.precision) << " bits";
}

std::vector<ArrayCase> array_cases() {
    std::vector<ArrayCase> cases;
    for (const BackendRow& row : backend_rows()) {
        if (!row.built) {
            continue;
        }
        std::shared_ptr<Backend> backend;
        try {
            backend = make_backend({row.name, "", ""});
        } catch (const DeviceError&) {
            continue; // tests/support/device_fixture.hpp says when that is a failure
        }
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            if (backend->device().has(precision)) {
                cases.push_back({row.name, precision, backend});
            }
        }
    }
    return cases;
}

Array uploaded(const ArrayCase& on, const ComplexVector& values) {
    Array array = on.device().zeros(static_cast<std::size_t>(values.size()), {true, on.precision});
    on.device().upload(values, array);
    return array;
}

} // namespace lsrecon::test
