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
    const Sampling& sampling = *scan_.frames[frame_].sampling;
    std::size_t zeros = 0;
    std::size_t counted = 0;
    samples.visit([&](const auto& values) {
        for (Eigen::Index m = 0; m < values.cols(); ++m) {
            const bool counts = sampling.weight(static_cast<std::size_t>(m)) > 0;
            counted += counts ? 1 : 0;
            zeros += counts && (values.col(m).array() == 0).all() ? 1 : 0;
        }
    });
    if (zeros < counted) { // silent_ knows the other frames
        zeros_ += zeros;
        counted_ += counted;
    }
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
    std::vector<std::string> remarks = silent_.remarks();
    constexpr double many = 0.05; // more than the first samples of readouts
    const double share = static_cast<double>(zeros_) / static_cast<double>(counted_);
    if (share > many) {
        remarks.push_back(text(rounded(100 * share),
                               " % of the samples are 0 in every coil, and count as measured "
                               "zeros. Leave them out of the scan, or give them weight 0."));
    }
    return remarks;
}

} // namespace lsrecon
