#pragma once

#include <memory>

#include "base/job_ranks.hpp"

namespace lsrecon::app {

/// The processes that mpirun started together with this one, until what it returns ends, which
/// waits for all of them; this process is alone otherwise. Only the first one's words are printed.
/// Once in a process. NotBuiltError when mpirun started several of a program without MPI.
std::unique_ptr<JobRanks> start_ranks();

/// The ranks that were started.
JobRanks& ranks();
void set_ranks(JobRanks& started);

} // namespace lsrecon::app
