// The table of rules for trajectories, their words, and their positions in a native scan.

#include "io/trajectory_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/readouts.hpp"
#include "scan/trajectories.hpp"
#include "scan/units.hpp"

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

TrajectoryPoints points_of_array(const StoredArray& array) {
    const std::vector<std::size_t>& extents = array.shape.extents;
    TrajectoryPoints points;
    points.dimensions = extents.empty() ? 0 : extents.back();
    if (points.dimensions != 2 && points.dimensions != 3) {
        throw InputError({array.file, array.thing, array.shape.to_string(),
                          "[samples, dimensions] with 2 or 3 dimensions, x first",
                          "write one column a dimension"});
    }
    for (const double value : real_values(array)) {
        points.values.push_back(static_cast<float>(value));
    }
    return points;
}

RuledReadout::RuledReadout(TrajectoryRule rule) : rule_(std::move(rule)), units_("1/m") {
    if (rule_.kind->is_of_file) {
        const StoredArray array = open_array(rule_.file, "trajectory");
        interleaf_ = points_of_array(array);
        units_ = array.units;
        fact_ = ", SHA-256 " + array.sha256();
    }
}

std::string RuledReadout::units() const {
    return units_;
}

double RuledReadout::angle(std::size_t number, std::size_t count) const {
    const double degrees = rule_.degrees != 0 ? rule_.degrees * static_cast<double>(number)
                                              : rule_.kind->range * static_cast<double>(number) /
                                                    static_cast<double>(count);
    return std::fmod(degrees, 360.0) * pi / 180;
}

std::vector<float> RuledReadout::positions(double angle, std::size_t samples, double centre_sample,
                                           const Grid& grid) const {
    if (rule_.kind->is_of_file && interleaf_.count() != samples) {
        throw InputError({rule_.file, "number of points", text(interleaf_.count()),
                          text(samples, ", the samples of a readout"),
                          "name the interleaf of this scan"});
    }
    const auto n = static_cast<double>(samples);
    const double voxels = static_cast<double>(grid.size[0]);
    const double step = std::min(1.0, voxels / n) * 1000 / grid.fov_mm[0];
    std::vector<float> result(2 * samples);
    for (std::size_t i = 0; i < samples; ++i) {
        double x = (static_cast<double>(i) - centre_sample) * step;
        double y = 0;
        if (rule_.kind->is_of_file) {
            x = static_cast<double>(interleaf_.values[interleaf_.dimensions * i]);
            y = static_cast<double>(interleaf_.values[interleaf_.dimensions * i + 1]);
        }
        result[2 * i] = static_cast<float>(x * std::cos(angle) - y * std::sin(angle));
        result[2 * i + 1] = static_cast<float>(x * std::sin(angle) + y * std::cos(angle));
    }
    return result;
}

namespace {

/// The ends of the readouts of a frame of a native scan.
std::vector<std::size_t> ends_for_rule(const Scan& scan, std::size_t frame,
                                       const std::string& rule) {
    const Trajectory& stored = *scan.frames[frame].trajectory;
    std::vector<std::size_t> ends =
        scan.readouts.empty() ? readouts_of(stored).ends : scan.readouts[frame].ends;
    if (ends.empty()) {
        throw InputError({scan.file, "readouts of /samples, for `trajectory` " + rule,
                          "nothing says where one ends",
                          "the attribute samples_per_readout of /samples, or a /trajectory with a "
                          "break between readouts",
                          "write the attribute, or name a file of positions"});
    }
    return ends;
}

/// Partitions of 3D are where the scan's own trajectory says.
void require_partitions(const Scan& scan, const std::string& rule) {
    const std::vector<Vec3>& k = scan.frames.front().trajectory->positions;
    if (scan.grid.dimensions == 3 &&
        std::all_of(k.begin(), k.end(), [](const Vec3& at) { return at[2] == 0; })) {
        throw InputError({scan.file, "partitions along z, for `trajectory` " + rule,
                          "no /trajectory says them", "raw data, or a /trajectory with their z",
                          "name a file of positions"});
    }
}

} // namespace

void put_rule(Scan& scan, const TrajectoryRule& rule, const ReadOptions& options) {
    require_partitions(scan, rule.kind->name);
    const RuledReadout readout(rule);
    const std::string units = !options.trajectory_units.empty() ? options.trajectory_units
                              : readout.units().empty()         ? "cycles/fov"
                                                                : readout.units();
    const Vec3 factor = to_cycles_per_fov(units, scan.grid);
    TrajectoryPool pool;
    std::size_t file_frame = 0;
    std::size_t all = 0;
    for (std::size_t f = 0; f < scan.frames.size(); ++f, ++file_frame) {
        while (!options.frames.admits(file_frame)) {
            ++file_frame;
        }
        const std::vector<std::size_t> ends = ends_for_rule(scan, f, rule.kind->name);
        Trajectory trajectory = *scan.frames[f].trajectory;
        const auto partition_of = [&](std::size_t r) {
            return std::round(1000 * trajectory.positions[r == 0 ? 0 : ends[r - 1]][2]);
        };
        std::map<double, std::size_t> counts; // of readouts in each partition
        for (std::size_t r = 0; r < ends.size(); ++r) {
            ++counts[partition_of(r)];
        }
        std::map<double, std::size_t> passed;
        for (std::size_t r = 0; r < ends.size(); ++r) {
            const std::size_t begin = r == 0 ? 0 : ends[r - 1];
            const std::size_t samples = ends[r] - begin;
            const double partition = partition_of(r);
            const std::size_t count = counts[partition];
            const std::size_t before = rule.kind->goes_on ? file_frame * count : 0;
            const std::vector<float> k =
                readout.positions(readout.angle(before + passed[partition]++, count), samples,
                                  std::floor(static_cast<double>(samples) / 2), scan.grid);
            for (std::size_t i = 0; i < samples; ++i) {
                Vec3& to = trajectory.positions[begin + i];
                to = {factor[0] * static_cast<double>(k[2 * i]),
                      factor[1] * static_cast<double>(k[2 * i + 1]), to[2]};
            }
        }
        all += ends.size();
        scan.frames[f].trajectory = pool.share(std::move(trajectory));
    }
    scan.trajectory_units = units;
    scan.facts.push_back(text("trajectory by the rule ", rule.kind->name, ": ",
                              counted(all, "readout"), ", in the order of the file",
                              readout.fact()));
}

option::Value trajectory_value(std::string& member) {
    option::Value value = option::name(member, "FILE|RULE");
    value.take = [take = value.take](const std::string& word) -> std::string {
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
