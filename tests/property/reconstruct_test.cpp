// The straight line on scans whose image is known.

#include "reconstruct_file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "encoding/solve.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "io/image/file.hpp"
#include "io/native/scan.hpp"
#include "io/q_file.hpp"
#include "support/case.hpp"
#include "support/counting_transforms.hpp"
#include "support/equations.hpp"
#include "support/findings.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::cartesian;
using test::Case;
using test::CountingTransforms;
using test::near;
using test::Problem;
using test::scan_of;
using test::silent;
using test::TemporaryFolder;

TEST(Reconstruct, AFullCartesianScanGivesTheObjectBack) {
    for (const auto& size :
         {std::array<std::size_t, 3>{8, 8, 0}, {7, 5, 0}, {4, 9, 0}, {3, 4, 5}, {1, 1, 0}}) {
        const Problem problem = test::make_problem(cartesian(size));
        const Scan scan = scan_of(problem);
        const Formulation formulation = formulate(scan);
        Reporter report;
        const auto transforms = reference_transforms();
        const Frame& frame = scan.frames[0];
        const test::Equations by(*transforms, formulation, scan.coil_maps, *frame.trajectory);
        const Solved solved = by.solve(by.encoding.adjoint(frame.samples).volumes,
                                       {0, 30, 1e-11, &solver_named("eigen")}, report);
        EXPECT_TRUE(near(solved.image, ComplexVector(problem.rho.row(0).transpose()), 1e-9));
    }
}

class FromFileToFile : public testing::Test {
protected:
    TemporaryFolder folder;
    CountingTransforms transforms;
    Reporter report;

    /// The first frame; files keep single precision.
    CoilMatrix image_of(const Scan& scan, const FileOptions& options) {
        write_native_scan(folder.file("scan.h5"), scan);
        reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), transforms, options,
                         report);
        const ImageData image = read_image(folder.file("image.h5"));
        return Eigen::Map<const CoilMatrix>(image.values.data(),
                                            static_cast<Eigen::Index>(image.extents[0]),
                                            static_cast<Eigen::Index>(scan.image_voxels().count()));
    }

    static FileOptions exactly() {
        FileOptions options;
        options.solve = {0, 50, 1e-11, &solver_named("eigen")};
        options.lambda_rule = RuleChoice();
        return options;
    }
};

// Samples and image are each rounded to single precision once.
constexpr double rounding_of_files = 2 * tolerance::eps;

TEST_F(FromFileToFile, AFullCartesianScanGivesTheObjectBack) {
    const Problem problem = test::make_problem(cartesian({6, 9, 0}));
    EXPECT_TRUE(near(image_of(scan_of(problem), exactly()), CoilMatrix(problem.rho.row(0)),
                     rounding_of_files));
}

TEST_F(FromFileToFile, CoilMapsGiveOneImage) {
    Case of = cartesian({5, 6, 0});
    of.coils = 3;
    of.coil_maps = true;
    const Problem problem = test::make_problem(of);
    Scan scan = scan_of(problem);
    scan.coil_maps = problem.coil_maps.cast<std::complex<float>>().cast<Complex>();
    CoilMatrix images = scan.coil_maps.doubles();
    images.array().rowwise() *= problem.rho.row(0).array();
    scan.frames[0].samples = forward_on_host(*reference_transforms(), problem.positions(), images,
                                             problem.voxels, silent)
                                 .values;
    const CoilMatrix image = image_of(scan, exactly());
    // Where all coils are weak at once the samples' rounding is magnified.
    const double weakest = scan.coil_maps.doubles().colwise().norm().minCoeff();
    const double strongest = scan.coil_maps.doubles().colwise().norm().maxCoeff();
    EXPECT_TRUE(
        near(image, CoilMatrix(problem.rho.row(0)), rounding_of_files * strongest / weakest));
    EXPECT_EQ(transforms.qs, 2) << "Q is the same for every coil, and for the models compared";
}

