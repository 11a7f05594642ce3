// Phases of lines that run backwards and of shots, on the k-space of blobs that coils see
// differently.

#include "scan/line_phases.hpp"

#include <gtest/gtest.h>
#include <random>

#include "scan/navigators.hpp"

using namespace lsrecon;

namespace {

constexpr int size = 40;

/// Lines of an image of blobs within 0.7 of the field of view, on a coil each around it.
class Object {
public:
    explicit Object(int coils) : coils_(coils) {
        std::mt19937_64 generator(3);
        for (int b = 0; b < 30; ++b) {
            const double radius = 0.35 * std::sqrt(uniform_number(generator));
            const double angle = 2 * pi * uniform_number(generator);
            blobs_.push_back({radius * std::cos(angle), radius * std::sin(angle),
                              0.3 + uniform_number(generator)});
        }
    }
    int coils() const { return coils_; }
    Complex value(int coil, double kx, double ky) const {
        Complex sum = 0;
        for (const Vec3& blob : blobs_) {
            const double at = 2 * pi * coil / coils_;
            const double squared = std::pow(blob[0] - 0.6 * std::cos(at), 2) +
                                   std::pow(blob[1] - 0.6 * std::sin(at), 2);
            const double seen = coils_ == 1 ? 1 : 1 / (0.1 + squared);
            sum += std::polar(blob[2] * seen, at - 2 * pi * (kx * blob[0] + ky * blob[1])) *
                   std::exp(-0.003 * (kx * kx + ky * ky));
        }
        return sum;
    }

private:
    int coils_;
    std::vector<Vec3> blobs_;
};

struct Kind {
    double phase = 0;
    double shift = 0;
    std::vector<double> shots{0};
    int coils = 6;
    double noise = 0.1;
    double early = 0; ///< of samples on gradients that ramp, in dwell times
};

struct Made {
    Trajectory trajectory;
    CoilMatrix samples;
    FrameReadouts readouts;
};

/// kx at a dwell time of a readout that ramps in its first and last fifth.
double ramped(double t) {
    const double ramp = size / 5.0;
    const auto area = [&](double u) { // from the middle on
        const double flat = size / 2.0 - ramp;
        const double beyond = std::max(0.0, std::abs(u) - flat);
        return std::copysign(std::min(std::abs(u), flat) + beyond - beyond * beyond / (2 * ramp),
                             u);
    };
    return area(t - size / 2.0 + 0.5);
}

Made made(const Kind& kind, const std::vector<double>& ky, bool navigators = false) {
    const Object object(kind.coils);
    Made made{{}, CoilMatrix(kind.coils, static_cast<Eigen::Index>(ky.size()) * size), {}};
    std::mt19937_64 generator(7);
    const std::size_t shots = kind.shots.size();
    const std::size_t each = ky.size() / shots;
    for (std::size_t n = 0; n < ky.size(); ++n) { // one shot after the other
        const std::size_t shot = navigators ? 0 : n / each;
        const std::size_t within = navigators ? n : n % each;
        const double y = navigators ? 0 : ky[within * shots + shot];
        const bool back = within % 2 == 1;
        for (int i = 0; i < size; ++i) {
            const double t = back ? size - 1 - i : i;
            const double k = kind.early == 0 ? t - size / 2 : ramped(t);
            const double taken = kind.early == 0
                                     ? k + (back ? kind.shift : 0)
                                     : (back ? -ramped(i - kind.early) : ramped(i - kind.early));
            made.trajectory.positions.push_back({k, y, 0});
            for (int c = 0; c < kind.coils; ++c) {
                const Complex noise(uniform_number(generator) - 0.5,
                                    uniform_number(generator) - 0.5);
                made.samples(c, static_cast<Eigen::Index>(n) * size + i) =
                    std::polar(1.0, (back ? kind.phase : 0) + kind.shots[shot]) *
                        object.value(c, taken, y) +
                    kind.noise * noise;
            }
        }
        made.readouts.ends.push_back(made.trajectory.positions.size());
        made.readouts.segments.push_back(static_cast<std::uint16_t>(shot));
    }
    return made;
}

std::vector<double> lines(int apart = 1) {
    std::vector<double> ky;
    for (int y = -size / 2; y < size / 2; y += apart) {
        ky.push_back(y);
    }
    return ky;
}

LinePhases found_in(const Made& of) {
    const auto classes = line_classes(of.trajectory.positions, of.readouts);
    const auto found = line_phases(of.trajectory, of.samples, of.readouts, *classes);
    return found.value();
}

} // namespace

