#include "scan/host_memory.hpp"

#include <algorithm>
#include <complex>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

void HostMemory::add(const std::string& thing, const std::string& found, double bytes,
                     const std::string& otherwise) {
    parts_.push_back({thing, found, bytes, otherwise});
}

void HostMemory::add_volumes(const std::string& thing, const Grid& grid, std::size_t coils,
                             Use use) {
    double doubled = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        doubled *= 2 * static_cast<double>(grid.size[d]);
    }
    const double voxels = doubled / (grid.dimensions == 3 ? 8 : 4);
    // On the host conjugate gradients have half of Q in floats and, in doubles, real spectra of
    // all parities, and three vectors more.
    const auto images = static_cast<double>(std::max<std::size_t>(coils, 1));
    if (use == Use::adjoint) {
        add(thing, by(grid.size, grid.dimensions), sizeof(std::complex<float>) * images * voxels);
        return;
    }
    const double of_solver = use == Use::solve_here ? 0.75 * doubled + 3 * voxels : 0;
    add(thing, by(grid.size, grid.dimensions),
        sizeof(std::complex<double>) * (of_solver + (images + 6) * voxels));
}

double HostMemory::bytes() const {
    double sum = 0;
    for (const Part& part : parts_) {
        sum += part.bytes;
    }
    return sum;
}

void HostMemory::require(const std::string& file, const MemoryLimit& limit,
                         double addresses) const {
    const bool too_many_addresses = bytes() + reserved_ > addresses;
    if (bytes() <= limit.bytes && !too_many_addresses) {
        return;
    }
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
