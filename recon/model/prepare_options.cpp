// Converts the sources of maps and field from the words of options, and back for the record.

#include "model/prepare_options.hpp"

#include "base/error.hpp"
#include "base/option.hpp"

namespace lsrecon {

namespace {

const std::string none = "none";
const std::string of_echoes = "auto";
const std::string refined = "refine";

struct ToWord {
    std::string operator()(const DefaultSource&) const { return ""; }
    std::string operator()(const NoSource&) const { return none; }
    std::string operator()(const FromEchoes&) const { return of_echoes; }
    std::string operator()(const MapsMethod* method) const { return method->name; }
    std::string operator()(const NamedFile& file) const { return file.name; }
};

} // namespace

MapsSource maps_source(const std::string& word) {
    if (word.empty()) {
        return DefaultSource();
    }
    if (word == none) {
        return NoSource();
    }
    if (const MapsMethod* const method = maps_method_named(word)) {
        return method;
    }
    const std::string method = word.substr(0, word.find(':'));
    if (maps_method_named(method) != nullptr) {
        throw UsageError("`maps` " + word + ": no such method\n  expected: one of " +
                         comma_separated(names_of(maps_methods())) + ", or a file");
    }
    return NamedFile{word};
}

FieldSource field_source(const std::string& word) {
    if (word.empty()) {
        return DefaultSource();
    }
    const bool names_more = word.rfind(refined + ":", 0) == 0;
    if (word == refined || names_more) {
        FieldSource source = field_source(names_more ? word.substr(refined.size() + 1) : "");
        if (source.is_refined || is_none(source)) {
            throw UsageError("`field_map` " + word +
                             "\n  expected: refine, refine:auto or refine:FILE");
        }
        source.is_refined = true;
        return source;
    }
    if (word == of_echoes) {
        return FromEchoes();
    }
    return word == none ? FieldSource(NoSource()) : FieldSource(NamedFile{word});
}

std::string word_of(const MapsSource& source) {
    return std::visit(ToWord(), source);
}

std::string word_of(const FieldSource& source) {
    const std::string word = std::visit(ToWord(), static_cast<const FieldSource::variant&>(source));
    return source.is_refined ? refined + (word.empty() ? "" : ":") + word : word;
}

} // namespace lsrecon
