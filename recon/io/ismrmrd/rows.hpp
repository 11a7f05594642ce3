#pragma once

#include <cstddef>

#include "io/ismrmrd/row.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

struct IsmrmrdReadout {
    std::size_t first = 0; ///< sample of the frame
    std::size_t end = 0;
    std::size_t center = 0; ///< sample that is nearest to the centre of k-space, the first of these
};

IsmrmrdReadout readout_of(const Simulation& simulation, const Sampling& sampling,
                          std::size_t index);

/// The time between samples of a readout, in s; 0 without times.
double dwell_of(const Sampling& sampling, const IsmrmrdReadout& readout);

/// A scan as rows of `data`: first those of noise, then the readouts of every frame.
class IsmrmrdRows {
public:
    static constexpr const char* units = "cycles/voxel"; ///< units of trajectories

    /// The simulation must stay where it is.
    explicit IsmrmrdRows(const Simulation& simulation);

    std::size_t count() const { return noise_rows_ + scan_.frames.size() * readouts(); }
    IsmrmrdRow row(std::size_t index) const;

private:
    std::size_t readouts() const { return simulation_.readout_ends.size(); }
    IsmrmrdRow noise(std::size_t index) const;
    IsmrmrdRow readout(std::size_t index) const;
    void set_counters(IsmrmrdRowHead& head, std::size_t f, std::size_t r, const Vec3& k) const;

    const Simulation& simulation_;
    const Scan& scan_;
    Vec3 to_cycles_; ///< per field of view
    std::size_t noise_rows_;
};

} // namespace lsrecon
