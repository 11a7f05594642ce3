// One adjoint test for every operator, on every device and in every precision:
// <A x, y> = <x, A^H y>.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "encoding/encoding.hpp"
#include "engines/on_host.hpp"
#include "operators/differences.hpp"
#include "operators/gram.hpp"
#include "operators/operator.hpp"
#include "support/arrays.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::Case;
using test::flat;
using test::Problem;
using test::silent;
using test::unflat;

/// Odd, even and unequal sizes; every number of coils is one more program for each variant.
std::vector<Case> cases() {
    Case volume{"a volume, two coils", {3, 4, 5}, 23, 2};
    volume.phi = volume.weights = volume.coil_maps = true;
    Case plane{"a plane, two coils, no maps", {5, 7, 0}, 65, 2};
    plane.phi = true;
    plane.seed = 2;
    Case list{"voxels off the grid, two coils", {6, 5, 0}, 11, 2, 13, 3};
    list.weights = list.coil_maps = true;
    list.seed = 3;
    Case off{"a plane off resonance", {6, 5, 0}, 37};
    off.field_hz = 300;
    off.seed = 6;
    Case decay{"a volume off resonance that decays, two coils", {3, 4, 5}, 29, 2};
    decay.field_hz = 200;
    decay.r2star = 60;
    decay.coil_maps = true;
    decay.seed = 7;
    return {volume, plane, list, off, decay};
}

class Adjoint : public testing::TestWithParam<std::tuple<ArrayCase, Case>> {
protected:
    void SetUp() override {
        on.open();
        if (!on.opened) { // tests/support/device_fixture.hpp says when that is a failure
            GTEST_SKIP() << "no device";
        }
        if (!on.device().has(on.precision)) {
            GTEST_SKIP() << "a device without this precision";
        }
    }

    ArrayCase on = std::get<0>(GetParam());
    Problem problem = test::make_problem(std::get<1>(GetParam()));
    Reporter report;

    std::size_t coils() const { return std::get<1>(GetParam()).coils; }
    std::size_t samples() const { return problem.positions().size(); }
    std::size_t voxels() const { return problem.voxels.count(); }
    /// Of so many roundings, a sum of few values included.
    double rounding(double roundings = 8) const { return roundings * on.epsilon(); }

    /// A map of arrays as one of vectors.
    test::Operator of_arrays(std::size_t outputs,
                             const std::function<void(const Array&, Array&)>& map) const {
        return [=](const ComplexVector& in) {
            Array out = on.device().zeros(outputs, {true, on.precision});
            map(test::uploaded(on, in), out);
            return on.device().download(out);
        };
    }
};

// All variants on a volume; elsewhere each takes long to compile, and tests of devices compare all.
TEST_P(Adjoint, TransformsOfEveryVariant) {
    const bool all = problem.grid.dimensions == 3 || on.backend != "opencl" || test::slow_cases();
    for (const std::string& variant : test::variants(on)) {
        if (!all && variant != "struct" && variant != "nufft") {
            continue;
        }
        on.open(variant);
        const std::unique_ptr<Transform> f = on.opened->make(problem.points(), problem.voxels);
        EXPECT_EQ(f->samples(), samples());
        EXPECT_EQ(f->voxels(), voxels());
        const auto forward = of_arrays(coils() * samples(), [&](const Array& rho, Array& out) {
            f->forward(rho, out, silent);
        });
        const auto adjoint = of_arrays(coils() * voxels(), [&](const Array& values, Array& out) {
            f->adjoint(values, out, silent);
        });
        EXPECT_TRUE(test::adjoint_test(forward, adjoint, coils() * voxels(), coils() * samples(),
                                       f->forward_error() + f->adjoint_error() + rounding()))
            << variant;
    }
}

TEST_P(Adjoint, MuFactorsAndTheirConjugates) {
    Trajectory conjugate = *problem.trajectory;
    conjugate.phi = conjugate.phi.conjugate().eval();
    const auto multiplied_by = [&](const Trajectory& trajectory) {
        return [&](const ComplexVector& in) -> ComplexVector {
            MuFactors factors(on.device(), on.precision, trajectory);
            Array values = test::uploaded(on, in);
            factors.apply({0, samples()}, values);
            return std::ldexp(1.0, factors.exponent()) * on.device().download(values);
        };
    };
    const std::size_t count = coils() * samples();
    EXPECT_TRUE(test::adjoint_test(multiplied_by(*problem.trajectory), multiplied_by(conjugate),
                                   count, count, rounding()));
}

