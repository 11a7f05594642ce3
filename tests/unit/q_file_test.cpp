#include "io/q_file.hpp"

#include <gtest/gtest.h>

#include "backend/reference/reference.hpp"
#include "base/error.hpp"
#include "io/hdf5_file.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;

test::Problem problem_of(const std::array<std::size_t, 3>& size, std::uint64_t seed = 1) {
    test::Case of;
    of.size = size;
    of.samples = 5;
    of.weights = true;
    of.seed = seed;
    return test::make_problem(of);
}

Q q_of(const test::Problem& problem) {
    Reporter report;
    return compute_q(*make_reference_backend(), *problem.sampling, problem.grid, report);
}

TEST(QFile, ComesBackToTheLastBit) {
    for (const auto& size : {std::array<std::size_t, 3>{3, 4, 0}, {2, 3, 5}, {1, 1, 1}}) {
        const TemporaryFolder folder;
        const test::Problem problem = problem_of(size);
        const Q q = q_of(problem);
        write_q(folder.file("q.h5"), {q}, {{"made by", "a test"}});
        const Q read = read_q(folder.file("q.h5"), *problem.sampling, problem.grid);
        EXPECT_EQ(read.half, q.half);
        EXPECT_EQ(read.key, q.key);
        EXPECT_EQ(Hdf5Reader(folder.file("q.h5")).attribute_text("record", "made by"), "a test");
    }
}

TEST(QFile, DifferenceZeroStandsInTheMiddle) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({3, 4, 0});
    const Q q = q_of(problem);
    write_q(folder.file("q.h5"), {q}, {});
    const Hdf5Reader file(folder.file("q.h5"));
    EXPECT_EQ(file.shape("q").extents, (std::vector<std::size_t>{8, 6}));
    EXPECT_EQ(file.read_complex("q")[4 * 6 + 3], q.at_zero());
}

TEST(QFile, EachSamplingFindsItsOwn) {
    const TemporaryFolder folder;
    const test::Problem one = problem_of({3, 4, 0}, 1);
    const test::Problem two = problem_of({3, 4, 0}, 2);
    write_q(folder.file("q.h5"), {q_of(one), q_of(two)}, {});
    EXPECT_EQ(read_q(folder.file("q.h5"), *one.sampling, one.grid).half, q_of(one).half);
    EXPECT_EQ(read_q(folder.file("q.h5"), *two.sampling, two.grid).half, q_of(two).half);
}

TEST(QFile, OfAnotherScanIsRefused) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({3, 4, 0});
    write_q(folder.file("q.h5"), {q_of(problem)}, {});
    const test::Problem other = problem_of({3, 4, 0}, 2);
    try {
        read_q(folder.file("q.h5"), *other.sampling, other.grid);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_NE(error.finding().thing.find("hash"), std::string::npos) << error.what();
    }
    EXPECT_THROW(read_q(folder.file("q.h5"), *problem.sampling, test::make_grid(4, 3)), InputError);
}

TEST(QFile, SomethingElseIsRefused) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({3, 4, 0});
    EXPECT_THROW(read_q(folder.file("missing.h5"), *problem.sampling, problem.grid), InputError);
    test::write_text(folder.file("text.h5"), "no HDF5");
    EXPECT_THROW(read_q(folder.file("text.h5"), *problem.sampling, problem.grid), InputError);
    write_q_at(folder.file("list.h5"), ComplexVector::Ones(3), {});
    EXPECT_THROW(read_q(folder.file("list.h5"), *problem.sampling, problem.grid), InputError);
}

} // namespace
} // namespace lsrecon
