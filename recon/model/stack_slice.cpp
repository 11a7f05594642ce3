// Sorts the samples of a stack by partitions, checks that these agree, and transforms along
// them.

#include "model/stack_slice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace lsrecon {

namespace {

/// Positions that differ by less are the same: phases at the edge of an image by 3e-4 rad.
constexpr double same = 1e-4; // cycles per field of view

/// How far the centre of a slice lies from that of the grid, in slices.
double steps_from_centre(std::size_t slice, std::size_t slices) {
    return static_cast<double>(slice) - static_cast<double>(slices / 2);
}

/// Samples in the order of their partitions, and within each as they were taken; where each
/// partition begins.
struct Partitions {
    std::vector<std::size_t> samples;
    std::vector<std::size_t> begins;

    explicit Partitions(const std::vector<Vec3>& positions) : samples(positions.size()) {
        std::iota(samples.begin(), samples.end(), std::size_t{0});
        const auto kz = [&](std::size_t m) { return positions[m][2]; };
        std::sort(samples.begin(), samples.end(),
                  [&](std::size_t a, std::size_t b) { return kz(a) < kz(b); });
        for (std::size_t i = 0; i < samples.size(); ++i) {
            if (i == 0 || kz(samples[i]) - kz(samples[begins.back()]) > 2 * same) {
                begins.push_back(i);
            }
        }
        for (std::size_t p = 0; p < begins.size(); ++p) {
            const std::size_t end = p + 1 < begins.size() ? begins[p + 1] : samples.size();
            std::sort(samples.begin() + static_cast<std::ptrdiff_t>(begins[p]),
                      samples.begin() + static_cast<std::ptrdiff_t>(end));
        }
    }
};

bool share_plane(const Trajectory& of, std::size_t a, std::size_t b) {
    const Vec3& one = of.positions[a];
    const Vec3& other = of.positions[b];
    const auto i = static_cast<Eigen::Index>(a);
    const auto j = static_cast<Eigen::Index>(b);
    return std::abs(one[0] - other[0]) < same && std::abs(one[1] - other[1]) < same &&
           (of.weights.size() == 0 || of.weights(i) == of.weights(j)) &&
           (of.times.size() == 0 || of.times(i) == of.times(j));
}

} // namespace

Grid slice_of_grid(const Grid& whole) {
    Grid grid = whole;
    grid.dimensions = 2;
    grid.fov_mm[2] /= static_cast<double>(whole.size[2]);
    grid.size[2] = 1;
    return grid;
}

StackSlice::StackSlice(std::size_t slice, Scan& scan)
    : file_(scan.file), slice_(slice), slices_(scan.grid.size[2]) {
    const bool is_stack = scan.grid.dimensions == 3 && !scan.voxels;
    if (!is_stack || slice >= slices_) {
        throw UsageError(
            text("`stack_slice` ", slice,
                 is_stack ? text("\n  expected: 0 to ", slices_ - 1, ", the slices of ", file_)
                          : ": " + file_ + " is not a 3D scan on a grid",
                 "\n  next:     ", is_stack ? "name one of them" : "leave it out"));
    }
    std::map<const Trajectory*, std::shared_ptr<const Change>> known;
    for (const Frame& frame : scan.frames) {
        std::shared_ptr<const Change>& change = known[frame.trajectory.get()];
        if (!change) {
            change = std::make_shared<const Change>(change_of(*frame.trajectory));
        }
        frames_.push_back(change);
    }
    for (std::size_t f = 0; f < frames_.size(); ++f) { // known by where they were
        scan.frames[f].trajectory = frames_[f]->trajectory;
    }
    scan.readouts.clear();
    for (const Frame& calibration : scan.calibrations) {
        scan.calibrations_unused.emplace_back(calibration.label, "are of the whole stack");
    }
    scan.calibrations.clear();
    const Grid whole = scan.grid;
    scan.grid = slice_of_grid(whole);
    take_volumes(scan);
    move_positions(scan, whole);
    const std::size_t partitions = frames_.front()->factors.size();
    if (!scan.noise.empty()) {
        scan.noise = CoilRows(
            CoilMatrix(scan.noise.to_doubles() / std::sqrt(static_cast<double>(partitions))));
    }
    scan.facts.push_back(text("slice ", slice, " of ", slices_,
                              " alone, by a Fourier transform of ", partitions,
                              " partitions (`stack_slice`)"));
}

void StackSlice::refuse(const std::string& found, const std::string& expected) const {
    throw InputError({file_, "trajectory, for `stack_slice`", found, expected,
                      "leave `stack_slice` out: these slices can only be solved together"});
}

