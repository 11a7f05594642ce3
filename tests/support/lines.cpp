#include "support/lines.hpp"

#include "support/case.hpp"

namespace lsrecon::test {

Lines on_lines(const Grid& grid, std::size_t dimension, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3> ordered;
    const std::size_t length = grid.size[dimension];
    for (std::size_t line = 0; line < count; ++line) {
        Vec3 k{0, 0, 0};
        for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
            const double half = static_cast<double>(grid.size[d]) / 2;
            k[d] = random.uniform(-half, half);
        }
        for (std::size_t step = 0; step < length; ++step) {
            k[dimension] = static_cast<double>(step) - static_cast<double>(length / 2);
            ordered.push_back(k);
        }
    }
    Lines result{grid, dimension, {}};
    for (const std::size_t m : random.permutation(ordered.size())) {
        result.trajectory.positions.push_back(ordered[m]);
    }
    return result;
}

} // namespace lsrecon::test
