#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "device/device.hpp"

namespace lsrecon::test {

/// One precision of one device of the table.
struct ArrayCase {
    std::string backend;
    Precision precision;
    std::shared_ptr<Backend> opened = {};

    /// Null when the backend finds no device.
    void open();
    Device& device() const { return opened->device(); }
    double epsilon() const { return unit_roundoff(precision); }
};

void PrintTo(const ArrayCase& of, std::ostream* stream);

/// Both precisions of every device that is built in, unopened: most tests of a program need none.
std::vector<ArrayCase> array_cases();

Array uploaded(const ArrayCase& on, const ComplexVector& values);

} // namespace lsrecon::test
