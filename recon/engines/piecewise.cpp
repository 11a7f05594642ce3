#include "engines/piecewise.hpp"

#include "base/error.hpp"
#include "engines/pieces.hpp"
#include "engines/segments.hpp"

namespace lsrecon {

struct PiecewiseTransform::Job {
    bool adjoint;
    std::size_t coils;
    bool real_values;
    const Load& load;
    const Take& take;
    const Progress& progress;
};

void PiecewiseTransform::adjoint(std::size_t coils, bool real_values, const Load& load,
                                 const Take& take, const Progress& progress) {
    run({true, coils, real_values, load, take, progress});
}

void PiecewiseTransform::forward(std::size_t coils, const Load& load, const Take& take,
                                 const Progress& progress) {
    run({false, coils, false, load, take, progress});
}

Transform& PiecewiseTransform::transform_of(const Range& samples, const Range& voxels) {
    const auto same = [](const Range& a, const Range& b) {
        return a.first == b.first && a.count == b.count;
    };
    if (!transform_ || !same(samples, its_samples_) || !same(voxels, its_voxels_)) {
        transform_.reset(); // its memory is the next one's
        const bool all = samples.count == points_.count();
        if (!all) {
            const auto first = points_.trajectory.begin() + static_cast<long>(samples.first);
            some_.assign(first, first + static_cast<long>(samples.count));
            if (points_.times != nullptr) {
                some_times_ = points_.times->segment(static_cast<Eigen::Index>(samples.first),
                                                     static_cast<Eigen::Index>(samples.count));
            }
        }
        transform_ = transforms_.make(all ? points_ : SamplePoints(some_, some_times_),
                                      voxels_.part(voxels));
        its_samples_ = samples;
        its_voxels_ = voxels;
    }
    return *transform_;
}

double PiecewiseTransform::share_of_values(std::size_t coils) const {
    const OffResonance* const off_resonance = off_resonance_of(points_, voxels_);
    if (off_resonance == nullptr || transforms_.segment_error() == 0) {
        return 1;
    }
    // Time segments have factors of each sample and voxel, and work on copies of the values.
    const auto rows = static_cast<double>(coils);
    return rows / (2 * rows + expected_segments(*points_.times, *off_resonance));
}

void PiecewiseTransform::run(const Job& job) {
    const std::size_t samples = points_.count();
    const std::size_t voxels = voxels_.count();
    if (job.coils == 0 || samples == 0 || voxels == 0) {
        return;
    }
    transforms_.device().clock().restart();
    Device& device = transforms_.device();
    const std::size_t all_sources = job.adjoint ? samples : voxels;
    const std::size_t all_points = job.adjoint ? voxels : samples;
    // What is kept of an earlier call is room for this one.
    const bool is_whole =
        transform_ && its_samples_.count == samples && its_voxels_.count == voxels;
    const PieceSizes sizes =
        fit_pieces({job.coils, all_sources, all_points, job.adjoint ? voxels_.together() : 1},
                   device.room() * share_of_values(job.coils), device.largest_array(),
                   transforms_.precision());
    const bool whole = is_whole || (sizes.sources == all_sources && sizes.points == all_points);
    const std::vector<Range> points =
        split_into_ranges(all_points, whole ? all_points : sizes.points);
    // Voxels as sources come in whole rows or planes, too.
    const std::size_t together = job.adjoint ? 1 : voxels_.together();
    const std::size_t sources_of_a_piece =
        whole ? all_sources
              : std::min(all_sources, std::max(together, sizes.sources / together * together));
    const std::vector<Range> sources = split_into_ranges(all_sources, sources_of_a_piece);
    const std::vector<Range> coil_ranges = split_into_ranges(job.coils, sizes.coils);
    if (points.size() * sources.size() > 1) {
        transforms_.note(text("processed in pieces: the device has room for ", points.front().count,
                              " of ", all_points, job.adjoint ? " voxels and " : " samples and ",
                              sources.front().count, " of ", all_sources,
                              job.adjoint ? " samples" : " voxels"));
    }
    const Element complex{true, transforms_.precision()};
    const auto pieces = static_cast<double>(points.size() * coil_ranges.size() * sources.size());
    double done = 0;
    error_ = 0;
    for (const Range& at : points) {
        for (const Range& coils : coil_ranges) {
            Array out = device.zeros(coils.count * at.count, complex);
            for (const Range& from : sources) {
                Transform& transform =
                    job.adjoint ? transform_of(from, at) : transform_of(at, from);
                Array in = device.zeros(coils.count * from.count,
                                        {!job.real_values, transforms_.precision()});
                job.load(coils, from, in);
                const Progress of_piece = [&](double fraction) {
                    job.progress((done + fraction) / pieces);
                };
                const auto compute = [&](Array& result) {
                    if (job.adjoint) {
                        transform.adjoint(in, result, of_piece);
                    } else {
                        transform.forward(in, result, of_piece);
                    }
                };
                if (from.first == 0) {
                    compute(out);
                } else {
                    Array part = device.zeros(coils.count * at.count, complex);
                    compute(part);
                    device.combine(1, part, 1, out);
                }
                // Adding the pieces rounds once more a piece.
                error_ = std::max(
                    error_, (job.adjoint ? transform.adjoint_error() : transform.forward_error()) +
                                static_cast<double>(sources.size() - 1) *
                                    unit_roundoff(transforms_.precision()));
                done += 1;
            }
            job.take(coils, at, out);
        }
    }
    if (!whole) {
        transform_.reset();
    }
}

} // namespace lsrecon