TEST_F(FromFileToFile, CoilsWithoutMapsAreCombinedByTheirSquares) {
    Case of = cartesian({4, 5, 0});
    of.coils = 2;
    const Problem problem = test::make_problem(of);
    Scan scan = scan_of(problem);
    scan.frames[0].samples = forward_on_host(*reference_transforms(), problem.positions(),
                                             problem.rho, problem.voxels, silent)
                                 .values;
    const CoilMatrix expected = problem.rho.colwise().norm().cast<Complex>();
    FileOptions options = exactly();
    options.prepare.maps = maps_source("none");
    EXPECT_TRUE(near(image_of(scan, options), expected, rounding_of_files));
}

TEST_F(FromFileToFile, PhiAndWeightsDoNotChangeWhatIsConsistent) {
    Case of = cartesian({5, 4, 0});
    of.phi = of.weights = true;
    Problem problem = test::make_problem(of);
    Trajectory trajectory = *problem.trajectory;
    trajectory.phi = (trajectory.phi.array() + Complex(3, 0)).matrix();
    trajectory.phi = trajectory.phi.cast<std::complex<float>>().cast<Complex>().eval();
    trajectory.weights.array() += 1;
    problem.trajectory = std::make_shared<const Trajectory>(trajectory);
    Scan scan = scan_of(problem);
    scan.frames[0].samples.doubles().row(0).array() *= trajectory.phi.transpose().array();
    FileOptions options = exactly();
    options.solve.iterations = 200;
    // |phi| lies between 2 - sqrt(2) and 4 + sqrt(2), which magnifies the rounding of the samples.
    EXPECT_TRUE(
        near(image_of(scan, options), CoilMatrix(problem.rho.row(0)), 10 * rounding_of_files));
}

TEST_F(FromFileToFile, FramesOfOneTrajectoryShareQ) {
    const Problem problem = test::make_problem(cartesian({5, 4, 0}));
    Scan scan = scan_of(problem);
    scan.frames.push_back(scan.frames[0]);
    scan.frames.push_back(scan.frames[0]);
    scan.frames[1].samples.doubles() *= 2;
    scan.frames[2].samples.doubles() *= Complex(0, 1);
    const CoilMatrix images = image_of(scan, exactly());
    EXPECT_EQ(transforms.qs, 1);
    CoilMatrix expected(3, problem.rho.cols());
    expected << problem.rho.row(0), 2 * problem.rho.row(0), Complex(0, 1) * problem.rho.row(0);
    EXPECT_TRUE(near(images, expected, rounding_of_files));
}

TEST_F(FromFileToFile, FramesThatAlternateNeedAQForEachSampling) {
    const Problem problem = test::make_problem(cartesian({5, 4, 0}));
    Scan scan = scan_of(problem);
    Trajectory reversed = *problem.trajectory;
    std::reverse(reversed.positions.begin(), reversed.positions.end());
    const auto other = std::make_shared<const Trajectory>(reversed);
    CoilMatrix expected(5, problem.rho.cols());
    for (Eigen::Index f = 0; f < 5; ++f) {
        Frame frame = scan.frames[0];
        CoilMatrix& samples = frame.samples.doubles();
        if (f % 2 == 1) {
            frame.trajectory = other;
            samples = samples.rowwise().reverse().eval();
        }
        samples *= static_cast<double>(f + 1);
        expected.row(f) = static_cast<double>(f + 1) * problem.rho.row(0);
        scan.frames.push_back(frame);
    }
    scan.frames.erase(scan.frames.begin());
    EXPECT_TRUE(near(image_of(scan, exactly()), expected, rounding_of_files));
    EXPECT_EQ(transforms.qs, 2);
}

