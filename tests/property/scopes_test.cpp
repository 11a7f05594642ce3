// What one run reads, makes and keeps, and that a frame's image does not depend on the others.

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "engines/transforms.hpp"
#include "reconstruct.hpp"
#include "support/case.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using Counts = std::map<std::string, int>;

/// Frames in memory, each of which counts how often it is read.
class CountedFrames : public FrameSource {
public:
    explicit CountedFrames(const Scan& scan) : frames_(scan) { first_good_ = frames_.first_good(); }
    const Scan& scan() const override { return frames_.scan(); }
    Scan take_scan() override { return frames_.take_scan(); }
    Frame frame(std::size_t index) override {
        ++reads[index];
        if (bad_.count(index) > 0) {
            throw InputError(bad_.at(index));
        }
        return frames_.frame(index);
    }
    void spoil(std::size_t index) {
        bad_.emplace(index, InputError({"scan.h5", "samples", "NaN", "numbers", "record again"}));
        while (bad_.count(first_good_) > 0) {
            ++first_good_;
        }
    }

    std::map<std::size_t, int> reads;

private:
    FramesInMemory frames_;
};

/// Counts the stages that begin.
class Counted : public Reporter {
public:
    Counts stages;

protected:
    void on_begin(const std::string& stage, double) override { ++stages[stage]; }
};

/// Keeps images, and has some of them already.
class Kept : public ImageSink {
public:
    std::map<std::size_t, ImageFrame> images;
    std::vector<std::size_t> order;
    std::map<std::size_t, ImageFrame> known;
    std::string choices;
    double lambda = 0;

    std::string chosen(const Scan&) override { return known.empty() ? "" : choices; }
    void keep_chosen(std::string bytes) override { choices = std::move(bytes); }
    void begin(const Scan&, const Record& settings, bool) override {
        for (const auto& [name, value] : settings) {
            lambda = name == "lambda" ? std::stod(value) : lambda;
        }
    }
    std::optional<ImageFrame> finished(std::size_t frame) override {
        return known.count(frame) > 0 ? std::optional(known.at(frame)) : std::nullopt;
    }
    void put(std::size_t frame, ImageFrame image) override {
        order.push_back(frame);
        images[frame] = std::move(image);
    }
};

struct Done {
    Kept kept;
    Counts stages;
    std::map<std::size_t, int> reads;
    std::map<std::size_t, FailedFrame> failed;
    Image about;
};

class Scopes : public testing::Test {
protected:
    ReconstructOptions options;
    std::map<std::size_t, ImageFrame> known; ///< frames of an earlier run
    std::string choices; ///< and what it had chosen
    std::vector<std::size_t> spoilt;

    Scopes() { options.solve = {0.01, 8, 1e-9, &solver_named("device")}; }

    Done run(const Scan& scan) {
        const auto transforms = reference_transforms();
        CountedFrames source(scan);
        for (const std::size_t index : spoilt) {
            source.spoil(index);
        }
        Counted report;
        Done result;
        result.kept.known = known;
        result.kept.choices = choices;
        Reconstructed made = reconstruct(source, result.kept, *transforms, options, report);
        result.stages = report.stages;
        result.reads = source.reads;
        result.failed = made.failed;
        result.about = std::move(made.about);
        return result;
    }

    /// Each frame as if it were the only one.
    void expect_as_alone(const Scan& scan, const Done& together) {
        for (const auto& [f, image] : together.kept.images) {
            Scan one = scan;
            one.frames = {scan.frames[f]};
            const Done alone = run(one);
            EXPECT_EQ(alone.kept.images.at(0).values, image.values) << "frame " << f;
        }
    }
};

