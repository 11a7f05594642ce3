#include "io/raw_noise.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

void RawNoise::add(std::size_t acquisition, std::size_t channels, std::size_t samples,
                   const float* values, double dwell) {
    Part part{acquisition, channels, samples, dwell, {}};
    part.values.resize(channels * samples);
    for (std::size_t i = 0; i < part.values.size(); ++i) {
        part.values[i] = {values[2 * i], values[2 * i + 1]};
    }
    parts_.push_back(std::move(part));
}

CoilRows RawNoise::scaled_to(const Image& image, std::vector<std::string>& remarks) const {
    const auto refuse = [&](const Part& part, const std::string& field, const std::string& found,
                            const std::string& expected, const std::string& next_step) {
        throw InputError(
            {image.file,
             text(image.dataset, ", acquisition ", part.acquisition, " (noise), ", field), found,
             expected, next_step});
    };
    std::size_t samples = 0;
    // Parts that are scaled and others that are not would weigh wrongly against each other.
    bool known = std::isnormal(image.dwell) && image.dwell > 0;
    for (const Part& part : parts_) {
        samples += part.samples;
        known = known && std::isnormal(part.dwell) && part.dwell > 0;
        if (part.channels != image.channels) {
            refuse(part, "active_channels", text(part.channels),
                   text(image.channels, " as in the acquisitions of the image"),
                   "write the noise of the same coils, or leave these acquisitions out");
        }
    }
    CoilRows::Floats noise(static_cast<Eigen::Index>(image.channels),
                           static_cast<Eigen::Index>(samples));
    Eigen::Index column = 0;
    double smallest = HUGE_VAL;
    double largest = 0;
    for (const Part& part : parts_) {
        const double scale =
            known ? std::sqrt(part.dwell / (image.dwell * image.noise_bandwidth)) : 1;
        smallest = std::min(smallest, scale);
        largest = std::max(largest, scale);
        for (std::size_t i = 0; i < part.values.size(); ++i) {
            const std::complex<float> value = part.values[i];
            if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
                const float bad = std::isfinite(value.real()) ? value.imag() : value.real();
                refuse(part, "data",
                       text(shown(static_cast<double>(bad)), " at [", i / part.samples, ", ",
                            i % part.samples, "]"),
                       "finite numbers", "remove or repair the value and write the file again");
            }
            noise(static_cast<Eigen::Index>(i / part.samples),
                  column + static_cast<Eigen::Index>(i % part.samples)) =
                static_cast<float>(scale) * value;
        }
        column += static_cast<Eigen::Index>(part.samples);
    }
    if (parts_.empty() || samples == 0) {
        return {};
    }
    std::string how = "not scaled, because a dwell time (sample_time_us) is 0";
    if (known) {
        how = "times " + rounded(smallest);
        how += smallest == largest ? "" : " to " + rounded(largest);
        how += " for the bandwidth of the image";
    }
    remarks.push_back(text("kept ", counted(samples, "noise sample"), " a coil from ",
                           counted(parts_.size(), "acquisition"), ", ", how));
    return noise;
}

} // namespace lsrecon
