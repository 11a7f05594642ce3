// Rules for the trajectory of a scan that stores none.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "io/arrays.hpp"
#include "io/formats.hpp"

namespace lsrecon {

/// A rule: readouts are one readout, rotated about z.
struct TrajectoryRule {
    /// A row of the table.
    struct Kind {
        std::string name;
        std::string summary;
        bool goes_on; ///< angles go on from frame to frame; otherwise each frame begins anew
        bool is_of_file; ///< the readout is in a file; otherwise a spoke through k = 0
        double degrees; ///< from readout to readout; 0: evenly over `range`
        double range; ///< of all readouts of a frame, in degrees
    };
    const Kind* kind;
    double degrees; ///< that of the kind, or the user's
    std::string file; ///< of an interleaf: FILE[:NAME]
};

const std::vector<TrajectoryRule::Kind>& trajectory_rules();

/// The rule that a word names; null for the name of a file.
std::optional<TrajectoryRule> trajectory_rule_of(const std::string& word);
/// Points of a file, a column a dimension.
struct TrajectoryPoints {
    std::vector<float> values;
    std::size_t dimensions = 3;
    std::size_t count() const { return values.size() / dimensions; }
};
/// The columns of an array, the last axis. InputError for other than 2 or 3.
TrajectoryPoints points_of_array(const StoredArray& array);

/// The readout of a rule, which is rotated about z: a spoke, or an interleaf of a file.
class RuledReadout {
public:
    /// InputError when the file of the interleaf cannot be read.
    explicit RuledReadout(TrajectoryRule rule);

    /// The angle of readout `number` of the `count` of its group, in rad.
    double angle(std::size_t number, std::size_t count) const;
    /// x and y of `samples` points, one after the other, in units(). A spoke fills the voxels of
    /// the grid, however finely it is sampled. InputError for an interleaf of another length.
    std::vector<float> positions(double angle, std::size_t samples, double centre_sample,
                                 const Grid& grid) const;
    std::string units() const; ///< "" where the file does not say
    const std::string& fact() const { return fact_; } ///< the hash of the file; "" for none
    const TrajectoryRule& rule() const { return rule_; }

private:
    TrajectoryRule rule_;
    TrajectoryPoints interleaf_;
    std::string units_, fact_;
};

/// Gives a native scan the positions of a rule, by the readouts that it says or that its own
/// trajectory shows, each in its own partition. InputError where there are none.
void put_rule(Scan& scan, const TrajectoryRule& rule, const ReadOptions& options);

/// An option that names a rule, or an array whose file is an input.
option::Value trajectory_value(std::string& member);

} // namespace lsrecon
