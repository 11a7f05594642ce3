// Moves samples and takes their phases out.

#include "scan/sample_parameters.hpp"

#include "base/linear_algebra.hpp"

namespace lsrecon {

using Eigen::Index;

Trajectory moved(const Trajectory& trajectory, const std::vector<SampleParameter>& parameters,
                 const RealVector& values) {
    Trajectory result = trajectory;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::vector<Vec3>& shift = parameters[i].shift;
        for (std::size_t m = 0; m < shift.size(); ++m) {
            for (std::size_t d = 0; d < 3; ++d) {
                result.positions[m][d] += values(static_cast<Index>(i)) * shift[m][d];
            }
        }
    }
    return result;
}

RealVector phases_of(const std::vector<SampleParameter>& parameters, const RealVector& values) {
    RealVector phases;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const RealVector& of_unit = parameters[i].phase;
        const double value = values(static_cast<Index>(i));
        if (of_unit.size() > 0 && value != 0) {
            phases = phases.size() > 0 ? RealVector(phases + value * of_unit) : value * of_unit;
        }
    }
    return phases;
}

void take_out(const RealVector& phases, CoilRows& samples) {
    if (phases.size() == 0) {
        return;
    }
    samples.visit([&](auto& rows) {
        using Value = typename std::decay_t<decltype(rows)>::Scalar;
        for_each_segment(phases, [&rows](const auto& some, Index first) {
            for (Index m = 0; m < some.size(); ++m) {
                rows.col(first + m) *= static_cast<Value>(std::polar(1.0, -some(m)));
            }
        });
    });
}

} // namespace lsrecon
