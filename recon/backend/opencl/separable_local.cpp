#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/separable_tile.hpp"

namespace lsrecon::opencl {

TiledProduct local_product(const Parameters& parameters, std::size_t columns,
                           std::size_t local_bytes) {
    const SeparableTile tile(parameters, columns, local_bytes);
    constexpr std::size_t floats_of_a_load = 4;
    // How long a sum in floats may get. The largest samples are summed in short runs, since a scan
    // may have its energy in few of them.
    constexpr TiledProduct::Part large_samples{2048, 64};
    constexpr TiledProduct::Part other_samples{all_samples, 1024};
    return {"separable_local.cl", tile.defines(), tile.rows(),      tile.columns(),
            tile.items(),         tile.step,      floats_of_a_load, {large_samples, other_samples}};
}

} // namespace lsrecon::opencl
