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
    std::shared_ptr<Backend> opened; ///< shared by the tests of one process

    Device& device() const { return opened->device(); }
    /// Unit roundoff.
    double epsilon() const;
};

void PrintTo(const ArrayCase& of, std::ostream* stream);

/// Every precision of every device that is here.
std::vector<ArrayCase> array_cases();

Array uploaded(const ArrayCase& on, const ComplexVector& values);

} // namespace lsrecon::test
