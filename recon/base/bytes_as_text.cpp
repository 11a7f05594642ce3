// Computes SHA-256 and base64 by OpenSSL.

#include "base/bytes_as_text.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>

#include "base/error.hpp"

namespace lsrecon {

struct Sha256::Context {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> handle{EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free};
};

namespace {

void require(int result) {
    if (result != 1) {
        throw Error(ExitCode::bug, "OpenSSL cannot compute SHA-256");
    }
}

} // namespace

Sha256::Sha256() : context_(std::make_unique<Context>()) {
    require(EVP_DigestInit_ex(context_->handle.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

Sha256& Sha256::add(const void* bytes, std::size_t size) {
    require(EVP_DigestUpdate(context_->handle.get(), bytes, size));
    return *this;
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_->handle.get(), digest.data(), &size));
    std::string result;
    for (unsigned i = 0; i < size; ++i) {
        constexpr char hexadecimal[] = "0123456789abcdef";
        result += hexadecimal[digest[i] >> 4];
        result += hexadecimal[digest[i] & 15];
    }
    return result;
}

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
