// A correction of the field that is fitted together with the image.

#include "encoding/field_fit.hpp"

#include <gtest/gtest.h>

#include "engines/transforms.hpp"
#include "model/refined_field.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

using Eigen::Index;

/// A spiral of several coils in a field.
class FieldFitTest : public testing::Test {
protected:
    FieldFitTest() {
        SimulationOptions options = options_of("spiral", grid());
        options.coils = 6;
        options.off_resonance_hz = 60;
        options.readout_ms = 12;
        options.snr = 50;
        scan = simulated(options).scan;
        wrong = RealVector(Index(grid().voxels()));
        const Voxels voxels = Voxels::of_grid(grid());
        for (Index n = 0; n < wrong.size(); ++n) {
            wrong(n) = 25 + 40 * voxels.position(static_cast<std::size_t>(n))[0];
        }
    }
    static Grid grid() {
        Grid grid;
        grid.size = {20, 20, 1};
        return grid;
    }
    Model model_with(const RealVector& error) const {
        Model model;
        model.coil_maps = std::make_shared<const CoilRows>(scan.coil_maps);
        OffResonance field = *scan.off_resonance;
        field.field += error;
        model.off_resonance = std::make_shared<const OffResonance>(field);
        return model;
    }

    static std::unique_ptr<Transforms> on_host() {
        ComputeOptions options;
        options.backend = "host";
        return open_transforms(options);
    }

    Scan scan;
    RealVector wrong;
};

TEST_F(FieldFitTest, TheDerivativeIsThatOfFiniteDifferences) {
    constexpr double step = 1e-3; // Hz
    const auto transforms = reference_transforms();
    const CoilRows maps = scan.coil_maps;
    std::vector<ComplexVector> images{ComplexVector(wrong.size())};
    for (Index n = 0; n < wrong.size(); ++n) {
        images[0](n) = std::polar(1.0 + 0.1 * std::sin(double(n)), 0.3 * double(n));
    }
    const auto encoded = [&](double by, bool derivative) {
        OffResonance field = *scan.off_resonance;
        field.field += by * wrong;
        const Formulation formulation{
            grid(), Voxels::of_grid(grid()).in_field(std::make_shared<const OffResonance>(field)),
            false, true, true};
        ImageSpace space(transforms->device(), formulation, maps);
        const Encoding encoding(*transforms, space, *scan.frames[0].trajectory);
        return derivative ? derivative_by_field(encoding, images, wrong) : encoding.forward(images);
    };
    const CoilMatrix expected = (encoded(step, false) - encoded(-step, false)) / (2 * step);
    EXPECT_LE((encoded(0, true) - expected).norm(), 1e-6 * expected.norm());
}

TEST_F(FieldFitTest, AWrongMapIsRefined) {
    const SliceRefinement found = refine_field(*on_host(), scan, model_with(wrong), scan.frames[0]);
    EXPECT_TRUE(found.is_clear());
    EXPECT_LT(found.deviation, 6);
    EXPECT_LT(found.fit.left, 0.9 * found.fit.left_before);
    const RealVector left = wrong + found.correction;
    EXPECT_LT(left.norm(), 0.3 * wrong.norm());
}

TEST_F(FieldFitTest, ARightMapStays) {
    const SliceRefinement found =
        refine_field(*on_host(), scan, model_with(RealVector::Zero(wrong.size())), scan.frames[0]);
    EXPECT_FALSE(found.is_clear());
}

} // namespace
} // namespace lsrecon
