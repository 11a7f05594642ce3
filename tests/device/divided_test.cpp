// Transforms that are divided in every way at once: pieces of voxels and of samples, blocks and
// chunks within each, and several coils.

#include <gtest/gtest.h>
#include <set>

#include "base/tolerance.hpp"
#include "engines/piecewise.hpp"
#include "support/arrays.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::near;
using test::Problem;

/// What was made and run.
struct Watched {
    std::set<std::size_t> samples; ///< of the transforms
    std::set<std::size_t> voxels;
    std::size_t most_coils = 0; ///< of one call
    std::size_t calls = 0;
    std::size_t fewest_steps = std::numeric_limits<std::size_t>::max(); ///< of the largest pieces
};

/// A transform that counts coils, and steps by their progress: one a chunk of a block of some coils
/// (direct.cpp, separable_private.cpp, separable_tiled.cpp), or one a block of samples for F.
class WatchedTransform : public test::WrappedTransform {
public:
    WatchedTransform(std::unique_ptr<Transform> inner, Watched& watched)
        : WrappedTransform(std::move(inner)), watched_(watched) {
        watched_.samples.insert(samples());
        watched_.voxels.insert(voxels());
    }
    void forward(const Array& rho, Array& out, const Progress& progress) override {
        count(rho.count() / voxels(), progress,
              [&](const Progress& counted) { WrappedTransform::forward(rho, out, counted); });
    }
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        count(values.count() / samples(), progress,
              [&](const Progress& counted) { WrappedTransform::adjoint(values, out, counted); });
    }

private:
    template <typename Run>
    void count(std::size_t coils, const Progress& progress, const Run& run) {
        std::size_t steps = 0;
        run([&](double done) {
            ++steps;
            progress(done);
        });
        watched_.most_coils = std::max(watched_.most_coils, coils);
        ++watched_.calls;
        if (samples() == *watched_.samples.rbegin() && voxels() == *watched_.voxels.rbegin()) {
            watched_.fewest_steps = std::min(watched_.fewest_steps, steps);
        }
    }
    Watched& watched_;
};

/// Engines whose transforms are watched.
std::vector<Engine> watched_by(Watched& watched) {
    return test::wrapped([&watched](std::unique_ptr<Transform> inner) {
        return std::make_unique<WatchedTransform>(std::move(inner), watched);
    });
}

class Divided : public test::DeviceFixture, public testing::WithParamInterface<Precision> {
protected:
    static double bound(double error, const Problem& problem, std::size_t sources) {
        return error + tolerance::reference(problem.largest_turns(), sources);
    }
    static double largest_bound() { return GetParam() == Precision::float64 ? 1e-11 : 1e-5; }
};

// Pieces are taken only where a single coil has no room (engines/pieces.cpp), so that each
// transform has one; blocks of F^H d are smaller than pieces on narrow lattices alone.
TEST_P(Divided, ByTheDevicesMemory) {
    constexpr double memory = 1e6;
    const Problem problem = test::make_problem({"narrow", {5, 36, 36}, 6400, 2});
    const Voxels& where = problem.voxels; // its half differences are four times as many
    const OnHost adjoint = test::exact_adjoint_of(problem);
    const OnHost forward = test::exact_forward_of(problem);
    const OnHost q = test::exact_q_of(problem, where);
    ArrayCase on{"opencl", GetParam()};
    for (const std::string variant : {"struct", "separable"}) {
        Watched watched;
        on.open(variant, memory, watched_by(watched));
        if (!on.opened) {
            GTEST_SKIP() << "a device without double precision";
        }
        const auto expect = [&](const OnHost& exact, std::size_t coils, std::size_t sources,
                                const auto& compute) {
            watched = {};
            const OnHost computed = compute(*on.opened);
            EXPECT_LT(*watched.samples.rbegin(), problem.positions().size()) << variant;
            EXPECT_LT(*watched.voxels.rbegin(), problem.voxels.count()) << variant;
            if (variant == "struct") { // separable takes as many at once as a device likes
                EXPECT_GT(watched.fewest_steps, 1U) << "chunks of each";
            }
            EXPECT_GE(watched.calls, 4 * coils) << variant;
            EXPECT_EQ(watched.most_coils, 1U) << variant;
            EXPECT_LT(computed.error, largest_bound());
            EXPECT_TRUE(
                near(computed.values, exact.values, bound(computed.error, problem, sources)))
                << variant;
        };
        const std::size_t samples = problem.positions().size();
        expect(adjoint, 2, samples, [&](Transforms& by) { return test::adjoint_of(by, problem); });
        expect(q, 1, samples, [&](Transforms& by) { return test::q_of(by, problem, where); });
        expect(forward, 2, problem.voxels.count(),
               [&](Transforms& by) { return test::forward_of(by, problem); });
    }
}

/// Parts of a range: the first of this size, and the rest.
std::vector<Range> parts_of(std::size_t count, std::size_t first) {
    return {{0, first}, {first, count - first}};
}

/// Some columns of rows, as the values of an array.
ComplexVector values_of(const CoilMatrix& rows, const Range& at) {
    const CoilMatrix part =
        rows.middleCols(static_cast<Eigen::Index>(at.first), static_cast<Eigen::Index>(at.count));
    return Eigen::Map<const ComplexVector>(part.data(), part.size());
}

/// Transforms of pieces, all coils in each, as PiecewiseTransform adds them up.
class InPieces {
public:
    InPieces(Transforms& transforms, const Problem& problem, const Voxels& voxels,
             const std::vector<Range>& samples, const std::vector<Range>& planes)
        : transforms_(transforms), problem_(problem), voxels_(voxels), samples_(samples),
          planes_(planes) {}

