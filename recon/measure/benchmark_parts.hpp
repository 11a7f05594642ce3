#pragma once

#include "measure/benchmark.hpp"

namespace lsrecon {

// The parts of the table that benchmark() puts together, one file each.

/// Rows of "fhd", "q" or "f", without their limits; `add` gets each when it is done.
void benchmark_transform(const std::string& stage, const BenchmarkOptions& options,
                         Reporter& report, const std::function<void(BenchmarkRow&&)>& add);

/// Rows of those of "solve" and "recon" that the options name; one scan and one run serve both.
std::vector<ReconstructionRow> benchmark_reconstruction(const BenchmarkOptions& options,
                                                        Reporter& report);

std::vector<CrossoverRow> benchmark_crossover(const BenchmarkOptions& options, Reporter& report);

} // namespace lsrecon
