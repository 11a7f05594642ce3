#include "io/q_file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/tolerance.hpp"
#include "engines/reference.hpp"
#include "io/hdf5_file.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

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

Q read_q(const std::string& path, const Sampling& sampling, const Grid& grid) {
    return QFile(path).read(sampling, grid);
}

Q q_of(const test::Problem& problem) {
    return test::exact_q(*problem.sampling, problem.grid);
}

/// With other values.
Q with(Q q, const ComplexVector& half) {
    q.half = Volume(half);
    return q;
}

TEST(QFile, ComesBackToTheLastBit) {
    for (const auto& size : {std::array<std::size_t, 3>{3, 4, 0}, {2, 3, 5}, {1, 1, 1}}) {
        const TemporaryFolder folder;
        const test::Problem problem = problem_of(size);
        const Q q = q_of(problem);
        write_q(folder.file("q.h5"), {q}, {{"made by", "a test"}});
        const Q read = read_q(folder.file("q.h5"), *problem.sampling, problem.grid);
        EXPECT_EQ(read.half.values(), q.half.values());
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
    for (const test::Problem* const of : {&one, &two}) {
        EXPECT_EQ(read_q(folder.file("q.h5"), *of->sampling, of->grid).half.values(),
                  q_of(*of).half.values());
    }
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

/// What QFile says of the file "q.h5" of this folder.
testing::AssertionResult refused(const TemporaryFolder& folder, const test::Problem& problem) {
    try {
        read_q(folder.file("q.h5"), *problem.sampling, problem.grid);
        return testing::AssertionFailure() << "no error";
    } catch (const InputError& error) {
        return testing::AssertionSuccess() << error.what();
    }
}

std::string hash_in(const std::string& path) {
    return Hdf5Reader(path).read_texts("sha256").front();
}

TEST(QFile, ChangedValuesAreRefused) {
    const test::Problem problem = problem_of({3, 4, 0});
    const Q good = q_of(problem);
    const ComplexVector half = good.half.values();
    ComplexVector last_bit = half;
    last_bit(2) = {std::nextafter(last_bit(2).real(), 1e9), last_bit(2).imag()};
    for (const ComplexVector& other :
         {ComplexVector(half * 1e300), ComplexVector(-half), ComplexVector(half * 0),
          ComplexVector(half.conjugate()), last_bit}) {
        const TemporaryFolder folder;
        write_q(folder.file("good.h5"), {good}, {});
        write_q(folder.file("q.h5"), {with(good, other)}, {});
        std::string bytes = test::read_text(folder.file("q.h5"));
        const std::string hash = hash_in(folder.file("q.h5"));
        ASSERT_NE(bytes.find(hash), std::string::npos);
        bytes.replace(bytes.find(hash), hash.size(), hash_in(folder.file("good.h5")));
        test::write_text(folder.file("q.h5"), bytes);
        EXPECT_TRUE(refused(folder, problem));
    }
}

TEST(QFile, AnotherSumOfWeightsIsRefused) {
    const test::Problem problem = problem_of({3, 4, 0});
    const Q good = q_of(problem);
    for (const double factor : {1.001, 0.999, -1.0, 0.0, 1e300}) {
        const TemporaryFolder folder;
        const Q other = with(good, good.half.values() * factor);
        write_q(folder.file("q.h5"), {other}, {{"kernel", "separable"}}); // with its own hash
        EXPECT_TRUE(refused(folder, problem)) << factor;
    }
}

TEST(QFile, TheSumOfWeightsMayBeRoundedAsTheKernelRoundsIt) {
    const test::Problem problem = problem_of({3, 4, 0});
    const TemporaryFolder folder;
    const Q exact = q_of(problem);
    const Q rounded = with(exact, exact.half.values() * (1 + 4 * tolerance::eps));
    write_q(folder.file("q.h5"), {rounded}, {{"kernel", "separable"}});
    EXPECT_EQ(read_q(folder.file("q.h5"), *problem.sampling, problem.grid).half.values(),
              rounded.half.values());
}

TEST(QFile, WithoutTheHashOfItsValuesItIsRefused) {
    const test::Problem problem = problem_of({3, 4, 0});
    const Q q = q_of(problem);
    const TemporaryFolder folder;
    const ComplexVector values = expanded(q);
    Hdf5Writer file(folder.file("q.h5"), "q.h5"); // as version 1 was
    file.complex128("q", {8, 6}, values.data());
    file.attribute("/", "format", std::string("lsrecon-q"));
    file.attribute("/", "version", 1L);
    file.attribute("q", "key_0", q.key);
    file.close();
    EXPECT_TRUE(refused(folder, problem));
    EXPECT_NE(std::string(refused(folder, problem).message()).find("lsrecon q"), std::string::npos);
}

TEST(QFile, HoldsTheSamplingsOfThousandsOfFrames) {
    const TemporaryFolder folder;
    test::Problem problem = problem_of({1, 1, 0});
    std::vector<Q> qs(20000, q_of(problem));
    for (std::size_t s = 0; s < qs.size(); ++s) {
        qs[s].key = Sha256().add(std::to_string(s)).hex();
    }
    qs[12345].key = q_key(*problem.sampling, problem.grid);
    write_q(folder.file("q.h5"), qs, {});
    EXPECT_EQ(read_q(folder.file("q.h5"), *problem.sampling, problem.grid).half.values(),
              qs[0].half.values());
}

TEST(QFile, EverySamplingOfAScanIsCheckedBeforeItsWork) {
    const TemporaryFolder folder;
    const test::Problem one = problem_of({3, 4, 0}, 1);
    const test::Problem two = problem_of({3, 4, 0}, 2);
    Scan scan;
    scan.grid = one.grid;
    scan.frames = {one.frame(), two.frame(), one.frame()};
    write_q(folder.file("q.h5"), {q_of(one)}, {});
    EXPECT_THROW(QFile(folder.file("q.h5")).require(scan), InputError);
    write_q(folder.file("q.h5"), {q_of(one), q_of(two)}, {});
    QFile file(folder.file("q.h5"));
    file.require(scan);
    for (const Frame& frame : scan.frames) {
        EXPECT_EQ(file.read(*frame.sampling, scan.grid).key, q_key(*frame.sampling, scan.grid));
    }
}

} // namespace
} // namespace lsrecon
