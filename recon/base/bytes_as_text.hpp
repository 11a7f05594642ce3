// Bytes as text: their SHA-256 in hexadecimal digits, and themselves in base64.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace lsrecon {

/// SHA-256 (FIPS 180-4) of what is added, by OpenSSL.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    Sha256& add(const void* bytes, std::size_t size);
    Sha256& add(const std::string& text) { return add(text.data(), text.size()); }

    static constexpr std::size_t digits = 64;
    /// Lower-case hexadecimal digits; nothing may be added after.
    std::string hex();

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

/// Bytes in the letters of base64 (RFC 4648), padded, without line ends.
std::string base64(const std::string& bytes);

} // namespace lsrecon
