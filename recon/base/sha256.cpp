#include "base/sha256.hpp"

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

} // namespace lsrecon
