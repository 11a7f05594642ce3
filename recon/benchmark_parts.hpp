#pragma once

#include "benchmark.hpp"

namespace lsrecon {

// The parts of the table that benchmark() puts together, one file each.

/// Rows of "fhd" or "q", without their limits.
std::vector<BenchmarkRow> benchmark_transform(const std::string& stage,
                                              const BenchmarkOptions& options, Reporter& report);

/// Rows of those of "solve" and "recon" that the options name; one scan and one run serve both.
std::vector<ReconstructionRow> benchmark_reconstruction(const BenchmarkOptions& options,
                                                        Reporter& report);

std::vector<CrossoverRow> benchmark_crossover(const BenchmarkOptions& options, Reporter& report);

} // namespace lsrecon
