#pragma once

#include <string>

#include "measure/benchmark.hpp"

namespace lsrecon::app {

/// The table on stdout, with what its columns mean.
void print_benchmark(const Benchmark& table);

/// Every figure of the table with the machine, the date and the command.
std::string benchmark_as_json(const BenchmarkOptions& options, const Benchmark& table,
                              bool complete);

} // namespace lsrecon::app