    /// `rows` are of samples where `adjoint`, else of voxels; real ones for Q.
    OnHost run(const CoilMatrix& rows, bool adjoint, bool real) const {
        const Precision precision = transforms_.precision();
        Device& device = transforms_.device();
        const std::size_t count = adjoint ? voxels_.count() : problem_.positions().size();
        OnHost result{CoilMatrix::Zero(rows.rows(), static_cast<Eigen::Index>(count)), 0};
        for (const Range& m : samples_) {
            const auto first = problem_.positions().begin() + static_cast<long>(m.first);
            const std::vector<Vec3> points(first, first + static_cast<long>(m.count));
            for (const Range& n : planes_) {
                const auto transform = transforms_.make(points, voxels_.part(n));
                const Range& from = adjoint ? m : n;
                const Range& to = adjoint ? n : m;
                const auto coils = static_cast<std::size_t>(rows.rows());
                const ComplexVector values = values_of(rows, from);
                Array in = device.zeros(coils * from.count, {!real, precision});
                if (real) {
                    device.upload(RealVector(values.real()), {0, from.count}, 0, in);
                } else {
                    device.upload(values, in);
                }
                Array out = device.zeros(coils * to.count, {true, precision});
                if (adjoint) {
                    transform->adjoint(in, out, test::silent);
                } else {
                    transform->forward(in, out, test::silent);
                }
                const ComplexVector sums = device.download(out);
                result.values.middleCols(static_cast<Eigen::Index>(to.first),
                                         static_cast<Eigen::Index>(to.count)) +=
                    Eigen::Map<const CoilMatrix>(sums.data(), rows.rows(),
                                                 static_cast<Eigen::Index>(to.count));
                result.error = std::max(result.error, adjoint ? transform->adjoint_error()
                                                              : transform->forward_error());
            }
        }
        return result;
    }

private:
    Transforms& transforms_;
    const Problem& problem_;
    const Voxels& voxels_;
    const std::vector<Range>& samples_;
    const std::vector<Range>& planes_;
};

// What the program never does at once, and every engine must be able to.
TEST_P(Divided, SeveralCoilsInBlocksOfPieces) {
    constexpr std::size_t coils = 3;
    const Problem problem = test::make_problem({"volume", {13, 5, 12}, 4400, coils});
    const Voxels differences = test::differences_of_problem(problem);
    const std::vector<Range> samples = parts_of(4400, 4100); // chunks of 2048, blocks of 4096
    const auto planes_of = [](const Voxels& voxels, std::size_t first) {
        return parts_of(voxels.count(), first * voxels.together());
    };
    const CoilMatrix weights = problem.samples.row(0).cwiseAbs().cast<Complex>();
    const OnHost adjoint = test::exact_adjoint_of(problem);
    const OnHost forward = test::exact_forward_of(problem);
    const OnHost q = test::exact_q_of(problem, differences);
    ArrayCase on{"opencl", GetParam()};
    for (const std::string& variant : test::variants(on)) {
        if (!engine_of(variant).exact) {
            continue; // its fine grid is whole
        }
        // Room for the sums of two hundred points or fewer, and for 19 rows of the separable one.
        const auto expect = [&](const OnHost& exact, const CoilMatrix& rows, const Voxels& voxels,
                                const std::vector<Range>& planes, bool is_adjoint, bool real,
                                const char* what) {
            std::size_t steps_with_room = 0;
            for (const double memory : {0.0, 4e4}) {
                Watched watched;
                on.open(variant, memory, watched_by(watched));
                if (!on.opened) {
                    continue; // without double precision
                }
                const OnHost computed = InPieces(*on.opened, problem, voxels, samples, planes)
                                            .run(rows, is_adjoint, real);
                EXPECT_EQ(watched.calls, 4U) << "two pieces of samples, and two of voxels";
                EXPECT_EQ(watched.most_coils, static_cast<std::size_t>(rows.rows()));
                if (memory == 0) {
                    steps_with_room = watched.fewest_steps;
                    continue;
                }
                EXPECT_GT(watched.fewest_steps, 1U) << variant << " " << what;
                if (variant == "separable" && is_adjoint) { // a bundle a coil
                    EXPECT_GE(watched.fewest_steps,
                              2 * static_cast<std::size_t>(rows.rows()) * steps_with_room)
                        << what << ": several blocks of each coil";
                } else if (variant != "separable") {
                    EXPECT_GE(watched.fewest_steps, 2 * steps_with_room)
                        << variant << " " << what << ": several blocks";
                }
                EXPECT_LT(computed.error, largest_bound());
                const double adding = 2 * unit_roundoff(GetParam());
                EXPECT_TRUE(near(computed.values, exact.values,
                                 bound(computed.error + adding, problem,
                                       is_adjoint ? problem.positions().size() : voxels.count())))
                    << variant << " " << what << ", memory " << memory;
            }
        };
        expect(adjoint, problem.samples, problem.voxels, planes_of(problem.voxels, 8), true, false,
               "F^H d");
        expect(forward, problem.rho, problem.voxels, planes_of(problem.voxels, 8), false, false,
               "F");
        expect(q, weights, differences, planes_of(differences, 8), true, true, "Q");
    }
}

std::vector<Precision> precisions() {
    return test::slow_cases() ? std::vector<Precision>{Precision::float32, Precision::float64}
                              : std::vector<Precision>{Precision::float32};
}

INSTANTIATE_TEST_SUITE_P(Precisions, Divided, testing::ValuesIn(precisions()), [](const auto& of) {
    return of.param == Precision::float64 ? "Doubles" : "Floats";
});

} // namespace
} // namespace lsrecon
