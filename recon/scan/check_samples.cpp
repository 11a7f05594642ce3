#include "scan/check_samples.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/check.hpp"

namespace lsrecon {

bool counts(const Sampling& sampling, std::size_t m) {
    const auto i = static_cast<Eigen::Index>(m);
    return sampling.weight(m) > 0 && (sampling.phi.size() == 0 || sampling.phi(i) != Complex(0));
}

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
            if (counts(sampling, static_cast<std::size_t>(m))) {
                ++counted;
                zeros += (values.col(m).array() == 0).all() ? 1 : 0;
            }
        }
    });
    if (zeros < counted) {
        zeros_ += zeros;
        counted_ += counted;
    } else {
        empty_.push_back(frame_);
    }
    ++frame_;
}

void SampleCheck::skip() {
    silent_.skip();
    ++skipped_;
    ++frame_;
}

Findings SampleCheck::end() const {
    if (empty_.size() + skipped_ == frame_) {
        throw InputError({scan_.file, scan_.name_of("samples"),
                          silent_.all() ? "every sample is 0"
                                        : "every sample is 0 where its weight and phi are not",
                          "at least one that is not", "check how the scan was written"});
    }
    Findings findings = silent_.findings();
    if (empty_.size() > silent_.empty().size()) {
        findings.push_back(
            {Found::frames_zero, {{"count", empty_.size()}, {"first", empty_.front()}}});
    }
    constexpr double many = 0.05; // more than the first samples of readouts
    const double share = static_cast<double>(zeros_) / static_cast<double>(counted_);
    if (share > many) {
        findings.push_back({Found::samples_zero, {{"share", share}}});
    }
    return findings;
}

} // namespace lsrecon
