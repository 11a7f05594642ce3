#include "model/estimated_maps.hpp"

#include <algorithm>

#include "base/linear_algebra.hpp"

namespace lsrecon {

const std::vector<MapsMethod>& maps_methods() {
    static const std::vector<MapsMethod> table{
        {"espirit", "ESPIRiT from the centre of k-space", &espirit_maps, true, &cost_of_espirit},
        {"walsh", "adaptive combination of low-resolution images", &walsh_maps, false,
         &cost_of_walsh},
    };
    return table;
}

const MapsMethod* maps_method_named(const std::string& name) {
    const std::vector<MapsMethod>& table = maps_methods();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const MapsMethod& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

Eigen::VectorXcf strongest_combination(const CoilMatrix& rows) {
    return eigen_of(rows * rows.adjoint()).vectors.rightCols(1).cast<std::complex<float>>();
}

} // namespace lsrecon