TEST_P(Adjoint, CoilMaps) {
    const CoilRows rows = problem.coil_maps;
    CoilMaps maps(on.device(), rows);
    if (!maps.given()) {
        return;
    }
    const auto images = [&](const ComplexVector& rho) {
        ComplexVector all(static_cast<Eigen::Index>(coils() * voxels()));
        for (std::size_t c = 0; c < coils(); ++c) {
            Array image = test::uploaded(on, rho);
            on.device().multiply(maps.map(c, 0), 0, voxels(), image);
            all.segment(static_cast<Eigen::Index>(c * voxels()), rho.size()) =
                on.device().download(image);
        }
        return all;
    };
    const auto combined = of_arrays(voxels(), [&](const Array& all, Array& out) {
        for (std::size_t c = 0; c < coils(); ++c) {
            on.device().add_conjugate_product(maps.map(c, 0), all, c * voxels(), out);
        }
    });
    EXPECT_TRUE(test::adjoint_test(images, combined, voxels(), coils() * voxels(), rounding()));
}

/// w phi F S_c rho, on the host: what Encoding::adjoint is the adjoint of. Without maps, of all
/// coils.
TEST_P(Adjoint, ProductsOfOperators) {
    if (!problem.voxels.on_lattice() || problem.grid.size[0] < 2) {
        return;
    }
    const ComplexVector factors = problem.rho.row(0).transpose();
    Differences k(on.device(), problem.grid);
    Diagonal d(on.device(), voxels(), test::uploaded(on, factors));
    Product product(on.device(), on.precision, k, d);
    NormalOf normal(on.device(), on.precision, product);
    const auto apply =
        of_arrays(product.outputs(), [&](const Array& in, Array& out) { product.apply(in, out); });
    const auto adjoint =
        of_arrays(product.inputs(), [&](const Array& in, Array& out) { product.adjoint(in, out); });
    EXPECT_TRUE(
        test::adjoint_test(apply, adjoint, product.inputs(), product.outputs(), rounding()));
    const auto both =
        of_arrays(voxels(), [&](const Array& in, Array& out) { normal.apply(in, out); });
    const ComplexVector x = problem.rho.row(1 % problem.rho.rows()).transpose();
    EXPECT_TRUE(test::near(both(x), adjoint(apply(x)), rounding()));
    EXPECT_NEAR(std::abs(apply(x)(0)), std::abs(factors(1) * x(1) - factors(0) * x(0)),
                rounding() * x.norm() * factors.norm());
}

TEST_P(Adjoint, TheStageFhdWithPhiWeightsAndCoilMaps) {
    const bool with_maps = problem.coil_maps.size() > 0;
    double error = 0;
    const auto forward = [&](const ComplexVector& rho) {
        CoilMatrix images;
        if (with_maps) {
            images = problem.coil_maps;
            images.array().rowwise() *= rho.transpose().array();
        } else {
            images = unflat(rho, coils());
        }
        const OnHost f =
            forward_on_host(*on.opened, problem.points(), images, problem.voxels, silent);
        error += f.error;
        CoilMatrix d = f.values;
        if (problem.trajectory->phi.size() > 0) {
            d.array().rowwise() *= problem.trajectory->phi.transpose().array();
        }
        if (problem.trajectory->weights.size() > 0) {
            d.array().rowwise() *= problem.trajectory->weights.transpose().array().cast<Complex>();
        }
        return flat(d);
    };
    const auto stage = [&](const ComplexVector& d) {
        Frame frame = problem.frame();
        frame.samples = unflat(d, coils());
        const FhdOnHost fhd =
            fhd_on_host(*on.opened, problem.voxels, frame, problem.coil_maps, report);
        error += fhd.error;
        return flat(fhd.values);
    };
    // The errors are known once both have run.
    const std::size_t problems = with_maps ? 1 : coils();
    const ComplexVector x = test::Random(1).vector(problems * voxels());
    const ComplexVector y = test::Random(2).vector(coils() * samples());
    forward(x);
    stage(y);
    EXPECT_TRUE(test::adjoint_test(forward, stage, problems * voxels(), coils() * samples(),
                                   error + rounding(16)));
}

TEST_P(Adjoint, NormalOperatorByFAndItsAdjoint) {
    const CoilRows rows = problem.coil_maps;
    CoilMaps maps(on.device(), rows);
    const auto gram =
        make_explicit_gram(on.device(), on.precision, maps, *on.opened, on.opened->precision(),
                           *problem.trajectory, problem.voxels);
    const auto f = on.opened->make(problem.points(), problem.voxels);
    Regularised normal(on.device(), on.precision, *gram, 0.1);
    const auto apply =
        of_arrays(voxels(), [&](const Array& in, Array& out) { normal.apply(in, out); });
    EXPECT_TRUE(test::adjoint_test(apply, apply, voxels(), voxels(),
                                   2 * (f->forward_error() + f->adjoint_error()) + rounding(16)));
}

