#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/hdf5_file.hpp"
#include "io/hdf5_session.hpp"
#include "scan/host_memory.hpp"

// Everything here looks up what the file declares.

namespace lsrecon {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& thing,
                         const std::string& found, const std::string& expected,
                         const std::string& next_step) {
    throw InputError({file, thing, found, expected, next_step});
}

template <typename Named>
const Named* find_in(const std::vector<Named>& all, const std::string& name) {
    for (const Named& one : all) {
        if (one.name == name) {
            return &one;
        }
    }
    return nullptr;
}

template <typename Named> std::vector<std::string> names_of(const std::vector<Named>& all) {
    std::vector<std::string> names;
    for (const Named& one : all) {
        names.push_back(one.name);
    }
    return names;
}

std::string missing(const Hdf5Storage& storage) {
    const std::string unit = storage.layout == Hdf5Layout::chunked ? "chunks" : "bytes";
    return text(storage.expected - storage.stored, " of ", storage.expected, " ", unit,
                " were never written");
}

/// The type and shape, and the value where it is a single one.
std::string found_in(const Hdf5Attribute& attribute) {
    const Hdf5Shape& shape = attribute.shape;
    if (!attribute.readable) {
        return "its value cannot be read";
    }
    if (shape.null || !shape.extents.empty()) {
        return shape.to_string();
    }
    if (shape.kind == Hdf5Kind::string) {
        return "string \"" + attribute.text + "\"";
    }
    return attribute.numbers.empty() ? shape.to_string()
                                     : shape.type_name + " " + shown(attribute.numbers.front());
}

} // namespace

Hdf5Reader::Hdf5Reader(const std::string& path)
    : path_(path), sessions_(std::make_unique<Hdf5Sessions>(path)) {
    auto session = sessions_->ask({}, "file");
    root_ = session->receive<Hdf5Object>();
    sessions_->give_back(std::move(session));
}

Hdf5Reader::~Hdf5Reader() = default;

void Hdf5Reader::start_hash() const {
    sessions_->file().start_hash();
}

void Hdf5Reader::require_unchanged() const {
    sessions_->file().require_unchanged();
}

std::string Hdf5Reader::sha256() const {
    return sessions_->file().sha256();
}

void Hdf5Reader::require_whole(const Hdf5Object& object, const std::string& name) const {
    if (!object.whole) {
        refuse(path_, full_name(name), "the list of what it holds cannot be read",
               "names of datasets, groups and attributes",
               "the file is damaged: transfer or write it again");
    }
}

const Hdf5Object* Hdf5Reader::find(const std::string& name) const {
    const Hdf5Object* object = &root_;
    for (std::size_t at = 0; object != nullptr && at < name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        if (end > at) {
            require_whole(*object, name.substr(0, at));
            object = find_in(object->members, name.substr(at, end - at));
        }
        at = end + 1;
    }
    return object;
}

bool Hdf5Reader::has(const std::string& name) const {
    return find(name) != nullptr;
}

bool Hdf5Reader::is_dataset(const std::string& name) const {
    const Hdf5Object* const object = find(name);
    return object != nullptr && object->is == Hdf5Is::dataset;
}

std::vector<std::string> Hdf5Reader::names(const std::string& group) const {
    const Hdf5Object* const object = find(group);
    if (object == nullptr) {
        return {};
    }
    require_whole(*object, group);
    return names_of(object->members);
}

const Hdf5Object& Hdf5Reader::dataset(const std::string& name) const {
    const std::string see = "see docs/formats.md for what a file holds";
    const Hdf5Object* const object = find(name);
    if (object == nullptr) {
        refuse(path_, full_name(name), "it is missing", "a dataset", see);
    }
    switch (object->is) {
    case Hdf5Is::dataset:
        return *object;
    case Hdf5Is::link_to_other_file:
        refuse(path_, full_name(name), "a link to another file",
               "a dataset of this file: what lies elsewhere is neither checked nor recorded",
               "copy the dataset into the file, with h5copy for example");
    case Hdf5Is::unreadable:
        refuse(path_, full_name(name), "no dataset: a damaged one, or a link to nothing",
               "a dataset", "transfer or write the file again");
    default:
        refuse(path_, full_name(name), "it is not a dataset", "a dataset", see);
    }
}

