// Transforms that the device has no room for as a whole: several pieces, several blocks and several
// coils at once.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "encoding/encoding.hpp"
#include "engines/piecewise.hpp"
#include "engines/transforms.hpp"
#include "support/arrays.hpp"
#include "support/device_fixture.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::Case;
using test::near;
using test::Problem;

/// Room for about a hundred samples and two hundred voxels.
constexpr double little_memory = 40000;
constexpr std::size_t samples = 257;

std::vector<Case> piece_cases() {
    Case list{"AList", {16, 12, 10}, samples, 3};
    list.listed_voxels = 301;
    list.reach = 3;
    return {{"APlane", {15, 17, 0}, samples, 3}, {"AVolume", {7, 5, 9}, samples, 3}, list};
}

class Pieces : public test::DeviceFixture, public testing::WithParamInterface<Case> {
protected:
    Problem problem = test::make_problem(GetParam());

    /// By each engine, and by the variant of the direct one that has a layout of its own; a plane
    /// in doubles, too.
    template <typename Compute>
    void expect_of_every_variant(const Compute& compute, const OnHost& exact) {
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            ArrayCase on{"opencl", precision};
            for (const std::string& variant : test::variants(on)) {
                const bool wanted = variant == "struct" || variant == "separable" ||
                                    (variant == "tuned" && precision == Precision::float32);
                if (!wanted || (precision == Precision::float64 && GetParam().name != "APlane")) {
                    continue;
                }
                on.open(variant, little_memory);
                if (!on.opened) {
                    continue; // without double precision
                }
                on.notes->clear();
                const OnHost computed = compute(*on.opened);
                EXPECT_TRUE(noted_pieces(on)) << variant;
                EXPECT_LT(computed.error, precision == Precision::float32 ? 1e-5 : 1e-12);
                EXPECT_TRUE(
                    near(computed.values, exact.values,
                         computed.error + tolerance::reference(problem.largest_turns(), samples)))
                    << variant << " " << testing::PrintToString(on);
            }
        }
    }

    static bool noted_pieces(const ArrayCase& on) {
        return std::any_of(on.notes->begin(), on.notes->end(), [](const std::string& note) {
            return note.find("processed in pieces") != std::string::npos;
        });
    }
};

TEST_P(Pieces, Fhd) {
    expect_of_every_variant([&](Transforms& by) { return test::adjoint_of(by, problem); },
                            test::exact_adjoint_of(problem));
}

TEST_P(Pieces, Q) {
    const Voxels where = test::differences_of_problem(problem);
    expect_of_every_variant([&](Transforms& by) { return test::q_of(by, problem, where); },
                            test::exact_q_of(problem, where));
}

TEST_P(Pieces, Forward) {
    expect_of_every_variant([&](Transforms& by) { return test::forward_of(by, problem); },
                            test::exact_forward_of(problem));
}

// Volumes that come in parts are put together on the host: of one problem and of one a coil.
TEST_P(Pieces, TheStagesFhdAndQ) {
    ArrayCase on{"opencl", Precision::float32};
    on.open("", little_memory);
    Reporter report;
    for (const bool with_maps : {false, true}) {
        Case of = GetParam();
        of.phi = of.weights = true;
        of.coil_maps = with_maps;
        const Problem scan = test::make_problem(of);
        on.notes->clear();
        const FhdOnHost fhd =
            fhd_on_host(*on.opened, scan.voxels, scan.frame(), scan.coil_maps, report);
        EXPECT_TRUE(noted_pieces(on));
        const CoilMatrix exact =
            fhd_on_host(*reference_transforms(), scan.voxels, scan.frame(), scan.coil_maps, report)
                .values;
        EXPECT_TRUE(near(fhd.values, exact,
                         fhd.error + tolerance::mu() +
                             tolerance::reference(scan.largest_turns(), samples)));
        EXPECT_EQ(fhd.values.rows(), with_maps ? 1 : 3);
        if (!scan.voxels.on_lattice()) {
            continue;
        }
        const Q q = compute_q(*on.opened, *scan.trajectory, scan.grid, report);
        const Q exact_q = test::exact_q(*scan.trajectory, scan.grid);
        EXPECT_TRUE(near(q.half.values(), exact_q.half.values(),
                         q.error + tolerance::reference(scan.largest_turns(), samples)));
        EXPECT_NEAR(q.at_zero(), exact_q.at_zero(),
                    tolerance::q_at_zero(samples) * exact_q.at_zero());
    }
}

/// What was loaded or taken: each pair of coil and point as often as it came.
class Seen {
public:
    Seen(std::size_t coils, std::size_t points)
        : times_(Eigen::MatrixXi::Zero(static_cast<Eigen::Index>(coils),
                                       static_cast<Eigen::Index>(points))) {}
    void add(const Range& coils, const Range& points) {
        times_
            .block(static_cast<Eigen::Index>(coils.first), static_cast<Eigen::Index>(points.first),
                   static_cast<Eigen::Index>(coils.count), static_cast<Eigen::Index>(points.count))
            .array() += 1;
    }
    bool all_once() const { return (times_.array() == 1).all(); }
    int most() const { return times_.maxCoeff(); }
    int fewest() const { return times_.minCoeff(); }

private:
    Eigen::MatrixXi times_;
};

// What the stages rely on: every result comes once, and all coils of some voxels before the next.
TEST_P(Pieces, ComeOnceAndAllCoilsOfSomeVoxelsTogether) {
    ArrayCase on{"opencl", Precision::float32};
    on.open("", little_memory);
    PiecewiseTransform transform(*on.opened, problem.positions(), problem.voxels);
    Seen loaded(3, samples);
    Seen taken(3, problem.voxels.count());
    std::size_t pieces = 0;
    std::size_t next_coil = 0;
    std::size_t next_voxel = 0;
    const CoilRows rows = problem.samples;
    transform.adjoint(
        3, false,
        [&](const Range& coils, const Range& at, Array& to) {
            loaded.add(coils, at);
            EXPECT_LT(at.count, samples) << "several pieces of samples";
            on.device().upload(rows, coils, at, 0, to);
        },
        [&](const Range& coils, const Range& at, const Array& from) {
            taken.add(coils, at);
            EXPECT_EQ(from.count(), coils.count * at.count);
            EXPECT_EQ(coils.first, next_coil);
            EXPECT_EQ(at.first, next_voxel);
            next_coil += coils.count;
            if (next_coil == 3) {
                next_coil = 0;
                next_voxel += at.count;
                ++pieces;
            }
        },
        test::silent);
    EXPECT_TRUE(taken.all_once());
    EXPECT_GE(pieces, 2U);
    EXPECT_EQ(loaded.fewest(), static_cast<int>(pieces)) << "once a piece of voxels";
    EXPECT_EQ(loaded.most(), static_cast<int>(pieces));
    EXPECT_EQ(next_voxel, problem.voxels.count());
}

INSTANTIATE_TEST_SUITE_P(Awkward, Pieces, testing::ValuesIn(piece_cases()),
                         [](const auto& of) { return of.param.name; });

} // namespace
} // namespace lsrecon