TEST_F(FromFileToFile, AFrameOfItsOwnTrajectoryHasItsOwnQ) {
    const Problem problem = test::make_problem(cartesian({5, 4, 0}));
    Scan scan = scan_of(problem);
    scan.frames.push_back(scan.frames[0]);
    Trajectory reversed = *problem.trajectory;
    std::reverse(reversed.positions.begin(), reversed.positions.end());
    scan.frames[1].trajectory = std::make_shared<const Trajectory>(reversed);
    scan.frames[1].samples = scan.frames[0].samples.doubles().rowwise().reverse();
    const CoilMatrix images = image_of(scan, exactly());
    EXPECT_EQ(transforms.qs, 2);
    EXPECT_TRUE(near(CoilMatrix(images.row(1)), CoilMatrix(images.row(0)), rounding_of_files));
}

TEST_F(FromFileToFile, QOfAFileIsUsedAndThatOfAnotherScanRefused) {
    const Problem problem = test::make_problem(cartesian({5, 4, 0}));
    const Scan scan = scan_of(problem);
    FileOptions options = exactly();
    options.q_file = folder.file("q.h5");
    const Q q = compute_q(transforms, *problem.trajectory, problem.grid, report);
    write_q(options.q_file, q.grid, {q_key(*problem.trajectory, q.grid)},
            [&](std::size_t) { return stored(q); }, {"loops", 1e-16}, {});
    transforms.qs = 0;
    EXPECT_TRUE(near(image_of(scan, options), CoilMatrix(problem.rho.row(0)), rounding_of_files));
    EXPECT_EQ(transforms.qs, 0);

    std::filesystem::remove(folder.file("image.h5"));
    Scan other = scan;
    Trajectory moved = *problem.trajectory;
    moved.positions[3][0] += 0.01;
    other.frames[0].trajectory = std::make_shared<const Trajectory>(moved);
    EXPECT_THROW(image_of(other, options), InputError);
    EXPECT_FALSE(std::filesystem::exists(folder.file("image.h5"))) << "an image after an error";
}

TEST_F(FromFileToFile, QIsKeptInAFolderForScansOfTheSameTrajectory) {
    const Problem problem = test::make_problem(cartesian({5, 4, 0}));
    Scan scan = scan_of(problem);
    FileOptions options = exactly();
    options.q_folder = folder.file("");
    const CoilMatrix image = image_of(scan, options);
    EXPECT_EQ(transforms.qs, 1);
    EXPECT_TRUE(near(image_of(scan, options), image, rounding_of_files));
    EXPECT_EQ(transforms.qs, 1) << "Q was computed again";

    Trajectory moved = *problem.trajectory;
    moved.positions[3][0] += 0.01;
    scan.frames[0].trajectory = std::make_shared<const Trajectory>(moved);
    image_of(scan, options);
    EXPECT_EQ(transforms.qs, 2) << "Q of another trajectory was believed";

    for (const auto& file : std::filesystem::directory_iterator(folder.file(""))) {
        if (file.path().filename().string().size() > 64) { // a key
            test::write_text(file.path().string(), "no HDF5");
        }
    }
    image_of(scan, options);
    EXPECT_EQ(transforms.qs, 3) << "a damaged file was believed";
    EXPECT_EQ(test::codes_of(report.findings()), std::vector<std::string>{"q_not_kept"});
    image_of(scan, options);
    EXPECT_EQ(transforms.qs, 3) << "a damaged file was not replaced";
}

TEST_F(FromFileToFile, ListedVoxelsAreReconstructedWhereTheyAre) {
    Case of{"few voxels anywhere", {6, 6, 0}, 60, 1, 5, 0.5};
    const Problem problem = test::make_problem(of);
    Scan scan = scan_of(problem);
    std::vector<Vec3> positions;
    for (std::size_t n = 0; n < problem.voxels.count(); ++n) {
        positions.push_back(problem.voxels.position(n));
    }
    scan.voxels = positions;
    // The condition number of these five voxels and sixty samples is below 10.
    EXPECT_TRUE(
        near(image_of(scan, exactly()), CoilMatrix(problem.rho.row(0)), 10 * rounding_of_files));
    EXPECT_EQ(transforms.qs, 0);
}

} // namespace
} // namespace lsrecon
