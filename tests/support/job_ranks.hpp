#pragma once

#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>

#include "base/job_ranks.hpp"

namespace lsrecon::test {

/// The first of two ranks, which keeps what it sends the other.
class FirstOfTwo : public JobRanks {
public:
    using JobRanks::broadcast;
    std::size_t count() const override { return 2; }
    void broadcast(std::size_t from, void* values, std::size_t bytes) override {
        if (from == 0) {
            said.emplace_back(static_cast<const char*>(values), bytes);
        }
    }

    std::deque<std::string> said;
};

/// The other, which hears it. std::logic_error where it waits for what the first does not say.
class SecondOfTwo : public JobRanks {
public:
    using JobRanks::broadcast;
    explicit SecondOfTwo(FirstOfTwo& first) : first_(first) {}
    std::size_t count() const override { return 2; }
    std::size_t rank() const override { return 1; }
    void broadcast(std::size_t from, void* values, std::size_t bytes) override {
        if (from != 0) {
            return;
        }
        if (first_.said.empty() || first_.said.front().size() != bytes) {
            throw std::logic_error("the second rank waits for ever");
        }
        std::memcpy(values, first_.said.front().data(), bytes);
        first_.said.pop_front();
    }

private:
    FirstOfTwo& first_;
};

} // namespace lsrecon::test
