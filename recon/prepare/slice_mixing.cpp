#include "prepare/slice_mixing.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t positions_at_a_time = 65536;
constexpr std::size_t voxels_at_a_time = 4096;
/// The share of the mean Gram matrix of all slices that is added to that of each. A slice whose
/// maps are 0 then gets the virtual coils of the whole volume: another place, or an object that
/// moves, may have signal there.
constexpr double share_of_all = 1e-3;
constexpr std::size_t slices_at_a_time = 8; ///< a core's, so that no two write beside each other

/// Some lines of some coils, between k and slices: values are lines x coils x N, N fastest.
class HybridLines {
public:
    HybridLines(const CompleteLines& lines, std::size_t coils, std::size_t at_a_time)
        : lines_(lines), coils_(coils), at_a_time_(at_a_time),
          fft_({lines.length, 1, 1}, at_a_time * coils),
          values_(at_a_time * coils * lines.length, Complex(0)) {}

    /// From k to slices. Lines beyond the range are zeros.
    template <typename Values> void gather(const Values& samples, const Range& range) {
        std::fill(values_.begin(), values_.end(), Complex(0));
        visit(range, [&](std::size_t c, std::size_t m, Complex& value) {
            value = Complex(samples(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(m)));
        });
        fft_.backward(values_.data());
    }
    /// From slices to k; undoes gather.
    template <typename Values> void scatter(Values& samples, const Range& range) {
        fft_.forward(values_.data());
        const double scale = 1 / static_cast<double>(lines_.length);
        visit(range, [&](std::size_t c, std::size_t m, const Complex& value) {
            samples(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(m)) =
                static_cast<typename Values::Scalar>(scale * value);
        });
    }

    using Slice = Eigen::Map<Eigen::MatrixXcd, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
    /// Of voxels n of all these lines, coils x lines, times a phase each that only F undoes.
    Slice slice(std::size_t n) {
        const std::size_t length = lines_.length;
        const std::size_t at = (n + length - length / 2) % length; // x = (n - floor(N/2)) / N
        return {values_.data() + at,
                static_cast<Eigen::Index>(coils_),
                static_cast<Eigen::Index>(at_a_time_),
                {static_cast<Eigen::Index>(coils_ * length), static_cast<Eigen::Index>(length)}};
    }

private:
    template <typename Visit> void visit(const Range& range, const Visit& visit_one) {
        for_each_in_parallel(range.count, [&](std::size_t i) {
            const std::size_t* const of_line = &lines_.samples[(range.first + i) * lines_.length];
            Complex* value = &values_[i * coils_ * lines_.length];
            for (std::size_t c = 0; c < coils_; ++c) {
                for (std::size_t step = 0; step < lines_.length; ++step) {
                    visit_one(c, of_line[step], *value++);
                }
            }
        });
    }

    const CompleteLines& lines_;
    std::size_t coils_;
    std::size_t at_a_time_;
    Fft<double> fft_;
    std::vector<Complex> values_;
};

/// Of neighbouring slices' voxels.
std::size_t stride_of(const Grid& grid, std::size_t dimension) {
    std::size_t stride = 1;
    for (std::size_t d = 0; d < dimension; ++d) {
        stride *= grid.size[d];
    }
    return stride;
}

std::vector<Range> ranges_of(const CompleteLines& lines) {
    return split_into_ranges(lines.count(),
                             std::min(lines.count(), divide_up(positions_at_a_time, lines.length)));
}

/// visit(n) for every slice, on all cores.
template <typename Visit> void for_each_slice(std::size_t slices, const Visit& visit) {
    const std::vector<Range> ranges = split_into_ranges(slices, slices_at_a_time);
    for_each_in_parallel(ranges.size(), [&](std::size_t i) {
        for (std::size_t n = ranges[i].first; n < ranges[i].first + ranges[i].count; ++n) {
            visit(n);
        }
    });
}

/// S S^H of the maps, C x N, in each slice along a dimension.
std::vector<Eigen::MatrixXcd> grams(const CoilRows& maps, const Grid& grid, std::size_t dimension) {
    const auto coils = static_cast<Eigen::Index>(maps.rows());
    const std::size_t slices = grid.size[dimension];
    const std::size_t stride = stride_of(grid, dimension);
    const std::size_t in_slice = grid.voxels() / slices;
    std::vector<Eigen::MatrixXcd> result(slices, Eigen::MatrixXcd::Zero(coils, coils));
    const auto add = [&](const auto& values, std::size_t n, const Range& range) {
        Eigen::MatrixXcd part(coils, static_cast<Eigen::Index>(range.count));
        for (std::size_t i = range.first; i < range.first + range.count; ++i) {
            const std::size_t voxel = (i / stride * slices + n) * stride + i % stride;
            part.col(static_cast<Eigen::Index>(i - range.first)) =
                values.col(static_cast<Eigen::Index>(voxel)).template cast<Complex>();
        }
        result[n].noalias() += part * part.adjoint();
    };
    for_each_slice(slices, [&](std::size_t n) {
        for (const Range& range : split_into_ranges(in_slice, voxels_at_a_time)) {
            maps.visit([&](const auto& values) { add(values, n, range); });
        }
    });
    return result;
}

