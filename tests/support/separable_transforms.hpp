#pragma once

#include "engines/transforms.hpp"

namespace lsrecon::test {

/// Those of the separable engine with these parameters for every stage. What it notes is added to
/// `notes`, one line a note.
inline std::unique_ptr<Transforms> separable_with(const Parameters& parameters, Precision precision,
                                                  double memory = 0, std::string* notes = nullptr) {
    ComputeOptions options{"opencl", "", "separable", parameters, precision};
    options.device_memory = memory;
    options.note = [notes](const std::string& note) {
        if (notes != nullptr) {
            *notes += note + "\n";
        }
    };
    return open_transforms(options);
}

} // namespace lsrecon::test