Hdf5Shape Hdf5Reader::shape(const std::string& name) const {
    return dataset(name).shape;
}

Hdf5Shape Hdf5Reader::checked_shape(const std::string& name, Hdf5Kind kind) const {
    const Hdf5Shape& found = dataset(name).shape;
    if (!fits(found.kind, kind)) {
        refuse(path_, full_name(name), found.to_string(), kind_name(kind),
               "write the dataset with the type that docs/formats.md gives");
    }
    if (found.elements() == 0) {
        refuse(path_, full_name(name), found.to_string(), "at least one element",
               "write its values; docs/formats.md says which datasets may be left out");
    }
    if (kind != Hdf5Kind::string) {
        HostMemory memory; // at least once, and no frame less
        const bool frames = found.extents.size() > 1;
        memory.add(full_name(name), found.to_string(),
                   static_cast<double>(frames ? found.row_elements() : found.elements()) *
                       static_cast<double>(found.number_bytes) *
                       (kind == Hdf5Kind::complex ? 2 : 1));
        memory.require(path_);
    }
    require_complete(name);
    return found;
}

void Hdf5Reader::require_complete(const std::string& name) const {
    const Hdf5Storage& storage = dataset(name).storage;
    if (storage.layout == Hdf5Layout::in_other_files) {
        refuse(path_, full_name(name), "its values lie in other files",
               "values in this file: what lies elsewhere is neither checked nor recorded",
               "write the values into the file itself, when every other file is in its place");
    }
    if (storage.stored < storage.expected) {
        refuse(path_, full_name(name), missing(storage),
               "all of its values, since HDF5 reads missing ones as 0",
               "see whether the program that wrote the file was stopped, and write it again");
    }
}

std::vector<std::string> Hdf5Reader::attribute_names(const std::string& object) const {
    const Hdf5Object* const found = find(object);
    if (found == nullptr) {
        return {};
    }
    require_whole(*found, object);
    return names_of(found->attributes);
}

bool Hdf5Reader::has_attribute(const std::string& object, const std::string& name) const {
    const Hdf5Object* const found = find(object);
    if (found == nullptr) {
        return false;
    }
    require_whole(*found, object);
    return find_in(found->attributes, name) != nullptr;
}

const Hdf5Attribute& Hdf5Reader::attribute(const std::string& object, const std::string& name,
                                           Hdf5Kind kind, const Hdf5Wanted& wanted) const {
    const auto refuse_it = [&](const std::string& found) {
        refuse(path_, attribute_name(object, name), found,
               wanted.expected.empty() ? kind_name(kind) : wanted.expected,
               wanted.next_step.empty() ? "write the attribute as docs/formats.md describes it"
                                        : wanted.next_step);
    };
    if (!has_attribute(object, name)) {
        refuse_it("it is missing");
    }
    const Hdf5Attribute& found = *find_in(find(object)->attributes, name);
    const std::size_t elements = found.shape.elements();
    const std::size_t at_most = kind == Hdf5Kind::string ? 1 : Hdf5Attribute::most_numbers;
    if (!fits(found.shape.kind, kind) || elements == 0 || elements > at_most || !found.readable) {
        refuse_it(found_in(found));
    }
    return found;
}

std::string Hdf5Reader::attribute_text(const std::string& object, const std::string& name,
                                       const Hdf5Wanted& wanted) const {
    return attribute(object, name, Hdf5Kind::string, wanted).text;
}

std::vector<double> Hdf5Reader::attribute_numbers(const std::string& object,
                                                  const std::string& name,
                                                  const Hdf5Wanted& wanted) const {
    return attribute(object, name, Hdf5Kind::real, wanted).numbers;
}

std::string Hdf5Reader::attribute_in_words(const std::string& object,
                                           const std::string& name) const {
    const Hdf5Attribute& found = *find_in(find(object)->attributes, name);
    std::string words = found.text;
    for (const double number : found.numbers) {
        words += (words.empty() ? "" : ", ") + shown(number);
    }
    return words;
}

} // namespace lsrecon
