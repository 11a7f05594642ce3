#include "engines/opencl/separable_forms.hpp"
#include "engines/opencl/separable_tile.hpp"

namespace lsrecon::opencl {

namespace {

Tiles local_tiles(const char* file, const Parameters& parameters, std::size_t columns,
                  const Resources& resources) {
    const std::size_t number_bytes = bytes_of(resources.precision);
    const SeparableTile tile(parameters, columns, resources.queue.info().local_bytes, number_bytes);
    return {file,
            tile.defines() + resources.defines(),
            tile.rows(),
            tile.columns(),
            tile.items(),
            tile.step,
            2 * number_bytes};
}

} // namespace

TiledProduct local_product(const Parameters& parameters, std::size_t columns,
                           const Resources& resources) {
    constexpr std::size_t floats_of_a_load = 4;
    // The length that a sum in floats may reach. The largest samples are summed in short runs,
    // since a scan may have its energy in few of them.
    constexpr TiledProduct::Part large_samples{2048, 64};
    constexpr TiledProduct::Part other_samples{all_samples, 1024};
    return {local_tiles("separable_local.cl", parameters, columns, resources),
            floats_of_a_load,
            {large_samples, other_samples}};
}

Tiles local_forward(const Parameters& parameters, std::size_t samples, const Resources& resources) {
    return local_tiles("separable_forward_local.cl", parameters, samples, resources);
}

} // namespace lsrecon::opencl