/// A series of one slice: frames of unlike brightness.
Scan series(std::size_t frames, std::size_t coils = 1) {
    test::Case of{"series", {6, 5, 0}, 90, coils};
    of.coil_maps = coils > 1;
    const test::Problem problem = test::make_problem(of);
    Scan scan = test::scan_of(problem);
    scan.frames[0].samples = problem.samples;
    scan.coil_maps = problem.coil_maps;
    scan.frames.resize(frames, scan.frames[0]);
    for (std::size_t f = 0; f < frames; ++f) {
        scan.frames[f].label = text("repetition ", f);
        scan.frames[f].samples.doubles() *= std::polar(1.0 + double(f % 3), 0.1 * double(f));
    }
    return scan;
}

/// The same frames as slices.
Scan slices(std::size_t count, std::size_t coils = 1) {
    Scan scan = series(count, coils);
    scan.frame_counters = {"slice"};
    for (std::size_t f = 0; f < count; ++f) {
        scan.frames[f].label = text("slice ", f);
        scan.frames[f].position = Vec3{0, 0, 5.0 * double(f)};
    }
    return scan;
}

TEST_F(Scopes, ManySlicesOnOneTrajectoryShareQ) {
    const Scan scan = slices(100, 2);
    const Done found = run(scan);
    EXPECT_EQ(found.stages,
              (Counts{{"fhd", 100}, {"model", 100}, {"parts", 100}, {"q", 1}, {"solve", 100}}));
    for (std::size_t f = 0; f < 100; ++f) {
        EXPECT_EQ(found.reads.at(f), 1) << f;
    }
}

TEST_F(Scopes, FramesOfASeriesShareTheirSlice) {
    const Scan scan = series(4, 2);
    const Done found = run(scan);
    EXPECT_EQ(found.stages,
              (Counts{{"fhd", 4}, {"model", 1}, {"parts", 4}, {"q", 1}, {"solve", 4}}));
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{0, 1, 2, 3}));
    for (const auto& [f, reads] : found.reads) {
        EXPECT_EQ(reads, 1) << f;
    }
    expect_as_alone(scan, found);
}

TEST_F(Scopes, FramesOfOneTrajectoryFollowEachOther) {
    Scan scan = series(4);
    Trajectory moved = *scan.frames[0].trajectory;
    moved.positions[3][0] += 0.01;
    const auto other = std::make_shared<const Trajectory>(moved);
    scan.frames[1].trajectory = scan.frames[3].trajectory = other;
    const Done found = run(scan);
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{0, 2, 1, 3}));
    EXPECT_EQ(found.stages.at("q"), 2);
    expect_as_alone(scan, found);
}

TEST_F(Scopes, EstimatedMapsAreThoseOfTheirSlice) {
    Scan scan = slices(3, 3);
    scan.coil_maps = {};
    options.prepare.maps = maps_source("walsh");
    const Done found = run(scan);
    EXPECT_EQ(found.stages.at("maps"), 3);
    EXPECT_EQ(found.stages.at("q"), 1);
    for (const auto& [f, reads] : found.reads) {
        EXPECT_EQ(reads, 1) << "what coils are calibrated by stays: frame " << f;
    }
    expect_as_alone(scan, found);
}

TEST_F(Scopes, ABadFrameFailsAlone) {
    const Scan scan = series(4, 2);
    spoilt = {1};
    const Done found = run(scan);
    EXPECT_EQ(found.failed.size(), 1U);
    EXPECT_EQ(found.failed.count(1), 1U);
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{0, 2, 3}));
    EXPECT_EQ(found.stages,
              (Counts{{"fhd", 3}, {"model", 1}, {"parts", 3}, {"q", 1}, {"solve", 3}}));
}

TEST_F(Scopes, ASliceWithoutMapsFailsWithAllOfItsFrames) {
    Scan scan = slices(3, 2);
    scan.coil_maps = {};
    options.prepare.maps = maps_source("walsh");
    scan.frames.push_back(scan.frames[1]);
    scan.frame_counters = {"slice", "repetition"};
    for (const std::size_t silent : {1, 3}) {
        scan.frames[silent].samples.doubles().setZero();
    }
    scan.frames[3].label = "slice 1, repetition 1";
    const Done found = run(scan);
    EXPECT_EQ(found.failed.size(), 2U);
    EXPECT_EQ(found.failed.count(1) + found.failed.count(3), 2U);
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(found.failed.at(1).error, found.failed.at(3).error);
}

