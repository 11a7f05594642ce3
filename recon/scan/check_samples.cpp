#include "scan/check_samples.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/check.hpp"

namespace lsrecon {

void SampleCheck::add(const CoilRows& samples) {
    require_finite_values(scan_, "samples", samples, [&](std::size_t c, std::size_t m) {
        return text("[", scan_.frames.size() > 1 ? text(frame_, ", ") : "", c, ", ", m, "]");
    });
    silent_.add(samples);
    ++frame_;
}

void SampleCheck::skip() {
    silent_.skip();
    ++frame_;
}

std::vector<std::string> SampleCheck::end() const {
    if (silent_.all()) {
        throw InputError({scan_.file, scan_.name_of("samples"), "every sample is 0",
                          "at least one that is not", "check how the scan was written"});
    }
    return silent_.remarks();
}

} // namespace lsrecon
