// Direct sums in plain loops, in either precision: the reference that checks all other engines.

#include "engines/host/engines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "base/tolerance.hpp"
#include "device/array.hpp"
#include "engines/exact_sums.hpp"

namespace lsrecon {

namespace {

template <typename Real> constexpr Real two_pi = Real(6.283185307179586476925286766559);

/// A PhasePoint in this precision.
template <typename Real> using Point = std::array<Real, 5>;

template <typename Real>
double error_of_loops(const SamplePoints& points, const Voxels& voxels, std::size_t terms) {
    return tolerance::reference(largest_turns(points, voxels), terms,
                                std::numeric_limits<Real>::epsilon() / 2);
}

/// Sums over every source, in this precision.
template <typename Real> class LoopTransform : public Transform {
public:
    LoopTransform(const SamplePoints& points, const Voxels& voxels)
        : points_(points), voxels_(voxels) {}

    std::size_t samples() const override { return points_.count(); }
    std::size_t voxels() const override { return voxels_.count(); }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        sum(placed(voxels_), placed(points_), rho, Real(-1), out, progress);
    }
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        sum(placed(points_), placed(voxels_), values, Real(+1), out, progress);
    }

    double forward_error() const override {
        return error_of_loops<Real>(points_, voxels_, voxels());
    }
    double adjoint_error() const override {
        return error_of_loops<Real>(points_, voxels_, samples());
    }

private:
    const OffResonance* off_resonance() const { return off_resonance_of(points_, voxels_); }

    template <typename Points> std::vector<Point<Real>> placed(const Points& points) const {
        std::vector<Point<Real>> result(points.count());
        for (std::size_t i = 0; i < result.size(); ++i) {
            const PhasePoint point = phase_point(points, off_resonance(), i);
            std::transform(point.begin(), point.end(), result[i].begin(),
                           [](double number) { return Real(number); });
        }
        return result;
    }

    template <typename Number> static std::vector<std::complex<Real>> in_order(const Array& array) {
        const Number* const all = numbers<Number>(array);
        return {all, all + array.count()};
    }

    /// out_cp = sum_s value_cs exp(sign i 2 pi source_s . point_p)
    void sum(const std::vector<Point<Real>>& sources, const std::vector<Point<Real>>& points,
             const Array& values, Real sign, Array& out, const Progress& progress) {
        const bool decays = off_resonance() && off_resonance()->r2star.size() > 0;
        const std::vector<std::complex<Real>> value =
            values.element().complex ? in_order<Complex>(values) : in_order<double>(values);
        const std::size_t coils = sources.empty() ? 0 : value.size() / sources.size();
        std::vector<std::complex<Real>> total(coils);
        for (std::size_t p = 0; p < points.size(); ++p) {
            const Point<Real>& x = points[p];
            std::fill(total.begin(), total.end(), std::complex<Real>(0));
            for (std::size_t s = 0; s < sources.size(); ++s) {
                const Point<Real>& k = sources[s];
                const Real turns = k[0] * x[0] + k[1] * x[1] + k[2] * x[2] + k[3] * x[3];
                const Real phase = sign * two_pi<Real> * turns;
                std::complex<Real> e(std::cos(phase), std::sin(phase));
                if (decays) {
                    e *= std::exp(-k[4] * x[4]);
                }
                for (std::size_t c = 0; c < coils; ++c) {
                    total[c] += value[c * sources.size() + s] * e;
                }
            }
            for (std::size_t c = 0; c < coils; ++c) {
                numbers<Complex>(out)[c * points.size() + p] = Complex(total[c]);
            }
            if (p % 256 == 0) {
                progress(static_cast<double>(p) / static_cast<double>(points.size()));
            }
        }
    }

    SamplePoints points_;
    Voxels voxels_;
};

bool is_single(const Variant& variant) {
    return variant.computes_in == Precision::float32;
}

} // namespace

std::unique_ptr<Transform> make_loops(const EngineContext&, const Variant& variant,
                                      const SamplePoints& points, const Voxels& voxels) {
    if (is_single(variant)) {
        return std::make_unique<LoopTransform<float>>(points, voxels);
    }
    return std::make_unique<LoopTransform<double>>(points, voxels);
}

Cost predict_loops(const EngineFacts&, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    constexpr double seconds_of_a_pair = 2.5e-8; // mostly its sine and cosine
    Cost cost;
    cost.seconds = seconds_of_a_pair * static_cast<double>(points.count()) *
                   static_cast<double>(voxels.count());
    cost.host_bytes = static_cast<double>((points.count() + voxels.count()) *
                                          (sizeof(Complex) + sizeof(Point<double>)));
    const std::size_t terms = stage == "f" ? voxels.count() : points.count();
    cost.error = is_single(variant) ? error_of_loops<float>(points, voxels, terms)
                                    : error_of_loops<double>(points, voxels, terms);
    return cost;
}

} // namespace lsrecon
