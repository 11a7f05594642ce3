#include "support/arrays.hpp"

#include "base/error.hpp"

namespace lsrecon::test {

void ArrayCase::open() {
    try {
        opened = make_backend({backend, "", ""});
    } catch (const DeviceError&) {
        opened = nullptr;
    }
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
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            cases.push_back({row.name, precision});
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
