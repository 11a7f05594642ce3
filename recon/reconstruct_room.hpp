#pragma once

#include <string>

#include "engines/transforms.hpp"
#include "reconstruct_file.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

/// Asks whether the host has room for a reconstruction before samples are read, on the grid that
/// --matrix asks for. Those of raw data come with their trajectories: what depends on these, the
/// terms of off-resonance and the frames that are solved together, is asked for between the two.
class ReconstructRoom {
public:
    /// All must outlive it.
    ReconstructRoom(const std::string& scan_file, Transforms& transforms,
                    const FileOptions& options)
        : file_(scan_file), transforms_(transforms), options_(options) {}

    /// From shapes alone, before any value is read: InputError when the host has no room. Notes
    /// that the solver will run on the CPU when the device has none.
    void require(const ScanShape& shape) const;

    /// Once everything but samples is known, with what that takes. The number of terms of
    /// off-resonance is an upper estimate from the extremes of the field map and the times, of
    /// --field-map FILE as it is stored; the device is asked for the exact number when the solver
    /// is made. InputError as above, and as of require_joint_room.
    void require(const Scan& scan) const;

private:
    Grid grid_of(const Grid& of_file) const;
    std::size_t coils_of(std::size_t stored) const;
    bool has_maps(std::size_t coils, std::size_t stored_maps) const;
    std::shared_ptr<const OffResonance> field_of(const Scan& scan) const;
    void add_volumes_of_slices(HostMemory& memory, const OffResonance* field) const;
    SolveOptions solving(Products products) const;

    const std::string& file_;
    Transforms& transforms_;
    const FileOptions& options_;
};

} // namespace lsrecon
