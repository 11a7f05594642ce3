#pragma once

// The one file that includes niftilib: what reading and writing share.

#ifdef LSRECON_WITH_NIFTI
#include <memory>
#include <nifti1_io.h>
#include <string>

#include "scan/grid.hpp"

namespace lsrecon {

struct CloseZnz {
    void operator()(znzFile file) const { znzclose(file); }
};
/// A file of the library, compressed or not.
using ZnzFile = std::unique_ptr<znzptr, CloseZnz>;

using NiftiImage = std::unique_ptr<nifti_image, decltype(&nifti_image_free)>;

/// zlib hands on what is not compressed as it is. Null where the system refuses.
ZnzFile opened_znz(const std::string& path);

/// All of so many bytes, at most 1 GB at a time: zlib takes ints.
bool read_from(const ZnzFile& file, void* to, std::size_t bytes);

struct NiftiHeader {
    nifti_1_header fields{}; ///< in this machine's order of bytes
    bool swapped = false; ///< whether the file has the other one
};

/// Its sizeof_hdr is 0 where the file has none, and not that of NIfTI-1 in one of NIfTI-2.
NiftiHeader nifti_header_of(const std::string& path);

/// InputError for what is no NIfTI-1, for more dimensions than four, and for numbers that the
/// library would mend in silence.
void require_sound_header(const std::string& file, const nifti_1_header& header);

/// Sizes, lengths in mm, and the place where the file says it: from sform, or else from qform.
/// InputError for other units and for axes that are not at right angles.
Grid nifti_grid_of(const std::string& file, const nifti_1_header& fields,
                   const nifti_image& header);

} // namespace lsrecon
#endif
