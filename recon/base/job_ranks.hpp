// The processes of one job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/ranges.hpp"

namespace lsrecon {

/// The processes of one job, which run the same program at the same time; this class is a process
/// that is alone. What several do together, each of them calls in the same order.
class JobRanks {
public:
    JobRanks() = default;
    virtual ~JobRanks() = default;
    JobRanks(const JobRanks&) = delete;
    JobRanks& operator=(const JobRanks&) = delete;

    virtual std::size_t count() const { return 1; }
    virtual std::size_t rank() const { return 0; } ///< this rank, from 0
    bool is_first() const { return rank() == 0; } ///< who writes files and to the terminal
    /// The number of ranks on this node.
    virtual std::size_t count_on_node() const { return 1; }
    virtual std::size_t rank_on_node() const { return 0; }
    /// The messages that the ranks of this node send one another, in their order.
    virtual std::vector<std::string> of_node(const std::string& own) { return {own}; }

    /// The next of 0, 1, 2, ... that no rank had before, for a rank that is free. Each rank calls
    /// it when it likes.
    virtual std::size_t next() { return next_++; }

    /// The bytes of rank `from` become those of all.
    virtual void broadcast(std::size_t /*from*/, void* /*data*/, std::size_t /*bytes*/) {}
    /// The bytes of rank `from` become those of the first; others have no part in it.
    virtual void bring_to_first(std::size_t /*from*/, void* /*data*/, std::size_t /*bytes*/) {}
    void broadcast(std::size_t from, std::string& bytes) {
        std::size_t size = bytes.size();
        broadcast(from, &size, sizeof size);
        bytes.resize(size);
        broadcast(from, bytes.data(), size);
    }
    void bring_to_first(std::size_t from, std::string& bytes) {
        std::size_t size = bytes.size();
        bring_to_first(from, &size, sizeof size);
        if (is_first()) {
            bytes.resize(size);
        }
        bring_to_first(from, bytes.data(), size);
    }

    /// Ends all ranks, where the job is more than this one. An error that the first has, too, is
    /// said once, by the first.
    virtual void fail(int /*exit_code*/, const std::string& /*message*/) {}

private:
    std::size_t next_ = 0;
};

/// The items of `total` that `rank` of `ranks` computes, of which `together` are not divided:
/// one range after the other, as even as that allows.
inline Range share_of_rank(std::size_t total, std::size_t together, std::size_t rank,
                           std::size_t ranks) {
    const std::size_t units = divide_up(total, together);
    const auto begin = [&](std::size_t r) { return std::min(total, units * r / ranks * together); };
    return {begin(rank), begin(rank + 1) - begin(rank)};
}

} // namespace lsrecon
