#pragma once

namespace lsrecon {

/// Seconds that a device has spent on transforms, without transfers to and from it.
class Clock {
public:
    virtual ~Clock() = default;
    virtual void restart() = 0;
    virtual double seconds() const = 0;
};

} // namespace lsrecon
