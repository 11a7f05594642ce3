#ifdef LSRECON_WITH_ISMRMRD
#include "io/ismrmrd/writer.hpp"

#include <gtest/gtest.h>
#include <ismrmrd/dataset.h>
#include <ismrmrd/xml.h>

#include "base/error.hpp"
#include "io/ismrmrd/formats.hpp"
#include "io/scan_file.hpp"
#include "support/case.hpp"
#include "support/simulated.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

Simulation three_frames() {
    SimulationOptions options = options_of("golden-angle", make_grid(16, 16));
    options.trajectory.readouts = 9;
    options.coils = 3;
    options.frames = 3;
    options.snr = 10;
    options.noise_samples = 40000; // two acquisitions
    Simulation simulation = simulated(options);
    simulation.scan.grid.fov_mm = {199.0 / 3, 240, 1};
    simulation.scan.grid.position = Vec3{1, -2, 3.5};
    simulation.scan.grid.directions = {Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1}};
    simulation.scan.frames[2].position = Vec3{7, 8, 9};
    return simulation;
}

struct File {
    test::TemporaryFolder folder;
    std::string path = folder.file("raw.mrd");
    Reporter report;
    void write(const Simulation& simulation) { write_ismrmrd_scan(path, simulation, report); }
};

TEST(IsmrmrdWriter, TheLibraryOfTheFormatReadsIt) {
    const Simulation simulation = three_frames();
    File file;
    file.write(simulation);
    ISMRMRD::Dataset dataset(file.path.c_str(), "dataset", false);
    std::string xml;
    dataset.readHeader(xml);
    ISMRMRD::IsmrmrdHeader header;
    ISMRMRD::deserialize(xml.c_str(), header);
    ASSERT_EQ(header.encoding.size(), 1U);
    EXPECT_EQ(header.encoding[0].encodedSpace.matrixSize.x, 16);
    EXPECT_FLOAT_EQ(header.encoding[0].encodedSpace.fieldOfView_mm.x, 199.0F / 3);
    EXPECT_EQ(header.encoding[0].encodingLimits.repetition->maximum, 2);
    EXPECT_EQ(header.encoding[0].encodingLimits.kspace_encoding_step_1->maximum, 8);
    EXPECT_EQ(header.acquisitionSystemInformation->receiverChannels.get(), 3);

    ASSERT_EQ(dataset.getNumberOfAcquisitions(), 2U + 3 * 9);
    ISMRMRD::Acquisition acquisition;
    dataset.readAcquisition(1, acquisition);
    EXPECT_TRUE(acquisition.isFlagSet(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT));
    EXPECT_EQ(acquisition.number_of_samples(), 40000 - 32768);
    // The fifth readout of the third frame: sample 8 of its 16 is at the centre.
    dataset.readAcquisition(2 + 2 * 9 + 4, acquisition);
    EXPECT_EQ(acquisition.idx().repetition, 2);
    EXPECT_EQ(acquisition.idx().kspace_encode_step_1, 4);
    EXPECT_EQ(acquisition.center_sample(), 8);
    EXPECT_EQ(acquisition.trajectory_dimensions(), 2);
    EXPECT_TRUE(acquisition.isChannelActive(2));
    EXPECT_FALSE(acquisition.isChannelActive(3));
    ISMRMRD::AcquisitionHeader head = acquisition.getHead();
    // A packed header: its numbers are copied, because references to them would be misaligned.
    const std::uint32_t counter = head.scan_counter;
    const std::uint64_t flags = head.flags;
    EXPECT_EQ(counter, 24U);
    EXPECT_EQ(flags, 0U);
    const std::array<float, 3> position{head.position[0], head.position[1], head.position[2]};
    EXPECT_EQ(position, (std::array<float, 3>{7, 8, 9}));
    const Frame& frame = simulation.scan.frames[2];
    for (std::uint16_t i = 0; i < 16; ++i) {
        const std::size_t m = 4 * 16 + i;
        EXPECT_EQ(acquisition.traj(1, i),
                  static_cast<float>(frame.trajectory->positions[m][1] / 16));
        EXPECT_EQ(acquisition.data(i, 2), std::complex<float>(frame.samples(2, m)));
    }
    dataset.readAcquisition(2 + 3 * 9 - 1, acquisition);
    for (const auto flag :
         {ISMRMRD::ISMRMRD_ACQ_LAST_IN_SLICE, ISMRMRD::ISMRMRD_ACQ_LAST_IN_REPETITION,
          ISMRMRD::ISMRMRD_ACQ_LAST_IN_MEASUREMENT}) {
        EXPECT_TRUE(acquisition.isFlagSet(flag)) << flag;
    }
}

