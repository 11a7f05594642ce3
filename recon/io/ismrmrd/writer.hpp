// A simulated scan as raw data of ISMRMRD: its rows of `data` and its header in XML.

#pragma once

#include "io/ismrmrd/file.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

struct IsmrmrdReadout {
    std::size_t first = 0; ///< sample of the frame
    std::size_t end = 0;
    std::size_t center = 0; ///< sample that is nearest to the centre of k-space, the first of these
};

IsmrmrdReadout readout_of(const Simulation& simulation, const Trajectory& trajectory,
                          std::size_t index);

/// The time between samples of a readout, in s; 0 without times.
double dwell_of(const Trajectory& trajectory, const IsmrmrdReadout& readout);

/// A scan as rows of `data`: first those of noise, then the readouts of every frame.
class IsmrmrdRows {
public:
    static constexpr const char* units = "cycles/voxel"; ///< units of trajectories

    /// The simulation must stay where it is.
    explicit IsmrmrdRows(const Simulation& simulation);

    std::size_t count() const { return noise_rows_ + scan_.frames.size() * readouts(); }
    IsmrmrdAcquisition row(std::size_t index) const;

private:
    std::size_t readouts() const { return simulation_.readout_ends.size(); }
    IsmrmrdAcquisition noise(std::size_t index) const;
    IsmrmrdAcquisition readout(std::size_t index) const;
    void set_counters(IsmrmrdHeader& head, std::size_t f, std::size_t r, const Vec3& k) const;

    const Simulation& simulation_;
    const Scan& scan_;
    Vec3 to_cycles_; ///< per field of view
    std::size_t noise_rows_;
};

/// The XML header, by the schema of version 1.
std::string ismrmrd_header_of(const Simulation& simulation);

} // namespace lsrecon
