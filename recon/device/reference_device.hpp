#pragma once

#include "device/device.hpp"

namespace lsrecon {

/// Plain loops in double precision on the host, FFT by FFTW: the oracle. All of its arrays are
/// HostNumbers in double precision, even where single was asked for.
std::unique_ptr<Device> make_reference_device();

/// The clock of the reference device, which counts what it is told.
class StopWatch : public Clock {
public:
    void restart() override { seconds_ = 0; }
    double seconds() const override { return seconds_; }
    void add(double seconds) { seconds_ += seconds; }

private:
    double seconds_ = 0;
};
StopWatch& reference_clock(Device& device);

} // namespace lsrecon
