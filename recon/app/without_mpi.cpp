// The ranks of a program without MPI: there is one.

#include <cstdlib>

#include "app/output.hpp"
#include "app/ranks.hpp"
#include "base/error.hpp"

namespace lsrecon::app {

namespace {

/// The variables that mpirun of OpenMPI and of MPICH sets for the processes that it starts.
struct Launcher {
    const char* count;
    const char* rank;
};
constexpr Launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"MPI_LOCALNRANKS", "PMI_RANK"}};

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

} // namespace

std::unique_ptr<JobRanks> start_ranks() {
    for (const Launcher& launcher : launchers) {
        const std::string count = variable(launcher.count);
        if (count.empty() || count == "1") {
            continue;
        }
        if (variable(launcher.rank) != "0") {
            silence(); // the first says it
        }
        throw NotBuiltError("mpirun started " + count +
                            " processes, and this program is built without MPI: each would do the "
                            "same\n  next:     configure with -DLSRECON_WITH_MPI=ON, or start it "
                            "without mpirun");
    }
    return std::make_unique<JobRanks>();
}

} // namespace lsrecon::app
