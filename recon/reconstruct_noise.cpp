// The noise of images: its map beside one frame, and images in units of it.

#include "reconstruct_first_pass.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon {

namespace {

/// The system that probes are solved by: in the precision of the transforms, which is enough, where
/// the device has room for it.
std::shared_ptr<System> system_of_probes(TrajectoryScope& at, const SolveOptions& settings) {
    const LeastSquares& problem = at.problem(settings);
    const std::shared_ptr<System> own(std::shared_ptr<System>(), &problem.system());
    const Precision precision = at.encoding.transforms().precision();
    if (!problem.is_on_device() || own->precision() == precision) {
        return own;
    }
    try {
        SharedWorkspaces workspaces;
        return make_kept_system(*at.n, settings, at.slice.known(), workspaces, precision);
    } catch (const DeviceError&) {
        return own;
    }
}

/// The covariance of the image of a frame that was transformed; null where the image is not linear
/// in its samples: with a regulariser that is not quadratic, as the root of a sum of squares of
/// unlike noise, or where nothing is known of the iterations after which a solve stopped early.
LinearMap covariance_of(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                        const ReplicaNoise& noise) {
    const bool is_one_problem = data.fhd.volumes.size() == 1;
    if (need_splitting(settings.regularisers) || (!is_one_problem && !noise.white())) {
        return nullptr;
    }
    const CoilTransform psi = noise.white() ? CoilTransform() : noise.covariance();
    const LinearMap of_fhd =
        covariance_of_adjoint(at.encoding, at.weights.cells, psi, [&at](const CoilRows& samples) {
            return at.adjoint(samples).volumes;
        });
    if (!at.run.method().solves) {
        return covariance_of_combined(*at.slice.model.coil_maps, of_fhd);
    }
    const Solved solved = at.solve(data.fhd.volumes, settings);
    std::optional<Iterations> run;
    if (std::count(solved.stops.begin(), solved.stops.end(), Stop::iterations) > 0) {
        if (!is_one_problem || solved.runs.empty()) {
            return nullptr;
        }
        run = solved.runs.front();
    }
    const bool is_held = settings.lambda > 0 || !settings.regularisers.empty() || run ||
                         at.run.scan().voxels ||
                         determines_all(at.encoding.trajectory(), at.slice.formulation.grid);
    if (!is_held) { // a probe has parts that nothing determines
        return nullptr;
    }
    const bool is_n = noise.white() && at.weights.cells.size() == 0;
    return covariance_of_solve(system_of_probes(at, settings), run, is_n ? nullptr : of_fhd,
                               settings.lambda);
}

/// A frame whose image is one of all sets of coil maps, and then a magnitude.
NoisyFrame noisy_frame(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                       const ReplicaNoise& noise) {
    const CoilRows& maps = *at.slice.model.coil_maps;
    const std::size_t voxels = at.encoding.voxels();
    const bool has_sets = at.encoding.unknowns() != voxels;
    return {data.fhd.volumes,
            [&at](const CoilRows& drawn) { return at.adjoint(drawn).volumes; },
            [&at, &settings, &maps, voxels, has_sets](const std::vector<Volume>& fhd) {
                const ComplexVector image = one_image(at.solve(fhd, settings).image, maps, voxels);
                return has_sets ? image.cwiseAbs().cast<Complex>().eval() : image;
            },
            data.fhd.volumes.size() == 1 && !has_sets,
            has_sets ? LinearMap() : covariance_of(at, data, settings, noise),
            at.run.scan().voxels ? GridSize{voxels, 1, 1} : at.slice.formulation.grid.size,
            maps.empty() ? RealVector::Ones(static_cast<Eigen::Index>(voxels)).eval()
                         : seen_by(maps)};
}

} // namespace

void require_noise(const Scan& scan, const ReconstructOptions& options) {
    if (options.snr_units && scan.noise.empty()) {
        throw InputError({scan.file, scan.name_of("noise"), "no samples of noise that can be used",
                          "samples of noise alone, for `snr_units`",
                          "measure the noise with the scan, or pass `noise_map`, which is relative "
                          "without it"});
    }
}

const ImageNoise& noise_of(TrajectoryScope& at, const FrameData& data,
                           const SolveOptions& settings) {
    if (!at.noise) {
        const Run& run = at.run;
        const ReplicaNoise noise(run.scan());
        at.noise =
            noise_of_image(noisy_frame(at, data, settings, noise), noise, at.encoding.trajectory(),
                           run.scan().frames[data.index].samples.precision(),
                           run.request.most_noise_solves(), run.report);
    }
    return *at.noise;
}

ImageFrame in_units_of_noise(ImageFrame image, const TrajectoryScope& at, const ImageNoise& noise) {
    image.values = one_image(image.values, *at.slice.model.coil_maps, at.encoding.voxels());
    image.values =
        (noise.deviation.array() > 0)
            .select(image.values.array() / noise.deviation.array().cast<Complex>(), Complex(0));
    return image;
}

void add_noise_map(Image& about, TrajectoryScope& at, const FrameData& data,
                   const Settings& settings, const FrameResults& frames) {
    if (at.run.request.noise_solves == 0) {
        return;
    }
    add_noise_map(about, data.index, frames.about()[data.index].stops,
                  noise_of(at, data, settings.solve), at.run.scan(), at.slice.model, settings.solve,
                  at.run.report);
}

} // namespace lsrecon
