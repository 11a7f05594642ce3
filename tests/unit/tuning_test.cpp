// The search space of a kernel, and which parameters a device gets.

#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <tuple>

#include "base/error.hpp"
#include "engines/tuning.hpp"
#include "support/surroundings.hpp"

#ifdef LSRECON_WITH_OPENCL
#include "device/opencl/program.hpp"
#endif

namespace lsrecon {
namespace {

using test::ScopedEnvironment;
using test::TemporaryFolder;

TEST(SearchSpace, IsTheFullProductWithTheDefaultInFront) {
    const SearchSpace space{{"A", {1, 2}}, {"B", {3, 5}}};
    const Candidates all = candidates_of(space, {{"A", 2}, {"B", 3}}, {}, {});
    const std::vector<Parameters> expected{
        {{"A", 2}, {"B", 3}}, {{"A", 1}, {"B", 3}}, {{"A", 1}, {"B", 5}}, {{"A", 2}, {"B", 5}}};
    EXPECT_EQ(all.valid, expected);
    EXPECT_EQ(all.skipped, 0U);
}

TEST(SearchSpace, TakesADefaultFromOutside) {
    const Candidates all = candidates_of({{"A", {1, 2}}}, {{"A", 7}}, {}, {});
    const std::vector<Parameters> expected{{{"A", 7}}, {{"A", 1}}, {{"A", 2}}};
    EXPECT_EQ(all.valid, expected);
}

TEST(SearchSpace, LeavesOutWhatTheDeviceDoesNotAllow) {
    // A B 8 + A <= 50
    const DeviceBound bound{"local_bytes", {{{"A"}, {"B"}, {"", 8}}, {{"A"}}}};
    const SearchSpace space{{"A", {1, 2}}, {"B", {3, 5}}};
    const Candidates all =
        candidates_of(space, {{"A", 1}, {"B", 3}}, {bound}, {{"local_bytes", 50}});
    const std::vector<Parameters> expected{
        {{"A", 1}, {"B", 3}}, {{"A", 1}, {"B", 5}}, {{"A", 2}, {"B", 3}}};
    EXPECT_EQ(all.valid, expected);
    EXPECT_EQ(all.skipped, 1U);
    EXPECT_TRUE(fits({{"A", 2}, {"B", 5}}, {bound}, {})) << "a number that is not known";
}

#ifdef LSRECON_WITH_OPENCL

TEST(KernelHash, IsOfFilesAndEmptyWithout) {
    EXPECT_EQ(kernel_hash("struct").size(), 64U);
    EXPECT_EQ(kernel_hash("of no file"), "") << "as of an engine that is made of others";
}

class Tuning : public testing::Test {
protected:
    TemporaryFolder cache;
    ScopedEnvironment variable{"LSRECON_CACHE", cache.path().string()};
    DeviceInfo device = [] {
        DeviceInfo info;
        info.platform = "NVIDIA CUDA";
        info.name = "A GPU";
        info.type = "gpu";
        info.vendor = "NVIDIA Corporation";
        info.driver = "1.0";
        info.max_work_group = 1024;
        info.constant_bytes = 65536;
        info.local_bytes = 49152;
        return info;
    }();
    const std::string kernel = "tuned";

