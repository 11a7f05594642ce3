#include "io/warnings.hpp"

#include <algorithm>

namespace lsrecon {

const std::vector<WarningKind>& warning_kinds() {
    static const std::vector<WarningKind> table{
        {"not_converged", {"Not converged", " not converged"}},
        {"data_unexplained", {"next to nothing of the data", "does not explain the data"}},
        {"model_differs", {" times better than ", "The scan's model leaves "}},
        {"undersampled", {"ndersampled: the samples", " frames are undersampled: "}},
        {"single_readouts", {" frames has one readout"}},
        {"weight_guessed", {"Too few samples to hold some out"}},
        {"regulariser_too_large", {" is not weighed: memory has no room "}},
        {"lambda_unresolved", {"of the transforms resolves for this scan"}},
        {"transform_errors", {" may change the image by "}},
        {"double_precision", {", which takes about "}},
        {"solved_on_cpu", {" in double precision: "}},
        {"blurred_by_density", {"Density compensation by Pipe and Menon"}},
        {"prior_scale", {"The prior image "}},
        {"noise_map_relative", {"The noise map is relative"}},
        {"no_g_factor", {"no g-factor: "}},
        {"samples_zero",
         {"all samples of ", " % of the samples are 0 in every coil",
          " have no sample but zeros where", " of the image hold only zeros"}},
        {"weights_zero", {" samples have weight 0"}},
        {"noise_unused", {"The noise measurement is ", " flagged noise measurement"}},
        {"calibration_unused", {"Calibration lines", " flagged parallel calibration"}},
        {"frames_unusable", {" cannot be used: ", "the output holds NaN there"}},
        {"epi_ghost", {"EPI: "}},
        {"units_ambiguous", {"The range of the trajectory would also fit "}},
        {"units_unused", {" is not used: the file has no trajectory"}},
        {"dimensions_unused", {" trajectory dimensions are used"}},
        {"slices_assumed", {" has one kspace_encode_step_2 and no kz: "}},
        {"no_maps", {"No coil maps could be estimated"}},
        {"maps_shifted", {"The coil maps were made "}},
        {"maps_by_walsh", {"its maps were estimated by walsh"}},
        {"field_map_doubtful",
         {"The field map makes up to ", "The field map corrects nothing",
          "The field map of the scan is 0"}},
        {"beyond_field_of_view", {"The object reaches beyond the field of view"}},
        {"voxels_far", {"Voxels lie up to "}},
        {"fov_assumed", {" is taken as metres: ", "Voxels are taken as 1 mm"}},
        {"thickness_assumed", {"has no slice thickness"}},
        {"shifted_twice", {"Most scanners shift Cartesian lines"}},
        {"positions_differ", {"Acquisitions of one frame have different positions"}},
        {"place_unknown",
         {"The position of the image is left out", "Orientation and position are left out",
          "lacks its position or directions", "cannot hold position and directions",
          "has no position or directions", "The position of some frames is not known",
          "are not orthogonal unit vectors"}},
        {"several_measurements", {" measurement_uid ("}},
        {"encoding_unused", {" of encoding ", "reconSpace of the header is not used"}},
        {"group_unused", {"Only group "}},
        {"kernel_replaced", {" cannot compute this transform: "}},
        {"device_memory", {"the device has no room for blocks of "}},
        {"cache_elsewhere", {"another process has held ", "compiled kernels are kept in "}},
        {"q_not_kept", {"Q is not kept: ", "; Q is computed again and the file replaced"}},
        {"frames_kept", {" frames are kept in "}},
        {"frames_damaged", {" are solved again: "}},
        {"preview_partial", {"the preview shows "}},
        {"written_beside", {", beside the raw data. Readers of ISMRMRD ignore it"}},
        {"not_measured", {" was not checked, because ", "the loops of the CPU are left out"}},
    };
    return table;
}

std::string code_of_warning(const std::string& note) {
    for (const WarningKind& kind : warning_kinds()) {
        const bool fits =
            std::any_of(kind.phrases.begin(), kind.phrases.end(), [&](const std::string& phrase) {
                return note.find(phrase) != std::string::npos;
            });
        if (fits) {
            return kind.code;
        }
    }
    return "other";
}

} // namespace lsrecon