StackSlice::Change StackSlice::change_of(const Trajectory& stored) const {
    if (stored.phi.size() > 0) {
        refuse("phi of voxels in 3D", "no phi");
    }
    const std::vector<Vec3>& k = stored.positions;
    Partitions found(k);
    const std::size_t count = found.begins.size();
    if (count < slices_) {
        refuse(text(counted(count, "partition"), " along z"),
               text("at least the ", slices_, " slices, which fewer leave mixed"));
    }
    const double step = static_cast<double>(slices_) / static_cast<double>(count);
    const double first = k[found.samples.front()][2];
    const std::size_t size = found.samples.size() / count;
    Change change;
    for (std::size_t p = 0; p < count; ++p) {
        const std::size_t begin = found.begins[p];
        const std::size_t end = p + 1 < count ? found.begins[p + 1] : found.samples.size();
        const double kz = k[found.samples[begin]][2];
        if (std::abs(kz - first - static_cast<double>(p) * step) > 10 * same) {
            refuse(text(count, " positions along z that are not ", rounded(step), " apart"),
                   "partitions at even distances, as many as fill the slices");
        }
        bool is_like_first = end - begin == size;
        for (std::size_t j = 0; is_like_first && j < size; ++j) {
            is_like_first = share_plane(stored, found.samples[j], found.samples[begin + j]);
        }
        if (!is_like_first) {
            refuse(
                text("partition ", p, " has other positions in its plane than the first"),
                "the same in all, in one order: angles that change from one partition to the next "
                "couple slices");
        }
        change.factors.push_back(std::polar(1 / static_cast<double>(count),
                                            2 * pi * kz * steps_from_centre(slice_, slices_) /
                                                static_cast<double>(slices_)));
    }
    std::vector<std::size_t> of_first(found.samples.begin(),
                                      found.samples.begin() + static_cast<std::ptrdiff_t>(size));
    auto trajectory = std::make_shared<Trajectory>(subset(stored, of_first));
    for (Vec3& position : trajectory->positions) {
        position[2] = 0;
    }
    change.trajectory = std::move(trajectory);
    change.samples = std::move(found.samples);
    return change;
}

void StackSlice::take_volumes(Scan& scan) const {
    const auto size = static_cast<Eigen::Index>(scan.grid.voxels());
    const auto first = static_cast<Eigen::Index>(slice_) * size;
    const auto slice_of = [&](const CoilRows& volumes) {
        return volumes.visit(
            [&](const auto& values) { return CoilRows(values.middleCols(first, size)); });
    };
    if (!scan.coil_maps.empty()) {
        scan.coil_maps = slice_of(scan.coil_maps);
    }
    if (scan.off_resonance) {
        scan.off_resonance = std::make_shared<const OffResonance>(
            scan.off_resonance->part({static_cast<std::size_t>(first), scan.grid.voxels()}));
    }
}

void StackSlice::move_positions(Scan& scan, const Grid& whole) const {
    const double mm = steps_from_centre(slice_, slices_) * scan.grid.fov_mm[2];
    const auto move = [mm](std::optional<Vec3>& position,
                           const std::optional<std::array<Vec3, 3>>& directions) {
        if (!position || !directions) {
            position.reset(); // nobody knows where this slice is
            return;
        }
        for (std::size_t i = 0; i < 3; ++i) {
            (*position)[i] += mm * (*directions)[2][i];
        }
    };
    move(scan.grid.position, whole.directions);
    for (Frame& frame : scan.frames) {
        move(frame.position, whole.directions);
        if (frame.turned) {
            move(frame.turned->position, frame.turned->directions);
        }
    }
}

void StackSlice::apply(std::size_t index, Frame& frame) const {
    const Change& change = *frames_[index];
    frame.trajectory = change.trajectory;
    if (frame.samples.empty()) {
        return;
    }
    const std::size_t size = change.trajectory->samples();
    frame.samples.visit([&](auto& values) {
        using Values = std::decay_t<decltype(values)>;
        Values sums(values.rows(), static_cast<Eigen::Index>(size));
        for (Eigen::Index c = 0; c < values.rows(); ++c) {
            for (std::size_t j = 0; j < size; ++j) {
                Complex sum = 0;
                for (std::size_t p = 0; p < change.factors.size(); ++p) {
                    const std::size_t m = change.samples[p * size + j];
                    sum += change.factors[p] * Complex(values(c, static_cast<Eigen::Index>(m)));
                }
                sums(c, static_cast<Eigen::Index>(j)) = static_cast<typename Values::Scalar>(sum);
            }
        }
        values = std::move(sums);
    });
}

} // namespace lsrecon
