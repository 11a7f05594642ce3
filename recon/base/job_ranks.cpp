#include "base/job_ranks.hpp"

namespace lsrecon {

void JobRanks::broadcast(std::size_t from, std::string& bytes) {
    std::size_t size = bytes.size();
    broadcast(from, &size, sizeof size);
    bytes.resize(size);
    broadcast(from, bytes.data(), size);
}

void JobRanks::bring_to_first(std::size_t from, std::string& bytes) {
    std::size_t size = bytes.size();
    bring_to_first(from, &size, sizeof size);
    if (is_first()) {
        bytes.resize(size);
    }
    bring_to_first(from, bytes.data(), size);
}

Range share_of_rank(std::size_t total, std::size_t together, std::size_t here, std::size_t ranks) {
    const std::size_t units = divide_up(total, together);
    const auto begin = [&](std::size_t rank) {
        return std::min(total, units * rank / ranks * together);
    };
    return {begin(here), begin(here + 1) - begin(here)};
}

} // namespace lsrecon
