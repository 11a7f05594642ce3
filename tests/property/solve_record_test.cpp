// What is found and the record say about the solver.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/file.hpp"
#include "io/native/scan.hpp"
#include "reconstruct.hpp"
#include "reconstruct_file.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::cartesian;
using test::Case;
using test::Problem;
using test::scan_of;
using test::silent;

class SolveRecord : public testing::Test {
protected:
    test::TemporaryFolder folder;
    std::unique_ptr<Transforms> transforms = reference_transforms();
    Reporter report;
};

// One sample determines one combination of the voxels, N times as strongly as Q(0) says.
TEST_F(SolveRecord, ALambdaThatSinglePrecisionLosesIsKnown) {
    write_native_scan(folder.file("scan.h5"),
                      scan_of(test::make_problem({"one sample", {12, 10, 0}, 1})));
    const auto lost = [&](double lambda, Transforms& by) {
        FileOptions options;
        options.lambda_rule = RuleChoice();
        options.solve.lambda = lambda;
        return reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), by, options,
                                report)
            .solves.lambda_is_lost();
    };
    const auto single = open_transforms({"reference-single", "", ""});
    EXPECT_TRUE(lost(8e-5, *single));
    EXPECT_FALSE(lost(1e-2, *single));
    EXPECT_FALSE(lost(0, *single)) << "stopping early regularises";
    EXPECT_FALSE(lost(8e-5, *transforms)) << "double precision resolves it";
}

TEST_F(SolveRecord, TheRecordSaysHowTheSolveEndedAndHowFarTheTruthIs) {
    Case of = cartesian({6, 5, 0});
    of.coils = 2;
    const Problem problem = test::make_problem(of);
    Scan scan = scan_of(problem);
    scan.frames[0].samples = forward_on_host(*reference_transforms(), problem.positions(),
                                             problem.rho, problem.voxels, silent)
                                 .values;
    write_native_scan(folder.file("scan.h5"), scan);
    Image truth = empty_image(scan);
    truth.frames.push_back(
        {problem.rho.colwise().norm().transpose().cast<Complex>() * 1.25, "", {}, {}});
    write_image(folder.file("truth.h5"), truth);
    FileOptions options;
    options.lambda_rule = RuleChoice();
    options.truth = folder.file("truth.h5");
    options.prepare.maps = maps_source("none");
    const ReconstructedFile result = reconstruct_file(
        folder.file("scan.h5"), folder.file("image.h5"), *transforms, options, report);
    ASSERT_TRUE(result.truth_error);
    EXPECT_NEAR(*result.truth_error, 0.2, 1e-5);
    const Hdf5Reader file(folder.file("image.h5"));
    EXPECT_EQ(file.attribute_numbers("record", "truth_error").at(0), *result.truth_error);
    EXPECT_EQ(file.shape("record/iterations_done").extents, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(file.read_real("record/iterations_done").at(0), 1) << "F^H F is a multiple of I";
    EXPECT_LT(file.read_real("record/final_residual").at(1), options.solve.tolerance);
    EXPECT_EQ(file.shape("record/stopped_by").extents, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(file.attribute_numbers("record", "residual_worst").size(), 1U);
}

TEST_F(SolveRecord, ATruthOfAnotherSizeIsRefusedBeforeTheWork) {
    const Problem problem = test::make_problem(cartesian({6, 5, 0}));
    write_native_scan(folder.file("scan.h5"), scan_of(problem));
    Image truth = empty_image(scan_of(test::make_problem(cartesian({5, 5, 0}))));
    truth.frames.push_back({ComplexVector::Ones(25), "", {}, {}});
    write_image(folder.file("truth.h5"), truth);
    FileOptions options;
    options.lambda_rule = RuleChoice();
    options.truth = folder.file("truth.h5");
    EXPECT_THROW(reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), *transforms,
                                  options, report),
                 InputError);
    for (const auto& [stage, seconds] : report.stage_seconds()) {
        EXPECT_EQ(stage, "read");
    }
}

} // namespace
} // namespace lsrecon
