// The ranks that mpirun of OpenMPI or MPICH started. The first of them has a desk, a thread that
// hands out items and hears of errors while its program computes.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mpi.h>
#include <mutex>
#include <thread>
#include <vector>

#include "app/output.hpp"
#include "app/ranks.hpp"
#include "base/error.hpp"

namespace lsrecon::app {

namespace {

// MPI counts in ints.
constexpr std::size_t most_bytes_of_a_message = std::size_t(1) << 30;

enum Tag { item_wanted, item, failure, ready, data };

constexpr auto pause_of_waiting = std::chrono::microseconds(200);

/// Waits until others come. MPI's own waiting takes a whole core, from ranks of this node that
/// compute. The data that they exchange then uses calls that wait, since pauses would come between
/// its pieces.
void wait_for(MPI_Request request) {
    constexpr int tries = 1000; // before it sleeps: most messages come at once
    int done = 0;
    for (int i = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0; ++i) {
        if (i >= tries) {
            std::this_thread::sleep_for(pause_of_waiting);
        }
    }
}

/// A communicator of its own, so that nothing of it meets other messages.
class Group {
public:
    Group(MPI_Comm of, bool on_node) {
        on_node ? MPI_Comm_split_type(of, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &all_)
                : MPI_Comm_dup(of, &all_);
        MPI_Comm_size(all_, &count_);
        MPI_Comm_rank(all_, &rank_);
    }
    ~Group() { MPI_Comm_free(&all_); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    MPI_Comm all() const { return all_; }
    std::size_t count() const { return static_cast<std::size_t>(count_); }
    std::size_t rank() const { return static_cast<std::size_t>(rank_); }

    void broadcast(std::size_t from, void* values, std::size_t bytes) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(all_, &request);
        wait_for(request);
        for (const Range& part : split_into_ranges(bytes, most_bytes_of_a_message)) {
            MPI_Bcast(static_cast<char*>(values) + part.first, static_cast<int>(part.count),
                      MPI_BYTE, static_cast<int>(from), all_);
        }
    }

private:
    MPI_Comm all_ = MPI_COMM_NULL;
    int count_ = 1;
    int rank_ = 0;
};

class MpiRanks : public JobRanks {
public:
    /// Starts the thread of rank 0 that hands out item numbers and receives failures of other
    /// ranks.
    MpiRanks()
        : world_(MPI_COMM_WORLD, false), of_desk_(MPI_COMM_WORLD, false),
          node_(MPI_COMM_WORLD, true) {
        if (is_first() && count() > 1) {
            desk_ = std::thread([this] { serve(); });
        }
    }

    ~MpiRanks() override {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(world_.all(), &request);
        wait_for(request);
        closed_ = true;
        if (desk_.joinable()) {
            desk_.join();
        }
    }

    std::size_t count() const override { return world_.count(); }
    std::size_t rank() const override { return world_.rank(); }
    std::size_t count_on_node() const override { return node_.count(); }
    std::size_t rank_on_node() const override { return node_.rank(); }
    std::vector<std::string> of_node(const std::string& own) override {
        std::vector<std::string> all(node_.count());
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            all[rank] = own;
            std::size_t size = own.size();
            node_.broadcast(rank, &size, sizeof size);
            all[rank].resize(size);
            node_.broadcast(rank, all[rank].data(), size);
        }
        return all;
    }

    std::size_t next() override {
        if (is_first()) {
            return next_++;
        }
        unsigned long long number = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, item, of_desk_.all(), &request);
        MPI_Send(nullptr, 0, MPI_BYTE, 0, item_wanted, of_desk_.all());
        wait_for(request);
        return number;
    }

    using JobRanks::bring_to_first;
    using JobRanks::broadcast;
    void broadcast(std::size_t from, void* values, std::size_t bytes) override {
        world_.broadcast(from, values, bytes);
    }

