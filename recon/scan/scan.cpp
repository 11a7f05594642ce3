// Selects samples of trajectories and frames, sums squares of coil maps, and serves a scan that is
// in memory.

#include "scan/scan.hpp"

#include <algorithm>

#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "scan/check.hpp"

namespace lsrecon {

double Trajectory::sum_of_weights() const {
    return weights.size() > 0 ? weights.sum() : static_cast<double>(samples());
}

RealVector Trajectory::q_weights() const {
    auto result = unwritten<RealVector>(static_cast<Eigen::Index>(samples()));
    for_each_segment(result, [&](auto segment, Eigen::Index first) {
        if (weights.size() > 0) {
            segment = weights.segment(first, segment.size());
        } else {
            segment.setOnes();
        }
        if (phi.size() > 0) {
            segment.array() *= phi.segment(first, segment.size()).array().abs2();
        }
    });
    return result;
}

Trajectory subset(const Trajectory& trajectory, const std::vector<std::size_t>& indices) {
    const auto taken = [&](const auto& values) {
        using Values = std::decay_t<decltype(values)>;
        return values.size() > 0 ? Values(values(indices)) : Values();
    };
    Trajectory result;
    result.positions.reserve(indices.size());
    for (const std::size_t m : indices) {
        result.positions.push_back(trajectory.positions[m]);
    }
    result.phi = taken(trajectory.phi);
    result.weights = taken(trajectory.weights);
    result.times = taken(trajectory.times);
    return result;
}

Frame subset(const Frame& frame, const std::vector<std::size_t>& indices) {
    CoilRows samples = frame.samples.visit([&](const auto& values) {
        typename std::decay_t<decltype(values)>::PlainObject chosen(
            values.rows(), static_cast<Eigen::Index>(indices.size()));
        for_each_in_parallel(static_cast<std::size_t>(values.rows()), [&](std::size_t row) {
            const auto r = static_cast<Eigen::Index>(row);
            chosen.row(r) = values.row(r)(indices);
        });
        return CoilRows(std::move(chosen));
    });
    return {std::make_shared<const Trajectory>(subset(*frame.trajectory, indices)),
            std::move(samples), frame.label, frame.position};
}

std::size_t Scan::most_samples() const {
    std::size_t most = 0;
    for (const Frame& frame : frames) {
        most = std::max(most, frame.trajectory->samples());
    }
    return most;
}

CoilRows rows_of(const OffResonance& field) {
    CoilMatrix rows(field.r2star.size() > 0 ? 2 : 1, field.field.size());
    rows.row(0) = field.field.transpose().cast<Complex>();
    if (rows.rows() > 1) {
        rows.row(1) = field.r2star.transpose().cast<Complex>();
    }
    return CoilRows(std::move(rows));
}

RealVector squares_of(const CoilRows& coil_maps) {
    auto sums = unwritten<RealVector>(static_cast<Eigen::Index>(coil_maps.columns()));
    constexpr std::size_t voxels_at_a_time = 4096; // which caches hold
    const std::vector<Range> ranges = split_into_ranges(coil_maps.columns(), voxels_at_a_time);
    coil_maps.visit([&](const auto& maps) {
        for_each_in_parallel(ranges.size(), [&](std::size_t r) {
            const auto first = static_cast<Eigen::Index>(ranges[r].first);
            const auto count = static_cast<Eigen::Index>(ranges[r].count);
            sums.segment(first, count).setZero();
            for (Eigen::Index c = 0; c < maps.rows(); ++c) {
                sums.segment(first, count) += maps.row(c)
                                                  .segment(first, count)
                                                  .template cast<Complex>()
                                                  .cwiseAbs2()
                                                  .transpose();
            }
        });
    });
    return sums;
}

RealVector seen_by(const CoilRows& coil_maps) {
    RealVector seen = squares_of(coil_maps);
    for_each_segment(seen, [](auto segment, Eigen::Index) {
        segment = (segment.array() > 0).template cast<double>();
    });
    return seen;
}

SumOfSquares sum_of_squares(const CoilRows& coil_maps) {
    SumOfSquares result;
    for (const double sum : squares_of(coil_maps)) {
        result.largest = std::max(result.largest, sum);
        result.mean += sum;
        result.voxels += sum > 0 ? 1 : 0;
    }
    result.mean /= std::max<double>(1, static_cast<double>(result.voxels));
    return result;
}

FramesInMemory::FramesInMemory(Scan scan) : scan_(std::move(scan)) {
    check(scan_);
    require_samples(scan_);
    for (Frame& frame : scan_.frames) {
        samples_.push_back(std::move(frame.samples));
        frame.samples = CoilRows(samples_.back().rows(), 0, samples_.back().precision());
    }
    while (samples_[first_good_].largest_part() == 0) {
        ++first_good_; // check() found one that is not
    }
}

Scan FramesInMemory::take_scan() {
    Scan scan = std::move(scan_);
    scan_ = {};
    scan_.frames = scan.frames;
    return scan;
}

Frame FramesInMemory::frame(std::size_t index) {
    Frame frame = scan_.frames[index];
    frame.samples = samples_.size() == 1 ? std::move(samples_[index]) : samples_[index];
    return frame;
}

} // namespace lsrecon
