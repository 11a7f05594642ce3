#include "reconstruct_noise.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "io/image/file.hpp"
#include "prepare/replica_noise.hpp"

namespace lsrecon {

namespace {

/// Median and largest of what is not 0, for the record; in words.
std::string add_statistics(Image& image, const std::string& name, const RealVector& map) {
    std::vector<double> values;
    std::copy_if(map.begin(), map.end(), std::back_inserter(values),
                 [](double value) { return value > 0; });
    const double largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    require_an_image(largest);
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    image.numbers.emplace_back(name + "_median", *middle);
    image.numbers.emplace_back(name + "_largest", largest);
    return text("median ", rounded(*middle), ", largest ", rounded(largest));
}

} // namespace

void add_noise_map(Image& image, std::size_t frame, NormalEquations& equations,
                   const std::vector<Volume>& fhd, const Scan& scan, const SolveOptions& options,
                   std::size_t replicas, Reporter& report) {
    const ReplicaNoise noise(scan);
    const Sampling& sampling = *scan.frames[frame].sampling;
    const Precision precision = scan.frames[frame].samples.precision();
    if (scan.noise.empty()) {
        report.note("the scan has no noise samples: the noise map is that of samples whose real "
                    "and imaginary parts have variance 1");
    }
    image.noise_map = noise_map(
        equations, fhd, options, replicas,
        [&](std::size_t i) { return noise.draw(i, sampling.samples(), precision); }, report);
    image.numbers.emplace_back("noise_replicas", static_cast<double>(replicas));
    image.numbers.emplace_back("noise_frame", static_cast<double>(frame));
    image.numbers.emplace_back("noise_deviation_of_samples", noise.deviation());
    add_statistics(image, "noise_map", image.noise_map);
    const std::string why =
        why_no_g_factor(scan, sampling, noise.white(), options, image.frames[frame].stops);
    if (!why.empty()) {
        report.note("no g-factor: " + why);
        return;
    }
    image.g_factor =
        g_factor(image.noise_map, scan.coil_maps, sampling.samples(), noise.deviation());
    report.tell("g-factor without regularisation: " +
                add_statistics(image, "g_factor", image.g_factor));
}

} // namespace lsrecon
