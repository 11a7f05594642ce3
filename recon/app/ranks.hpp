// The processes of the job, and the cores of each.
#pragma once

#include <memory>

#include "base/job_ranks.hpp"
#include "base/option.hpp"

namespace lsrecon::app {

/// The processes that mpirun started together with this one, until what it returns ends, which
/// waits for all of them; this process is alone otherwise. Only the first one's words are printed.
/// Once in a process. NotBuiltError when mpirun started several of a program without MPI.
std::unique_ptr<JobRanks> start_ranks();

/// The ranks that were started.
JobRanks& ranks();
void set_ranks(JobRanks& started);

/// Gives this process its share of the cores, which ranks of a node divide between them, and which
/// a job or a container limits.
void keep_to_own_cores();

/// --threads, which takes effect at once. A device that is open keeps its threads.
option::Option threads_option();

} // namespace lsrecon::app
