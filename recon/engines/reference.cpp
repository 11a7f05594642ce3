#include "engines/reference.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/timer.hpp"
#include "base/tolerance.hpp"
#include "device/reference_device.hpp"

namespace lsrecon {

namespace {

template <typename Real> constexpr Real two_pi = Real(6.283185307179586476925286766559);

template <typename Real> using Point = std::array<Real, 3>;

template <typename Real> Point<Real> in_precision(const Vec3& p) {
    return {Real(p[0]), Real(p[1]), Real(p[2])};
}

/// Sums over every source, in this precision.
template <typename Real> class LoopTransform : public Transform {
public:
    LoopTransform(const std::vector<Vec3>& trajectory, const Voxels& voxels, double& seconds)
        : trajectory_(trajectory), voxels_(voxels), seconds_(seconds) {}

    std::size_t samples() const override { return trajectory_.size(); }
    std::size_t voxels() const override { return voxels_.count(); }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        sum(positions(), trajectory_, rho, Real(-1), out, progress);
    }
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        sum(trajectory_, positions(), values, Real(+1), out, progress);
    }

    double forward_error() const override { return error(voxels()); }
    double adjoint_error() const override { return error(samples()); }

private:
    std::vector<Vec3> positions() const {
        std::vector<Vec3> positions(voxels_.count());
        for (std::size_t n = 0; n < positions.size(); ++n) {
            positions[n] = voxels_.position(n);
        }
        return positions;
    }

    double error(std::size_t terms) const {
        const auto reach = [](const std::vector<Vec3>& points) {
            Vec3 largest{};
            for (const Vec3& p : points) {
                for (std::size_t d = 0; d < 3; ++d) {
                    largest[d] = std::max(largest[d], std::abs(p[d]));
                }
            }
            return largest;
        };
        const Vec3 k = reach(trajectory_);
        const Vec3 x = reach(positions());
        return tolerance::reference(k[0] * x[0] + k[1] * x[1] + k[2] * x[2], terms,
                                    std::numeric_limits<Real>::epsilon() / 2);
    }

    /// out_cp = sum_s value_cs exp(sign i 2 pi at_s . point_p)
    void sum(const std::vector<Vec3>& at, const std::vector<Vec3>& points, const Array& values,
             Real sign, Array& out, const Progress& progress) {
        const auto start = std::chrono::steady_clock::now();
        std::vector<Point<Real>> sources;
        std::transform(at.begin(), at.end(), std::back_inserter(sources), in_precision<Real>);
        const std::vector<Complex>& in = reference_values(values);
        const std::vector<std::complex<Real>> value(in.begin(), in.end());
        const std::size_t coils = sources.empty() ? 0 : value.size() / sources.size();
        std::vector<std::complex<Real>> total(coils);
        for (std::size_t p = 0; p < points.size(); ++p) {
            const Point<Real> x = in_precision<Real>(points[p]);
            std::fill(total.begin(), total.end(), std::complex<Real>(0));
            for (std::size_t s = 0; s < sources.size(); ++s) {
                const Point<Real>& k = sources[s];
                const Real turns = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
                const Real phase = sign * two_pi<Real> * turns;
                const std::complex<Real> e(std::cos(phase), std::sin(phase));
                for (std::size_t c = 0; c < coils; ++c) {
                    total[c] += value[c * sources.size() + s] * e;
                }
            }
            for (std::size_t c = 0; c < coils; ++c) {
                reference_values(out)[c * points.size() + p] = Complex(total[c]);
            }
            if (p % 256 == 0) {
                progress(static_cast<double>(p) / static_cast<double>(points.size()));
            }
        }
        seconds_ += seconds_since(start);
    }

    const std::vector<Vec3>& trajectory_;
    Voxels voxels_;
    double& seconds_;
};

template <typename Real> class ReferenceBackend : public Backend {
public:
    explicit ReferenceBackend(std::string name) : name_(std::move(name)) {}

    BackendInfo info() const override {
        return {name_, "CPU, one thread", "", "loops", "", std::numeric_limits<Real>::epsilon() / 2,
                ""};
    }
    Device& device() override { return *device_; }
    Precision precision() const override { return Precision::float64; }
    std::unique_ptr<Transform> transform(const std::vector<Vec3>& trajectory,
                                         const Voxels& voxels) override {
        return std::make_unique<LoopTransform<Real>>(trajectory, voxels, seconds_);
    }
    void note(const std::string&) const override {}
    void restart_clock() override { seconds_ = 0; }
    double compute_seconds() const override { return seconds_; }

private:
    std::string name_;
    double seconds_ = 0;
    std::unique_ptr<Device> device_ = make_reference_device();
};

} // namespace

std::unique_ptr<Backend> make_reference_backend() {
    return std::make_unique<ReferenceBackend<double>>("reference");
}

std::unique_ptr<Backend> make_single_reference_backend() {
    return std::make_unique<ReferenceBackend<float>>("reference-single");
}

} // namespace lsrecon
