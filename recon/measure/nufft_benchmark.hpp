// The benchmark of the NUFFT, from array to array.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "measure/measure.hpp"

namespace lsrecon {

/// What the NUFFT transforms: radial samples on a grid.
struct NufftCase {
    std::vector<std::size_t> matrix;
    std::size_t samples; ///< 0 for as many as Nyquist asks for at the edge of k-space
    std::size_t coils; ///< coils of the adjoint, images of the forward transform
};
/// The usual ones: 256^2 with 8 coils and 128^3 with one.
std::vector<NufftCase> nufft_cases();

/// A transform of the NUFFT at one accuracy.
struct NufftRow : Verified {
    std::string transform; ///< "adjoint", "forward" or "q"
    std::string device;
    std::vector<std::size_t> matrix;
    std::size_t samples = 0;
    std::size_t coils = 0;
    double accuracy = 0; ///< accuracy that was asked for; relative_error is what it achieves
    // Between arrays of the device, the least of several runs; 0 when it was not verified.
    double first_seconds = 0; ///< making the transform, with sorted samples, and running it once
    double processor_seconds = 0; ///< processor time of that
    double seconds = 0; ///< running it again
    double samples_per_second = 0; ///< samples of all coils, over first_seconds
    // The least seconds that the transform takes by what limits its parts.
    double fft_seconds = 0; ///< memory, for the traffic of the FFTs
    double sums_seconds = 0; ///< multiply-adds, for the sums between samples and grid
};

/// Rows of every transform at these accuracies, in single precision; `add` gets each as it is done.
/// `rates` limits the sums.
void benchmark_nufft(const NufftCase& what, const std::vector<double>& accuracies,
                     const std::string& device, const DeviceRates& rates, Reporter& report,
                     const std::function<void(NufftRow&&)>& add);

} // namespace lsrecon
