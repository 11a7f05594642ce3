// What the tables of formats call where ISMRMRD is not built in: images and raw data in HDF5 are
// known, and refused.

#include "base/error.hpp"
#include "io/hdf5/reader.hpp"
#include "io/ismrmrd/formats.hpp"

namespace lsrecon {

namespace {

[[noreturn]] void refuse_ismrmrd(const std::string& path) {
    throw NotBuiltError(path + ": ISMRMRD raw data or images, which are not built in\n  next:     "
                               "configure with -DLSRECON_WITH_ISMRMRD=ON");
}

} // namespace

ScanHeader open_ismrmrd(const std::shared_ptr<const Hdf5Reader>& file, const ReadOptions&) {
    refuse_ismrmrd(file->path());
}

bool is_ismrmrd_stream(const InputFile&) {
    return false;
}

ScanHeader open_ismrmrd_stream(const InputFile& file, const ReadOptions&) {
    refuse_ismrmrd(file.path());
}

void require_ismrmrd_holds(const std::string& path, const Simulation&) {
    refuse_ismrmrd(path);
}

void write_ismrmrd_scan(const std::string& path, const Simulation&, Reporter&) {
    refuse_ismrmrd(path);
}

void write_mrd_images(const StoredImage&, const ImageOutput& output, Reporter&) {
    refuse_ismrmrd(output.path);
}

bool holds_mrd_images(const std::string& path) {
    const Hdf5Reader file(path);
    for (const std::string& group : file.names()) {
        for (const std::string& series : file.names(group)) {
            if (file.is_dataset(group + "/" + series + "/header")) {
                return true;
            }
        }
    }
    return false;
}

StoredImage open_mrd_images(const std::string& path, const ImageInput&) {
    refuse_ismrmrd(path);
}

} // namespace lsrecon
