#pragma once

#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/report.hpp"

namespace lsrecon {

struct BenchmarkOptions {
    std::vector<std::size_t> matrix{32, 32, 32};
    std::size_t samples = 4096;
    std::vector<std::string> stages{"fhd", "q"};
    std::vector<std::string> kernels; ///< empty for every one of the catalogue
    std::string device;
    unsigned seed = 1;
};

/// One variant of one stage, verified before it was timed.
struct BenchmarkRow {
    std::string stage;
    std::string kernel; ///< "reference" for the loops on one CPU thread in double precision
    std::string device;
    double seconds = 0;
    double pairs_per_second = 0;
    double gflops = 0; ///< Stone's convention
    double speed_up = 0;
    double relative_error = 0; ///< relative L2 at the voxels that the reference computed
    double bound = 0;
    bool scaled = false; ///< seconds were measured on a part and scaled

    bool verified() const { return relative_error <= bound; }
};

/// Operations of one pair by the convention of Stone et al. 2008: sin 13, cos 12, each + - * / 1.
/// The phase takes 3 products, 2 sums and the factor 2 pi in three dimensions (2, 1 and 1 in two);
/// FHd 4 products and 4 sums more, Q 2 and 2.
double stone_operations(const std::string& stage, int dimensions);

/// The ladder on this machine, on a random trajectory: for every stage the reference, then each
/// kernel. Pairs of Q are counted over all (2N)^D differences, of which half are computed.
/// A row that fails its verification is not timed.
std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, Reporter& report);

} // namespace lsrecon