TEST(IsmrmrdWriter, ScanComesBack) {
    const Simulation simulation = three_frames();
    File file;
    file.write(simulation);
    ScanFile source(file.path);
    const Scan& read = source.scan();
    EXPECT_EQ(read.grid.size, simulation.scan.grid.size);
    EXPECT_EQ(read.grid.fov_mm, simulation.scan.grid.fov_mm); // to the last bit
    EXPECT_EQ(read.grid.position, simulation.scan.grid.position);
    EXPECT_EQ(read.grid.directions, simulation.scan.grid.directions);
    ASSERT_EQ(read.frames.size(), 3U);
    EXPECT_EQ(read.frames[2].label, "repetition 2");
    EXPECT_EQ(read.frames[2].position, simulation.scan.frames[2].position);
    const Frame frame = source.frame(2);
    const Frame& written = simulation.scan.frames[2];
    ASSERT_EQ(frame.samples.columns(), written.samples.columns());
    for (std::size_t m = 0; m < frame.samples.columns(); ++m) {
        for (std::size_t d = 0; d < 2; ++d) {
            EXPECT_NEAR(frame.trajectory->positions[m][d], written.trajectory->positions[m][d],
                        8 * 0x1p-24);
        }
        EXPECT_EQ(frame.samples(1, m), Complex(std::complex<float>(written.samples(1, m))));
    }
    EXPECT_EQ(read.noise.columns(), 40000U);
    EXPECT_EQ(read.noise(2, 39999), Complex(std::complex<float>(simulation.scan.noise(2, 39999))));
}

TEST(IsmrmrdWriter, LinesAreCountedByWhereTheyLie) {
    File file;
    file.write(simulated(options_of("cartesian", make_grid(8, 6, 4))));
    ISMRMRD::Dataset dataset(file.path.c_str(), "dataset", false);
    ISMRMRD::Acquisition acquisition;
    dataset.readAcquisition(6 * 3 + 2, acquisition);
    EXPECT_EQ(acquisition.idx().kspace_encode_step_1, 2);
    EXPECT_EQ(acquisition.idx().kspace_encode_step_2, 3);
    EXPECT_EQ(acquisition.center_sample(), 4);
    EXPECT_FLOAT_EQ(acquisition.traj(1, 0), -1.0F / 6);
    EXPECT_FLOAT_EQ(acquisition.traj(2, 0), 1.0F / 4);
    EXPECT_NE(ismrmrd_header_of(simulated(options_of("cartesian", make_grid(8, 6, 4))))
                  .find("<trajectory>cartesian<"),
              std::string::npos);
}

TEST(IsmrmrdWriter, MoreReadoutsThanACounterHoldsAreNoPartitionsOfTwoDimensions) {
    for (const Grid& grid : {make_grid(8, 6), make_grid(8, 6, 4)}) {
        Simulation simulation = simulated(options_of("random", grid));
        simulation.readout_ends.assign(65537, 1);
        const IsmrmrdRows rows(simulation);
        const IsmrmrdAcquisition last = rows.row(rows.count() - 1);
        EXPECT_EQ(last.header.idx.kspace_encode_step_1, 0); // counted anew
        EXPECT_EQ(last.header.idx.kspace_encode_step_2, grid.dimensions == 2 ? 0 : 1);
    }
}

TEST(IsmrmrdWriter, WhatTheFormatCannotHoldIsRefused) {
    File file;
    const auto refuses = [&](const std::function<void(Simulation&, Trajectory&)>& change,
                             const std::string& word) {
        Simulation simulation = simulated(options_of("spiral", make_grid(8, 8)));
        auto trajectory = std::make_shared<Trajectory>(*simulation.scan.frames[0].trajectory);
        change(simulation, *trajectory);
        simulation.scan.frames[0].trajectory = trajectory;
        try {
            file.write(simulation);
            ADD_FAILURE() << "no error about " << word;
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("next:"), std::string::npos);
        }
    };
    const auto ones = [](const Trajectory& s) {
        return RealVector::Ones(static_cast<Eigen::Index>(s.samples()));
    };
    refuses([&](Simulation&, Trajectory& s) { s.weights = ones(s); }, "weights");
    refuses([&](Simulation&, Trajectory& s) { s.phi = ones(s).cast<Complex>(); }, "phi");
    refuses([&](Simulation&, Trajectory& s) { s.times = ones(s); }, "time 1 s");
    refuses([](Simulation& s, Trajectory&) { s.scan.voxels.emplace(1); }, "voxels");
    refuses([](Simulation& s, Trajectory&) { s.scan.calibrations = s.scan.frames; }, "calibration");
    refuses([](Simulation& s, Trajectory&) { s.scan.grid.size[1] = 65536; }, "`matrix`");
    EXPECT_FALSE(std::filesystem::exists(file.path));
}

} // namespace
} // namespace lsrecon

#endif
