// The table of rules for trajectories, and their words.

#include "io/trajectory_rules.hpp"

#include <algorithm>

#include "io/arrays.hpp"

namespace lsrecon {

namespace {

constexpr double golden_degrees = 111.24611797498107; // 180 / golden ratio
const std::string stack = "stack-of-stars";

/// "golden-angle", "23.6" of "golden-angle:23.6".
std::pair<std::string, std::string> name_and_rest(const std::string& word) {
    const std::size_t at = word.find(':');
    return {word.substr(0, at), at == std::string::npos ? "" : word.substr(at + 1)};
}

const TrajectoryRule::Kind* kind_of(const std::string& name) {
    const auto& table = trajectory_rules();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const auto& kind) { return kind.name == name; });
    return found == table.end() ? nullptr : &*found;
}

} // namespace

const std::vector<TrajectoryRule::Kind>& trajectory_rules() {
    static const std::vector<TrajectoryRule::Kind> table{
        {"radial", "spokes evenly over 180 degrees in each frame", false, false, 0, 180},
        {"golden-angle",
         "spokes 111.246 degrees apart, or golden-angle:DEGREES, on from frame to frame", true,
         false, golden_degrees, 0},
        {stack, "spokes in each partition as radial has, or stack-of-stars:golden-angle[:DEGREES]",
         false, false, 0, 180},
        {"interleaves-of", "interleaves-of:FILE, one interleaf, rotated evenly over 360 degrees",
         false, true, 0, 360},
    };
    return table;
}

std::optional<TrajectoryRule> trajectory_rule_of(const std::string& word) {
    auto [name, rest] = name_and_rest(word);
    const TrajectoryRule::Kind* kind = kind_of(name);
    if (kind != nullptr && name == stack && !rest.empty()) {
        std::tie(name, rest) = name_and_rest(rest);
        const TrajectoryRule::Kind* const of_stars = kind_of(name);
        kind = of_stars != nullptr && !of_stars->is_of_file && name != stack ? of_stars : nullptr;
    }
    if (kind == nullptr) {
        return std::nullopt;
    }
    TrajectoryRule rule{kind, kind->degrees, ""};
    if (kind->is_of_file) {
        rule.file = rest;
        return rest.empty() ? std::nullopt : std::optional(rule);
    }
    if (rest.empty()) {
        return rule;
    }
    const std::optional<double> degrees = option::finite_number(rest);
    if (!degrees || *degrees == 0 || kind->degrees == 0) {
        return std::nullopt;
    }
    rule.degrees = *degrees;
    return rule;
}

option::Value trajectory_value(std::string& member) {
    option::Value value = option::name(member, "FILE|RULE");
    value.take = [&member, take = value.take](const std::string& word) -> std::string {
        const std::string refused = take(word);
        const bool begins_as_rule = kind_of(name_and_rest(word).first) != nullptr;
        return !refused.empty() ? refused
               : begins_as_rule && !trajectory_rule_of(word)
                   ? "a file, radial, golden-angle[:DEGREES], "
                     "stack-of-stars[:golden-angle[:DEGREES]] or interleaves-of:FILE"
                   : "";
    };
    value.file = [&member] {
        const std::optional<TrajectoryRule> rule = trajectory_rule_of(member);
        return array_name_of(rule ? rule->file : member).file;
    };
    return value;
}

} // namespace lsrecon