std::string name_of(std::size_t dimension) {
    return std::string(1, "xyz"[dimension]);
}

} // namespace

SliceMixing::SliceMixing(const Scan& scan, std::shared_ptr<const Sampling> sampling,
                         const CoilCompression& wanted)
    : file_(scan.file), grid_(scan.grid), off_resonance_(scan.off_resonance != nullptr),
      sampling_(std::move(sampling)) {
    if (scan.voxels) {
        throw UsageError("--compression geometric: the scan has /voxels, and slices are those of a "
                         "grid\n  next:     pass --compression svd");
    }
    if (scan.coil_maps.empty()) {
        throw InputError({file_, "coil maps, for --compression geometric", "none",
                          "maps of the scan, of --maps FILE, or estimated ones",
                          "pass --compression svd"});
    }
    lines_ = longest_lines(*sampling_);
    dimension_ = lines_.dimension;
    const std::vector<Eigen::MatrixXcd> of_maps = grams(scan.coil_maps, grid_, dimension_);
    const Eigen::MatrixXcd mean =
        std::accumulate(of_maps.begin() + 1, of_maps.end(), of_maps.front()) /
        static_cast<double>(of_maps.size());
    of_slice_.resize(of_maps.size());
    Eigen::VectorXd energies = Eigen::VectorXd::Zero(mean.rows()); // of all slices
    for (std::size_t n = 0; n < of_slice_.size(); ++n) {
        of_slice_[n] = coil_energies(of_maps[n] + share_of_all * mean).mixing;
        energies += (of_slice_[n] * of_maps[n] * of_slice_[n].adjoint()).diagonal().real();
    }
    if (!(energies.sum() > 0)) {
        throw InputError({file_, "coil maps, for --compression geometric", "zeros alone",
                          "maps of coils that see the object", "pass --compression svd"});
    }
    const KeptCoils kept = kept_coils(energies, wanted);
    energy_ = kept.energy;
    for (CoilMixing& mixing : of_slice_) {
        mixing.conservativeResize(static_cast<Eigen::Index>(kept.count), Eigen::NoChange);
    }
}

CompleteLines SliceMixing::longest_lines(const Sampling& sampling) const {
    std::vector<std::size_t> dimensions;
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid_.size[d] > 1) {
            dimensions.push_back(d);
        }
    }
    std::stable_sort(dimensions.begin(), dimensions.end(),
                     [&](std::size_t a, std::size_t b) { return grid_.size[a] > grid_.size[b]; });
    std::string missing;
    for (const std::size_t d : dimensions) {
        LinesFound found = lines_along(d, sampling, grid_, off_resonance_);
        if (found.missing.empty()) {
            return std::move(found.lines);
        }
        missing += text(missing.empty() ? "" : "; ", "along ", name_of(d), " ", found.missing);
    }
    throw InputError({file_, "lines of samples, for --compression geometric",
                      missing.empty() ? "a grid of one voxel" : missing,
                      "a dimension along which all samples lie on complete lines: one sample a "
                      "voxel, 1 cycle/FOV apart, with equal weights, phi and times",
                      "pass --compression svd"});
}

std::string SliceMixing::axis() const {
    return name_of(dimension_);
}

void SliceMixing::mix(Frame& frame) {
    if (frame.sampling != sampling_) {
        LinesFound found = lines_along(dimension_, *frame.sampling, grid_, off_resonance_);
        if (!found.missing.empty()) {
            throw InputError({file_, "lines of samples of a frame, for --compression geometric",
                              "along " + axis() + " " + found.missing,
                              "complete lines, as the first frame has them",
                              "leave the frame out with --frames, or pass --compression svd"});
        }
        sampling_ = frame.sampling;
        lines_ = std::move(found.lines);
    }
    const CoilRows& from = frame.samples;
    CoilRows to(coils(), from.columns(), from.precision());
    const std::vector<Range> ranges = ranges_of(lines_);
    HybridLines real(lines_, from.rows(), ranges.front().count);
    HybridLines virtual_ones(lines_, coils(), ranges.front().count);
    for (const Range& range : ranges) {
        from.visit([&](const auto& values) { real.gather(values, range); });
        for_each_slice(lines_.length, [&](std::size_t n) {
            const Eigen::MatrixXcd slice = real.slice(n);
            virtual_ones.slice(n) = of_slice_[n] * slice;
        });
        to.visit([&](auto& values) { virtual_ones.scatter(values, range); });
    }
    frame.samples = std::move(to);
}

CoilRows SliceMixing::maps(const CoilRows& maps) const {
    const std::size_t stride = stride_of(grid_, dimension_);
    const MixingOfColumn of_voxel = [&](std::size_t voxel) -> const CoilMixing& {
        return of_slice_[voxel / stride % grid_.size[dimension_]];
    };
    return mixed(of_voxel, maps);
}

} // namespace lsrecon