TEST(LinePhases, are_found_within_four_deviations) {
    for (const Kind& kind :
         {Kind{0.5, 0.8}, Kind{-1.3, -1.6}, Kind{2.6, 0.3}, Kind{0.5, 0.8, {0}, 1},
          Kind{0.4, 0.3, {0, 1.1}}, Kind{-0.7, 0.9, {0, -0.6, 0.8, 1.5}}}) {
        const LinePhases found = found_in(made(kind, lines()));
        EXPECT_TRUE(is_ghost(found));
        std::vector<double> right{kind.phase, kind.shift};
        right.insert(right.end(), kind.shots.begin() + 1, kind.shots.end());
        ASSERT_EQ(found.values.size(), static_cast<Eigen::Index>(right.size()));
        for (std::size_t i = 0; i < right.size(); ++i) {
            const auto at = static_cast<Eigen::Index>(i);
            EXPECT_NEAR(found.values(at), right[i], 0.01 + 4 * std::sqrt(found.covariance(at, at)))
                << "parameter " << i << " of phase " << kind.phase;
            EXPECT_LT(std::sqrt(found.covariance(at, at)), 0.05);
        }
    }
}

TEST(LinePhases, of_lines_that_agree_are_not_significant) {
    for (const Kind& kind : {Kind{0, 0, {0}, 1}, Kind{0, 0, {0}, 6}, Kind{0, 0, {0, 0}, 6}}) {
        const LinePhases found = found_in(made(kind, lines()));
        EXPECT_FALSE(is_ghost(found));
        EXPECT_TRUE(is_known(found));
        EXPECT_LT(ghost_of(found), 0.03);
    }
    const Made one_coil = made({0, 0, {0, 0}, 1}, lines());
    EXPECT_FALSE(line_phases(one_coil.trajectory, one_coil.samples, one_coil.readouts,
                             *line_classes(one_coil.trajectory.positions, one_coil.readouts)));
}

TEST(LinePhases, of_every_second_line_are_found) {
    Made every = made({0.5, 0.8}, lines(2));
    const LinePhases found = found_in(every);
    EXPECT_NEAR(found.values(0), 0.5, 0.1);
    EXPECT_NEAR(found.values(1), 0.8, 0.1);
}

TEST(LinePhases, show_samples_that_come_early_on_ramps) {
    const Kind kind{0.3, 0, {0}, 6, 0.1, 1.2};
    const Made early = made(kind, lines());
    const auto classes = line_classes(early.trajectory.positions, early.readouts);
    EXPECT_FALSE(classes->evenly);
    const LinePhases found = found_in(early);
    EXPECT_NEAR(found.values(0), 0.3, 0.03);
    EXPECT_NEAR(found.values(1), 2.4, 0.05);
    const std::vector<Vec3> moved =
        shifted_lines(early.trajectory.positions, early.readouts, *classes, 2.4);
    for (const std::size_t m : {3, 20, size + 3, size + 20}) {
        const double right = m < size ? ramped(m - 1.2) : -ramped(m - size - 1.2);
        EXPECT_NEAR(moved[m][0], right, 0.15) << m;
    }
}

TEST(LinePhases, of_navigators_say_both_directly) {
    const Kind kind{-2.8, 1.7, {0}, 4, 1};
    const Made navigators = made(kind, {0, 0, 0}, true);
    const auto found =
        phases_of_navigators(navigators.trajectory.positions, navigators.samples,
                             {navigators.readouts.ends, navigators.readouts.segments}, {0});
    ASSERT_TRUE(found.has_value());
    for (const Eigen::Index i : {0, 1}) {
        EXPECT_NEAR(found->values(i), i == 0 ? kind.phase : kind.shift,
                    4 * std::sqrt(found->covariance(i, i)));
        EXPECT_LT(std::sqrt(found->covariance(i, i)), 0.02);
    }
    EXPECT_LT(found->left, 0.1 * found->left_before);
}

TEST(LinePhases, are_taken_out_of_samples) {
    Made other = made({0.5, 0}, lines());
    const Made right = made({0, 0}, lines());
    LinePhases phases;
    phases.values(0) = 0.5;
    CoilRows samples = other.samples;
    remove_phases(phases, other.readouts, *line_classes(other.trajectory.positions, other.readouts),
                  samples);
    EXPECT_LT((samples.to_doubles() - right.samples).norm(), 0.02 * right.samples.norm());
}
