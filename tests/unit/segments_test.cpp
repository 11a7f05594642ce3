#include "engines/segments.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engines/time_terms.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

using test::Random;

RealVector evenly(double first, double last, Eigen::Index count) {
    return RealVector::LinSpaced(count, first, last);
}

/// exp(-z t), a row a time.
Eigen::MatrixXcd exact(const RealVector& times, const OffResonance& off) {
    return Eigen::MatrixXcd::NullaryExpr(
        times.size(), off.field.size(), [&](Eigen::Index m, Eigen::Index n) {
            return std::exp(-off.rate(static_cast<std::size_t>(n)) * times(m));
        });
}

double error_of(const TimeSegments& segments, const Eigen::MatrixXcd& e) {
    const Eigen::MatrixXcd sum =
        segments.of_samples.to_doubles().transpose() * segments.of_voxels.to_doubles();
    return (sum - e).norm() / e.norm();
}

TEST(TimeNodes, InterpolateWhatTurns) {
    const RealVector times = evenly(-0.003, 0.02, 301);
    const OffResonance off{evenly(-700, 700, 9), {}};
    const TimeNodes nodes(times, 2 * pi * 700);
    const Eigen::MatrixXcd at_nodes =
        exact(Eigen::Map<const RealVector>(nodes.nodes().data(),
                                           static_cast<Eigen::Index>(nodes.nodes().size())),
              off);
    const Eigen::MatrixXcd there = nodes.interpolated(at_nodes, times).transpose();
    EXPECT_LT((there - exact(times, off)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(TimeSegments, NeedOneMoreThanTheBestRank) {
    Random random(3);
    const RealVector times = evenly(0, 0.02, 150);
    const OffResonance off{RealVector::NullaryExpr(1000, [&] { return random.uniform(-200, 200); }),
                           {}};
    const Eigen::MatrixXcd e = exact(times, off);
    // Squares of singular values: sums of 1e-10 of them are well above rounding.
    const Eigen::MatrixXcd squares = e * e.adjoint();
    const RealVector values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>(squares, Eigen::EigenvaluesOnly)
            .eigenvalues()
            .reverse();
    for (const double wanted : {1e-2, 1e-3, 1e-5}) {
        Eigen::Index rank = values.size();
        while (rank > 0 &&
               values.tail(values.size() - rank + 1).sum() < wanted * wanted * values.sum()) {
            --rank;
        }
        const TimeSegments segments = time_segments(times, off, wanted, Precision::float64);
        EXPECT_LT(error_of(segments, e), wanted);
        EXPECT_LT(segments.error, wanted);
        EXPECT_LE(segments.count(), static_cast<std::size_t>(rank) + 1);
    }
}

// F^H d of a spiral has its energy in the first samples, where the error is largest.
TEST(TimeSegments, HoldAtEveryTimeAndInEveryVoxel) {
    Random random(7);
    for (const double decay : {0.0, 60.0}) {
        const RealVector times = evenly(0, 0.02, 300);
        const OffResonance off{
            RealVector::NullaryExpr(1500, [&] { return random.uniform(-200, 200); }),
            RealVector::NullaryExpr(decay > 0 ? 1500 : 0,
                                    [&] { return random.uniform(0, decay); })};
        const Eigen::MatrixXcd e = exact(times, off);
        for (const double wanted : {1e-2, 1e-3, 1e-5, 1e-6}) {
            const TimeSegments segments = time_segments(times, off, wanted, Precision::float64);
            const Eigen::MatrixXd apart =
                (segments.of_samples.to_doubles().transpose() * segments.of_voxels.to_doubles() - e)
                    .cwiseAbs2();
            const RealVector of_times =
                (apart.rowwise().mean().array() / e.cwiseAbs2().rowwise().mean().array()).sqrt();
            const Eigen::RowVectorXd of_voxels =
                (apart.colwise().mean().array() / e.cwiseAbs2().colwise().mean().array()).sqrt();
            // Some of the voxels were looked at.
            EXPECT_LT(of_times.maxCoeff(), 1.2 * segments.error) << wanted;
            EXPECT_LT(of_voxels.maxCoeff(), 1.5 * segments.error) << wanted;
            EXPECT_LE(segments.error, wanted);
        }
    }
}

TEST(TimeSegments, HoldWhereMostVoxelsAreOutsideTheObject) {
    Random random(4);
    RealVector field = RealVector::Zero(5000);
    for (Eigen::Index n = 0; n < 250; ++n) {
        field(n) = random.uniform(-300, 100);
    }
    const OffResonance off{field, {}};
    const RealVector times = evenly(0, 0.015, 300);
    const TimeSegments segments = time_segments(times, off, 1e-3, Precision::float64);
    const OffResonance object = off.part({0, 250});
    TimeSegments of_object = segments;
    of_object.of_voxels = CoilMatrix(segments.of_voxels.to_doubles().leftCols(250));
    EXPECT_LT(error_of(of_object, exact(times, object)), 1e-3);
}

// Of many samples some are looked at: not the same few times of every readout.
TEST(TimeSegments, HoldForReadoutsOfAnyLength) {
    const OffResonance off{evenly(-200, 200, 300), {}};
    for (const Eigen::Index length : {16, 32, 256}) {
        const RealVector readout = evenly(0, 0.02, length);
        const Eigen::Index readouts = 16 * 4096 / length;
        const TimeSegments segments =
            time_segments(readout.replicate(readouts, 1), off, 1e-4, Precision::float64);
        TimeSegments of_one = segments;
        of_one.of_samples = CoilMatrix(segments.of_samples.to_doubles().leftCols(length));
        EXPECT_LT(error_of(of_one, exact(readout, off)), 1e-4) << length;
    }
}

// Rounding of singular values ends where the squares do.
TEST(TimeSegments, ThatCannotReachTheErrorAreRefused) {
    const OffResonance off{evenly(-200, 200, 1000), {}};
    const RealVector times = evenly(0, 0.02, 100);
    EXPECT_LE(time_segments(times, off, 1e-7, Precision::float64).error, 1e-7);
    EXPECT_THROW(time_segments(times, off, 1e-13, Precision::float64), ToleranceError);
}

TEST(TimeSegments, DecayToo) {
    Random random(5);
    const OffResonance off{RealVector::NullaryExpr(2000, [&] { return random.uniform(-80, 120); }),
                           RealVector::NullaryExpr(2000, [&] { return random.uniform(5, 90); })};
    const RealVector times = evenly(-0.001, 0.03, 250);
    const TimeSegments segments = time_segments(times, off, 1e-4, Precision::float64);
    EXPECT_LT(error_of(segments, exact(times, off)), 1e-4);
}

TEST(TimeSegments, OneIsEnoughWithoutTurns) {
    const OffResonance off{RealVector::Constant(7, 30), {}};
    const RealVector at_once = RealVector::Constant(5, 0.01);
    EXPECT_LE(time_segments(at_once, off, 1e-5, Precision::float64).count(), 2U);
    const OffResonance none{RealVector::Zero(7), {}};
    const TimeSegments segments =
        time_segments(evenly(0, 0.02, 50), none, 1e-5, Precision::float64);
    EXPECT_LT(error_of(segments, Eigen::MatrixXcd::Ones(50, 7)), 1e-12);
}

TEST(TimeSegments, TooManyTurnsAreRefused) {
    const OffResonance off{evenly(-1e6, 1e6, 10), {}};
    EXPECT_THROW(time_segments(evenly(0, 0.02, 50), off, 1e-3, Precision::float64), DeviceError);
}

TEST(TimeTerms, AreTheNormalOperatorOfEveryPair) {
    Random random(6);
    for (const double decay : {0.0, 60.0}) {
        const OffResonance off{
            RealVector::NullaryExpr(40, [&] { return random.uniform(-150, 250); }),
            RealVector::NullaryExpr(decay > 0 ? 40 : 0, [&] { return random.uniform(0, decay); })};
        const RealVector times = evenly(0, 0.02, 120);
        const TimeTerms terms = time_terms(times, off, 1e-6);
        double worst = 0;
        for (std::size_t a = 0; a < 40; ++a) {
            for (std::size_t b = 0; b < 40; ++b) {
                const Complex rate = std::conj(off.rate(a)) + off.rate(b);
                for (Eigen::Index m = 0; m < times.size(); m += 7) {
                    Complex sum = -std::exp(-rate * times(m));
                    for (std::size_t l = 0; l < terms.times.size(); ++l) {
                        sum += terms.weights(static_cast<Eigen::Index>(l), m) *
                               std::exp(-rate * terms.times[l]);
                    }
                    worst = std::max(worst, std::abs(sum));
                }
            }
        }
        // 400 Hz differ by 8 turns in 20 ms; a tenth of the relative norm is a single pair's share.
        EXPECT_LT(worst, 1e-5) << terms.times.size() << " terms";
        EXPECT_LT(terms.times.size(), 40U);
        EXPECT_LT(terms.error, 2e-6);
    }
}

// Before t = 0 decay is growth: pairs of voxels that grow must not hide the errors of the others.
TEST(TimeTerms, HoldForEachPairWhereSomeGrow) {
    RealVector decay = RealVector::LinSpaced(40, 0, 20);
    decay(7) = 1000;
    const OffResonance off{evenly(-50, 50, 40), decay};
    const RealVector times = evenly(-0.01, 0.01, 120);
    const TimeTerms terms = time_terms(times, off, 1e-7);
    EXPECT_LT(terms.error, 1e-6);
    double worst = 0;
    for (const std::size_t a : {0U, 7U, 20U, 39U}) {
        for (const std::size_t b : {0U, 7U, 20U, 39U}) {
            const Complex rate = std::conj(off.rate(a)) + off.rate(b);
            double largest = 0;
            double apart = 0;
            for (Eigen::Index m = 0; m < times.size(); ++m) {
                const Complex exact = std::exp(-rate * times(m));
                Complex sum = -exact;
                for (std::size_t l = 0; l < terms.times.size(); ++l) {
                    sum += terms.weights(static_cast<Eigen::Index>(l), m) *
                           std::exp(-rate * terms.times[l]);
                }
                largest = std::max(largest, std::abs(exact));
                apart = std::max(apart, std::abs(sum));
            }
            worst = std::max(worst, apart / largest);
        }
    }
    EXPECT_LT(worst, 1e-5);
}

} // namespace
} // namespace lsrecon
