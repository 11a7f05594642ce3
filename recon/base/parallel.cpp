// The team of threads that a process keeps, and the number of cores by affinity masks and control
// groups.

#include "base/parallel.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <pthread.h>
#include <sched.h>

#include "base/machine.hpp"
#include "base/platform.hpp"

namespace lsrecon {

namespace {

thread_local std::size_t most_cores = std::numeric_limits<std::size_t>::max();

/// Waits a while for what comes soon: to sleep and to be woken takes as long as small transforms.
template <typename Condition> bool comes_soon(const Condition& is_met) {
    constexpr std::chrono::microseconds most(50);
    const auto end = std::chrono::steady_clock::now() + most;
    while (!is_met()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::yield(); // to threads that have work, where they share the cores
    }
    return true;
}

/// Threads that wait for work: one takes longer to start than small transforms do.
class Team {
public:
    /// The number of members, the caller included, after as many were asked for.
    std::size_t grow(std::size_t wanted) {
        try {
            while (members_.size() + 1 < wanted) {
                auto member = std::make_unique<Member>(members_.size() + 1);
                members_.reserve(wanted);
                std::thread(&Team::serve, this, std::ref(*member)).detach();
                members_.push_back(std::move(member));
            }
        } catch (const std::exception&) { // no thread, or no memory for one
        }
        return members_.size() + 1;
    }

    /// work(m) by every member m below `count`, the caller being 0.
    void run(std::size_t count, const std::function<void(std::size_t)>& work) {
        left_ = count - 1;
        for (std::size_t m = 1; m < count; ++m) {
            Member& member = *members_[m - 1];
            {
                const std::lock_guard<std::mutex> lock(member.mutex);
                member.work = &work;
            }
            member.called.notify_one();
        }
        work(0);
        const auto is_done = [&] { return left_ == 0; };
        if (!comes_soon(is_done)) {
            std::unique_lock<std::mutex> lock(mutex_);
            done_.wait(lock, is_done);
        }
    }

private:
    struct Member {
        explicit Member(std::size_t number) : number(number) {}

        std::size_t number;
        std::mutex mutex;
        std::condition_variable called;
        std::atomic<const std::function<void(std::size_t)>*> work{nullptr};
    };

    void serve(Member& member) {
        const auto is_called = [&] { return member.work != nullptr; };
        while (true) {
            if (!comes_soon(is_called)) {
                std::unique_lock<std::mutex> lock(member.mutex);
                member.called.wait(lock, is_called);
            }
            (*member.work.exchange(nullptr))(member.number);
            if (--left_ == 0) {
                const std::lock_guard<std::mutex> lock(mutex_);
                done_.notify_one();
            }
        }
    }

    std::vector<std::unique_ptr<Member>> members_;
    std::atomic<std::size_t> left_{0}; ///< members that work
    std::mutex mutex_;
    std::condition_variable done_;
};

/// The teams of the process, which are never destroyed: their threads end with the process. Work
/// within other work, and of another thread meanwhile, has a team of its own.
class TeamsOfProcess {
public:
    Team* take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (free_.empty()) {
            return new Team();
        }
        Team* const team = free_.back();
        free_.pop_back();
        return team;
    }
    void give_back(Team* team) {
        const std::lock_guard<std::mutex> lock(mutex_);
        free_.push_back(team);
    }

private:
    std::mutex mutex_;
    std::vector<Team*> free_; ///< the one that worked last is the last
};
TeamsOfProcess& teams_of_process() {
    static TeamsOfProcess* const teams = [] {
        // A child process has none of the threads, whatever they were doing: its teams are new.
        ::pthread_atfork(nullptr, nullptr, [] { new (&teams_of_process()) TeamsOfProcess(); });
        return new TeamsOfProcess();
    }();
    return *teams;
}

} // namespace

AllowedCores allowed_cores(const std::string& root) {
    const TimeLimit limit = time_limit(root);
    AllowedCores allowed{{}, limit.cores, limit.group};
#ifdef LSRECON_ON_LINUX
    cpu_set_t mask;
    if (::sched_getaffinity(0, sizeof mask, &mask) == 0) {
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (CPU_ISSET(core, &mask)) {
                allowed.numbers.push_back(core);
            }
        }
        return allowed;
    }
#endif
    for (int core = 0; core < static_cast<int>(cores_of_machine()); ++core) {
        allowed.numbers.push_back(core);
    }
    return allowed;
}

std::size_t share_of_cores(const std::vector<AllowedCores>& of_node, std::size_t rank) {
    const AllowedCores& own = of_node[rank];
    std::map<int, double> users; // of a core
    double of_group = 0;
    for (const AllowedCores& other : of_node) {
        for (const int core : other.numbers) {
            users[core] += 1;
        }
        of_group += other.group == own.group ? 1 : 0;
    }
    double cores = 0;
    for (const int core : own.numbers) {
        cores += 1 / users[core];
    }
    constexpr double rounding = 1e-6;
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(std::min(cores, own.quota / of_group) + rounding));
}

std::size_t all_cores() {
    return std::min(most_cores, cores_of_machine());
}

std::size_t limit_cores(std::size_t most) {
    return std::exchange(most_cores, most);
}

void on_cores(std::size_t cores, const std::function<void(std::size_t core)>& work) {
    std::vector<std::exception_ptr> failures(cores);
    const std::function<void(std::size_t)> guarded = [&, limit = most_cores](std::size_t core) {
        const std::size_t before = limit_cores(limit);
        try {
            work(core);
        } catch (...) {
            failures[core] = std::current_exception();
        }
        limit_cores(before);
    };
    Team* const team = teams_of_process().take();
    const std::size_t members = std::min(cores, team->grow(cores));
    for (std::size_t core = members; core < cores; ++core) {
        guarded(core);
    }
    team->run(members, guarded);
    teams_of_process().give_back(team);
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

} // namespace lsrecon
