// A scan that is ready for its transforms, and the model of each slice.

#pragma once

#include "model/steps.hpp"

namespace lsrecon {

/// A scan as it is transformed: on the grid that is asked for, whitened, its coils compressed, with
/// maps. Nothing is changed where nothing is asked for and nothing is missing.
class PreparedScan {
public:
    /// Tells of every step, and adds what it found to the scan. InputError when a step cannot be
    /// done; UsageError for options that the scan has no use for. All must outlive it; the source
    /// gives its scan away.
    PreparedScan(FrameSource& source, PrepareOptions options, Transforms& transforms,
                 Reporter& report);
    PreparedScan(const PreparedScan&) = delete;

    /// The prepared scan without samples: its frames are C x 0, with C as after compression. Maps
    /// and field belong to its slices.
    const Scan& scan() const { return preparation_.scan; }
    /// What was found when it was read and prepared, for whoever knows what does not matter.
    Findings& findings() { return preparation_.scan.findings; }
    const std::vector<Slice>& slices() const { return preparation_.slices; }
    /// The model of a slice. Its coil maps are estimated by these transforms, if they are.
    /// InputError when it cannot be made.
    Model model_of(const Slice& slice, Transforms& transforms);

    const LeaveOut& left_out() const { return preparation_.options.leave_out; }
    /// Whether the coils are those of the file, whitened or not.
    bool coils_are_virtual() const { return preparation_.options.compression.is_requested(); }
    /// How many frames are the coils of one, coil after coil.
    std::size_t coils_apart() const { return preparation_.frames.coils_apart(); }
    /// Whether its coil maps come from a file, and not from its own samples.
    bool maps_are_stored() const { return preparation_.maps->are_stored(); }
    /// Whether there are coil maps.
    bool has_maps() const { return preparation_.maps->any(); }
    /// Coil maps of all slices; none where these have their own.
    const std::optional<SliceMaps>& maps_of_all() const { return preparation_.maps->of_all(); }
    /// The first frame that can be used, with maps where they can be made for some slices alone.
    std::size_t first_good() const { return preparation_.maps->first_good(); }
    /// The first frame of a slice that can be used; none where all are bad.
    std::optional<std::size_t> first_good_of(const Slice& slice) const {
        const std::vector<std::size_t> good = preparation_.frames.good_of(slice);
        return good.empty() ? std::nullopt : std::optional(good.front());
    }
    /// The delays that the scan shows; none where nobody looked, or there are no readouts.
    const std::optional<DelaysFound>& delays() const { return preparation_.delays; }
    /// Numbers that steps have found, by their names, for the record.
    const std::vector<std::pair<std::string, double>>& numbers() const {
        return preparation_.numbers;
    }
    /// What the scan shows of field maps that were to be refined, so far.
    const FieldRefinements& refined_fields() const { return preparation_.refined; }
    /// Whether the samples of a frame cannot be used.
    bool is_bad(std::size_t frame) const { return preparation_.frames.is_bad(frame); }
    /// A frame with its samples. The only frame of a scan can be taken once.
    Frame frame(std::size_t index) { return preparation_.frames.take(index); }
    /// As of PreparedFrames.
    void keep(std::size_t index, Frame frame) { preparation_.frames.keep(index, std::move(frame)); }
    /// Releases the samples of a frame that is in use, where they take much of the memory.
    static void release_large(Frame& frame) { PreparedFrames::release_large(frame); }
    template <typename Visit> auto look_at(std::size_t index, const Visit& visit) {
        return preparation_.frames.look_at(index, visit);
    }

private:
    void refine(const Slice& slice, Model& model, Transforms& transforms);

    ScanInPreparation preparation_;
};

} // namespace lsrecon
