#include "engines/opencl/resources.hpp"

namespace lsrecon::opencl {

void Resources::write(const std::vector<double>& numbers, Array& array, std::size_t first) const {
    const std::size_t bytes = bytes_of(precision);
    const auto put = [&](const void* values) {
        queue.commands().enqueueWriteBuffer(buffer_of(array), CL_TRUE, first * bytes,
                                            numbers.size() * bytes, values);
    };
    if (precision == Precision::float64) {
        put(numbers.data());
    } else {
        put(std::vector<float>(numbers.begin(), numbers.end()).data());
    }
}

} // namespace lsrecon::opencl
