#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "engines/transforms.hpp"

namespace lsrecon::test {

/// One precision of one device of the table.
struct ArrayCase {
    std::string backend; ///< or "kernels"
    Precision precision;
    std::shared_ptr<Transforms> opened = {};

    /// What the transforms said of their work.
    std::shared_ptr<std::vector<std::string>> notes = std::make_shared<std::vector<std::string>>();

    /// Null when there is no such device. The reference has one variant and all memory.
    void open(const std::string& variant = "", double device_memory = 0,
              const std::vector<Engine>& table = engines());
    Device& device() const { return opened->device(); }
    double epsilon() const { return unit_roundoff(precision); }
};

void PrintTo(const ArrayCase& of, std::ostream* stream);

/// Every device that is built in, in every precision that it may have, unopened: most tests of a
/// program need none.
std::vector<ArrayCase> array_cases();

/// Those, and the kernels of devices for which loops would be chosen, whose arrays no transform
/// takes.
std::vector<ArrayCase> verb_cases();

/// Of the transforms' transforms.
std::vector<std::string> variants(const ArrayCase& on);

Array uploaded(const ArrayCase& on, const ComplexVector& values);

} // namespace lsrecon::test
