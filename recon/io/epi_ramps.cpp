#include "io/epi_ramps.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace lsrecon {

double Trapezoid::area(double t) const {
    const double up = std::clamp(t, 0.0, ramp_up);
    const double flat = std::clamp(t - ramp_up, 0.0, flat_top);
    const double down = std::clamp(t - ramp_up - flat_top, 0.0, ramp_down);
    const double rise = ramp_up > 0 ? up * up / (2 * ramp_up) : 0;
    const double fall = ramp_down > 0 ? down - down * down / (2 * ramp_down) : 0;
    return rise + flat + fall;
}

RampReadout positions_along(const Trapezoid& trapezoid, std::size_t matrix) {
    const double duration = trapezoid.dwell * static_cast<double>(trapezoid.samples);
    const double covered =
        trapezoid.area(trapezoid.delay + duration) - trapezoid.area(trapezoid.delay);
    const double center = trapezoid.area(trapezoid.delay + duration / 2);
    RampReadout readout;
    for (std::size_t i = 0; i < trapezoid.samples; ++i) {
        const double t = trapezoid.delay + trapezoid.dwell * (static_cast<double>(i) + 0.5);
        readout.k.push_back(static_cast<double>(matrix) * (trapezoid.area(t) - center) / covered);
    }
    return readout;
}

std::optional<Trapezoid> read_trapezoid(const XmlElement& encoding) {
    const std::vector<XmlElement> descriptions = encoding.all("trajectoryDescription");
    if (descriptions.empty() || descriptions.front().word("identifier") != "ConventionalEPI") {
        return std::nullopt;
    }
    const XmlElement& description = descriptions.front();
    const auto value = [&](const std::string& name) {
        for (const std::string kind : {"userParameterLong", "userParameterDouble"}) {
            for (const XmlElement& parameter : description.all(kind)) {
                if (parameter.word("name") != name) {
                    continue;
                }
                const auto number = parameter.number("value");
                if (!number || *number < 0) {
                    parameter.refuse("value", "a number from 0 for " + name);
                }
                return *number;
            }
        }
        description.refuse("userParameterLong " + name,
                           "one of rampUpTime, flatTopTime, rampDownTime, acqDelayTime, dwellTime "
                           "(us) and numSamples, which say where samples lie");
    };
    Trapezoid trapezoid;
    trapezoid.ramp_up = value("rampUpTime");
    trapezoid.flat_top = value("flatTopTime");
    trapezoid.ramp_down = value("rampDownTime");
    trapezoid.delay = value("acqDelayTime");
    trapezoid.dwell = value("dwellTime");
    const double samples = value("numSamples");
    const double end = trapezoid.ramp_up + trapezoid.flat_top + trapezoid.ramp_down;
    constexpr double most_samples = 65535; // of an acquisition
    constexpr double rounding = 1; // us: times of a header may be whole ones
    const double last = trapezoid.delay + samples * trapezoid.dwell;
    const bool whole = samples == std::floor(samples) && samples >= 1 && samples <= most_samples;
    if (!whole || !(trapezoid.area(last) > trapezoid.area(trapezoid.delay)) ||
        last > end + rounding) {
        description.refuse("identifier",
                           text("samples within the gradient's ", end, " us; ", samples, " of ",
                                trapezoid.dwell, " us begin at ", trapezoid.delay, " us"));
    }
    trapezoid.samples = static_cast<std::size_t>(samples);
    return trapezoid;
}

} // namespace lsrecon
