#pragma once

#include <string>

namespace lsrecon {

/// Bytes in the letters of base64 (RFC 4648), padded, without line ends.
std::string base64(const std::string& bytes);

} // namespace lsrecon
