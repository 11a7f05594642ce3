// The exact engine of the host, which runs the sums of exact_sums.hpp over all points on all cores.

#include <limits>

#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "device/array.hpp"
#include "engines/exact_sums.hpp"
#include "engines/host/engines.hpp"
#include "engines/pieces.hpp"

namespace lsrecon::host {

namespace {

double error_of_sums(const SamplePoints& points, const Voxels& voxels, std::size_t terms,
                     Precision stored) {
    const double error = tolerance::reference(largest_turns(points, voxels), terms);
    return 2 * error + (stored == Precision::float32 ? tolerance::eps : 0);
}

class Sums : public Transform {
public:
    Sums(const EngineContext& context, const SamplePoints& points, const Voxels& voxels)
        : precision_(context.precision), points_(points), voxels_(voxels) {}

    std::size_t samples() const override { return points_.count(); }
    std::size_t voxels() const override { return voxels_.count(); }

    // exp(-i 2 pi k.x) is exp(i 2 pi k.x) at -k, where what decays stays.
    void forward(const Array& rho, Array& out, const Progress& progress) override {
        const OffResonance* const field = off_resonance_of(points_, voxels_);
        const auto mirrored = [&](std::size_t m) {
            PhasePoint point = phase_point(points_, field, m);
            std::transform(point.begin(), point.end() - 1, point.begin(), std::negate<>());
            return point;
        };
        sum(
            voxels(), [&](std::size_t n) { return phase_point(voxels_, field, n); }, rho, samples(),
            mirrored, out, progress);
    }
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        const OffResonance* const field = off_resonance_of(points_, voxels_);
        sum(
            samples(), [&](std::size_t m) { return phase_point(points_, field, m); }, values,
            voxels(), [&](std::size_t n) { return phase_point(voxels_, field, n); }, out, progress);
    }

    double forward_error() const override {
        return error_of_sums(points_, voxels_, voxels(), precision_);
    }
    double adjoint_error() const override {
        return error_of_sums(points_, voxels_, samples(), precision_);
    }

private:
    using PointAt = std::function<PhasePoint(std::size_t)>;

    static Complex value_at(const Array& array, std::size_t i) {
        return in_precision_of(array, [&](auto real) {
            using Real = decltype(real);
            return array.element().complex ? Complex(values<Real>(array)[i])
                                           : Complex(numbers<Real>(array)[i]);
        });
    }

    /// Sums all sources at every point, some points a task: the order of a sum does not depend on
    /// the number of cores.
    static void sum(std::size_t sources, const PointAt& source, const Array& values,
                    std::size_t count, const PointAt& point, Array& out, const Progress& progress) {
        const std::size_t coils = out.count() / std::max<std::size_t>(1, count);
        ExactSources all;
        all.at.reserve(sources);
        all.values.reserve(sources * coils);
        for (std::size_t s = 0; s < sources; ++s) {
            all.at.push_back(source(s));
            for (std::size_t c = 0; c < coils; ++c) {
                all.values.push_back(value_at(values, c * sources + s));
            }
        }
        const std::vector<PointLanes> lanes = in_lanes(count, point);
        constexpr std::size_t progress_after = 1024; // of lanes
        for (const Range& some : split_into_ranges(lanes.size(), progress_after)) {
            for_each_in_parallel(some.count, [&](std::size_t i) {
                std::vector<Lanes> sums(2 * coils, Lanes{});
                add_exact_block(all, {0, sources}, lanes[some.first + i], sums);
                put(sums, (some.first + i) * exact_lanes, count, out);
            });
            progress(static_cast<double>(some.first + some.count) /
                     static_cast<double>(lanes.size()));
        }
    }

    /// Writes the sums of the points from `first` on in the precision of `out`; lanes beyond the
    /// last point are left out.
    static void put(const std::vector<Lanes>& sums, std::size_t first, std::size_t count,
                    Array& out) {
        in_precision_of(out, [&](auto real) {
            using Real = decltype(real);
            for (std::size_t c = 0; c < sums.size() / 2; ++c) {
                for (std::size_t n = first; n < std::min(first + exact_lanes, count); ++n) {
                    values<Real>(out)[c * count + n] =
                        std::complex<Real>(static_cast<Real>(sums[2 * c][n - first]),
                                           static_cast<Real>(sums[2 * c + 1][n - first]));
                }
            }
            return 0;
        });
    }

    Precision precision_;
    SamplePoints points_;
    Voxels voxels_;
};

} // namespace

Cost predict_sums(const EngineFacts& facts, const Variant&, const std::string& stage,
                  const SamplePoints& points, const Voxels& voxels) {
    constexpr double seconds_of_a_pair = 3.3e-9 / 4.8; // of a core; MachineModel::exact is on it
    Cost cost = cost_of_pieces({1, points.count(), voxels.count()}, facts.precision);
    cost.seconds = seconds_of_a_pair / facts.machine.model.cores *
                   static_cast<double>(points.count()) * static_cast<double>(voxels.count());
    cost.host_bytes = static_cast<double>((stage == "f" ? voxels.count() : points.count()) *
                                          (sizeof(PhasePoint) + sizeof(Complex)));
    cost.error = error_of_sums(points, voxels, stage == "f" ? voxels.count() : points.count(),
                               facts.precision);
    return cost;
}

std::unique_ptr<Transform> make_sums(const EngineContext& context, const Variant&,
                                     const SamplePoints& points, const Voxels& voxels) {
    return std::make_unique<Sums>(context, points, voxels);
}

} // namespace lsrecon::host
