#pragma once

#include <string>
#include <vector>

#include "base/address_space.hpp"
#include "base/machine.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// What the host holds at once while a scan is reconstructed: found from shapes, before any value
/// is read.
class HostMemory {
public:
    /// What becomes of a scan: an image that the host or a device solves, or F^H d alone.
    enum class Use { solve_here, solve_elsewhere, adjoint };

    /// `thing` is what messages call it, `found` how large it says it is, `otherwise` how to
    /// reduce it.
    void add(const std::string& thing, const std::string& found, double bytes,
             const std::string& otherwise = "");
    /// Images, a volume a coil, and where the host solves Q and its spectra: of a solve without
    /// options, which solve/solver_room.hpp has more precisely. Of F^H d what is written at least.
    void add_volumes(const std::string& thing, const Grid& grid, std::size_t coils,
                     Use use = Use::solve_here);

    /// Addresses that count for `ulimit -v` alone (base/address_space.hpp).
    void add_reserved(double bytes) { reserved_ += bytes; }

    /// Without what is only reserved.
    double bytes() const;
    /// InputError that names the largest part, and how to reduce it, when the total exceeds the
    /// limit, or with what is reserved that of `ulimit -v`.
    void require(const std::string& file, const MemoryLimit& limit = memory_limit(),
                 double addresses = address_space_limit()) const;

private:
    struct Part {
        std::string thing;
        std::string found;
        double bytes;
        std::string otherwise;
    };
    std::vector<Part> parts_;
    double reserved_ = 0;
};

} // namespace lsrecon
