#include "base/base64.hpp"

#include <algorithm>
#include <openssl/evp.h>

namespace lsrecon {

std::string base64(const std::string& bytes) {
    // Parts are whole triples, because the library counts in int; each part ends with a zero.
    constexpr std::size_t part = 3 << 20;
    std::string letters;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
        const std::size_t now = std::min(part, bytes.size() - at);
        std::string encoded(4 * ((now + 2) / 3) + 1, '\0');
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()) + at,
                        static_cast<int>(now));
        encoded.pop_back();
        letters += encoded;
    }
    return letters;
}

} // namespace lsrecon