TEST_F(Scopes, FramesThatAreKnownAreLeftAlone) {
    const Scan scan = series(4, 2);
    options.solve.lambda = 0;
    options.lambda_rule = {held_out};
    const Done whole = run(scan);
    known[2] = whole.kept.images.at(2); // the brightest, which chose
    choices = whole.kept.choices;
    const Done rest = run(scan);
    EXPECT_EQ(rest.kept.order, (std::vector<std::size_t>{0, 1, 3}));
    EXPECT_EQ(rest.stages,
              (Counts{{"fhd", 3}, {"model", 1}, {"parts", 3}, {"q", 1}, {"solve", 3}}));
    EXPECT_EQ(rest.reads, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {3, 1}}));
    for (const auto& [f, image] : rest.kept.images) {
        EXPECT_EQ(image.values, whole.kept.images.at(f).values) << f;
    }
    EXPECT_EQ(rest.about.numbers.back(), whole.about.numbers.back()) << "of the model";
}

TEST_F(Scopes, FramesThatAreSolvedTogetherHaveASamplingEach) {
    Scan scan = series(3, 2);
    for (std::size_t f = 0; f < 3; ++f) {
        Trajectory moved = *scan.frames[f].trajectory;
        moved.positions[f][0] += 0.01;
        scan.frames[f].trajectory = std::make_shared<const Trajectory>(moved);
    }
    options.solve = {0, 4, 1e-9, nullptr, {{"ttv", 0.01}}};
    options.effort.iterations = 4;
    const Done found = run(scan);
    EXPECT_EQ(found.stages, (Counts{{"fhd", 3}, {"model", 1}, {"q", 3}, {"solve", 1}}));
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{0, 1, 2}));
    for (const auto& [f, reads] : found.reads) {
        EXPECT_EQ(reads, 1) << f;
    }
}

TEST_F(Scopes, WhatIsReadOnceServesTheRuleAndTheNoiseMap) {
    Scan scan = series(1, 2);
    scan.noise = CoilRows(test::Random(3).matrix(2, 50));
    options.solve.lambda = 0;
    options.lambda_rule = {held_out};
    options.noise_solves = 2;
    const Done found = run(scan);
    EXPECT_EQ(found.reads, (std::map<std::size_t, int>{{0, 1}}));
    EXPECT_EQ(found.stages.at("fhd"), 1);
    EXPECT_EQ(found.stages.at("q"), 1);
    EXPECT_EQ(found.stages.at("noise_map"), 1);
    EXPECT_EQ(found.about.noise_map.size(), 30);
}

// The first pass chooses, and its frame, maps and Q serve the loops.
TEST_F(Scopes, TheFirstPassIsByABrightFrame) {
    const Scan scan = series(4, 2); // the third is the brightest
    options.solve.lambda = 0;
    options.lambda_rule = {held_out};
    const Done found = run(scan);
    std::set<std::string> tables;
    for (const RecordTable& table : found.about.tables) {
        tables.insert(table.name);
    }
    EXPECT_EQ(tables, (std::set<std::string>{"unexplained_by_coil", "weight_curve_lambda"}));
    EXPECT_EQ(
        found.stages,
        (Counts{{"fhd", 4}, {"model", 1}, {"parts", 4}, {"q", 1}, {"solve", 4}, {"weight", 1}}));
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{2, 0, 1, 3}));
    options.lambda_rule = {};
    options.solve.lambda = found.kept.lambda;
    for (const auto& [f, image] : run(scan).kept.images) {
        EXPECT_EQ(image.values, found.kept.images.at(f).values) << f;
    }
}

