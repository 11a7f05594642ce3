#include "model/prepare_options.hpp"

#include <algorithm>

namespace lsrecon {

bool PrepareOptions::maps_of_file() const {
    const std::vector<MapsMethod>& methods = maps_methods();
    return !maps.empty() && maps != "none" &&
           std::none_of(methods.begin(), methods.end(),
                        [&](const MapsMethod& method) { return method.name == maps; });
}

} // namespace lsrecon
