// Delays and phases of readouts that are fitted together with the image.

#include "encoding/parameter_fit.hpp"

#include <gtest/gtest.h>

#include "encoding/encoding.hpp"
#include "engines/transforms.hpp"
#include "scan/noise.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

/// A scan of spokes, and the parameters x, y, xy, cos and sin of its readouts.
class Fit : public testing::Test {
protected:
    Fit() {
        SimulationOptions options = options_of("golden-angle", grid());
        options.trajectory.readouts = 21;
        options.coils = 3;
        scan = simulated(options).scan;
        const std::vector<Vec3>& k = scan.frames[0].trajectory->positions;
        const std::size_t length = k.size() / 21;
        parameters = {
            {"x", {}, {}}, {"y", {}, {}}, {"xy", {}, {}}, {"cos", {}, {}}, {"sin", {}, {}}};
        const auto all = static_cast<Eigen::Index>(k.size());
        parameters[3].phase.resize(all);
        parameters[4].phase.resize(all);
        for (std::size_t m = 0; m < k.size(); ++m) {
            const std::size_t first = m / length * length;
            const double x = k[first + 1][0] - k[first][0];
            const double y = k[first + 1][1] - k[first][1];
            parameters[0].shift.push_back({x, 0, 0});
            parameters[1].shift.push_back({0, y, 0});
            parameters[2].shift.push_back({y, x, 0});
            parameters[3].phase(static_cast<Eigen::Index>(m)) = x / std::hypot(x, y);
            parameters[4].phase(static_cast<Eigen::Index>(m)) = y / std::hypot(x, y);
        }
    }
    static Grid grid() {
        Grid grid;
        grid.size = {20, 20, 1};
        return grid;
    }
    /// The scan with so much of each parameter, and noise.
    FrameOfFit changed(const RealVector& values, double noise) {
        Frame frame = scan.frames[0];
        const Formulation formulation{grid(), Voxels::of_grid(grid()), true, false};
        const CoilRows none;
        ImageSpace space(transforms->device(), formulation, none);
        const Trajectory there = moved(*frame.trajectory, parameters, values);
        const Encoding from(*transforms, space, there);
        const Encoding on_grid(*transforms, space, *frame.trajectory);
        std::vector<ComplexVector> images;
        for (const Volume& image : on_grid.adjoint(frame.samples).volumes) {
            images.push_back(image.values() / static_cast<double>(frame.samples.columns()));
        }
        CoilMatrix samples = from.forward(images);
        const double deviation = noise * samples.norm() / std::sqrt(2.0 * double(samples.size()));
        ReceiverNoise(deviation, 0, 5).add_to(samples);
        frame.samples = samples;
        take_out(phases_of(parameters, -values), frame.samples);
        return {std::move(frame), parameters};
    }

    std::unique_ptr<Transforms> transforms = reference_transforms();
    Scan scan;
    std::vector<SampleParameter> parameters;
    const CoilRows no_maps;
};

TEST_F(Fit, FindsDelaysAndPhasesWithinTheBoundThatItGives) {
    RealVector values(5);
    values << 0.5, -0.3, 0.1, 0.2, -0.1;
    const FrameOfFit frame = changed(values, 0.02);
    const ParameterFit fit = fit_parameters(*transforms, grid(), no_maps, {frame});
    for (std::size_t i = 0; i < 5; ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        EXPECT_NEAR(fit.values(at), values(at), 4 * fit.deviation(i)) << parameters[i].name;
        EXPECT_LT(fit.deviation(i), 0.02) << parameters[i].name;
    }
    EXPECT_LT(fit.chance(), 1e-9);
    const double of_noise = 0.02 * 0.02 * fit.energy;
    EXPECT_NEAR(fit.left / of_noise, fit.freedom / (2.0 * 3 * double(scan.most_samples())), 0.1);
}

TEST_F(Fit, OfNoDelaysFindsNoMoreThanNoise) {
    const FrameOfFit frame = changed(RealVector::Zero(5), 0.05);
    const ParameterFit fit = fit_parameters(*transforms, grid(), no_maps, {frame});
    EXPECT_GT(fit.chance(), 1e-3);
    EXPECT_LT(fit.left_before, 1.02 * fit.left);
}

TEST_F(Fit, KnowsNothingOfWhatTheImageMakesUpFor) {
    for (SampleParameter& one : parameters) {
        one.phase = {};
        one.shift.assign(scan.most_samples(), one.name == "x" ? Vec3{0.5, 0, 0} : Vec3{0, 0, 0});
    }
    parameters.resize(1);
    const FrameOfFit frame = changed(RealVector::Zero(1), 0.05);
    const ParameterFit fit = fit_parameters(*transforms, grid(), no_maps, {frame});
    EXPECT_GT(fit.deviation(0), 0.3);
}

} // namespace
} // namespace lsrecon
