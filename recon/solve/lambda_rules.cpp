#include "solve/lambda_rules.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void refuse(const std::string& scan, const std::string& found,
                         const std::string& expected) {
    throw InputError({scan, "automatic lambda", found, expected,
                      "pass a number, such as `lambda` 0.01, and compare images"});
}

/// The largest lambda whose residual is not above the noise (Morozov 1966), with a factor of 1 and
/// no degrees of freedom taken off (docs/maths.md).
ChosenLambda by_discrepancy(const LambdaCurve& curve, const std::string& scan) {
    if (!(curve.data > curve.noise)) {
        refuse(scan,
               text("samples with ", rounded(curve.data / curve.noise),
                    " of the energy that the measured noise has"),
               "more energy than noise, in the same unit");
    }
    const auto& points = curve.points;
    const auto above = std::find_if(points.begin(), points.end(), [&](const LambdaPoint& point) {
        return point.residual > curve.noise;
    });
    if (above == points.begin()) {
        refuse(scan,
               text("a residual of ", rounded(above->residual / curve.noise),
                    " times the energy of the measured noise at the smallest lambda, ",
                    above->lambda),
               "a model that explains the samples: coil maps, field map, trajectory");
    }
    if (above == points.end()) {
        refuse(scan,
               text("a residual below the measured noise at the largest lambda, ",
                    points.back().lambda),
               "more signal than noise");
    }
    return {static_cast<std::size_t>(above - points.begin()) - 1, "discrepancy",
            "the largest whose residual stays within the measured noise"};
}

} // namespace

const std::vector<LambdaRule>& lambda_rules() {
    static const std::vector<LambdaRule> table{
        {held_out, "the best prediction of samples that are held out", false, nullptr},
        {"discrepancy", "the largest whose residual stays within the measured noise", true,
         &by_discrepancy},
    };
    return table;
}

const LambdaRule* lambda_rule(const std::string& word) {
    const auto& rules = lambda_rules();
    const auto found = std::find_if(rules.begin(), rules.end(),
                                    [&](const LambdaRule& rule) { return rule.name == word; });
    return found == rules.end() ? nullptr : &*found;
}

bool is_solved(const LambdaPoint& point) {
    constexpr double solved_over_lambda = 0.01;
    return point.unsolved <= solved_over_lambda * point.lambda;
}

} // namespace lsrecon
