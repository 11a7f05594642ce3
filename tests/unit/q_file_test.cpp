#include "io/q_file.hpp"

#include <gtest/gtest.h>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "engines/transforms.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
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

WantedQ wanted(const Trajectory& trajectory, const Grid& grid, double largest_error = 1e-6) {
    return {trajectory, grid, q_key(trajectory, grid), {}, largest_error};
}

StoredQ read_q(const std::string& path, const Trajectory& trajectory, const Grid& grid) {
    return QFile(path).read(wanted(trajectory, grid));
}

StoredQ q_of(const test::Problem& problem) {
    return stored(test::exact_q(*problem.trajectory, problem.grid));
}

std::string key_of(const test::Problem& problem) {
    return q_key(*problem.trajectory, problem.grid);
}

const QMaking made_by{"loops", 1e-16};
const LargestQError any = [](const Trajectory&, const Grid&) { return 1.0; };

/// Of the problem, whatever its values are.
void write(const std::string& path, const test::Problem& problem, const StoredQ& q,
           const Record& record = {}) {
    write_q(
        path, q.grid, {key_of(problem)}, [&](std::size_t) { return q; }, made_by, record);
}

/// Of two problems of one grid.
void write(const std::string& path, const test::Problem& one, const test::Problem& two) {
    write_q(path, one.grid, {key_of(one), key_of(two)},
            [&](std::size_t s) { return q_of(s == 0 ? one : two); }, made_by, {});
}

/// With other values.
StoredQ with(StoredQ q, const ComplexVector& half) {
    q.half = {half};
    return q;
}

TEST(QFile, ComesBackToTheLastBit) {
    for (const auto& size : {std::array<std::size_t, 3>{3, 4, 0}, {2, 3, 5}, {1, 1, 1}}) {
        const TemporaryFolder folder;
        const test::Problem problem = problem_of(size);
        const StoredQ q = q_of(problem);
        write(folder.file("q.h5"), problem, q, {{"made by", "a test"}});
        const StoredQ read = read_q(folder.file("q.h5"), *problem.trajectory, problem.grid);
        EXPECT_EQ(read.half.values, q.half.values);
        EXPECT_EQ(Hdf5Reader(folder.file("q.h5")).attribute_text("record", "made by"), "a test");
    }
}

TEST(QFile, DifferenceZeroStandsInTheMiddle) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({3, 4, 0});
    const Q q = test::exact_q(*problem.trajectory, problem.grid);
    write(folder.file("q.h5"), problem, stored(q));
    const Hdf5Reader file(folder.file("q.h5"));
    EXPECT_EQ(file.shape("q").extents, (std::vector<std::size_t>{8, 6}));
    EXPECT_EQ(file.read_complex("q")[4 * 6 + 3], q.at_zero());
}

TEST(QFile, EachSamplingFindsItsOwn) {
    const TemporaryFolder folder;
    const test::Problem one = problem_of({3, 4, 0}, 1);
    const test::Problem two = problem_of({3, 4, 0}, 2);
    write(folder.file("q.h5"), one, two);
    for (const test::Problem* const of : {&one, &two}) {
        EXPECT_EQ(read_q(folder.file("q.h5"), *of->trajectory, of->grid).half.values,
                  q_of(*of).half.values);
    }
}

TEST(QFile, OfAnotherScanIsRefused) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({3, 4, 0});
    write(folder.file("q.h5"), problem, q_of(problem));
    const test::Problem other = problem_of({3, 4, 0}, 2);
    try {
        read_q(folder.file("q.h5"), *other.trajectory, other.grid);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_NE(error.fault().thing.find("hash"), std::string::npos) << error.what();
    }
    EXPECT_THROW(read_q(folder.file("q.h5"), *problem.trajectory, test::make_grid(4, 3)),
                 InputError);
}

TEST(QFile, SomethingElseIsRefused) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({3, 4, 0});
    EXPECT_THROW(read_q(folder.file("missing.h5"), *problem.trajectory, problem.grid), InputError);
    test::write_text(folder.file("text.h5"), "no HDF5");
    EXPECT_THROW(read_q(folder.file("text.h5"), *problem.trajectory, problem.grid), InputError);
    write_q_at(folder.file("list.h5"), ComplexVector::Ones(3), made_by, {});
    EXPECT_THROW(read_q(folder.file("list.h5"), *problem.trajectory, problem.grid), InputError);
}

