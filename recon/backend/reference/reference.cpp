#include "backend/reference/reference.hpp"

#include <chrono>
#include <cmath>

#include "base/timer.hpp"
#include "base/tolerance.hpp"

namespace lsrecon {

namespace {

template <typename Real> constexpr Real two_pi = Real(6.283185307179586476925286766559);

template <typename Real> class ReferenceBackend : public Backend {
public:
    explicit ReferenceBackend(std::string name) : name_(std::move(name)) {}

    BackendInfo info() const override {
        return {name_, "CPU, one thread", "", "loops", "", std::numeric_limits<Real>::epsilon() / 2,
                ""};
    }

    CoilMatrix mu(const Sampling& sampling, const CoilMatrix& samples) override {
        CoilMatrix result(samples.rows(), samples.cols());
        for (Eigen::Index m = 0; m < samples.cols(); ++m) {
            const Complex phi = sampling.phi.size() > 0 ? sampling.phi(m) : Complex(1);
            const double weight = sampling.weights.size() > 0 ? sampling.weights(m) : 1.0;
            for (Eigen::Index c = 0; c < samples.rows(); ++c) {
                result(c, m) = std::conj(phi) * weight * samples(c, m);
            }
        }
        return result;
    }

    CoilMatrix fhd(const std::vector<Vec3>& trajectory, const CoilMatrix& mu, const Voxels& voxels,
                   const Progress& progress) override {
        const Sources sources(trajectory, mu);
        CoilMatrix result(mu.rows(), static_cast<Eigen::Index>(voxels.count()));
        sum(sources, Real(+1), result, progress, [&](std::size_t n) { return voxels.position(n); });
        return result;
    }

    ComplexVector q(const std::vector<Vec3>& trajectory, const RealVector& weights,
                    const Voxels& voxels, const Progress& progress) override {
        const CoilMatrix as_one_coil = weights.transpose().cast<Complex>();
        return fhd(trajectory, as_one_coil, voxels, progress).row(0).transpose();
    }

    CoilMatrix forward(const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                       const Voxels& voxels, const Progress& progress) override {
        std::vector<Vec3> positions(voxels.count());
        for (std::size_t n = 0; n < positions.size(); ++n) {
            positions[n] = voxels.position(n);
        }
        const Sources sources(positions, rho);
        CoilMatrix result(rho.rows(), static_cast<Eigen::Index>(trajectory.size()));
        sum(sources, Real(-1), result, progress, [&](std::size_t m) { return trajectory[m]; });
        return result;
    }

    double compute_seconds() const override { return compute_seconds_; }
    double error_bound() const override { return error_bound_; }
    Device& device() override { return *device_; }
    void note(const std::string&) const override {}

private:
    using Point = std::array<Real, 3>;

    /// What is summed over, in this backend's precision.
    struct Sources {
        std::vector<Point> at;
        Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic> value; // C x sources

        Sources(const std::vector<Vec3>& points, const CoilMatrix& values)
            : value(values.cast<std::complex<Real>>()) {
            for (const Vec3& p : points) {
                at.push_back(in_precision(p));
            }
        }

        /// Of a phase at points no farther than these from the origin.
        double largest_turns(const Vec3& farthest) const {
            Vec3 reach{};
            for (const Point& p : at) {
                for (std::size_t d = 0; d < 3; ++d) {
                    reach[d] = std::max(reach[d], static_cast<double>(std::abs(p[d])));
                }
            }
            return reach[0] * farthest[0] + reach[1] * farthest[1] + reach[2] * farthest[2];
        }
    };

    static Point in_precision(const Vec3& p) { return {Real(p[0]), Real(p[1]), Real(p[2])}; }

    /// out_cp = sum_s value_cs exp(sign i 2 pi at_s . point_p)
    template <typename PointAt> void sum(const Sources& sources, Real sign, CoilMatrix& out,
                                         const Progress& progress, const PointAt& point_at) {
        const auto start = std::chrono::steady_clock::now();
        const Eigen::Index coils = out.rows();
        Vec3 farthest{};
        std::vector<std::complex<Real>> total(static_cast<std::size_t>(coils));
        for (Eigen::Index p = 0; p < out.cols(); ++p) {
            const Vec3 exact = point_at(static_cast<std::size_t>(p));
            const Point x = in_precision(exact);
            for (std::size_t d = 0; d < 3; ++d) {
                farthest[d] = std::max(farthest[d], std::abs(exact[d]));
            }
            std::fill(total.begin(), total.end(), std::complex<Real>(0));
            for (std::size_t s = 0; s < sources.at.size(); ++s) {
                const Point& k = sources.at[s];
                const Real turns = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
                const Real phase = sign * two_pi<Real> * turns;
                const std::complex<Real> e(std::cos(phase), std::sin(phase));
                for (Eigen::Index c = 0; c < coils; ++c) {
                    total[static_cast<std::size_t>(c)] +=
                        sources.value(c, static_cast<Eigen::Index>(s)) * e;
                }
            }
            for (Eigen::Index c = 0; c < coils; ++c) {
                out(c, p) = Complex(total[static_cast<std::size_t>(c)]);
            }
            if (p % 256 == 0) {
                progress(static_cast<double>(p) / static_cast<double>(out.cols()));
            }
        }
        compute_seconds_ = seconds_since(start);
        error_bound_ = tolerance::reference(sources.largest_turns(farthest), sources.at.size(),
                                            std::numeric_limits<Real>::epsilon() / 2);
    }

    std::string name_;
    double compute_seconds_ = 0;
    double error_bound_ = 0;
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
