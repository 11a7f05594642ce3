// Finds Cartesian lines beyond the matrix by their steps, separates more lines from a wrong centre
// by the strongest of them, and leaves out those that the matrix does not hold.

#include "io/ismrmrd/frames.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace lsrecon {

namespace {

/// The energy of the lines at each k along y or z, in cycles per field of view.
using LineEnergies = std::map<long, double>;

/// k along d of the readout that begins with this sample.
long line_of(const RawFrames& raw, const RawFrame& frame, std::size_t sample, std::size_t d) {
    return std::lround(frame.positions[sample * raw.dimensions() + d]);
}

LineEnergies energies_of(const RawFrames& raw, std::size_t d) {
    LineEnergies energies;
    for (const auto& [counters, frame] : raw.frames) {
        std::size_t begin = 0;
        for (const std::size_t end : frame.ends) {
            double energy = 0;
            for (const auto& of_coil : frame.values) {
                for (std::size_t m = begin; m < end; ++m) {
                    const double square = std::norm(of_coil[m]);
                    energy += std::isfinite(square) ? square : 0;
                }
            }
            if (begin < end) {
                energies[line_of(raw, frame, begin, d)] += energy;
            }
            begin = end;
        }
    }
    return energies;
}

/// The lines of a matrix of N voxels, of which the last one of an even N lies at N/2 - 1.
struct Held {
    long first;
    long last;

    explicit Held(std::size_t voxels)
        : first(-static_cast<long>(voxels / 2)), last(static_cast<long>(voxels) - 1 + first) {}
    bool has(long line) const { return line >= first && line <= last; }
};

/// The encoded space with so many voxels along d; on a field of view as much larger where lines are
/// `oversampled`.
Grid with_voxels(const Grid& encoded, std::size_t d, long voxels, bool oversampled = false) {
    Grid grid = encoded;
    grid.size[d] = static_cast<std::size_t>(voxels);
    if (oversampled) {
        grid.fov_mm[d] *= static_cast<double>(grid.size[d]) / static_cast<double>(encoded.size[d]);
    }
    return grid;
}

/// The voxels that hold lines from `first` to `last`.
long voxels_for(long first, long last) {
    return 2 * std::max(-first, last + 1);
}

/// InputError unless there are more lines than voxels, the strongest of them near k = 0.
void require_centre(const RawFrames& raw, const LineEnergies& energies, std::size_t d) {
    const Grid& encoded = raw.encoding.grid;
    const auto voxels = static_cast<long>(encoded.size[d]);
    const long centre = raw.encoding.encode_centers[d - 1];
    const long first = energies.begin()->first;
    const long last = energies.rbegin()->first;
    const auto by_energy = [](const auto& a, const auto& b) { return a.second < b.second; };
    const long strongest = std::max_element(energies.begin(), energies.end(), by_energy)->first;
    const long near = std::max(2L, voxels / 16);
    const bool is_central = std::abs(strongest) <= near;
    const bool are_more = last - first >= voxels;
    if (is_central && are_more) {
        return;
    }
    const Held held(encoded.size[d]);
    const long fitting = are_more ? centre + strongest
                                  : std::clamp(centre + strongest, centre + last - held.last,
                                               centre + first - held.first);
    const auto or_pass = [&](long more, const std::string& when) {
        return "; or pass " + header_options(with_voxels(encoded, d, more)) + ", if " + when;
    };
    const std::string step = text("kspace_encoding_step_", d, "/center");
    throw InputError(
        {raw.encoding.file,
         text(raw.encoding.dataset, ", kspace_encode_step_", d,
              " and its center in encodingLimits"),
         text("lines from ", first, " to ", last, " cycles per FOV, the strongest at ", strongest),
         text("between ", held.first, " and ", held.last, " for ", voxels,
              " voxels; or more lines than these around the strongest"),
         text("write ", fitting, " for ", step, " in the header, which ",
              raw.encoding.center_is_stored[d - 1] ? text("has ", centre) : "has none",
              is_central ? or_pass(voxels_for(first, last), "voxels are smaller")
              : raw.encoding.center_is_stored[d - 1]
                  ? ""
                  : or_pass(voxels_for(first - strongest, last - strongest),
                            "voxels are smaller"))});
}

/// Leaves the readouts of a frame that lie on lines of the matrix along d.
void keep_held(const RawFrames& raw, RawFrame& frame, std::size_t d) {
    const Held held(raw.encoding.grid.size[d]);
    RawBad bad;
    std::size_t samples = 0; // kept so far
    std::size_t readouts = 0;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < frame.ends.size(); ++r) {
        const std::size_t end = frame.ends[r];
        if (begin == end || held.has(line_of(raw, frame, begin, d))) {
            const auto move = [&](auto& values, std::size_t width) {
                const auto at = [&](std::size_t m) {
                    return values.begin() + static_cast<std::ptrdiff_t>(m * width);
                };
                std::copy(at(begin), at(end), at(samples));
            };
            move(frame.positions, raw.dimensions());
            move(frame.times, frame.times.empty() ? 0 : 1);
            for (auto& of_coil : frame.values) {
                move(of_coil, 1);
            }
            for (const auto& [readout, error] : frame.bad) {
                if (readout == r) {
                    bad.emplace_back(readouts, error);
                }
            }
            samples += end - begin;
            frame.ends[readouts] = samples;
            frame.segments[readouts] = frame.segments[r];
            frame.shifts[readouts] = frame.shifts[r];
            frame.dwells[readouts++] = frame.dwells[r];
        }
        begin = end;
    }
    frame.positions.resize(samples * raw.dimensions());
    frame.times.resize(frame.times.empty() ? 0 : samples);
    for (auto& of_coil : frame.values) {
        of_coil.resize(samples);
    }
    frame.ends.resize(readouts);
    frame.segments.resize(readouts);
    frame.shifts.resize(readouts);
    frame.dwells.resize(readouts);
    frame.bad = std::move(bad);
}

} // namespace

Findings leave_out_lines_beyond(RawFrames& raw) {
    Findings findings;
    for (std::size_t d = 1; d < raw.dimensions() && !raw.has_trajectory(); ++d) {
        const std::size_t voxels = raw.encoding.grid.size[d];
        if (raw.range[d] <= allowed_overshoot * 0.5 * static_cast<double>(voxels)) {
            continue;
        }
        const LineEnergies energies = energies_of(raw, d);
        require_centre(raw, energies, d);
        const long all = voxels_for(energies.begin()->first, energies.rbegin()->first);
        if (!raw.options.image.matrix.empty()) {
            continue;
        }
        const auto beyond = std::count_if(energies.begin(), energies.end(), [&](const auto& line) {
            return !Held(voxels).has(line.first);
        });
        for (auto& [counters, frame] : raw.frames) {
            keep_held(raw, frame, d);
        }
        for (auto& [counters, frame] : raw.calibrations) {
            keep_held(raw, frame, d);
        }
        findings.push_back(
            {Found::lines_beyond,
             {{"beyond", beyond}, {"lines", energies.size()}, {"voxels", voxels}},
             {{"steps", text("kspace_encode_step_", d)},
              {"smaller", header_options(with_voxels(raw.encoding.grid, d, all))},
              {"oversampled", header_options(with_voxels(raw.encoding.grid, d, all, true))}}});
    }
    return findings;
}

} // namespace lsrecon
