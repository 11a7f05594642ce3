// Adds up the memory that each thing takes, and names the largest when it does not fit.

#include "scan/host_memory.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

void HostMemory::add(const std::string& thing, const std::string& found, const Cost& cost,
                     const std::string& otherwise) {
    parts_.push_back({thing, found, bytes_of(cost), otherwise});
}

double HostMemory::bytes_of(const Cost& cost) const {
    return cost.host_bytes + (device_is_here_ ? cost.device_bytes : 0);
}

double HostMemory::bytes() const {
    double sum = 0;
    for (const Part& part : parts_) {
        sum += part.bytes;
    }
    return sum;
}

bool HostMemory::fits(const MemoryLimit& limit, double addresses) const {
    return bytes() <= limit.bytes && bytes() + reserved_ <= addresses;
}

void HostMemory::require(const std::string& file, const MemoryLimit& limit,
                         double addresses) const {
    if (fits(limit, addresses)) {
        return;
    }
    const bool too_many_addresses = bytes() + reserved_ > addresses;
    const auto largest =
        std::max_element(parts_.begin(), parts_.end(),
                         [](const Part& a, const Part& b) { return a.bytes < b.bytes; });
    std::string found = text(largest->found, ", which needs ", largest->bytes / 1e9, " GB");
    if (parts_.size() > 1) {
        found += text("; with all else ", bytes() / 1e9, " GB");
    }
    MemoryLimit binding = limit;
    std::string next;
    if (too_many_addresses) {
        binding = {addresses, "this process (ulimit -v)"};
        if (reserved_ > 0) {
            found += text(", and ", reserved_ / 1e9, " GB of addresses that are only reserved");
        }
        next = "raise ulimit -v, ";
    }
    for (const Part& part : parts_) {
        next += part.otherwise.empty() ? "" : part.otherwise + ", ";
    }
    throw InputError(
        {file, largest->thing, found,
         text("at most the ", binding.bytes / 1e9, " GB of ", binding.whose),
         (next.empty() ? "correct the size, " : next) + "or use a machine with more memory"});
}

} // namespace lsrecon
