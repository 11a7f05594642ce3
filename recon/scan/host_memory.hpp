// The memory of the host that a reconstruction takes, and the error when there is too little.

#pragma once

#include <string>
#include <vector>

#include "base/computation.hpp"
#include "base/machine.hpp"

namespace lsrecon {

/// The memory that the host holds at once while a scan is reconstructed: found from shapes, before
/// any value is read.
class HostMemory {
public:
    /// `device_is_here`: whether the arrays of the device are in the host's memory.
    explicit HostMemory(bool device_is_here = false) : device_is_here_(device_is_here) {}

    /// `thing` is what messages call it, `found` how large it says it is, `otherwise` how to
    /// reduce it.
    void add(const std::string& thing, const std::string& found, const Cost& cost,
             const std::string& otherwise = "");

    /// Addresses that count for `ulimit -v` alone (base/machine.hpp).
    void add_reserved(double bytes) { reserved_ += bytes; }

    /// The bytes of the host in one cost, or in all that were added, without memory that is only
    /// reserved.
    double bytes_of(const Cost& cost) const;
    double bytes() const;
    /// Whether all that was added is within the limit, and with what is reserved that of `ulimit
    /// -v`.
    bool fits(const MemoryLimit& limit = memory_limit(),
              double addresses = address_space_limit()) const;
    /// InputError that names the largest part, and how to reduce it, when all does not fit.
    void require(const std::string& file, const MemoryLimit& limit = memory_limit(),
                 double addresses = address_space_limit()) const;

private:
    struct Part {
        std::string thing;
        std::string found;
        double bytes;
        std::string otherwise;
    };
    bool device_is_here_;
    std::vector<Part> parts_;
    double reserved_ = 0;
};

} // namespace lsrecon