TEST_P(Adjoint, NormalOperatorThroughQ) {
    if (!problem.voxels.on_lattice()) {
        return; // Q serves a grid only.
    }
    const CoilRows rows = problem.coil_maps;
    CoilMaps maps(on.device(), rows);
    const Q q = compute_q(*on.opened, *problem.trajectory, problem.grid, report);
    Toeplitz gram(on.device(), q, on.precision, maps);
    Regularised normal(on.device(), on.precision, gram, 0.1);
    const auto apply =
        of_arrays(voxels(), [&](const Array& in, Array& out) { normal.apply(in, out); });
    EXPECT_TRUE(test::adjoint_test(apply, apply, voxels(), voxels(),
                                   2 * tolerance::resident_product(voxels(), on.epsilon())));
}

/// Kernels in doubles take as long to compile as those in floats, and are slow cases.
std::vector<ArrayCase> on_devices() {
    std::vector<ArrayCase> all;
    for (const ArrayCase& of : test::array_cases()) {
        if (of.backend != "opencl" || of.precision == Precision::float32 || test::slow_cases()) {
            all.push_back(of);
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Devices, Adjoint,
                         testing::Combine(testing::ValuesIn(on_devices()),
                                          testing::ValuesIn(cases())));

/// Shapes that other devices would have to compile for.
std::vector<Case> more_of_the_reference() {
    std::vector<Case> all;
    for (const std::uint64_t seed : {4, 5}) {
        Case even{"even", {6, 4, 0}, 17, 1};
        Case odd{"odd, phi and weights", {5, 7, 0}, 30, 1};
        odd.phi = odd.weights = true;
        Case volume{"a volume, three coils", {3, 4, 5}, 23, 3};
        volume.phi = volume.weights = volume.coil_maps = true;
        Case voxel{"one voxel, one sample", {1, 1, 0}, 1, 1};
        for (Case of : {even, odd, volume, voxel}) {
            of.seed = seed;
            all.push_back(of);
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(More, Adjoint,
                         testing::Combine(testing::Values(ArrayCase{"reference",
                                                                    Precision::float64}),
                                          testing::ValuesIn(more_of_the_reference())));

/// Centred, shifted and overlapping boxes of one to three dimensions.
std::vector<Box> boxes() {
    return {{{4, 3, 1}, {0, 0, 0}, {4, 3, 1}, {}},
            {{5, 4, 3}, {-2, -2, -1}, {7, 8, 3}, {}},
            {{9, 7, 5}, {-4, -3, 0}, {5, 4, 5}, {}},
            {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {}},
            {{65, 2, 1}, {-32, 0, 0}, {70, 3, 2}, {}}};
}

class AdjointOfPad : public testing::TestWithParam<ArrayCase> {};

TEST_P(AdjointOfPad, IsCrop) {
    ArrayCase on = GetParam();
    on.open();
    if (!on.opened || !on.device().has(on.precision)) {
        GTEST_SKIP() << "no device of this precision";
    }
    test::Random random(7);
    const auto of = [&](const ComplexVector& values) { return test::uploaded(on, values); };
    for (Box box : boxes()) {
        for (const bool with_map : {false, true}) {
            const std::size_t slot = 1;
            box.factors = of(random.vector(box.size[0] + box.size[1] + box.size[2]));
            const Array map = with_map ? of(random.vector(box.values())) : Array();
            const auto pad = [&](const ComplexVector& in) -> ComplexVector {
                Array out = on.device().zeros(2 * box.points(), {true, on.precision});
                on.device().pad(box, map, of(in), slot, out);
                return on.device().download(out).tail(static_cast<Eigen::Index>(box.points()));
            };
            const auto crop = [&](const ComplexVector& in) {
                ComplexVector both = ComplexVector::Zero(2 * in.size());
                both.tail(in.size()) = in;
                Array out = on.device().zeros(box.values(), {true, on.precision});
                on.device().crop(box, map, of(both), slot, out);
                return on.device().download(out);
            };
            EXPECT_TRUE(
                test::adjoint_test(pad, crop, box.values(), box.points(), 20 * on.epsilon()));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, AdjointOfPad, testing::ValuesIn(test::verb_cases()));

} // namespace
} // namespace lsrecon
