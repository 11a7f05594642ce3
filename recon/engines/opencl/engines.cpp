#include "engines/opencl/engines.hpp"

#include <algorithm>
#include <cmath>

#include "base/tolerance.hpp"
#include "device/devices.hpp"

namespace lsrecon {

namespace opencl {

const std::vector<Engine>& engines() {
    static const std::vector<Engine> rows{
        {{"naive", "register", "constant", "struct", "native", "tuned"},
         [](const Voxels&) { return true; },
         false,
         &make_direct},
        {{"separable"},
         [](const Voxels& voxels) { return voxels.on_lattice(); },
         true,
         &make_separable},
    };
    return rows;
}

const Engine& engine_of(const std::string& variant) {
    std::string names;
    for (const Engine& engine : engines()) {
        for (const std::string& name : engine.variants) {
            if (name == variant) {
                return engine;
            }
            names += (names.empty() ? "" : ", ") + name;
        }
    }
    throw UsageError(text("--kernel ", variant, " is unknown\n  expected: one of ", names,
                          "\n  next:     see 'lsrecon devices', or leave --kernel out"));
}

double error_in_doubles(const SamplePoints& points, const Voxels& voxels, std::size_t terms) {
    Vec3 reach{};
    for (const Vec3& k : points.trajectory) {
        for (std::size_t d = 0; d < 3; ++d) {
            reach[d] = std::max(reach[d], std::abs(k[d]) / voxels.per_fov()[d]);
        }
    }
    double turns = voxels.extent_in_voxels() * (reach[0] + reach[1] + reach[2]);
    if (const OffResonance* const off_resonance = off_resonance_of(points, voxels)) {
        turns += points.times->cwiseAbs().maxCoeff() * off_resonance->field.cwiseAbs().maxCoeff();
    }
    return 2 * tolerance::reference(turns, terms);
}

} // namespace opencl

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const opencl::Engine& engine : opencl::engines()) {
        names.insert(names.end(), engine.variants.begin(), engine.variants.end());
    }
    return names;
}

std::string default_kernel() {
    return "separable";
}

} // namespace lsrecon
