#pragma once

#include "base/child_process.hpp"
#include "base/input_file.hpp"
#include "io/hdf5_file.hpp"

namespace lsrecon {

// HDF5 (1.10 and 1.14) crashes on some damaged files, never returns from others and allocates any
// length that they claim. It therefore reads files in a child process only; the rest of the program
// sees nothing of a file but what the child sends.

struct Hdf5Request {
    enum class What {
        snapshot,
        values,
        texts,
        table,
        acquisition_type,
        acquisition_headers,
        acquisitions
    };
    What what = What::snapshot;
    std::string dataset;
    /// Indices of the first dimension.
    std::uint64_t first = 0;
    std::uint64_t count = 0; ///< 0: all that follow
    /// Of acquisitions: the first of a stretch and the one after its last, for each stretch.
    std::vector<std::uint64_t> stretches{};
    /// Of a table.
    std::vector<Hdf5Field> fields{};
    std::uint64_t row_bytes = 0;

    template <typename Archive> void each(Archive& archive) {
        archive(what, dataset, first, count, stretches, fields, row_bytes);
    }
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
/// There are none when the file has the numbers as this machine does, one after the other: the
/// parent then reads them from there.
struct Hdf5ValuesHead {
    bool single = false; ///< floats, or doubles
    std::uint64_t numbers = 0; ///< two a complex value
    std::uint64_t place = 0; ///< of the first of them in the file; 0 when parts follow

    template <typename Archive> void each(Archive& archive) { archive(single, numbers, place); }
};

/// Answers requests until the parent goes away.
void serve_hdf5(const Connection& parent, const InputFile& file);

} // namespace lsrecon