    Parameters shipped() const { return choose_parameters(device, kernel, "fhd").values; }
    std::string origin(const std::string& stage = "fhd") const {
        return choose_parameters(device, kernel, stage).origin;
    }
    /// Some candidate that is not the default.
    Parameters other() const { return tuning_candidates(device, kernel, "fhd").valid.at(1); }
    std::string winners() const { return tuning_path(device) + ".json"; }
};

TEST_F(Tuning, DefaultsAreThoseOfTheFamily) {
    const auto of = [&](const std::string& type, const std::string& vendor) {
        DeviceInfo info = device;
        info.type = type;
        info.vendor = vendor;
        return choose_parameters(info, kernel, "fhd").origin;
    };
    EXPECT_EQ(of("gpu", "NVIDIA Corporation"), "default for nvidia");
    EXPECT_EQ(of("gpu", "Advanced Micro Devices, Inc."), "default for amd");
    EXPECT_EQ(of("gpu", "Intel(R) Corporation"), "default for intel");
    EXPECT_EQ(of("gpu", "Another"), "default for gpu");
    EXPECT_EQ(of("accelerator", "Another"), "default for gpu");
    EXPECT_EQ(of("cpu", "GenuineIntel"), "default for cpu");
}

TEST_F(Tuning, ACapabilityWithDefaultsOfItsOwnComesBeforeTheFamily) {
    const auto of = [&](const std::string& capability) {
        DeviceInfo info = device;
        info.type = "gpu";
        info.vendor = "NVIDIA Corporation";
        info.compute_capability = capability;
        return choose_parameters(info, "separable", "fhd");
    };
    EXPECT_EQ(of("9.0").origin, "default for nvidia 9.0");
    EXPECT_EQ(of("8.6").origin, "default for nvidia");
    EXPECT_NE(of("9.0").values, of("8.6").values);
}

TEST_F(Tuning, EveryRowHasDefaultsOfEveryFamilyInItsSpace) {
    ASSERT_FALSE(tunables().empty());
    for (const Tunable& row : tunables()) {
        for (const auto& [type, vendor, capability] :
             {std::tuple("cpu", "", ""), std::tuple("gpu", "nvidia", "9.0"),
              std::tuple("gpu", "nvidia", "8.6"), std::tuple("gpu", "amd", ""),
              std::tuple("gpu", "intel", ""), std::tuple("gpu", "", "")}) {
            device.type = type;
            device.vendor = vendor;
            device.compute_capability = capability;
            TuningEntry entry;
            ASSERT_TRUE(find_tuning_entry(device, row.kernel, row.stage, entry));
            EXPECT_EQ(entry.space.size(), entry.defaults.size()) << row.kernel << type << vendor;
            for (const auto& [name, value] : entry.defaults) {
                EXPECT_EQ(entry.space.count(name), 1U) << row.kernel << " " << name;
            }
            EXPECT_LE(tuning_candidates(device, row.kernel, row.stage).valid.size(), 200U);
        }
    }
}

TEST_F(Tuning, AKernelWithoutParametersHasNone) {
    EXPECT_EQ(choose_parameters(device, "naive", "fhd").text(), "");
    EXPECT_THROW(tuning_candidates(device, "naive", "fhd"), UsageError);
}

TEST_F(Tuning, AWinnerServesItsDeviceDriverAndStage) {
    const Parameters winner = other();
    ASSERT_NE(winner, shipped());
    store_winner(device, kernel, "fhd", {winner, 1e9, "a problem"});
    const ChosenParameters chosen = choose_parameters(device, kernel, "fhd");
    EXPECT_EQ(chosen.values, winner);
    EXPECT_EQ(chosen.text(), to_text(winner) + " (tuned on this device)");
    EXPECT_EQ(origin("q"), "default for nvidia");

    DeviceInfo another = device;
    another.driver = "1.1";
    EXPECT_EQ(choose_parameters(another, kernel, "fhd").origin, "default for nvidia");
    another = device;
    another.name = "Another GPU";
    EXPECT_EQ(choose_parameters(another, kernel, "fhd").origin, "default for nvidia");

    store_winner(device, kernel, "q", {winner, 1e9, "a problem"});
    store_winner(device, kernel, "fhd", {shipped(), 2e9, "a problem"});
    EXPECT_EQ(origin("q"), "tuned on this device");
    EXPECT_EQ(origin("fhd"), "tuned on this device");
    EXPECT_EQ(choose_parameters(device, kernel, "q").values, winner);
}

TEST_F(Tuning, SearchesThatEndTogetherKeepEachOthersWinners) {
    std::vector<std::thread> searches;
    for (int n = 0; n < 8; ++n) {
        searches.emplace_back([&, n] {
            for (int i = 0; i < 10; ++i) {
                store_winner(device, kernel, text("stage ", n, " ", i), {other(), 1e9, ""});
            }
        });
    }
    for (std::thread& search : searches) {
        search.join();
    }
    const std::string all = test::read_text(winners());
    for (int n = 0; n < 8; ++n) {
        for (int i = 0; i < 10; ++i) {
            EXPECT_NE(all.find(text("\"stage ", n, " ", i, "\"")), std::string::npos)
                << n << " " << i;
        }
    }
}

TEST_F(Tuning, AWinnerOfAnotherKernelSourceIsNotUsed) {
    store_winner(device, kernel, "fhd", {other(), 1e9, "a problem"});
    const TemporaryFolder folder;
    for (const auto& [name, source] : opencl::embedded_sources()) {
        test::write_text(folder.file(name), source);
    }
    const ScopedEnvironment kernels("LSRECON_KERNELS", folder.path().string());
    EXPECT_EQ(origin(), "tuned on this device") << "the same source";
    const std::string file = folder.file("transform.h");
    test::write_text(file, test::read_text(file) + "// changed\n");
    EXPECT_EQ(origin(), "default for nvidia");
}

TEST_F(Tuning, GivenValuesAreUsed) {
    store_winner(device, kernel, "fhd", {other(), 1e9, "a problem"});
    const ChosenParameters chosen = choose_parameters(device, kernel, "fhd", {{"GROUP", 32}});
    EXPECT_EQ(chosen.values.at("GROUP"), 32);
    EXPECT_EQ(chosen.values.at("VOXELS"), other().at("VOXELS"));
    EXPECT_EQ(chosen.origin, "given");
    EXPECT_THROW(choose_parameters(device, kernel, "fhd", {{"SPEED", 9}}), UsageError);
}

TEST_F(Tuning, ABrokenFileOfWinnersIsAsGoodAsNone) {
    const Parameters winner = other();
    store_winner(device, kernel, "fhd", {winner, 1e9, "a problem"});
    const std::string whole = test::read_text(winners());
    const auto with = [&](const std::string& name, const std::string& value) {
        const std::string before = "\"" + name + "\": " + std::to_string(winner.at(name));
        std::string changed = whole;
        changed.replace(changed.find(before), before.size(), "\"" + name + "\": " + value);
        return changed;
    };
    ASSERT_EQ(origin(), "tuned on this device");
    for (const std::string& broken :
         {std::string(), std::string("no json"), whole.substr(0, whole.size() / 2),
          std::string("{}"), std::string("[1, {}, {\"key\": 3}]"), std::string("null"),
          with("VOXELS", "\"8\""), with("GROUP", "null")}) {
        test::write_text(winners(), broken);
        EXPECT_EQ(origin(), "default for nvidia") << broken;
        store_winner(device, kernel, "fhd", {winner, 1e9, "a problem"});
        EXPECT_EQ(choose_parameters(device, kernel, "fhd").values, winner) << broken;
    }
}

TEST_F(Tuning, AWinnerBeyondTheDeviceIsNotUsed) {
    Parameters winner = shipped();
    winner["GROUP"] = 256;
    store_winner(device, kernel, "fhd", {winner, 1e9, "a problem"});
    ASSERT_EQ(origin(), "tuned on this device");
    device.max_work_group = 128;
    EXPECT_EQ(origin(), "default for nvidia");
}

#endif

} // namespace
} // namespace lsrecon
