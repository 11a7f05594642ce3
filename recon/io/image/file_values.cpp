#include "io/image/file_values.hpp"

#include <cstring>

#include "io/image/file.hpp"

namespace lsrecon {

namespace {

template <typename Number> void round_to(char* to, const ComplexVector& values) {
    for (const Complex& value : values) {
        const std::complex<Number> rounded(value);
        std::memcpy(to, &rounded, sizeof(rounded));
        to += sizeof(rounded);
    }
}

} // namespace

void FileValues::put(std::size_t first, const ComplexVector& values) {
    largest_.add(values);
    require_in_range(largest_.value(), precision_);
    const std::size_t each = 2 * bytes_of(precision_);
    bytes_.resize(count_ * each);
    char* const to = bytes_.data() + first * each;
    precision_ == Precision::float64 ? round_to<double>(to, values) : round_to<float>(to, values);
}

} // namespace lsrecon
