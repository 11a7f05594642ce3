#include "io/native_off_resonance.hpp"

#include "base/numbers.hpp"
#include "io/native_scan_parts.hpp"

namespace lsrecon::native {

namespace {

RealVector values_of(const Hdf5Reader& file, const std::string& name, const Extents& expected,
                     const std::string& meaning, const std::string& units) {
    const Hdf5Shape found = file.checked_shape(name, Hdf5Kind::real);
    if (found.extents != expected) {
        refuse(file, full_name(name), found.to_string(), shown(expected) + ", " + meaning,
               "make the sizes of the datasets agree");
    }
    const std::string quoted = "\"" + units + "\"";
    const std::string next = "convert the values and write the attribute";
    const std::string stored = file.attribute_text(name, "units", {quoted, next});
    if (stored != units) {
        refuse(file, attribute_name(name, "units"), "\"" + stored + "\"", quoted, next);
    }
    const std::vector<double> values = file.read_real(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
        require_finite(file, name, i, values[i]);
    }
    return Eigen::Map<const RealVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

} // namespace

RealVector read_times(const Hdf5Reader& file, std::size_t samples) {
    return values_of(file, "times", {samples}, "one value a trajectory point", "s");
}

OffResonance read_field_map(const Hdf5Reader& file, const Extents& expected,
                            const std::string& where) {
    OffResonance result;
    result.field = values_of(file, "field_map", expected, where, "Hz");
    if (!file.has("r2star")) {
        return result;
    }
    result.r2star = values_of(file, "r2star", expected, where, "1/s");
    for (Eigen::Index n = 0; n < result.r2star.size(); ++n) {
        if (result.r2star(n) < 0) {
            refuse(file, "/r2star",
                   shown(result.r2star(n)) + " at " + place(static_cast<std::size_t>(n), expected),
                   "numbers >= 0", "a signal decays; correct the values");
        }
    }
    return result;
}

void require_times(const Hdf5Reader& file, const ReadOptions& options) {
    if (file.has("field_map") && !file.has("times")) {
        refuse(file, "/times", "it is missing", "/field_map together with /times",
               "write when each sample was taken, in s; or remove /field_map");
    }
    if (file.has("times") && !file.has("field_map") && !options.with_times) {
        refuse(file, "/field_map", "it is missing", "/field_map together with /times",
               "write both or neither, or name a map by --field-map FILE");
    }
    if (file.has("r2star") && !file.has("field_map")) {
        refuse(file, "/field_map", "it is missing", "/r2star together with /field_map",
               "write a field map, of zeros where the field is right");
    }
    if (options.with_times && !file.has("times")) {
        refuse(file, "/times", "it is missing", "when each sample was taken, for --field-map",
               "write /times [M] with units s, or leave --field-map out");
    }
}

} // namespace lsrecon::native
