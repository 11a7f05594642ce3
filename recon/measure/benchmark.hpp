// The benchmark of transforms, solver and reconstruction on one machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/report.hpp"
#include "device/devices.hpp"
#include "engines/engine.hpp"
#include "engines/transforms.hpp"
#include "measure/nufft_benchmark.hpp"

namespace lsrecon {

struct BenchmarkOptions {
    /// Empty for the usual: 32^3, and nufft_cases().
    std::vector<std::size_t> matrix;
    /// Samples of the random trajectory of fhd, q and f, and of the radial one of nufft; 0 for a
    /// number that takes the device half a minute in all, and for the usual.
    std::size_t samples = 0;
    std::size_t coils = 0; ///< coils of nufft; 0 for the usual
    std::vector<double> accuracies{1e-3, 1e-5, 1e-6}; ///< accuracies of nufft
    /// Samples of the simulated scan of solve and recon; 0 for two a voxel.
    std::size_t scan_samples = 0;
    /// Any of "fhd", "q", "f", "nufft", "solve", "recon" and "crossover".
    std::vector<std::string> stages{"fhd", "q", "nufft", "solve", "recon", "crossover"};
    std::vector<std::string> kernels; ///< empty for all of them
    std::string device;
    std::optional<Precision> precision = {}; ///< precision of the variants
    unsigned seed = 1;
};

/// One variant of one transform.
struct BenchmarkRow : Verified {
    std::string stage;
    std::string kernel; ///< "reference" and "reference-single" for the loops on one CPU thread
    std::string device;
    Precision precision = Precision::float32;
    std::string parameters; ///< parameters as in ComputedBy::parameters
    PairCost cost; ///< cost as of Transforms::cost_of_pair
    double seconds = 0; ///< computing alone; 0 when it was not verified
    double wall_seconds = 0; ///< median with conversion, transfer and launches
    double pairs_per_second = 0;
    double gflops = 0; ///< Stone's convention
    double limit = 0; ///< pairs a second that the device allows the variant; 0 for the loops
    std::string limited_by; ///< the unit that sets the limit
    double speed_up = 0; ///< against the loops in double precision
    bool scaled = false; ///< seconds were measured on a part and scaled

    double fraction_of_limit() const { return limit > 0 ? pairs_per_second / limit : 0; }
};

/// The solver, or the whole reconstruction from file to file, of a simulated scan.
struct ReconstructionRow : Verified {
    std::string stage; ///< "solve" or "recon"
    std::string kernel; ///< what computed F^H d and Q
    std::string device;
    std::size_t samples = 0;
    std::size_t iterations = 0; ///< iterations of conjugate gradients that were done
    double seconds = 0; ///< wall; 0 when it was not verified
    double speed_up = 0; ///< against the CPU in double precision; 0 when that was not run
    /// All stages of the run, as the image's record has them.
    std::vector<std::pair<std::string, double>> stage_seconds;
};

/// F^H d of as many samples as voxels, on the loops and on the device: wall seconds.
struct CrossoverRow : Verified {
    std::size_t width = 0; ///< the matrix is width x width
    double pairs = 0;
    double reference_seconds = 0;
    double device_seconds = 0;
};

struct Benchmark {
    ComputedBy device;
    std::vector<std::size_t> matrix; ///< matrix of all rows but those of nufft
    std::size_t samples = 0; ///< samples of fhd, q and f
    DeviceRates rates;
    std::vector<BenchmarkRow> transforms;
    std::vector<NufftRow> nufft;
    std::vector<ReconstructionRow> reconstructions;
    std::vector<CrossoverRow> crossover;
};

/// The whole table of this machine. A row that fails its verification has no time.
///
/// For fhd, q and f, on a random trajectory: the loops in double and single precision, then each
/// kernel. Pairs of Q are counted over all (2N)^D differences, of which half are computed.
/// For solve and recon: 30 iterations on a simulated scan, the image against the phantom.
///
/// `keep` gets the table after every row, since the run may not reach the end.
Benchmark benchmark(const BenchmarkOptions& options, Reporter& report,
                    const std::function<void(const Benchmark&)>& keep);

/// Pairs from which on the device is faster, between two sizes on logarithmic scales; none when
/// the loops win at the largest size, or the device at every one.
std::optional<double> crossover_pairs(const std::vector<CrossoverRow>& rows);

/// Operations of one pair by the convention of Stone et al. 2008: sin 13, cos 12, each + - * / 1.
/// The phase takes 3 products, 2 sums and the factor 2 pi in three dimensions (2, 1 and 1 in two);
/// FHd 4 products and 4 sums more, Q 2 and 2.
double stone_operations(const std::string& stage, int dimensions);

} // namespace lsrecon
