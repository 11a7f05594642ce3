#include "backend/opencl/device.hpp"
#include "backend/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {
/// A work-item has one row of eight and two columns of eight of every tile of its warp.
constexpr std::size_t items_of_a_warp = 32;
} // namespace

TiledProduct matrix_product(const Parameters& parameters, std::size_t columns,
                            const DeviceInfo& device) {
    const auto value = [&](const char* name) {
        return static_cast<std::size_t>(parameters.at(name));
    };
    std::size_t warps_x = value("WARPS_X");
    std::size_t warps_y = value("WARPS_Y");
    // A product of few columns gets narrow, tall tiles.
    while (warps_x > 1 && warps_y < 4 && warps_x / 2 * value("WARP_COLUMNS") >= columns) {
        warps_x /= 2;
        warps_y *= 2;
    }
    TiledProduct product;
    product.file = "separable_matrix.cl";
    product.defines =
        text("-DWARPS_X=", warps_x, " -DWARPS_Y=", warps_y,
             " -DWARP_COLUMNS=", value("WARP_COLUMNS"), " -DWARP_ROWS=", value("WARP_ROWS"),
             " -DSTEP=", value("STEP"), has_double_matrix_units(device) ? " -DMATRIX_UNITS" : "");
    product.rows = warps_y * value("WARP_ROWS");
    product.columns = warps_x * value("WARP_COLUMNS");
    product.items = warps_x * warps_y * items_of_a_warp;
    product.step = value("STEP");
    product.rows_of_a_load = 1;
    product.parts = {{all_samples, 0}};
    return product;
}

} // namespace lsrecon::opencl
