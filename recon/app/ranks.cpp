// Keeps the ranks of the job, and limits each rank, and PoCL's threads in it, to its share of the
// node's cores.

#include "app/ranks.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/packed.hpp"
#include "base/parallel.hpp"

namespace lsrecon::app {

namespace {

JobRanks*& stored_ranks() {
    static JobRanks alone;
    static JobRanks* ranks = &alone;
    return ranks;
}

enum class Environment { has_its_say, yields };

/// PoCL's threads are as many by default as the machine's cores.
void keep_to_cores(std::size_t most, Environment environment) {
    limit_cores(std::min(most, all_cores()));
    const int replace = environment == Environment::yields ? 1 : 0;
    for (const char* const name : {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"}) {
        ::setenv(name, text(all_cores()).c_str(), replace);
    }
}

} // namespace

JobRanks& ranks() {
    return *stored_ranks();
}

void set_ranks(JobRanks& started) {
    stored_ranks() = &started;
}

void keep_to_own_cores() {
    JobRanks& job = ranks();
    std::vector<AllowedCores> of_node;
    for (const std::string& message : job.of_node(packed(allowed_cores()))) {
        of_node.push_back(unpacked<AllowedCores>(message));
    }
    const std::size_t own = share_of_cores(of_node, job.rank_on_node());
    if (own < cores_of_machine()) {
        keep_to_cores(own, Environment::has_its_say);
    }
}

option::Option threads_option() {
    const auto take = [](const std::string& word) {
        std::size_t threads = 0;
        const std::string expected = option::take_number(threads, word, option::whole(1));
        if (expected.empty()) {
            keep_to_cores(threads, Environment::yields);
        }
        return expected;
    };
    return option::in("Device",
                      {{"threads",
                        {"N", take, [] { return std::string(); }},
                        "CPU threads, those of OpenCL on the CPU included",
                        option::Is::about_output,
                        option::Default{"all cores"},
                        option::More{"More than this process may use are as many as it may. Any "
                                     "number makes the same image."}}})
        .front();
}

} // namespace lsrecon::app
