#include "base/error.hpp"
#include "io/nifti_file.hpp"
#include "io/nifti_header.hpp"

#ifdef LSRECON_WITH_NIFTI
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/file_bytes.hpp"
#include "base/input_file.hpp"
#include "base/numbers.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

namespace {

std::size_t numbers_a_value(const nifti_image& header) {
    return header.datatype == DT_COMPLEX64 || header.datatype == DT_COMPLEX128 ? 2 : 1;
}

template <typename Stored> float scaled(const nifti_image& header, const char* from) {
    Stored stored;
    std::memcpy(&stored, from, sizeof stored);
    if (header.scl_slope == 0) {
        return static_cast<float>(stored);
    }
    return static_cast<float>(header.scl_slope * static_cast<double>(stored) +
                              static_cast<double>(header.scl_inter));
}

using ToFloat = float (*)(const nifti_image& header, const char* from);

/// Null for what is no number, or one that this machine has not.
ToFloat to_float_of(int datatype) {
    switch (datatype) {
    case DT_UINT8:
        return &scaled<std::uint8_t>;
    case DT_INT8:
        return &scaled<std::int8_t>;
    case DT_UINT16:
        return &scaled<std::uint16_t>;
    case DT_INT16:
        return &scaled<std::int16_t>;
    case DT_UINT32:
        return &scaled<std::uint32_t>;
    case DT_INT32:
        return &scaled<std::int32_t>;
    case DT_UINT64:
        return &scaled<std::uint64_t>;
    case DT_INT64:
        return &scaled<std::int64_t>;
    case DT_FLOAT32:
    case DT_COMPLEX64:
        return &scaled<float>;
    case DT_FLOAT64:
    case DT_COMPLEX128:
        return &scaled<double>;
    default:
        return nullptr;
    }
}

/// The values of frame after frame. One that is asked for again is read again.
class Values {
public:
    Values(const std::string& path, NiftiImage header, bool swapped)
        : source_(path), file_(opened_znz(path)), header_(std::move(header)), swapped_(swapped) {}

    ImageValues operator()(std::size_t frame) const {
        const auto bytes_each = static_cast<std::size_t>(header_->nbyper);
        std::vector<char> bytes(voxels() * bytes_each);
        const std::size_t at = begin() + frame * bytes.size();
        if (!file_ || znzseek(file_.get(), static_cast<znz_off_t>(at), SEEK_SET) < 0 ||
            !read_from(file_, bytes.data(), bytes.size()) ||
            (frame + 1 == frames() && !ends_well())) {
            refuse_end(text("values of frame ", frame), "it is cut off or damaged");
        }
        source_.require_unchanged();
        const std::size_t numbers = numbers_a_value(*header_);
        const std::size_t number_bytes = bytes_each / numbers;
        if (swapped_) {
            nifti_swap_Nbytes(bytes.size() / number_bytes, static_cast<int>(number_bytes),
                              bytes.data());
        }
        const ToFloat to_float = to_float_of(header_->datatype);
        ImageValues values(voxels());
        for (std::size_t n = 0; n < values.size(); ++n) {
            const char* const value = bytes.data() + n * bytes_each;
            values[n] = {to_float(*header_, value),
                         numbers == 2 ? to_float(*header_, value + number_bytes) : 0.0F};
        }
        return values;
    }

    /// Before anything is read, where the file is not compressed.
    void require_size() const {
        const std::size_t declared =
            begin() + frames() * voxels() * static_cast<std::size_t>(header_->nbyper);
        if (!compressed() && source_.bytes() < declared) {
            refuse_end("file", text(source_.bytes(), " bytes in place of ", declared));
        }
    }

private:
    std::size_t voxels() const {
        return static_cast<std::size_t>(header_->nx) * static_cast<std::size_t>(header_->ny) *
               static_cast<std::size_t>(header_->nz);
    }
    std::size_t frames() const { return static_cast<std::size_t>(header_->nt); }
    std::size_t begin() const { return static_cast<std::size_t>(header_->iname_offset); }

    bool compressed() const {
        std::array<unsigned char, 2> begin{};
        return read_all(source_.descriptor(), begin.data(), begin.size(), 0) && begin[0] == 0x1f &&
               begin[1] == 0x8b;
    }

