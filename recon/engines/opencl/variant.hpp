#pragma once

#include <string>
#include <vector>

#include "base/tolerance.hpp"
#include "engines/backend.hpp"

namespace lsrecon::opencl {

/// How a chunk of sources lies in memory. `vectors` are structs of whole float4, their low parts in
/// radians, and whole runs of them (kernels/tuned.cl).
enum class SourceLayout { none, arrays, structs, vectors };

/// RUN of kernels/transform.h: sources that are summed before their sum goes to the total.
constexpr std::size_t sources_of_a_run = 32;

/// How a kernel computes in single precision: how wrong it is, and how fast it may be.
struct Arithmetic {
    tolerance::Rounding rounding = {};
    PairCost cost = {};
};

/// What --kernel names: a row of the table of engines.
struct Variant {
    std::string name;
    Arithmetic arithmetic = {}; ///< none where its transforms know by themselves
    SourceLayout layout = SourceLayout::none; ///< of the direct engine, whose file is NAME.cl
    /// Where a parameter of the kernel has this value, another arithmetic.
    struct Choice {
        std::string parameter;
        int value;
        Arithmetic arithmetic;
    };
    std::vector<Choice> choices = {};

    const Arithmetic& arithmetic_by(const Parameters& parameters) const;
};

} // namespace lsrecon::opencl
