#include "io/raw_noise.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

void RawNoise::add(const RawAcquisition& acquisition) {
    if (acquisition.discard_pre + acquisition.discard_post == acquisition.samples) {
        ++without_samples_;
        return;
    }
    Part part{acquisition, {}};
    part.acquisition.values = nullptr;
    part.acquisition.trajectory = nullptr;
    part.values.resize(acquisition.channels * acquisition.samples);
    for (std::size_t i = 0; i < part.values.size(); ++i) {
        part.values[i] = {acquisition.values[2 * i], acquisition.values[2 * i + 1]};
    }
    parts_.push_back(std::move(part));
}

CoilRows RawNoise::scaled_to(const Image& image, std::vector<std::string>& remarks) const {
    const auto refuse = [&](const RawAcquisition& acquisition, const std::string& field,
                            const std::string& found, const std::string& expected,
                            const std::string& next_step) {
        throw InputError(
            {image.file,
             text(image.dataset, ", acquisition ", acquisition.index, " (noise), ", field), found,
             expected, next_step});
    };
    if (parts_.empty()) {
        if (without_samples_ > 0) {
            remarks.push_back(text("left out ", counted(without_samples_, "acquisition"),
                                   " flagged noise measurement: discard_pre and discard_post leave "
                                   "none of the samples"));
        }
        return {};
    }
    std::size_t samples = 0;
    // Parts that are scaled and others that are not would weigh wrongly against each other.
    bool known = std::isnormal(image.dwell) && image.dwell > 0;
    for (const auto& [acquisition, values] : parts_) {
        check_discards(acquisition, refuse);
        samples += acquisition.samples - acquisition.discard_pre - acquisition.discard_post;
        known = known && std::isnormal(acquisition.dwell) && acquisition.dwell > 0;
    }
    CoilRows::Floats noise(static_cast<Eigen::Index>(image.channels),
                           static_cast<Eigen::Index>(samples));
    Eigen::Index column = 0;
    double smallest = HUGE_VAL;
    double largest = 0;
    for (const auto& [acquisition, values] : parts_) {
        const double scale =
            known ? std::sqrt(acquisition.dwell / (image.dwell * image.noise_bandwidth)) : 1;
        smallest = std::min(smallest, scale);
        largest = std::max(largest, scale);
        const std::size_t end = acquisition.samples - acquisition.discard_post;
        for (std::size_t i = acquisition.discard_pre; i < end; ++i, ++column) {
            for (std::size_t c = 0; c < image.channels; ++c) {
                const std::complex<float> value = values[c * acquisition.samples + i];
                if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
                    const float bad = std::isfinite(value.real()) ? value.imag() : value.real();
                    refuse(acquisition, "data",
                           text(shown(static_cast<double>(bad)), " at [", c, ", ", i, "]"),
                           "finite numbers", "remove or repair the value and write the file again");
                }
                noise(static_cast<Eigen::Index>(c), column) = static_cast<float>(scale) * value;
            }
        }
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
