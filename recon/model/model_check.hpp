// The check whether another model explains a scan better than its own.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/report.hpp"
#include "engines/transforms.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

class CoarseModels;
struct ModelChange;

/// Whether other coil maps, another field map or the other sign of the trajectory explain a scan
/// better than what it is reconstructed with. The centre of k-space of one frame of each slice is
/// solved with each of them at low resolution, and what each leaves of the samples is compared, and
/// what of noise (docs/maths.md).
class ModelCheck {
public:
    /// `stored_maps`: coil maps come from a file.
    explicit ModelCheck(bool stored_maps) : stored_maps_(stored_maps) {}

    /// Compares the models of a frame with samples, C x M, at its slice. Nothing where there is
    /// nothing else to believe: one coil, or maps that were estimated from the scan, and no field
    /// map. The stage "model".
    void compare(Transforms& transforms, const Scan& scan, std::size_t index, const Model& model,
                 const Frame& frame, Reporter& report);

    /// The time of compare() for a scan with this trajectory, with a field map or with so many
    /// stored maps.
    static double seconds(Transforms& transforms, const Grid& grid,
                          const std::vector<Vec3>& positions, std::size_t maps, bool field);
    /// The result of one slice: the energy that each model leaves of its samples.
    struct OfSlice;
    /// The results of all slices so far, in their order.
    const std::vector<OfSlice>& slices_compared() const { return compared_; }
    /// Adds the result of a slice that was compared elsewhere; does nothing where it was compared
    /// here, too.
    void add(OfSlice found);

    /// The model that explains the scan, or some of its slices, clearly better than what was used
    /// and may be right; or, where none does, that much is left. It holds what each model leaves.
    /// Null where there is nothing to say.
    std::optional<Finding> finding() const;
    /// The same in words for a user who asks; where there is nothing, the models that were tried
    /// and what is left.
    std::string in_words() const;
    /// The share of the energy that the scan's own model leaves at low resolution, and how many
    /// times less each other one, for the record.
    std::vector<std::pair<std::string, double>> numbers() const;

private:
    enum Row : std::size_t {
        other_sign,
        exchanged_axes,
        negated_field,
        radians,
        no_field,
        estimated_maps, // and those that follow
        estimated_maps_negated_field,
        estimated_maps_radians,
        estimated_maps_no_field,
        rows
    };
    struct Change;
    static const std::array<Change, rows>& table();

    /// Energy that is left with the scan's own model and with another one.
    struct Left {
        double own = 0;
        double other = 0;
        double gain() const { return other > 0 ? own / other : 0; }
        template <typename Archive> void each(Archive& archive) { archive(own, other); }
    };
    struct Slice {
        std::string name; ///< "3"
        std::vector<Left> left = std::vector<Left>(rows);
        template <typename Archive> void each(Archive& archive) { archive(name, left); }
    };

    void compare_centres(Transforms& transforms, const Scan& scan, std::size_t index,
                         const Model& model, const Frame& frame);
    static Left compared(CoarseModels& models, const ModelChange& change);
    /// Returns what it leaves.
    static double compare(CoarseModels& models, Row row, OfSlice& found);
    static void compare_estimated(CoarseModels& models, bool field, OfSlice& found);
    bool is_little(double left, double share) const;
    Finding with_all_left(Finding finding) const;
    Row best_of_all() const;
    bool is_better(const Slice& slice, Row row) const;
    std::string better_slices(Row row) const;

    bool stored_maps_;
    std::vector<OfSlice> compared_;
    // Sums over all slices:
    double energy_ = 0;
    double left_ = 0;
    double noise_ = 0;
    bool cannot_estimate_ = false;
    std::array<Left, rows> all_;
    std::array<bool, rows> is_tried_{};
    std::vector<Slice> slices_;
};

struct ModelCheck::OfSlice {
    std::size_t index = 0;
    double energy = 0; ///< energy of the samples that were compared
    double left = 0; ///< part of it that the scan's own model leaves
    double noise = 0; ///< part of it that noise has, at most
    int cannot_estimate = 0; ///< 1 where coil maps would be compared with estimated ones
    std::vector<Left> models = std::vector<Left>(rows);
    std::vector<Slice> slices = {}; ///< the slice by its name; none of a volume
    template <typename Archive> void each(Archive& archive) {
        archive(index, energy, left, noise, cannot_estimate, models, slices);
    }
};

} // namespace lsrecon
