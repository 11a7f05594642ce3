#pragma once

#include "base/child_process.hpp"
#include "base/input_file.hpp"
#include "io/hdf5_snapshot.hpp"

namespace lsrecon {

// HDF5 (1.10 and 1.14) crashes on some damaged files, never comes back from others and allocates
// whatever length they hold. It therefore reads files in a child process only; what the child sends
// is all that the rest of the program ever sees of a file.

struct Hdf5Request {
    enum class What { snapshot, values, texts, acquisition_type, acquisitions };
    What what = What::snapshot;
    std::string dataset;
    std::uint64_t first = 0; ///< acquisition

    template <typename Archive> void each(Archive& archive) { archive(what, dataset, first); }
};

/// Why the child could not do what was asked.
struct Hdf5Failure {
    enum class Why {
        no_hdf5,
        open_elsewhere, ///< for writing
        marked_open, ///< for writing, by a program that may have crashed
        replaced, ///< another file has its name now
        memory,
        damaged
    };
    Why why = Why::damaged;
    std::string said; ///< HDF5's own words

    template <typename Archive> void each(Archive& archive) { archive(why, said); }
};

/// Stands before each part of an answer, and says how long it is. A part that failed is a packed
/// Hdf5Failure, and the last one.
struct Hdf5PartHead {
    std::uint64_t bytes = 0;
    std::uint64_t failed = 0;
};

/// The first part of the answer to `values`; the others hold the numbers themselves, in order.
struct Hdf5ValuesHead {
    bool single = false; ///< floats, or doubles
    std::uint64_t numbers = 0; ///< two a complex value

    template <typename Archive> void each(Archive& archive) { archive(single, numbers); }
};

/// Answers requests until the parent goes away.
void serve_hdf5(const Connection& parent, const InputFile& file);

} // namespace lsrecon