TEST_F(Scopes, MapsAreMadeOnceASliceAndFramesReadOnce) {
    options.prepare.maps = maps_source("walsh");
    options.solve.lambda = 0;
    for (const auto& rule : {std::optional<RuleChoice>({held_out}), std::optional<RuleChoice>()}) {
        options.lambda_rule = rule;
        for (const bool are_slices : {true, false}) {
            const std::size_t count = are_slices ? 5 : 12;
            Scan scan = are_slices ? slices(count, 3) : series(count, 3);
            scan.coil_maps = {};
            const Done found = run(scan);
            EXPECT_EQ(found.stages.at("maps"), are_slices ? 5 : 1);
            EXPECT_EQ(found.stages.at("fhd"), static_cast<int>(count));
            EXPECT_EQ(found.stages.at("q"), 1);
            EXPECT_EQ(found.kept.images.size(), count);
            for (const auto& [f, reads] : found.reads) {
                EXPECT_EQ(reads, 1) << "frame " << f;
            }
        }
    }
}

// Where the brightest slice has no maps, the next one chooses.
TEST_F(Scopes, TheFirstPassIsByAnotherFrameWhereOneFails) {
    Scan scan = slices(3, 2);
    scan.coil_maps = {};
    options.prepare.maps = maps_source("walsh");
    options.solve.lambda = 0;
    options.lambda_rule = {held_out};
    scan.frames[1].samples.doubles().setZero();
    spoilt = {2}; // the brightest
    const Done found = run(scan);
    EXPECT_EQ(found.failed.size(), 2U);
    EXPECT_EQ(found.kept.order, (std::vector<std::size_t>{0}));
    EXPECT_EQ(found.stages.at("weight"), 1);
}

TEST_F(Scopes, ANoiseMapOfASeriesIsOfTheFirstFrameThatIsThere) {
    Scan scan = series(3, 2);
    spoilt = {0};
    options.noise_solves = 2;
    const Done found = run(scan);
    const auto frame = std::find_if(found.about.numbers.begin(), found.about.numbers.end(),
                                    [](const auto& n) { return n.first == "noise_frame"; });
    ASSERT_NE(frame, found.about.numbers.end());
    EXPECT_EQ(frame->second, 1);
    EXPECT_EQ(found.stages.at("noise_map"), 1);
}

TEST_F(Scopes, AFieldMapNeedsNoQ) {
    test::Case of{"field", {6, 5, 0}, 90, 2};
    of.coil_maps = true;
    of.field_hz = 60;
    const test::Problem problem = test::make_problem(of);
    Scan scan = test::scan_of(problem);
    scan.frames[0] = problem.frame();
    scan.coil_maps = problem.coil_maps;
    scan.off_resonance = problem.voxels.off_resonance();
    const Done found = run(scan);
    EXPECT_EQ(found.stages.count("q"), 0U);
    EXPECT_EQ(found.stages.at("fhd"), 1);
}

TEST_F(Scopes, VoxelsOffTheGridNeedNoQ) {
    const test::Problem problem = test::make_problem({"list", {6, 6, 0}, 60, 1, 5, 0.5});
    Scan scan = test::scan_of(problem);
    std::vector<Vec3> positions;
    for (std::size_t n = 0; n < problem.voxels.count(); ++n) {
        positions.push_back(problem.voxels.position(n));
    }
    scan.voxels = positions;
    const Done found = run(scan);
    EXPECT_EQ(found.stages, (Counts{{"fhd", 1}, {"parts", 1}, {"solve", 1}}));
}

TEST_F(Scopes, AMethodWithoutSolverMakesNeitherQNorModels) {
    const Scan scan = series(2, 2);
    options.solve = {};
    options.solve.method = &method_named("gridding");
    const Done found = run(scan);
    EXPECT_EQ(found.stages.count("q"), 0U);
    EXPECT_EQ(found.stages.count("model"), 0U);
    EXPECT_EQ(found.stages.count("solve"), 0U);
    EXPECT_EQ(found.stages.at("fhd"), 2);
}

} // namespace
} // namespace lsrecon
