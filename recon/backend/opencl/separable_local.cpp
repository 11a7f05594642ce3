#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/separable_tile.hpp"

namespace lsrecon::opencl {

namespace {

Tiles local_tiles(const char* file, const Parameters& parameters, std::size_t columns,
                  std::size_t local_bytes) {
    const SeparableTile tile(parameters, columns, local_bytes);
    return {file, tile.defines(), tile.rows(), tile.columns(), tile.items(), tile.step};
}

} // namespace

TiledProduct local_product(const Parameters& parameters, std::size_t columns,
                           std::size_t local_bytes) {
    constexpr std::size_t floats_of_a_load = 4;
    // How long a sum in floats may get. The largest samples are summed in short runs, since a scan
    // may have its energy in few of them.
    constexpr TiledProduct::Part large_samples{2048, 64};
    constexpr TiledProduct::Part other_samples{all_samples, 1024};
    return {local_tiles("separable_local.cl", parameters, columns, local_bytes),
            floats_of_a_load,
            {large_samples, other_samples}};
}

Tiles local_forward(const Parameters& parameters, std::size_t samples, std::size_t local_bytes) {
    return local_tiles("separable_forward_local.cl", parameters, samples, local_bytes);
}

} // namespace lsrecon::opencl
