#pragma once

#include "io/hdf5_child.hpp"
#include "io/hdf5_types.hpp"

namespace lsrecon {

/// A dataset that stays open, with the chunks that HDF5 keeps of it: frames are asked for one after
/// the other, and a chunk may hold some of each.
struct Hdf5Dataset {
    std::string name;
    Hdf5Handle handle;
    double cache_bytes = 0;
};

/// What the parts of the child work on.
struct Hdf5Served {
    const Connection& parent;
    hid_t file;
    hid_t link_access; ///< follows no link into another file
    double file_bytes;
    Hdf5Dataset& values; ///< the last one whose values were asked for
};

/// Of the HDF5 call that has just failed.
Hdf5Failure hdf5_failure();

/// Throws it.
void require_hdf5(bool succeeded);

void send_part(const Connection& parent, const void* bytes, std::size_t size, bool failed = false);

/// Processor time for the answer, by the size of the file and of what is sent, at a rate that every
/// machine reaches; memory for HDF5 itself and for what is held at once.
void limit_answer(const Hdf5Served& served, double bytes_sent, double bytes_held);

Hdf5Handle open_object(const Hdf5Served& served, const std::string& name);

Hdf5Object survey(const Hdf5Served& served);
void send_values(const Hdf5Served& served, const Hdf5Request& request);
void send_table(const Hdf5Served& served, const Hdf5Request& request);
void send_texts(const Hdf5Served& served, const std::string& dataset);

/// HDF5 would leave a field unset that the file lacks, and the default would pass for a value.
bool has_members(hid_t stored, hid_t wanted);

bool holds_acquisitions(const Hdf5Served& served, const std::string& dataset);
void send_acquisition_headers(const Hdf5Served& served, const Hdf5Request& request);
void send_acquisitions(const Hdf5Served& served, const Hdf5Request& request);

} // namespace lsrecon
