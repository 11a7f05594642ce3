#pragma once

#include "base/error.hpp"
#include "engines/transforms.hpp"

namespace lsrecon::opencl {

/// The division of a product by a work-group of kernels/separable_local.cl.
struct SeparableTile {
    std::size_t group_x;
    std::size_t group_y;
    std::size_t item_columns;
    std::size_t item_rows;
    std::size_t step;
    int unroll;

    /// A product of few columns gets narrow, tall tiles, as far as local memory has room.
    SeparableTile(const Parameters& parameters, std::size_t product_columns,
                  std::size_t local_bytes, std::size_t number_bytes)
        : group_x(static_cast<std::size_t>(parameters.at("GROUP_X"))),
          group_y(static_cast<std::size_t>(parameters.at("GROUP_Y"))),
          item_columns(static_cast<std::size_t>(parameters.at("ITEM_COLUMNS"))),
          item_rows(static_cast<std::size_t>(parameters.at("ITEM_ROWS"))),
          step(static_cast<std::size_t>(parameters.at("STEP"))), unroll(parameters.at("UNROLL")) {
        while (group_x % 16 == 0 && columns() / 2 >= product_columns &&
               numbers(columns() / 2, 2 * rows()) * number_bytes <= local_bytes) {
            group_x /= 2;
            group_y *= 2;
        }
    }

    std::size_t items() const { return group_x * group_y; }
    std::size_t columns() const { return group_x * item_columns; }
    std::size_t rows() const { return group_y * item_rows; }
    std::string defines() const {
        return text("-DGROUP_X=", group_x, " -DGROUP_Y=", group_y, " -DITEM_COLUMNS=", item_columns,
                    " -DITEM_ROWS=", item_rows, " -DSTEP=", step, " -DUNROLL=", unroll);
    }

private:
    /// Numbers in local memory: real and imaginary parts, in two buffers.
    std::size_t numbers(std::size_t columns, std::size_t rows) const {
        return 2 * step * 2 * (columns + rows);
    }
};

} // namespace lsrecon::opencl
