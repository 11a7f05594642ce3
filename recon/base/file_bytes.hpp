#pragma once

#include <cstddef>
#include <cstdint>

namespace lsrecon {

// All bytes of a request, however many calls of the system it takes. False with errno set when the
// system refuses; reading beyond the end of a file is false, too.

bool read_all(int file, void* to, std::size_t size, std::uint64_t at);
bool write_all(int file, const void* from, std::size_t size, std::uint64_t at);

} // namespace lsrecon
