// The words of every finding; other tests look at codes, numbers and subjects.

#include "base/finding.hpp"

#include <gtest/gtest.h>
#include <set>

namespace lsrecon {
namespace {

using Worded = std::vector<std::pair<Finding, std::string>>;

Finding aliasing(const std::vector<std::pair<std::string, double>>& numbers,
                 const std::string& join = "") {
    Finding finding{Found::undersampled,
                    {{"frames", 1}, {"sparse", 1}, {"covered", 0.4975}, {"coils", 2}},
                    {{"join", join}}};
    for (const auto& [name, number] : numbers) {
        finding.numbers.insert(finding.numbers.begin(), {name, number});
    }
    return finding;
}

Worded on_aliasing() {
    const std::vector<std::pair<std::string, double>> lines{{"frames", 500}, {"sparse", 500},
                                                            {"samples", 64}, {"covered", 0.0199},
                                                            {"alike", 1},    {"part", 1}};
    auto native = lines;
    native.emplace_back("can_be_written", 1);
    const std::string of_lines =
        "500 of 500 frames are undersampled: each has 64 samples a coil, "
        "which cover 2 % of k-space. Expect aliasing unless coil maps undo "
        "it.";
    return {
        {aliasing({}), "Undersampled: the samples cover 49.8 % of k-space. Expect aliasing unless "
                       "coil maps undo it. Try `reg` auto."},
        {aliasing({{"unsolved", 1}, {"coils", 1}}),
         "Undersampled: the samples cover 49.8 % of k-space. Expect aliasing. Try `method` "
         "least_squares."},
        {aliasing({{"maps", 1}}), "Undersampled: the samples cover 49.8 % of k-space. Expect "
                                  "aliasing and noise. Try `reg` auto."},
        {aliasing({{"frames", 3}, {"sparse", 2}, {"samples", 1234567}, {"coils", 1}}),
         "2 of 3 frames are undersampled: the sparsest has 1234567 samples, which cover 49.8 % of "
         "k-space. Expect aliasing. Try `reg` auto."},
        {aliasing(lines), of_lines},
        {aliasing(lines, "`join` repetition"),
         of_lines + " If the frames belong to one image, pass `join` repetition."},
        {aliasing(native),
         of_lines + " If the frames belong to one image, write their samples as one frame."},
        {{Found::single_readouts,
          {{"frames", 500}, {"covered", 0.0199}, {"spokes", 13}},
          {{"join", "`join` repetition"}}},
         "Each of the 500 frames has one readout, which fills 2 % of k-space. `join` repetition "
         "makes one image of all readouts. `join` repetition `spokes_per_frame` 13 makes an image "
         "of every 13 readouts."},
        {{Found::single_readouts,
          {{"frames", 25}, {"covered", 0.0199}, {"slices", 1}},
          {{"join", "`join` repetition"}}},
         "Each of the 25 frames has one readout, which fills 2 % of k-space. `join` repetition "
         "makes one image of all readouts of a slice."},
    };
}

Worded on_convergence() {
    const auto ended = [](double limited, double residual, const std::string& residuals,
                          const std::string& change, bool early) {
        return Finding{
            Found::not_converged,
            {{"solves", 3}, {"limited", limited}, {"residual", residual}, {"early", early}},
            {{"effort", "1 to 2 iterations"}, {"residuals", residuals}, {"change", change}}};
    };
    return {
        {ended(3, 0.0031, "residual 0.0031, target 0.0001", "", true),
         "Not converged after 1 to 2 iterations (residual 0.0031, target 0.0001). Raise "
         "`iterations`, or pass `lambda` 0.01 to converge without noise."},
        {ended(2, 0.0031, "residuals up to 0.0031", "the last 2 changed an image by up to 10 %",
               false),
         "2 of 3 not converged after 1 to 2 iterations (residuals up to 0.0031); the last 2 "
         "changed an image by up to 10 %. Raise `iterations`."},
        {ended(3, 1.2, "residual 1.2", "the last 2 changed the image by 10 %", false),
         "Not converged after 1 to 2 iterations (residual 1.2). An image of zeros has a residual "
         "of 1: this one is no solution. Try `precision` double or a larger `lambda`."},
        {ended(3, 1.2, "", "", false),
         "Not converged after 1 to 2 iterations. Raise `iterations`."},
    };
}

Worded on_unexplained_data() {
    const auto left = [](double share, std::vector<std::pair<std::string, double>> numbers) {
        numbers.emplace_back("left", share);
        return Finding{Found::data_unexplained, numbers, {{"samples", "60 % unexplained"}}};
    };
    const std::string wrong = "60 % unexplained. What may be wrong: the trajectory (its sign, unit "
                              "or delay)";
    const auto of_model = [&](double share, std::vector<std::pair<std::string, double>> numbers) {
        numbers.emplace_back("by_model", 1);
        return left(share, numbers);
    };
    Finding joined = of_model(0.99, {});
    joined.subject.emplace_back("joined", "contrast");
    const std::string smoothed = "The image leaves 60 % unexplained, and one without "
                                 "regularisation 1.5 %: ";
    return {
        {of_model(0.98, {}),
         "The image shows next to nothing of the data: " + wrong + ", or samples."},
        {of_model(0.6, {{"coil_maps", 1}, {"field_map", 1}, {"lambda", 0.01}}),
         "The image does not explain the data: " + wrong +
             ", the coil maps, the field map, or samples."},
        {joined, "The image shows next to nothing of the data: " + wrong +
                     ", acquisitions of another contrast, which `join` contrast put into one "
                     "image, or samples."},
        {left(0.6, {{"left_by_model", 0.015}, {"lambda", 0.01}}),
         smoothed + "lambda 0.01 is too large."},
        {left(0.6, {{"left_by_model", 0.015}, {"smooths", 1}, {"limited", 1}, {"frames", 2}}),
         smoothed + "a weight of `reg` is too large or the iterations are too few for some "
                    "frames."},
        {left(0.6, {{"left_by_model", 0.015}, {"prior", 1}}),
         smoothed + "the image of `prior` is another."},
    };
}

Worded on_transforms() {
    const auto lost = [](bool exact, bool in_double, bool segments) {
        return Finding{Found::lambda_unresolved,
                       {{"lambda", 0.001},
                        {"resolved", 0.0123},
                        {"exact", exact},
                        {"in_double", in_double},
                        {"time_segments", segments}}};
    };
    const auto errors = [](bool exact, bool in_double, bool segments) {
        return Finding{Found::transform_errors,
                       {{"error", 1.23},
                        {"exact", exact},
                        {"in_double", in_double},
                        {"time_segments", segments}}};
    };
    return {
        {lost(true, false, false),
         "lambda 0.001 is below 0.012, the least that the precision of the transforms resolves for "
         "this scan. Rounding may show in the image. Use `precision` double, a larger `lambda` or "
         "fewer `iterations`."},
        {lost(false, true, true),
         "lambda 0.001 is below 0.012, the least that the accuracy of the transforms resolves for "
         "this scan. Their errors may show in the image. Use a smaller `accuracy`, a smaller "
         "`segment_error`, a larger `lambda` or fewer `iterations`."},
        {errors(true, false, false),
         "Rounding may change the image by 120 %. Use `precision` double, or a larger `lambda`."},
        {errors(true, true, false),
         "Rounding may change the image by 120 %. Use a larger `lambda`."},
        {errors(true, true, true), "Errors of the transforms may change the image by 120 %. Use a "
                                   "smaller `segment_error`, or a larger `lambda`."},
        {errors(false, false, false), "Errors of the transforms may change the image by 120 %. Use "
                                      "a smaller `accuracy`, or a larger `lambda`."},
        {{Found::double_precision, {{"accuracy", 1e-9}, {"times", 2.345}}, {{"why", "Why"}}},
         "Why. Transforms compute in double precision to 1e-09, which takes about 2.3 times as "
         "long."},
        {{Found::double_precision, {{"while_choosing", 1}, {"times", 2}}, {{"why", "Why"}}},
         "Why. Lambda is chosen by transforms in double precision, which takes about 2 times as "
         "long."},
        {{Found::kernel_replaced,
          {},
          {{"kernel", "picky"}, {"why", "it is picky"}, {"other", "loops"}}},
         "`kernel` picky cannot compute this transform: it is picky. loops does"},
    };
}

Worded on_models() {
    const auto better = [](const std::string& model, double gain, bool of_all,
                           const std::string& slices) {
        return Finding{
            Found::model_differs,
            {{"gain", gain}, {"of_all", of_all}, {"left", 0.36}, {"left_" + model, 0.012}},
            {{"model", model}, {"slices", slices}}};
    };
    const std::string maps = "Coil maps estimated from this scan";
    const std::string left = ". Unexplained of the centre of k-space: 36 % as it is, 1.2 % with ";
    const std::string negated = "the field map with the other sign";
    const std::string divided = "the field map divided by 2 pi";
    return {
        {better("other_sign", 12.34, true, ""),
         "The other sign of the trajectory explains the scan 12 times better than that in use: "
         "pass `conjugate`, or leave it out if it was given" +
             left + "the other sign of the trajectory."},
        {better("exchanged_axes", 12.34, true, ""),
         "The trajectory with kx and ky exchanged explains the scan 12 times better than that in "
         "use: either its axes are exchanged, or the coil maps or the field map are transposed. An "
         "image without them (`maps` espirit, `field_map` none) shows which: where the object is "
         "upright correct the maps, else the trajectory" +
             left + "kx and ky exchanged."},
        {better("negated_field", 345.6, true, "slice 3"),
         "The field map with the other sign explains the scan 346 times better than as it is, "
         "above all slice 3: `field_scale` -1" +
             left + negated + "."},
        {better("radians", 2, false, "slices 3, 4"),
         "The field map divided by 2 pi explains slices 3, 4 2 times better than as it is: it is "
         "in rad/s; `field_scale` 0.15915" +
             left + divided + "."},
        {better("no_field", 2, true, ""), "The model without field map explains the scan 2 times "
                                          "better than with it: `field_map` none" +
                                              left + "no field map."},
        {better("estimated_maps", 2, true, ""),
         maps + " explain it 2 times better than those in use: `maps` espirit" + left +
             "estimated coil maps."},
        {better("estimated_maps_negated_field", 2, true, ""),
         maps +
             " and the field map with the other sign explain it 2 times better than those in "
             "use: `maps` espirit and `field_scale` -1" +
             left + "estimated coil maps and " + negated + "."},
        {better("estimated_maps_radians", 2, true, ""),
         maps +
             " and the field map divided by 2 pi explain it 2 times better than those in use: "
             "`maps` espirit; the field map is in rad/s, `field_scale` 0.15915" +
             left + "estimated coil maps and " + divided + "."},
        {better("estimated_maps_no_field", 2, true, ""),
         maps +
             " without field map explain it 2 times better than those in use with it: `maps` "
             "espirit and `field_map` none" +
             left + "estimated coil maps and no field map."},
        {{Found::model_unexplained,
          {{"left", 0.6}, {"noise", 0.0123}, {"left_other_sign", 0.5}, {"cannot_estimate", 1}}},
         "The scan's model leaves 60 % of the centre of k-space unexplained, and noise is at most "
         "1.2 %. Unexplained of the centre of k-space: 60 % as it is, 50 % with the other sign of "
         "the trajectory. Coil maps cannot be estimated from one frame of this scan to compare "
         "with. Check the order, the axes and the phases of the coil maps, the field map, and the "
         "trajectory."},
        {{Found::maps_shifted, {{"maps", 1}, {"image", 0}}},
         "The coil maps were made with `shift_mm` header from another scan, and the image is made "
         "without `shift_mm` header. They match only if the scanner shifted the samples of one of "
         "the two scans itself."},
    };
}

Worded on_samples() {
    const auto silent = [](Found found, double count, double frames) {
        return Finding{found, {{"coil", 1}, {"silent", count}, {"frames", frames}, {"first", 2}}};
    };
    const auto encoding = [](double images) {
        return Finding{Found::encoding_left_out,
                       {{"count", 1}, {"encoding", 1}, {"read", 0}, {"images", images}}};
    };
    return {
        {silent(Found::coil_silent, 1, 1),
         "all samples of coil 1 are 0: check how the scan was written"},
        {silent(Found::coil_silent, 3, 3),
         "all samples of coil 1 are 0 in all frames: check how the scan was written"},
        {silent(Found::coil_silent, 1, 3),
         "all samples of coil 1 are 0 in frame 2: check how the scan was written"},
        {silent(Found::coils_silent, 2, 4),
         "all samples of all coils are 0 in 2 of 4 frames, the first is frame 2: check how the "
         "scan was written"},
        {{Found::frame_failed, {{"frame", 3}}, {{"error", "why"}}}, "frame 3 failed: why"},
        {{Found::frame_failed, {{"frame", 3}}, {{"label", "repetition 7"}, {"error", "why"}}},
         "frame 3 (repetition 7) failed: why"},
        {{Found::slices_assumed, {{"z", 5}, {"slices", 5}}},
         "encodedSpace/matrixSize/z is 5, the number of slices, and each slice has one "
         "kspace_encode_step_2 and no kz: they are taken for two-dimensional images"},
        {{Found::slices_assumed, {{"z", 2}, {"slices", 1}}},
         "encodedSpace/matrixSize/z is 2, and the slice has one kspace_encode_step_2 and no kz: it "
         "is taken for a two-dimensional image"},
        {encoding(1), "left out 1 acquisition of encoding 1: encoding 0 is read. Pass `encoding` 1 "
                      "to read them."},
        {encoding(0),
         "left out 1 acquisition of encoding 1: encoding 0 is read. 'lsrecon maps SCAN "
         "`encoding` 1 -o MAPS' makes coil maps from them."},
        {{Found::preview_partial, {{"shown", 64}, {"panes", 512}, {"step", 1}}},
         "the preview shows 64 of 512 slices and frames"},
        {{Found::preview_partial, {{"shown", 1}, {"panes", 1}, {"step", 5}}},
         "the preview shows one of 5 voxels in each direction"},
        {{Found::preview_partial, {{"shown", 64}, {"panes", 512}, {"step", 5}}},
         "the preview shows 64 of 512 slices and frames, and one of 5 voxels in each direction"},
    };
}

Worded more_on_solves() {
    return {
        {{Found::readouts_unexplained,
          {{"count", 1}, {"parts", 25}, {"share", 0.8}, {"others", 0.03}},
          {{"list", "17"}, {"frame", "frame 2"}}},
         "Readout 17 of 25 of frame 2 leaves 80 % of its energy unexplained, the others 3 %: a "
         "spike, a position that is wrong, motion, or a signal that is not steady yet. `leave_out` "
         "readouts:17 makes the image without it."},
        {{Found::coils_unexplained,
          {{"count", 2}, {"parts", 16}, {"share", 0.8}, {"others", 0.03}},
          {{"list", "3-4"}}},
         "Coils 3-4 of 16 leave up to 80 % of their energy unexplained, the others 3 %: the gain "
         "or "
         "phase differs from the map, or the coil is broken. `leave_out` coils:3-4 makes the image "
         "without them."},
        {{Found::weight_guessed, {}, {{"guess", "lambda 0.01"}}},
         "Too few samples to hold some out, by which a weight would be chosen: lambda 0.01 is a "
         "guess. Compare half and twice of it by eye."},
        {{Found::regulariser_too_large, {}, {{"names", "tv and wavelet"}}},
         "`reg` tv and wavelet is not weighed: memory has no room for it; 'lsrecon predict' says "
         "what "
         "it needs"},
        {{Found::phase_not_smooth, {{"frames", 2}, {"asymmetry", 0.7}}},
         "2 frames without `conjugate_symmetry`: imaginary over real energy of the centre of "
         "k-space "
         "is 70 % once its smooth phase is out, and conjugates would be wrong."},
        {{Found::not_partial_fourier},
         "`conjugate_symmetry` is not used: samples reach as far on both sides of the centre of "
         "k-space."},
        {{Found::solver_on_cpu, {}, {{"why", "it differs"}}},
         "the solver runs on the CPU in double precision: it differs"},
        {{Found::solved_on_cpu, {}, {{"why", "it differs"}}},
         "solved on the CPU in double precision: it differs"},
        {{Found::solved_by_eigen, {}, {{"why", "it differs"}}},
         "solved by Eigen in double precision: it differs"},
        {{Found::blurred_by_density},
         "Density compensation by Pipe and Menon lets a sample stand for one cell of k-space, and "
         "gaps between samples are larger: fine detail is too weak, and the image is blurred. "
         "`density` voronoi keeps it, and so does least squares."},
        {{Found::prior_scale, {{"scale", 2}}, {{"file", "a.h5"}}},
         "The prior image a.h5 fits the scan best when it is multiplied by 2. Check that it is in "
         "the units of the reconstruction."},
        {{Found::noise_map_relative},
         "The scan has no noise measurement. The noise map is relative: it is for noise of "
         "variance 1 in the real and imaginary parts of the samples."},
        {{Found::no_g_factor_of_method}, "no g-factor: it is defined for least squares alone"},
        {{Found::no_g_factor_off_grid}, "no g-factor: it is not defined for voxels off the grid"},
        {{Found::no_g_factor_without_maps},
         "no g-factor: it is not defined for several coils without maps"},
        {{Found::no_g_factor_of_sets},
         "no g-factor: it is not defined for two sets of coil maps. Pass `maps` espirit:1."},
        {{Found::no_g_factor_of_coloured_noise},
         "no g-factor: it is not defined for noise that is not white"},
        {{Found::no_g_factor_with_phi}, "no g-factor: it is not defined for a phi of the voxels"},
        {{Found::no_g_factor_without_corners},
         "no g-factor: it is not defined where samples leave out corners of k-space"},
        {{Found::no_g_factor_regularised},
         "no g-factor: regularisation lowers the noise of this image. Pass `lambda` 0 `iterations` "
         "300."},
        {{Found::no_g_factor_stopped_early},
         "no g-factor: the solve stopped at the iteration limit, which regularises the image. "
         "Raise `iterations`."},
        {{Found::frames_zero, {{"count", 2}, {"first", 3}}},
         "2 frames have no sample but zeros where its weight and phi are not 0, the first is frame "
         "3"},
        {{Found::samples_zero, {{"share", 0.25}}},
         "25 % of the samples are 0 in every coil, and count as measured zeros. Leave them out of "
         "the scan, or give them weight 0."},
        {{Found::acquisitions_zero, {{"count", 2}, {"first", 3}}},
         "2 acquisitions of the image hold only zeros, the first is acquisition 3"},
        {{Found::weights_zero, {{"without", 2}, {"samples", 3}}},
         "2 of 3 samples have weight 0 and do not count. Check /weights if that is not meant."},
    };
}

Worded on_doubtful_scans() {
    return {
        {{Found::samples_clipped, {{"count", 30}, {"coils", 2}}},
         "30 samples of 2 coils share the largest value of their coil, as where a receiver "
         "saturates: the centre of k-space is clipped, and the image is shaded. Scan again with "
         "less receiver gain, or give these samples weight 0."},
        {{Found::spikes, {{"count", 2}, {"times", 8}, {"first", 17}, {"frame", 3}}},
         "2 samples up to 8 times as strong as k-space is that far out; the first is sample 17 of "
         "frame 3. A spike makes stripes: leave it out, or give it weight 0."},
        {{Found::centre_unweighted, {{"samples", 12}, {"share", 0.03}}},
         "The centre of k-space has no weight: the weights of the 12 samples within half a cycle "
         "of k = 0 add up to 3 % of what a cell of k-space has elsewhere. The mean of the image "
         "and its shading are lost. Density weights |k| need the area of the central cell there; "
         "without weights, every sample counts."},
        {{Found::gradient_axes},
         "The trajectory has three coordinates and its readouts are perpendicular to slice_dir: it "
         "is taken along the gradient axes x, y, z, and rotated by read_dir, phase_dir and "
         "slice_dir. If the image is mirrored, the axes have other signs: write the trajectory "
         "along these directions."},
        {{Found::reach_uneven,
          {{"short", 0.5}, {"full", 1}},
          {{"axis", "y"}, {"other", "x"}, {"numbers", "the line numbers"}}},
         "y reaches 50 % of N/2, and x 100 %. Either the resolution is that low along one axis, or "
         "the scan is accelerated and its lines are numbered without gaps, which folds the image: "
         "the line numbers must count on the grid of all lines."},
        {{Found::lines_beyond,
          {{"beyond", 32}, {"lines", 96}, {"voxels", 64}},
          {{"steps", "kspace_encode_step_1"}, {"smaller", "A"}, {"oversampled", "B"}}},
         "32 of 96 lines lie beyond the 64 voxels of the matrix (kspace_encode_step_1), and are "
         "left out. A take them, for smaller voxels. If they lie closer together than the field of "
         "view says, as oversampled ones do, pass B."},
        {{Found::field_map_wrapped, {{"step", 250}, {"count", 40}}},
         "The field map jumps by 250 Hz between neighbouring voxels at 40 pairs, with values that "
         "fill the range between: its phase was not unwrapped. The image is wrong along the jumps. "
         "Unwrap the map."},
        {{Found::field_map_filled, {{"share", 0.25}}},
         "25 % of the voxels of the field map have no value (NaN), and take that of the nearest "
         "voxel that has one"},
        {{Found::field_pieces, {{"pieces", 2}, {"voxels", 120}, {"period", 200}}},
         "Beside the largest piece of each slice, voxels with signal form 2 pieces that it does "
         "not "
         "touch, of 120 voxels. The field of a piece may be wrong by a multiple of 200 Hz, which "
         "is 1 / the distance of two echoes."},
        {{Found::echoes_bipolar},
         "Some echoes were read forward and others backward. What delays and eddy currents do to "
         "their phases is in the field map, mostly as a ramp along x. Use the echoes of one "
         "direction, by `contrast`."},
        {{Found::echoes_corrected, {{"offset", 0.4}, {"slope", -0.1}}},
         "Some echoes were read backward. Their phase of 0.4 rad and -0.1 rad a voxel along x "
         "beyond that of the others is taken out. Half a turn more would show in no echo, and as a "
         "field that is wrong by half of 1 / the distance of echoes."},
        {{Found::field_slices, {{"slices", 1}, {"period", 200}}, {{"names", "slice 3"}}},
         "The field of 1 slice may be wrong by a multiple of 200 Hz, since the phases of their "
         "neighbours do not show it: slice 3."},
        {{Found::field_refined, {{"size", 16}, {"less", 0.25}, {"refined", 1}, {"slices", 2}}},
         "The scan itself corrects the field map by 16 Hz (root mean square) in 1 of 2 slices: "
         "25 % less of the samples stays unexplained."},
        {{Found::field_kept},
         "The field map stays as it is: the scan shows no correction of it beyond doubt."},
    };
}

Worded more_on_samples() {
    return {
        {{Found::noise_unlike_samples, {{"ratio", 2}}},
         "The noise measurement is 2 times weaker than the samples at the edge of k-space. It has "
         "another scale than the samples and is not used."},
        {{Found::noise_of_other_channels, {{"count", 2}, {"channels", 3}, {"of_image", 4}}},
         "left out 2 acquisitions flagged noise measurement: of 3 channels, not the image's 4"},
        {{Found::noise_of_several_dwells, {{"count", 2}}, {{"dwells", "5, 20"}}},
         "left out 2 acquisitions flagged noise measurement: the image's samples have several "
         "dwell times (sample_time_us 5, 20)"},
        {{Found::noise_discarded, {{"count", 2}}},
         "left out 2 acquisitions flagged noise measurement: discard_pre and discard_post leave "
         "none of the samples"},
        {{Found::noise_unscaled, {{"samples", 2}, {"count", 3}}},
         "kept 2 noise samples a coil from 3 acquisitions, not scaled, because a dwell time "
         "(sample_time_us) is 0"},
        {{Found::calibration_silent,
          {},
          {{"lines", "Calibration lines"}, {"why", "hold only zeros"}}},
         "Calibration lines are not used: they hold only zeros. Check how they were written."},
        {{Found::calibration_left_out, {{"count", 2}}, {{"why", "lie elsewhere"}}},
         "left out 2 acquisitions flagged parallel calibration, which lie elsewhere"},
        {{Found::trajectories_unusable, {}, {{"frames", "frames 3,7"}, {"why", "it differs"}}},
         "the trajectory of frames 3,7 cannot be used: it differs"},
        {{Found::frame_unusable, {{"frame", 2}}, {{"error", "NaN"}}}, "frame 2: NaN"},
        {{Found::frames_crossed_out, {}, {{"failed", "2 of 20 frames failed: 3,7"}}},
         "2 of 20 frames failed: 3,7; a cross is in their place"},
        {{Found::frames_as_nan, {}, {{"failed", "2 of 20 frames failed: 3,7"}}},
         "2 of 20 frames failed: 3,7; the output holds NaN there, or a cross in a picture"},
        {{Found::more_frames_failed, {{"count", 2}}},
         "2 more frames failed before they were solved; /record/frame_errors of the output says "
         "why"},
        {{Found::frames_incomplete,
          {{"fewer", 1}, {"frame", 8}, {"readouts", 40}, {"usual", 128}, {"missing", 2}},
          {{"label", "slice 2"}, {"lost", "slice 3; slice 4"}, {"whole", "0-7"}}},
         "The scan was stopped, or data is lost: frame 8 (slice 2) has 40 of 128 readouts, and 2 "
         "frames are missing (slice 3; slice 4). `frames` 0-7 leaves out what is not whole."},
        {{Found::frames_incomplete,
          {{"fewer", 3}, {"frame", 8}, {"readouts", 40}, {"usual", 128}},
          {{"label", "slice 2"}}},
         "The scan was stopped, or data is lost: 3 frames have fewer readouts than others: frame 8 "
         "(slice 2) has 40 of 128 readouts."},
        {{Found::frames_incomplete, {{"missing", 1}}, {{"lost", "slice 3"}}},
         "The scan was stopped, or data is lost: 1 frame is missing (slice 3)."},
        {{Found::slices_lack_frames, {{"missing", 2}, {"slices", 15}}},
         "2 of 15 slices are missing in the volumes; the output holds NaN there"},
        {{Found::scan_unreadable, {}, {{"error", "NaN"}}}, "NaN"},
        {{Found::epi_ghost},
         "EPI: the gradient's times in trajectoryDescription give the positions of samples. Where "
         "they are not right, or lines of the two directions differ, a ghost may remain."},
        {{Found::directions_unknown},
         "Lines of a shot run both ways, and the samples do not say by which phase and shift they "
         "differ: a ghost may remain. Measure navigator lines, or pass `epi_phase` PHASE,SHIFT; "
         "0,0 "
         "leaves the lines as they are."},
        {{Found::lines_reversed, {{"flagged", 0}}},
         "Every other line matches its neighbours when it is read backwards: its samples seem to "
         "be "
         "stored backwards without the flag. Set it (IS_REVERSE), or reverse the samples."},
        {{Found::lines_reversed, {{"flagged", 1}}},
         "Lines that the scan says run backwards match their neighbours when they are read "
         "forwards: they seem to be reversed already. Clear the flag (IS_REVERSE), or reverse "
         "their "
         "samples."},
        {{Found::directions_differ, {{"degrees", 29}, {"samples", 0.8}, {"gain", 1}}},
         "Lines that run backwards differ from the others by 29 degrees and 0.8 samples, and are 1 "
         "times as strong. That makes a ghost at half of the field of view, and maps estimated "
         "from it contain it. `epi_phase` auto takes phase and shift out."},
        {{Found::shots_differ,
          {{"degrees", 63}, {"gain", 1}, {"lines", 1}},
          {{"which", "lines of segments 0 and 1"}}},
         "The shots do not fit each other: lines of segments 0 and 1 differ by a phase of 63 "
         "degrees "
         "(or 117). That makes ghosts or streaks. Correct the samples."},
        {{Found::shots_differ,
          {{"degrees", 20}, {"gain", 0.7}},
          {{"which", "neighbouring readouts"}}},
         "The shots do not fit each other: neighbouring readouts differ by a phase of 20 degrees "
         "in "
         "the median and in strength by 0.7. That makes ghosts or streaks. Correct the samples."},
        {{Found::readout_steps, {{"degrees", 180}}},
         "The phase of the readouts at k = 0 changes by 180 degrees from each readout to the next; "
         "at 180 every other one has the other sign. Correct the samples: each readout measures "
         "the same there."},
        {{Found::readout_quadratic, {{"degrees", 150}, {"half", 75}}},
         "The phase of the readouts grows quadratically: its step from one to the next grows by "
         "150 degrees with each readout, as that of RF spoiling. Multiply the samples of readout n "
         "by exp(-i pi/180 75 n (n + 1))."},
        {{Found::delays_corrected, {{"times", 12}}, {{"delays", "0.5,0.3"}}},
         "The readouts are corrected by `delays` 0.5,0.3, which the scan shows: its centre of "
         "k-space leaves 12 times less unexplained. `delays` none leaves them as they are."},
        {{Found::delays_found, {{"times", 12}}, {{"delays", "0.5,0.3"}}},
         "Gradients are late or early, or readouts differ in phase: `delays` 0.5,0.3 leaves 12 "
         "times less of the centre of k-space unexplained. 'lsrecon delays' shows how well that is "
         "known."},
        {{Found::delays_unknown, {{"deviation", 0.3}}},
         "The scan does not show delays of its gradients: they would be known within 0.3 dwell "
         "times. The readouts stay as they are."},
        {{Found::object_at_edge, {}, {{"axis", "y"}, {"shift", "0,120"}}},
         "The object lies half of the field of view off along y: it crosses the edge, and nothing "
         "is in the middle. Every other line may have the other sign. `shift_mm` 0,120 moves it to "
         "the middle."},
        {{Found::units_ambiguous, {{"per_m", 2}}, {{"unit", "1/cm"}}},
         "The range of the trajectory would also fit 1/cm. If the object has a wrong size, "
         "write the trajectory in 1/m (2 times 1/cm)."},
        {{Found::units_unused, {}, {{"units", "1/m"}}},
         "`traj_units` 1/m is not used: the file has no trajectory"},
        {{Found::dimensions_unused, {{"used", 2}, {"stored", 3}, {"least", 4}, {"most", 5}}},
         "only the first 2 of 3 trajectory dimensions are used; the next one is from 4 to 5"},
        {{Found::no_maps, {}, {{"why", "it differs"}}},
         "No coil maps could be estimated (it differs). Each coil is solved alone, and the image "
         "is "
         "the root of their sum of squares, without phase. 'lsrecon maps' makes maps of another "
         "scan, for `maps` FILE."},
        {{Found::maps_by_walsh, {{"frame", 2}}},
         "no voxel has signal at the slice of frame 2: its maps were estimated by walsh"},
        {{Found::field_map_strong, {{"turns", 2}}},
         "The field map makes up to 2 turns before a sample is taken. Check that the map is in Hz "
         "and the times are in s."},
    };
}

Worded more_on_positions() {
    return {
        {{Found::field_map_idle, {{"field", 2}, {"duration", 3}}},
         "The field map corrects nothing: it is at most 2 Hz, and the readout takes 3 s. Check "
         "that the map is in Hz and the times are in s."},
        {{Found::field_map_zero},
         "The field map of the scan is 0 in every voxel. `field_map` none makes the same image in "
         "less time."},
        {{Found::beyond_field_of_view,
          {},
          {{"fov", "240 x 240"}, {"matrix", "8,8"}, {"wide", "480,480"}}},
         "The object reaches beyond the field of view of 240 x 240 mm, and what lies there is "
         "spread "
         "over the image. The samples resolve it: `matrix` 8,8 `fov_mm` 480,480 makes an "
         "image of all."},
        {{Found::voxels_far, {{"largest", 2}}},
         "Voxels lie up to 2 fields of view from the centre. Check that their positions are in "
         "fields of view, not in mm."},
        {{Found::fov_in_metres, {}, {{"stored", "0.24 x 0.24"}, {"fov", "240 x 240"}}},
         "The field of view in the file, 0.24 x 0.24 mm, is taken as metres: 240 x 240 mm. If it "
         "is "
         "in mm, pass it with `header` fov_mm=X,Y."},
        {{Found::fov_of_voxels},
         "The input holds no field of view. Voxels are taken as 1 mm. `fov_mm` changes that."},
        {{Found::thickness_assumed, {}, {{"format", "NIfTI"}}},
         "The image has no slice thickness. The NIfTI file gets 1 mm."},
        {{Found::shifted_twice},
         "The scan is Cartesian. Most scanners shift Cartesian lines themselves, and `shift_mm` "
         "header shifts them again."},
        {{Found::positions_differ},
         "Acquisitions of one frame have different positions or orientations. Those of the first "
         "are kept."},
        {{Found::orientations_differ},
         "Frames have different orientations, and an image holds only one. Orientation and "
         "position are left out. Choose frames of one orientation with `slice` or `repetition`."},
        {{Found::positions_unknown},
         "The position of some frames is not known. Orientation and position are left out. Choose "
         "the other frames with `frames`."},
        {{Found::directions_not_orthonormal},
         "read_dir, phase_dir and slice_dir are not orthogonal unit vectors. They are ignored."},
        {{Found::position_moved},
         "The position of the image is left out: without directions, `shift_mm` moves it to an "
         "unknown position."},
        {{Found::no_position_for_nifti},
         "The image lacks its position or directions, so the NIfTI file has neither: sform_code "
         "and qform_code are 0."},
        {{Found::no_position_for_ismrmrd},
         "The image lacks its position or directions. What it lacks is 0 in the ISMRMRD file."},
        {{Found::no_position_in_cfl},
         "A cfl file cannot hold position and directions. They are left out."},
        {{Found::no_position_in_nifti},
         "The NIfTI file has no position or directions: its sform_code and qform_code are 0."},
        {{Found::several_measurements, {{"count", 2}}, {{"first", "6, 7"}}},
         "Acquisitions of the image have 2 measurement_uid (6, 7), and are read as one "
         "measurement. If they are several, write a file or a group for each."},
        {{Found::recon_space_unused}, "reconSpace of the header is not used: it lacks a number"},
        {{Found::group_unused, {}, {{"group", "/a"}, {"others", "/b"}}},
         "Only group /a is read, and only its noise is used. `group` chooses another: /b"},
    };
}

Worded more_on_work() {
    return {
        {{Found::device_memory, {{"mib", 2}}},
         "the device has no room for blocks of 2 MiB; continuing with half of that"},
        {{Found::cache_locked, {}, {{"file", "a.h5"}}},
         "another process has held a.h5 for minutes; continuing without waiting for it"},
        {{Found::cache_passed_over, {}, {{"folder", "here"}, {"passed_over", "there"}}},
         "compiled kernels are kept in here, not in there"},
        {{Found::q_unreadable, {}, {{"file", "a.h5"}, {"why", "it differs"}}},
         "a.h5: it differs; Q is computed again and the file replaced"},
        {{Found::q_not_kept, {}, {{"why", "it differs"}}}, "Q is not kept: it differs"},
        {{Found::frames_kept, {}, {{"which", "7 of 20"}, {"folder", "here"}}},
         "7 of 20 frames are kept in here\n  next:     the same command with `resume` "
         "solves the others"},
        {{Found::frames_damaged, {}, {{"folder", "here"}, {"frames", "frames 3,7"}}},
         "frames that are damaged in here are solved again: frames 3,7"},
        {{Found::page_of_means, {{"step", 2}}, {{"set", "coil maps"}}},
         "the page shows means of 2 voxels in each direction of the coil maps"},
        {{Found::page_of_some_frames, {{"shown", 2}, {"frames", 3}}, {{"set", "coil maps"}}},
         "the page shows 2 of 3 frames of the coil maps"},
        {{Found::maps_beside, {}, {{"file", "a.h5"}}},
         "a.h5: the coil maps are in /coil_maps, beside the raw data. Readers of ISMRMRD ignore "
         "it. Pass `maps` a.h5 to recon."},
        {{Found::field_beside, {}, {{"file", "a.h5"}}},
         "a.h5: the field map is in /field_map, beside the raw data. Readers of ISMRMRD ignore it. "
         "Pass `field_map` a.h5 to recon."},
        {{Found::stage_not_checked, {}, {{"stage", "fhd"}}},
         "fhd was not checked, because `pairs` is too small. Raise `pairs`."},
        {{Found::loops_not_measured},
         "recon: the loops of the CPU are left out, because they would take minutes. A smaller "
         "`matrix` or `scan_samples` shows them."},
    };
}

TEST(Finding, IsWordedByItsRow) {
    std::set<Found> worded;
    for (const Worded& all :
         {on_aliasing(), on_convergence(), on_unexplained_data(), on_transforms(), on_models(),
          on_samples(), on_doubtful_scans(), more_on_solves(), more_on_samples(),
          more_on_positions(), more_on_work()}) {
        for (const auto& [finding, words] : all) {
            EXPECT_EQ(words_of(finding), words);
            worded.insert(finding.code);
        }
    }
    for (const FindingRow& row : finding_rows()) {
        EXPECT_EQ(worded.count(row.found), 1U) << row.code;
    }
}

TEST(Finding, RowsAreInTheOrderOfWhatIsFound) {
    for (std::size_t i = 0; i < finding_rows().size(); ++i) {
        EXPECT_EQ(finding_rows()[i].found, static_cast<Found>(i)) << finding_rows()[i].code;
    }
}

TEST(Finding, WhatAFindingLacksIsZeroOrEmpty) {
    const Finding finding{Found::no_maps, {{"coils", 2}}, {{"why", "none"}}};
    EXPECT_EQ(finding.number("coils"), 2);
    EXPECT_EQ(finding.number("frames"), 0);
    EXPECT_EQ(finding.word("why"), "none");
    EXPECT_EQ(finding.word("file"), "");
}

} // namespace
} // namespace lsrecon
