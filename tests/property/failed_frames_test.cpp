// Frames whose solve fails, from file to file.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "encoding/solve.hpp"
#include "engines/transforms.hpp"
#include "io/image/file.hpp"
#include "io/native/scan.hpp"
#include "reconstruct.hpp"
#include "reconstruct_file.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"
#include "support/wrapped_transforms.hpp"

namespace lsrecon {
namespace {

/// A transform that fails from one adjoint of complex values to another, as a device does for a
/// while. `calls` counts those of all.
class Failing : public test::WrappedTransform {
public:
    Failing(std::unique_ptr<Transform> inner, int first, int last, int& calls)
        : WrappedTransform(std::move(inner)), first_(first), last_(last), calls_(calls) {}
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        if (values.element().complex) {
            const int call = ++calls_;
            if (call >= first_ && call <= last_) {
                throw DeviceError("the device is out of order");
            }
        }
        WrappedTransform::adjoint(values, out, progress);
    }

private:
    int first_;
    int last_;
    int& calls_;
};

constexpr int never = 1000;

class FailedFrames : public testing::Test {
protected:
    test::TemporaryFolder folder;
    Reporter report;

    FailedFrames() {
        Scan scan = test::scan_of(test::make_problem(test::cartesian({5, 4, 0})));
        scan.frames.resize(3, scan.frames[0]);
        scan.frames[1].samples.doubles() *= 2;
        write_native_scan(folder.file("scan.h5"), scan);
    }

    ReconstructedFile run(int first, int last, bool resume = false) {
        int calls = 0;
        const auto transforms = open_transforms(
            test::on_reference(), test::wrapped([&](auto inner) {
                return std::make_unique<Failing>(std::move(inner), first, last, calls);
            }));
        FileOptions options;
        options.solve = {0, 50, 1e-11, &solver_named("eigen")};
        options.lambda_rule = RuleChoice();
        options.resume = resume;
        return reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), *transforms,
                                options, report);
    }
    std::vector<Complex> image() const { return read_image(folder.file("image.h5")).values; }
};

TEST_F(FailedFrames, AreSolvedByTheNextRunThatResumes) {
    EXPECT_TRUE(run(never, never).failed.empty());
    const std::vector<Complex> whole = image();

    const ReconstructedFile first = run(2, 2);
    ASSERT_EQ(first.failed.size(), 1U);
    EXPECT_EQ(first.failed.begin()->first, 1U);
    EXPECT_EQ(first.failed.at(1).code, ExitCode::device);
    const std::vector<Complex> values = image();
    for (std::size_t n = 0; n < values.size(); ++n) {
        const bool failed = n / 20 == 1; // of 5 x 4 voxels a frame
        EXPECT_TRUE(failed ? std::isnan(values[n].real()) : values[n] == whole[n]) << n;
    }

    const ReconstructedFile second = run(never, never, true);
    EXPECT_TRUE(second.failed.empty());
    EXPECT_EQ(second.frames_finished_before, 2U);
    EXPECT_EQ(image(), whole);
    EXPECT_EQ(folder.entries(), 2U) << "more than the scan and the image";
}

/// A device that does nothing.
class Idle : public test::WrappedTransform {
public:
    using WrappedTransform::WrappedTransform;
    void adjoint(const Array&, Array&, const Progress&) override {}
};

TEST(ImageOfZeros, IsByTheDeviceOrByTheScan) {
    const test::TemporaryFolder folder;
    Scan scan = test::scan_of(test::make_problem(test::cartesian({5, 4, 0})));
    const auto error_of = [&](std::vector<Engine> table) {
        write_native_scan(folder.file("scan.h5"), scan);
        const auto transforms = open_transforms(test::on_reference(), std::move(table));
        FileOptions options;
        options.solve = {0, 50, 1e-11, &solver_named("eigen")};
        options.lambda_rule = RuleChoice();
        Reporter report;
        try {
            reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), *transforms, options,
                             report);
        } catch (const Error& error) {
            return error.code();
        }
        return ExitCode::done;
    };
    EXPECT_EQ(error_of(engines()), ExitCode::done);
    EXPECT_EQ(error_of(test::wrapped(
                  [](auto inner) { return std::make_unique<Idle>(std::move(inner)); })),
              ExitCode::device);
    // One coil has the signal, the other the map.
    const CoilMatrix samples = scan.frames[0].samples.doubles();
    CoilMatrix both = CoilMatrix::Zero(2, samples.cols());
    both.row(0) = samples.row(0);
    scan.frames[0].samples = both;
    CoilMatrix maps = CoilMatrix::Zero(2, 5 * 4);
    maps.row(1).setOnes();
    scan.coil_maps = maps;
    EXPECT_EQ(error_of(engines()), ExitCode::input);
}

TEST_F(FailedFrames, OfAWholeScanLeaveNothing) {
    EXPECT_THROW(run(1, never), DeviceError);
    EXPECT_EQ(folder.entries(), 1U) << "more than the scan";
}

} // namespace
} // namespace lsrecon