    /// zlib compares its checksum at the end, and says only on closing that the end is missing.
    bool ends_well() const {
        std::array<char, 4096> rest{};
        std::size_t read = rest.size();
        while (read == rest.size()) {
            read = znzread(rest.data(), 1, rest.size(), file_.get());
        }
        znzFile whole = file_.release();
        const bool closed = znzclose(whole) == 0;
        file_ = opened_znz(source_.path()); // frames may be asked for again
        return closed && read < rest.size();
    }

    [[noreturn]] void refuse_end(const std::string& thing, const std::string& found) const {
        throw InputError({source_.path(), thing, found, "all values that the header declares",
                          "copy the file again: it is not whole"});
    }

    InputFile source_;
    mutable ZnzFile file_;
    NiftiImage header_;
    bool swapped_;
};

/// Of the name without .gz.
bool is_half_of_pair(const std::string& path) {
    const std::string ending = ending_of(path);
    if (ending == "gz") {
        return is_half_of_pair(path.substr(0, path.size() - 3));
    }
    return ending == "hdr" || ending == "img";
}

std::string taken(char* name, const std::string& otherwise) {
    const std::unique_ptr<char, decltype(&std::free)> owner(name, &std::free);
    return name == nullptr ? otherwise : name;
}

} // namespace

std::vector<std::string> nifti_files(const std::string& path) {
    if (!is_half_of_pair(path)) {
        return {path};
    }
    nifti_set_debug_level(0); // it prints
    const std::string header = taken(nifti_findhdrname(path.c_str()), path);
    return {header, taken(nifti_findimgname(header.c_str(), NIFTI_FTYPE_NIFTI1_2), path)};
}

bool recognises_nifti(const std::string& path) {
    return nifti_header_of(nifti_files(path).front()).fields.sizeof_hdr != 0;
}

StoredImage open_nifti(const std::string& path, const ImageInput& input) {
    require_own_place(path, "NIfTI-1", input);
    nifti_set_debug_level(0);
    const std::string file = nifti_files(path).front();
    const NiftiHeader header = nifti_header_of(file);
    require_sound_header(file, header.fields);
    if (to_float_of(header.fields.datatype) == nullptr) {
        throw InputError({file, "datatype",
                          text(header.fields.datatype, " (",
                               nifti_datatype_to_string(header.fields.datatype), ")"),
                          "whole numbers, floats or complex numbers, of up to 64 bits each",
                          "write the image as one of them, with nibabel for example"});
    }
    NiftiImage parsed(nifti_convert_nhdr2nim(header.fields, nullptr), &nifti_image_free);
    if (!parsed) {
        throw InputError({file, "header", "niftilib cannot use it", "NIfTI-1",
                          "see whether the file is damaged"});
    }
    const bool one_file = NIFTI_ONEFILE(header.fields) != 0;
    if (!one_file && !is_half_of_pair(path)) {
        throw InputError({file, "magic", "the header of a pair of files", "NAME.hdr and NAME.img",
                          "give the two files these names"});
    }
    StoredImage image;
    image.file = one_file ? file : nifti_files(path).back();
    image.thing = "values";
    image.about.grid = nifti_grid_of(file, header.fields, *parsed);
    if (!image.about.grid.directions) {
        image.remarks.emplace_back("the NIfTI file does not say where it lies in the patient: its "
                                   "sform_code and qform_code are 0");
    }
    image.about.frames.resize(static_cast<std::size_t>(parsed->nt));
    image.part = numbers_a_value(*parsed) == 1 ? ImagePart::real : ImagePart::complex;
    HostMemory memory;
    memory.add("values", by(image.about.grid.size, 3) + " voxels",
               static_cast<double>(image.voxels()) *
                   static_cast<double>(sizeof(std::complex<float>) +
                                       static_cast<std::size_t>(parsed->nbyper)));
    memory.require(file);
    const auto values =
        std::make_shared<const Values>(image.file, std::move(parsed), header.swapped);
    values->require_size();
    image.values = [values](std::size_t frame) { return (*values)(frame); };
    return image;
}

} // namespace lsrecon

#else

namespace lsrecon {

std::vector<std::string> nifti_files(const std::string& path) {
    return {path};
}

/// Without the library the name has to do, for the message that it is not built in.
bool recognises_nifti(const std::string& path) {
    const std::string ending = ending_of(path);
    return ending == "nii" || ending == "nii.gz";
}

StoredImage open_nifti(const std::string&, const ImageInput&) {
    require_nifti();
    return {};
}

} // namespace lsrecon

#endif
