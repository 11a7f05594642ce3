// Gives voxels without a value that of the nearest one that has one.

#include "scan/stored_values.hpp"

#include <cmath>
#include <vector>

namespace lsrecon {

double fill_missing(const Grid& grid, CoilRows& values) {
    return values.visit([&](auto& rows) -> double {
        const auto is_missing = [&](std::size_t n) {
            return std::isnan(rows(0, static_cast<Eigen::Index>(n)).real());
        };
        std::vector<std::size_t> front;
        if (!rows.row(0).hasNaN()) {
            return 0;
        }
        for (std::size_t n = 0; n < grid.voxels(); ++n) {
            if (!is_missing(n)) {
                front.push_back(n);
            }
        }
        const std::size_t known = front.size();
        for (std::size_t at = 0; at < front.size(); ++at) {
            const std::size_t n = front[at];
            std::size_t stride = 1;
            for (std::size_t d = 0; d < 3; stride *= grid.size[d++]) {
                const std::size_t index = n / stride % grid.size[d];
                for (const bool up : {false, true}) {
                    const std::size_t next = up ? n + stride : n - stride;
                    if (index != (up ? grid.size[d] - 1 : 0) && is_missing(next)) {
                        rows.col(static_cast<Eigen::Index>(next)) =
                            rows.col(static_cast<Eigen::Index>(n)).eval();
                        front.push_back(next);
                    }
                }
            }
        }
        return 1 - static_cast<double>(known) / static_cast<double>(grid.voxels());
    });
}

} // namespace lsrecon
