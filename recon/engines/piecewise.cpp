// A transform whose points come in pieces that the device has room for, one after the other.

#include "engines/piecewise.hpp"

#include <tuple>

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
    std::optional<Range> share; ///< share of the voxels
};

Cost PiecewiseTransform::predicted(const std::string& stage, std::size_t coils) const {
    Cost cost = transforms_.predict(stage, points_, voxels_);
    const MachineModel& machine = transforms_.device().machine_model();
    const auto samples = static_cast<double>(points_.count());
    const double of_coil = cost.seconds - cost.once + samples * machine.value;
    cost.seconds = machine.making + samples * machine.sample + cost.once +
                   static_cast<double>(coils) * of_coil;
    return cost;
}

void PiecewiseTransform::adjoint(std::size_t coils, bool real_values, const Load& load,
                                 const Take& take, const Progress& progress,
                                 std::optional<Range> share) {
    run({true, coils, real_values, load, take, progress, share});
}

void PiecewiseTransform::forward(std::size_t coils, const Load& load, const Take& take,
                                 const Progress& progress) {
    run({false, coils, false, load, take, progress, {}});
}

Transform& PiecewiseTransform::transform_of(const Range& samples, const Range& voxels) {
    const auto same = [](const Range& a, const Range& b) {
        return a.first == b.first && a.count == b.count;
    };
    if (!transform_ || !same(samples, made_for_samples_) || !same(voxels, made_for_voxels_)) {
        transform_.reset(); // its memory is the next one's
        const bool all = samples.count == points_.count();
        if (!all) {
            const auto first = points_.positions.begin() + static_cast<long>(samples.first);
            some_.assign(first, first + static_cast<long>(samples.count));
            if (points_.times != nullptr) {
                some_times_ = points_.times->segment(static_cast<Eigen::Index>(samples.first),
                                                     static_cast<Eigen::Index>(samples.count));
            }
        }
        transform_ = transforms_.make(all ? points_ : SamplePoints(some_, some_times_),
                                      voxels_.part(voxels));
        made_for_samples_ = samples;
        made_for_voxels_ = voxels;
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

struct PiecewiseTransform::Pieces {
    bool whole; ///< all samples and voxels at once
    std::vector<Range> points;
    std::vector<Range> sources;
    std::vector<Range> coils;
    std::size_t count() const { return points.size() * sources.size() * coils.size(); }
};

PiecewiseTransform::Pieces PiecewiseTransform::pieces_of(const Job& job) const {
    const Device& device = transforms_.device();
    const std::size_t sources = job.adjoint ? points_.count() : voxels_.count();
    const std::size_t points = job.adjoint ? voxels_.count() : points_.count();
    // The memory that the engine needs beyond positions and values.
    const double own =
        predicted(job.adjoint ? "fhd" : "f", 1).device_bytes -
        cost_of_pieces({1, points_.count(), voxels_.count()}, transforms_.precision()).device_bytes;
    const PieceSizes sizes =
        fit_pieces({job.coils, sources, points, job.adjoint ? voxels_.together() : 1},
                   device.room() * share_of_values(job.coils) - std::max(0.0, own),
                   device.largest_array(), transforms_.precision());
    // The memory of an earlier call is room for this one.
    const bool is_whole = transform_ && made_for_samples_.count == points_.count() &&
                          made_for_voxels_.count == voxels_.count();
    const bool whole = is_whole || (sizes.sources == sources && sizes.points == points);
    // Voxels as sources come in whole rows or planes, too.
    const std::size_t together = job.adjoint ? 1 : voxels_.together();
    const std::size_t some = std::max(together, sizes.sources / together * together);
    return {whole,
            job.share ? std::vector<Range>{*job.share}
                      : split_into_ranges(points, whole ? points : sizes.points),
            split_into_ranges(sources, whole ? sources : std::min(sources, some)),
            split_into_ranges(job.coils, sizes.coils)};
}

std::optional<Range> PiecewiseTransform::share_of_rank(const std::string& stage,
                                                       std::size_t coils) const {
    JobRanks& ranks = transforms_.ranks();
    if (ranks.count() == 1) {
        return {};
    }
    bool pays = sharing_pays(stage, coils);
    ranks.broadcast(0, &pays, sizeof pays); // each predicts by the model of its own node
    if (!pays) {
        return {};
    }
    return lsrecon::share_of_rank(voxels_.count(), voxels_.together(), ranks.rank(), ranks.count());
}

/// Whether ranks that each compute some of the voxels and then exchange them are faster than ranks
/// that compute all of them. Results must not depend on it, so that the engine has to give the same
/// bits for a part of the voxels.
bool PiecewiseTransform::sharing_pays(const std::string& stage, std::size_t coils) const {
    constexpr double bytes_per_second = 1e9; // from memory to memory, through host and network
    const std::size_t ranks = transforms_.ranks().count();
    if (voxels_.count() < voxels_.together() * ranks ||
        off_resonance_of(points_, voxels_) != nullptr ||
        !transforms_.engine_for(points_, voxels_).by_part) {
        return false;
    }
    const Job whole{true, coils, stage == "q", nullptr, nullptr, nullptr, {}};
    const double exchange = static_cast<double>(voxels_.count()) *
                            static_cast<double>(Element{true, transforms_.precision()}.bytes()) /
                            bytes_per_second;
    const double saved = predicted(stage, coils).seconds * (1 - 1 / static_cast<double>(ranks));
    return pieces_of(whole).points.size() == 1 && saved > exchange;
}

/// Adds the transform of one piece of the sources to `out`, or begins with it.
void PiecewiseTransform::add_piece(const Job& job, const Range& coils, const Range& from,
                                   const Range& at, const Progress& progress, Array& out) {
    Device& device = transforms_.device();
    Transform& transform = job.adjoint ? transform_of(from, at) : transform_of(at, from);
    Array in = device.zeros(coils.count * from.count, {!job.real_values, transforms_.precision()});
    job.load(coils, from, in);
    const auto compute = [&](Array& result) {
        if (job.adjoint) {
            transform.adjoint(in, result, progress);
        } else {
            transform.forward(in, result, progress);
        }
    };
    if (from.first == 0) {
        compute(out);
    } else {
        Array part = device.zeros(out.count(), out.element());
        compute(part);
        device.combine(1, part, 1, out);
    }
    error_ = std::max(error_, job.adjoint ? transform.adjoint_error() : transform.forward_error());
}

void PiecewiseTransform::run(const Job& job) {
    if (job.coils == 0 || points_.count() == 0 || voxels_.count() == 0) {
        return;
    }
    Device& device = transforms_.device();
    device.clock().restart();
    const Pieces pieces = pieces_of(job);
    if (!job.share && pieces.points.size() * pieces.sources.size() > 1) {
        const auto& [samples, voxels] = job.adjoint ? std::tie(pieces.sources, pieces.points)
                                                    : std::tie(pieces.points, pieces.sources);
        transforms_.info(text("processed in pieces: the device has room for ", voxels.front().count,
                              " of ", voxels_.count(), " voxels and ", samples.front().count,
                              " of ", points_.count(), " samples"));
    }
    const auto all = static_cast<double>(pieces.count());
    double done = 0;
    error_ = 0;
    for (const Range& at : pieces.points) {
        for (const Range& coils : pieces.coils) {
            Array out = device.zeros(coils.count * at.count, {true, transforms_.precision()});
            for (const Range& from : pieces.sources) {
                const Progress of_piece = [&](double fraction) {
                    job.progress((done + fraction) / all);
                };
                add_piece(job, coils, from, at, of_piece, out);
                done += 1;
            }
            job.take(coils, at, out);
        }
    }
    // Adding the pieces rounds once more a piece.
    error_ +=
        static_cast<double>(pieces.sources.size() - 1) * unit_roundoff(transforms_.precision());
    if (!pieces.whole) {
        transform_.reset();
    }
}

} // namespace lsrecon
