// The options of the preparation of a scan, and the sources of its maps and field.

#pragma once

#include <optional>
#include <string>
#include <variant>

#include "model/estimated_maps.hpp"
#include "model/geometry.hpp"
#include "model/leave_out.hpp"
#include "model/line_correction.hpp"
#include "scan/coil_transform.hpp"
#include "scan/delays.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

struct DefaultSource {};
struct NoSource {};
/// A file whose values come beside the scan.
struct NamedFile {
    std::string name;
};

/// The echoes of the scan itself.
struct FromEchoes {};

/// The source of coil maps, and of a field map.
using MapsSource = std::variant<DefaultSource, NoSource, const MapsMethod*, NamedFile>;
struct FieldSource : std::variant<DefaultSource, NoSource, FromEchoes, NamedFile> {
    using variant::variant;
    bool is_refined = false; ///< whether the scan itself corrects it
};

/// The source that a word names: "none", "auto" for the field of echoes, "refine" or
/// "refine:SOURCE" for a field that is refined, the name of a row of maps_methods() or of a file;
/// "" for the default.
MapsSource maps_source(const std::string& word);
FieldSource field_source(const std::string& word);
/// The word that names a source.
std::string word_of(const MapsSource& source);
std::string word_of(const FieldSource& source);
template <typename Source> bool is_default(const Source& source) {
    return std::holds_alternative<DefaultSource>(source);
}
inline bool is_of_echoes(const FieldSource& source) {
    return std::holds_alternative<FromEchoes>(source);
}
template <typename Source> bool is_none(const Source& source) {
    return std::holds_alternative<NoSource>(source);
}
/// The name of the file; "" of another source.
template <typename Source> std::string file_of(const Source& source) {
    const NamedFile* const file = std::get_if<NamedFile>(&source);
    return file != nullptr ? file->name : "";
}

/// The source of delays of gradients and phases of readouts. By default those that the scan shows
/// are corrected where readouts are radial, and reported elsewhere.
struct FromScan {};
using DelaysSource = std::variant<DefaultSource, NoSource, FromScan, Delays>;

struct PrepareOptions {
    LeaveOut leave_out;
    GeometryOptions geometry;
    LineCorrectionOptions lines;
    bool whiten = true; ///< whether noise is whitened where the scan has it
    CoilCompression compression;
    DelaysSource delays;
    MapsSource maps; ///< by default the scan's own, or ESPIRiT where several coils have none
    MapsOptions estimate;
    bool keep_coils = false; ///< whether each coil is an image, and they are not combined
    std::optional<std::size_t> stack_slice; ///< the one slice of a stack that is solved
    FieldSource field_map; ///< by default the scan's own
    double field_scale = 1; ///< factor on the field map

    // Inputs beside the scan, where they are named above:
    std::optional<StoredVolumes> stored_maps = {};
    std::optional<StoredVolumes> stored_field = {};
    std::string prior = {}; ///< what messages call the image that regularisers compare with
    std::optional<StoredVolumes> stored_prior = {};
};

} // namespace lsrecon
