#include "solve/lambda_rules.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void refuse(const std::string& scan, const std::string& found,
                         const std::string& expected) {
    throw InputError({scan, "automatic lambda", found, expected,
                      "pass a number, such as --lambda 0.01, and compare images"});
}

void require_signal(const LambdaCurve& curve, const std::string& scan) {
    if (!(curve.data > curve.noise)) {
        refuse(scan,
               text("samples with ", rounded(curve.data / curve.noise),
                    " of the energy that the measured noise has"),
               "more energy than noise, in the same unit");
    }
}

/// The largest lambda whose residual is not above the noise (Morozov 1966), with a factor of 1 and
/// no degrees of freedom taken off (docs/maths.md).
std::size_t by_discrepancy(const LambdaCurve& curve, const std::string& scan) {
    require_signal(curve, scan);
    const auto& points = curve.points;
    const auto above = std::find_if(points.begin(), points.end(), [&](const LambdaPoint& point) {
        return point.residual > curve.noise;
    });
    if (above == points.begin()) {
        refuse(scan,
               text("a residual of ", rounded(above->residual / curve.noise),
                    " times the energy of the measured noise at the smallest lambda, ",
                    above->lambda),
               "a model that explains the samples: coil maps, field map, trajectory; --lambda risk "
               "needs less");
    }
    if (above == points.end()) {
        refuse(scan,
               text("a residual below the measured noise at the largest lambda, ",
                    points.back().lambda),
               "more signal than noise");
    }
    return static_cast<std::size_t>(above - points.begin()) - 1;
}

/// The smallest error that the noise predicts: the expectation of the residual is the error in
/// k-space and the noise that the image does not fit (Mallows 1973).
std::size_t by_risk(const LambdaCurve& curve, const std::string& scan) {
    require_signal(curve, scan);
    const auto& points = curve.points;
    const auto best = std::min_element(
        points.begin(), points.end(),
        [&](const LambdaPoint& a, const LambdaPoint& b) { return curve.risk(a) < curve.risk(b); });
    if (best + 1 == points.end()) {
        refuse(scan, text("the smallest predicted error at the largest lambda, ", best->lambda),
               "more signal than noise");
    }
    return static_cast<std::size_t>(best - points.begin());
}

/// The largest curvature (Hansen 1998, section 7.5).
std::size_t by_corner(const LambdaCurve& curve, const std::string& scan) {
    const auto& points = curve.points;
    const auto solved = std::find_if(points.begin(), points.end(), &is_solved);
    if (solved == points.end()) {
        refuse(scan, "an L-curve whose points are not solved", "more --iterations");
    }
    const auto best =
        std::max_element(solved, points.end(), [](const LambdaPoint& a, const LambdaPoint& b) {
            return a.curvature < b.curvature;
        });
    if (best == solved || best + 1 == points.end() || !(best->curvature > 0)) {
        refuse(scan,
               text("an L-curve without a corner between ", solved->lambda, " and ",
                    points.back().lambda),
               "a corner, where noise begins to show; a scan of hardly any noise has none");
    }
    return static_cast<std::size_t>(best - points.begin());
}

const LambdaRule& row(const std::string& name) {
    const auto& rules = lambda_rules();
    return *std::find_if(rules.begin(), rules.end(),
                         [&](const LambdaRule& rule) { return rule.name == name; });
}

} // namespace

const std::vector<LambdaRule>& lambda_rules() {
    static const std::vector<LambdaRule> table{
        {"discrepancy", "the largest whose residual is not above the measured noise", true, false,
         &by_discrepancy},
        {"risk", "the smallest error in k-space that the measured noise predicts", true, true,
         &by_risk},
        {"l-curve", "the corner of the L-curve", false, false, &by_corner},
    };
    return table;
}

bool is_lambda_rule(const std::string& word) {
    const auto& rules = lambda_rules();
    return word == "auto" || std::any_of(rules.begin(), rules.end(),
                                         [&](const LambdaRule& rule) { return rule.name == word; });
}

const LambdaRule& lambda_rule(const std::string& word, const LambdaCurve& curve) {
    if (word != "auto") {
        return row(word);
    }
    if (curve.noise == 0) {
        return row("l-curve");
    }
    return row(curve.points.front().residual > curve.noise ? "risk" : "discrepancy");
}

bool is_solved(const LambdaPoint& point) {
    constexpr double solved_over_lambda = 0.01;
    return point.unsolved <= solved_over_lambda * point.lambda;
}

} // namespace lsrecon
