// Ranks of nodes that differ compute as the first one, to the same bits.

#include "engines/tuning.hpp"
#include "support/device_fixture.hpp"
#include "support/job_ranks.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using Ranks = test::DeviceFixture;

std::unique_ptr<Transforms> separable(JobRanks* ranks, double device_memory = 0) {
    ComputeOptions options;
    options.kernel = "separable";
    options.ranks = ranks;
    options.device_memory = device_memory;
    return open_transforms(options);
}

TEST_F(Ranks, TakeTheKernelsThatWereTunedForTheFirst) {
    const test::Problem problem = test::make_problem({"problem", {7, 6, 0}, 700});
    const auto plain = separable(nullptr);
    const DeviceInfo& device = plain->device().info();
    test::FirstOfTwo first;
    test::SecondOfTwo second(first);
    std::string parameters;
    {
        const test::TemporaryFolder cache;
        const test::ScopedEnvironment variable("LSRECON_CACHE", cache.path().string());
        store_winner(device, "separable", "fhd",
                     {tuning_candidates(device, "separable", "fhd").valid.back(), 1e9, ""});
        const auto tuned = separable(&first);
        test::adjoint_of(*tuned->alone(), problem);
        parameters = tuned->computed_by().parameters;
    }
    EXPECT_NE(parameters.find("tuned on this device"), std::string::npos);
    const auto other = separable(&second);
    test::adjoint_of(*other->alone(), problem);
    EXPECT_EQ(other->computed_by().parameters, parameters);
}

/// The second of two, whose other holds so much.
class BesideSmaller : public JobRanks {
public:
    using JobRanks::broadcast;
    explicit BesideSmaller(double bytes) : bytes_(bytes) {}
    std::size_t count() const override { return 2; }
    std::size_t rank() const override { return 1; }
    void broadcast(std::size_t from, void* values, std::size_t bytes) override {
        const std::array<double, 2> other{bytes_, bytes_};
        if (from == 0 && bytes == sizeof other) {
            std::memcpy(values, other.data(), bytes);
        }
    }

private:
    double bytes_;
};

TEST_F(Ranks, UseTheMemoryThatAllHave) {
    constexpr double mib = 1024 * 1024;
    BesideSmaller smaller(5 * mib);
    const auto transforms = separable(&smaller, 7 * mib);
    EXPECT_EQ(transforms->device().memory(), 5 * mib);
    EXPECT_EQ(transforms->device().largest_array(), 5 * mib);
    BesideSmaller equal(7 * mib);
    EXPECT_EQ(separable(&equal, 7 * mib)->device().memory(), 7 * mib);
}

} // namespace
} // namespace lsrecon
