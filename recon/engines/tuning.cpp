// Enumerates the combinations of a search that fit a device.

#include "engines/tuning.hpp"

#include <algorithm>

namespace lsrecon {

namespace {

double value_of(const DeviceBound& bound, const Parameters& parameters) {
    double sum = 0;
    for (const std::vector<DeviceBound::Factor>& product : bound.sum) {
        double value = 1;
        for (const DeviceBound::Factor& factor : product) {
            const auto parameter = parameters.find(factor.parameter);
            value *= parameter == parameters.end() ? factor.constant : parameter->second;
        }
        sum += value;
    }
    return sum;
}

/// The product of the space, the last parameter running fastest.
std::vector<Parameters> combinations(const SearchSpace& space) {
    std::vector<Parameters> all{{}};
    for (const auto& [name, values] : space) {
        std::vector<Parameters> longer;
        for (const Parameters& shorter : all) {
            for (const int value : values) {
                longer.push_back(shorter);
                longer.back()[name] = value;
            }
        }
        all = std::move(longer);
    }
    return all;
}

} // namespace

bool fits(const Parameters& parameters, const std::vector<DeviceBound>& bounds,
          const DeviceNumbers& numbers) {
    return std::all_of(bounds.begin(), bounds.end(), [&](const DeviceBound& bound) {
        const auto number = numbers.find(bound.number);
        return number == numbers.end() || value_of(bound, parameters) <= number->second;
    });
}

Candidates candidates_of(const SearchSpace& space, const Parameters& first,
                         const std::vector<DeviceBound>& bounds, const DeviceNumbers& numbers) {
    Candidates result{{first}, 0};
    for (const Parameters& parameters : combinations(space)) {
        if (parameters == first) {
            continue;
        }
        if (fits(parameters, bounds, numbers)) {
            result.valid.push_back(parameters);
        } else {
            ++result.skipped;
        }
    }
    return result;
}

std::string to_text(const Parameters& parameters) {
    std::string result;
    for (const auto& [name, value] : parameters) {
        result += (result.empty() ? "" : " ") + name + "=" + std::to_string(value);
    }
    return result;
}

} // namespace lsrecon
