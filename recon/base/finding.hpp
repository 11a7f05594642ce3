// Findings: what a user should know of a scan or an image, and the codes that scripts read.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lsrecon {

enum class Severity {
    info, ///< how the work was done
    warning, ///< the image may not be what was meant
    error, ///< a frame or a scan failed while others go on
};

/// What can be found: a row of finding_rows() each. Several rows may share the code that scripts
/// read.
enum class Found {
    not_converged,
    data_unexplained,
    readouts_unexplained,
    coils_unexplained,
    model_differs,
    model_unexplained,
    undersampled,
    single_readouts,
    weight_guessed,
    regulariser_too_large,
    phase_not_smooth,
    not_partial_fourier,
    lambda_unresolved,
    transform_errors,
    double_precision,
    solver_on_cpu,
    solved_on_cpu,
    solved_by_eigen,
    blurred_by_density,
    prior_scale,
    noise_map_relative,
    no_g_factor_of_method,
    no_g_factor_off_grid,
    no_g_factor_without_maps,
    no_g_factor_of_sets,
    no_g_factor_of_coloured_noise,
    no_g_factor_with_phi,
    no_g_factor_without_corners,
    no_g_factor_regularised,
    no_g_factor_stopped_early,
    coils_silent,
    coil_silent,
    frames_zero,
    samples_zero,
    acquisitions_zero,
    samples_clipped,
    spikes,
    weights_zero,
    centre_unweighted,
    noise_unlike_samples,
    noise_of_other_channels,
    noise_of_several_dwells,
    noise_discarded,
    noise_unscaled,
    calibration_silent,
    calibration_left_out,
    trajectories_unusable,
    frame_unusable,
    frames_crossed_out,
    frames_as_nan,
    frame_failed,
    more_frames_failed,
    frames_incomplete,
    slices_lack_frames,
    scan_unreadable,
    epi_ghost,
    lines_reversed,
    directions_differ,
    directions_unknown,
    shots_differ,
    readout_steps,
    readout_quadratic,
    object_at_edge,
    units_ambiguous,
    units_unused,
    dimensions_unused,
    gradient_axes,
    reach_uneven,
    lines_beyond,
    slices_assumed,
    delays_corrected,
    delays_found,
    delays_unknown,
    no_maps,
    maps_shifted,
    maps_by_walsh,
    field_map_strong,
    field_map_idle,
    field_map_zero,
    field_map_wrapped,
    field_map_filled,
    field_pieces,
    field_slices,
    field_refined,
    field_kept,
    echoes_bipolar,
    echoes_corrected,
    beyond_field_of_view,
    voxels_far,
    fov_in_metres,
    fov_of_voxels,
    thickness_assumed,
    shifted_twice,
    positions_differ,
    orientations_differ,
    positions_unknown,
    directions_not_orthonormal,
    position_moved,
    no_position_for_nifti,
    no_position_for_ismrmrd,
    no_position_in_cfl,
    no_position_in_nifti,
    several_measurements,
    encoding_left_out,
    recon_space_unused,
    group_unused,
    kernel_replaced,
    device_memory,
    cache_locked,
    cache_passed_over,
    q_unreadable,
    q_not_kept,
    frames_kept,
    frames_damaged,
    preview_partial,
    page_of_means,
    page_of_some_frames,
    maps_beside,
    field_beside,
    stage_not_checked,
    loops_not_measured,
};

/// Something that a user should know, and that ends nothing. Whoever finds it reports it; whoever
/// knows that it does not matter drops it by its code.
struct Finding {
    Found code{};
    std::vector<std::pair<std::string, double>> numbers = {};
    /// What it is about: the names of files, options and frames.
    std::vector<std::pair<std::string, std::string>> subject = {};

    /// A number by its name; 0 where there is none, so that a fact that does not hold is left out.
    double number(const std::string& name) const;
    /// A word of the subject by its name, "" where there is none.
    std::string word(const std::string& name) const;

    template <typename Archive> void each(Archive& archive) { archive(code, numbers, subject); }
};

using Findings = std::vector<Finding>;
using OnFinding = std::function<void(const Finding&)>;

struct FindingRow {
    Found found;
    std::string code; ///< stays when the words change
    Severity severity;
    std::function<std::string(const Finding&)> words;
};

/// The table that words all findings, in the order of Found.
const std::vector<FindingRow>& finding_rows();
const FindingRow& row_of(const Finding& finding);

std::string words_of(const Finding& finding);

} // namespace lsrecon
