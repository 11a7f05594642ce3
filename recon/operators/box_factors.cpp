#include "operators/box_factors.hpp"

namespace lsrecon {

Box with_factors(Device& device, Precision precision, Box box,
                 const std::function<Complex(std::size_t d, std::size_t n)>& factor) {
    ComplexVector factors(static_cast<Eigen::Index>(box.size[0] + box.size[1] + box.size[2]));
    Eigen::Index i = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t n = 0; n < box.size[d]; ++n) {
            factors(i++) = factor(d, n);
        }
    }
    box.factors = device.zeros(static_cast<std::size_t>(factors.size()), {true, precision});
    device.upload(factors, box.factors);
    return box;
}

} // namespace lsrecon
