#include "device/opencl/drivers.hpp"
#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

/// kernels/separable_matrix.h.
constexpr std::size_t warp_size = 32;
constexpr std::size_t most_warps_y = 4;

Tiles matrix_tiles(const char* file, const Parameters& parameters, std::size_t columns,
                   const Resources& resources) {
    const auto value = [&](const char* name) {
        return static_cast<std::size_t>(parameters.at(name));
    };
    std::size_t warps_x = value("WARPS_X");
    std::size_t warps_y = value("WARPS_Y");
    // A product of few columns gets narrow, tall tiles.
    while (warps_x > 1 && warps_y < most_warps_y &&
           warps_x / 2 * value("WARP_COLUMNS") >= columns) {
        warps_x /= 2;
        warps_y *= 2;
    }
    return {file,
            text("-DWARPS_X=", warps_x, " -DWARPS_Y=", warps_y,
                 " -DWARP_COLUMNS=", value("WARP_COLUMNS"), " -DWARP_ROWS=", value("WARP_ROWS"),
                 " -DSTEP=", value("STEP"),
                 has_double_matrix_units(resources.queue.info()) ? " -DMATRIX_UNITS" : "",
                 resources.defines()),
            warps_y * value("WARP_ROWS"),
            warps_x * value("WARP_COLUMNS"),
            warps_x * warps_y * warp_size,
            value("STEP"),
            sizeof(double)};
}

} // namespace

TiledProduct matrix_product(const Parameters& parameters, std::size_t columns,
                            const Resources& resources) {
    constexpr TiledProduct::Part all{all_samples, 0};
    return {matrix_tiles("separable_matrix.cl", parameters, columns, resources), 1, {all}};
}

Tiles matrix_forward(const Parameters& parameters, std::size_t samples,
                     const Resources& resources) {
    return matrix_tiles("separable_forward_matrix.cl", parameters, samples, resources);
}

} // namespace lsrecon::opencl
