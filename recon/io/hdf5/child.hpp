// The child process that reads HDF5: what it is asked, and how it is started.

#pragma once

#include "base/connection.hpp"
#include "io/hdf5/object.hpp"

namespace lsrecon {

// HDF5 (1.10 and 1.14) crashes on some damaged files, never returns from others and allocates any
// length that they claim. It therefore reads files in a child process only; the rest of the program
// sees nothing of a file but what the child sends.

/// A request to a child.
struct Hdf5Request {
    enum class What {
        about, ///< an Hdf5Object
        numbers, ///< numbers of a dataset, in order, in the precision that its shape declares
        texts, ///< all of a dataset, a list of strings
        /// Rows of a table: a part holds whole rows, each with the floats of its lists behind it.
        rows
    };
    What what = What::about;
    std::string object;
    /// Indices of the first dimension: the first of each stretch and the one after its last.
    /// Numbers have one stretch.
    std::vector<std::uint64_t> stretches{};
    /// The fields of rows.
    std::vector<Hdf5Field> fields{};
    std::uint64_t row_bytes = 0;

    template <typename Archive> void each(Archive& archive) {
        archive(what, object, stretches, fields, row_bytes);
    }
};

/// Stands before each part of an answer. The last part may be a packed Hdf5Refusal.
struct Hdf5PartHead {
    std::uint64_t bytes = 0;
    std::uint64_t refused = 0;
};

/// The connection of a new child that reads the file of this descriptor. std::system_error where no
/// process can be started. Any thread of any process may call it.
Connection start_hdf5_child(int file);

/// Prepares the children in main, before the program has threads: they come from a copy of this
/// process as it is now. Without this call they come from a small program, which takes longer to
/// start.
void start_hdf5_children_from_here();

/// Serves as that copy or program, which has no threads: forks a child for each connection and file
/// that come over `orders`, until its other end is closed. It keeps no other descriptor.
[[noreturn]] void serve_hdf5_files(int orders);

} // namespace lsrecon