/// What QFile says of the file "q.h5" of this folder.
testing::AssertionResult refused(const TemporaryFolder& folder, const test::Problem& problem) {
    try {
        read_q(folder.file("q.h5"), *problem.trajectory, problem.grid);
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
    const StoredQ good = q_of(problem);
    const ComplexVector half = good.half.values;
    ComplexVector last_bit = half;
    last_bit(2) = {std::nextafter(last_bit(2).real(), 1e9), last_bit(2).imag()};
    for (const ComplexVector& other :
         {ComplexVector(half * 1e300), ComplexVector(-half), ComplexVector(half * 0),
          ComplexVector(half.conjugate()), last_bit}) {
        const TemporaryFolder folder;
        write(folder.file("good.h5"), problem, good);
        write(folder.file("q.h5"), problem, with(good, other));
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
    const StoredQ good = q_of(problem);
    for (const double factor : {1.001, 0.999, -1.0, 0.0, 1e300}) {
        const TemporaryFolder folder;
        const StoredQ other = with(good, good.half.values * factor);
        write(folder.file("q.h5"), problem, other); // with its own hash
        EXPECT_TRUE(refused(folder, problem)) << factor;
    }
}

TEST(QFile, TheSumOfWeightsMayBeRoundedAsTheKernelRoundsIt) {
    const test::Problem problem = problem_of({3, 4, 0});
    const TemporaryFolder folder;
    const StoredQ exact = q_of(problem);
    const StoredQ rounded = with(exact, exact.half.values * (1 + 4 * tolerance::eps));
    write(folder.file("q.h5"), problem, rounded);
    EXPECT_EQ(read_q(folder.file("q.h5"), *problem.trajectory, problem.grid).half.values,
              rounded.half.values);
}

TEST(QFile, TheSumOfWeightsMayBeAsWrongAsQ) {
    const test::Problem problem = problem_of({3, 4, 0});
    const StoredQ exact = q_of(problem);
    for (const double wrong : {1e-4, -1e-4, 1e-2}) {
        const TemporaryFolder folder;
        StoredQ rough = with(exact, exact.half.values * (1 + wrong));
        rough.error = 1e-3;
        write(folder.file("q.h5"), problem, rough);
        const auto read = [&] {
            return QFile(folder.file("q.h5")).read(wanted(*problem.trajectory, problem.grid, 1e-3));
        };
        if (std::abs(wrong) < rough.error) {
            EXPECT_EQ(read().half.values, rough.half.values);
        } else {
            EXPECT_THROW(read(), InputError);
        }
    }
}

TEST(QFile, WithoutTheHashOfItsValuesItIsRefused) {
    const test::Problem problem = problem_of({3, 4, 0});
    const TemporaryFolder folder;
    const ComplexVector values = ComplexVector::Ones(48);
    Hdf5Writer file(folder.file("q.h5"), "q.h5"); // as version 1 was
    file.complex64("q", {8, 6}, values.data());
    file.attribute("/", "format", std::string("lsrecon-q"));
    file.attribute("/", "version", 1L);
    file.attribute("q", "key_0", key_of(problem));
    file.close();
    EXPECT_TRUE(refused(folder, problem));
    EXPECT_NE(std::string(refused(folder, problem).message()).find("lsrecon q"), std::string::npos);
}

TEST(QFile, OneLessExactThanWhatIsAskedForIsRefused) {
    const test::Problem problem = problem_of({3, 4, 0});
    const TemporaryFolder folder;
    StoredQ q = q_of(problem);
    q.error = 1e-4;
    write(folder.file("q.h5"), problem, q);
    QFile file(folder.file("q.h5"));
    EXPECT_EQ(file.read(wanted(*problem.trajectory, problem.grid, 1e-3)).error, 1e-4);
    try {
        file.read(wanted(*problem.trajectory, problem.grid, 1e-5));
        ADD_FAILURE() << "it was taken";
    } catch (const InputError& error) {
        EXPECT_EQ(error.fault().thing, "/errors");
    }
}

TEST(QFile, HoldsTheSamplingsOfThousandsOfFrames) {
    const TemporaryFolder folder;
    const test::Problem problem = problem_of({1, 1, 0});
    const StoredQ q = q_of(problem);
    std::vector<std::string> keys(20000);
    for (std::size_t s = 0; s < keys.size(); ++s) {
        keys[s] = Sha256().add(std::to_string(s)).hex();
    }
    keys[12345] = key_of(problem);
    write_q(folder.file("q.h5"), problem.grid, keys, [&](std::size_t) { return q; }, made_by, {});
    EXPECT_EQ(read_q(folder.file("q.h5"), *problem.trajectory, problem.grid).half.values,
              q.half.values);
}

TEST(QFile, EverySamplingOfAScanIsCheckedBeforeItsWork) {
    const TemporaryFolder folder;
    const test::Problem one = problem_of({3, 4, 0}, 1);
    const test::Problem two = problem_of({3, 4, 0}, 2);
    Scan scan;
    scan.grid = one.grid;
    scan.frames = {one.frame(), two.frame(), one.frame()};
    write(folder.file("q.h5"), one, q_of(one));
    EXPECT_THROW(QFile(folder.file("q.h5")).require(scan, any), InputError);
    write(folder.file("q.h5"), one, two);
    QFile file(folder.file("q.h5"));
    file.require(scan, any);
    for (const test::Problem* const of : {&one, &two, &one}) {
        EXPECT_EQ(file.read(wanted(*of->trajectory, of->grid, 1)).half.values,
                  q_of(*of).half.values);
    }
}

} // namespace
} // namespace lsrecon
