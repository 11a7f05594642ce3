// The table of steps that prepare a scan for its transforms, and the scan between them.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/computation.hpp"
#include "model/gradient_delays.hpp"
#include "model/refined_field.hpp"
#include "model/scan_field.hpp"
#include "model/scan_maps.hpp"
#include "model/slice_volumes.hpp"

namespace lsrecon {

/// A scan on its way from its source to the transforms.
struct ScanInPreparation {
    /// The source gives its scan away. All must outlive it.
    ScanInPreparation(FrameSource& source, PrepareOptions options, Transforms& transforms,
                      Reporter& report);
    ScanInPreparation(const ScanInPreparation&) = delete;

    /// Frames, noise, maps and calibration lines have virtual coils from here on.
    void mix(const CoilTransform& mixing);

    Scan scan; ///< its frames have no samples; a step may give them other trajectories
    PreparedFrames frames; ///< frames with samples, as the steps so far have changed them
    PrepareOptions options;
    Transforms& transforms;
    Reporter& report;
    Grid file_grid; ///< grid of the scan's file, or of the slice that is solved
    std::vector<Slice> slices; ///< slices of the scan, made anew by a step that moves frames
    std::optional<ScanField> field; ///< field that comes beside the scan
    std::optional<ScanMaps> maps;
    std::optional<ScanPrior> prior;
    std::optional<DelaysFound> delays; ///< that the scan shows, where somebody looked
    FieldRefinements refined; ///< of slices whose field maps the scan corrects
    /// Numbers that a step has found, by their names, for the record.
    std::vector<std::pair<std::string, double>> numbers;
};

/// A scan before it is prepared, for what a step will take.
struct ScanToPrepare {
    Transforms& transforms;
    const PrepareOptions& options;
    const Scan& scan;
    const Grid& grid; ///< grid of the image
    std::size_t maps; ///< coil maps of the image; 0 for none
    std::size_t slices;
};

struct StepCost {
    std::vector<std::pair<std::string, double>> stages; ///< seconds, by their names
    Cost memory;
};

/// A step of preparation: what is changed once for the scan, and with it in each of its frames.
struct Step {
    std::string name;
    bool (*applies)(const ScanInPreparation& preparation);
    /// Adds a fact or a finding to the scan. InputError when it cannot be done; UsageError for
    /// options that the scan has no use for.
    void (*apply)(ScanInPreparation& preparation);
    StepCost (*cost)(const ScanToPrepare& scan); ///< null for next to nothing
};

/// The table: a row each, in the order in which they are done.
const std::vector<Step>& steps();

/// Whether the coil maps of the image will be estimated from the scan, and whether they can be.
bool estimates_maps(const ScanToPrepare& scan);
bool can_estimate_maps(const Scan& scan, const Grid& grid);

/// Rows of the table whose functions are in other files:
void leave_out(ScanInPreparation& preparation);
void take_field(ScanInPreparation& preparation);
StepCost cost_of_maps(const ScanToPrepare& scan);

} // namespace lsrecon