    /// Exchanges the bytes in messages that MPI can count, after both ranks have met without
    /// keeping a core busy.
    void bring_to_first(std::size_t from, void* values, std::size_t bytes) override {
        if (from == 0 || (!is_first() && rank() != from)) {
            return;
        }
        const int other = is_first() ? static_cast<int>(from) : 0;
        meet(other);
        for (const Range& part : split_into_ranges(bytes, most_bytes_of_a_message)) {
            char* const begin = static_cast<char*>(values) + part.first;
            const auto size = static_cast<int>(part.count);
            if (is_first()) {
                MPI_Recv(begin, size, MPI_BYTE, other, data, world_.all(), MPI_STATUS_IGNORE);
            } else {
                MPI_Send(begin, size, MPI_BYTE, other, data, world_.all());
            }
        }
    }

    /// Ends the job, by the desk where this is not the first rank: the first may have found the
    /// same error, and is then the one that says it.
    void fail(int exit_code, const std::string& message) override {
        if (count() == 1) {
            return;
        }
        if (is_first()) {
            say_and_end(exit_code, message);
        }
        const std::string words = text("rank ", rank(), ": ", message);
        std::vector<char> bytes(words.begin(), words.end());
        bytes.push_back(static_cast<char>(exit_code));
        MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, failure,
                 of_desk_.all());
        while (true) { // the desk ends this rank with all others
            std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }

private:
    void meet(int other) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(nullptr, 0, MPI_BYTE, other, ready, world_.all(), &request);
        MPI_Send(nullptr, 0, MPI_BYTE, other, ready, world_.all());
        wait_for(request);
    }

    [[noreturn]] void say_and_end(int exit_code, const std::string& message) {
        const std::lock_guard<std::mutex> first_alone(ending_); // who comes second ends here
        put_error(message);
        MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::abort(); // for the compiler: MPI_Abort does not return
    }

    /// Answers requests for items until the job ends; a failure of another rank ends the job.
    void serve() {
        while (!closed_) {
            int found = 0;
            MPI_Status status{};
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, of_desk_.all(), &found, &status);
            if (found == 0) {
                std::this_thread::sleep_for(pause_of_waiting);
                continue;
            }
            int size = 0;
            MPI_Get_count(&status, MPI_BYTE, &size);
            std::vector<char> bytes(static_cast<std::size_t>(size));
            MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                     of_desk_.all(), MPI_STATUS_IGNORE);
            if (status.MPI_TAG == item_wanted) {
                const unsigned long long number = next_++;
                MPI_Send(&number, 1, MPI_UNSIGNED_LONG_LONG, status.MPI_SOURCE, item,
                         of_desk_.all());
                continue;
            }
            // This rank finds an error in the scan or the options, too, and says it better.
            std::this_thread::sleep_for(std::chrono::seconds(1));
            say_and_end(bytes.back(), std::string(bytes.begin(), bytes.end() - 1));
        }
    }

    Group world_;
    Group of_desk_;
    Group node_;
    std::thread desk_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> closed_{false};
    std::mutex ending_;
};

/// MPI itself, from before the first of its ranks to after the last.
class Mpi {
public:
    Mpi() {
        int provided = MPI_THREAD_SINGLE;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
        if (provided < MPI_THREAD_MULTIPLE) {
            throw NotBuiltError("this MPI library lets one thread alone send messages\n  expected: "
                                "MPI_THREAD_MULTIPLE\n  next:     use OpenMPI or MPICH of the "
                                "distribution");
        }
    }
    ~Mpi() { MPI_Finalize(); }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;
};

class MpiJob : private Mpi, public MpiRanks {};

/// Whether mpirun, of OpenMPI or of MPICH, started this process. Tasks of srun work on scans of
/// their own.
bool started_by_mpirun() {
    return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr ||
           std::getenv("MPI_LOCALNRANKS") != nullptr;
}

} // namespace

std::unique_ptr<JobRanks> start_ranks() {
    if (!started_by_mpirun()) {
        return std::make_unique<JobRanks>();
    }
    return std::make_unique<MpiJob>();
}

} // namespace lsrecon::app
