// Asks the child for shapes and values, receives them in parts, and names file and object in every
// error.

#include "io/hdf5/reader.hpp"

#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/packed.hpp"
#include "io/hdf5/child.hpp"
#include "scan/host_memory.hpp"

namespace lsrecon {

namespace {

/// Received and looked through at once: small enough to be in the cache for the second.
constexpr std::size_t buffer_bytes = 1 << 18;

[[noreturn]] void refuse(const std::string& file, const std::string& thing,
                         const Hdf5Refusal& why) {
    throw InputError({file, thing, why.found, why.expected, why.next_step});
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

/// The first of each stretch and the one after its last.
std::vector<std::uint64_t> stretches_of(const std::vector<std::size_t>& indices) {
    std::vector<std::uint64_t> stretches;
    for (const std::size_t index : indices) {
        if (stretches.empty() || stretches.back() != index) {
            stretches.insert(stretches.end(), {index, index});
        }
        ++stretches.back();
    }
    return stretches;
}

} // namespace

/// The answer of the child to a request. The child goes on reading while the parts that it has sent
/// are used. A failure in it is an InputError that names the file and the object that was asked
/// for.
class Hdf5Answer {
public:
    Hdf5Answer(const Hdf5Reader& reader, const Hdf5Request& request)
        : reader_(reader), thing_(request.object == "/" ? "file" : request.object),
          child_(std::move(reader.idle_)) {
        try {
            if (!child_) {
                child_ = std::make_unique<Connection>(start_hdf5_child(reader.file_.descriptor()));
            }
            const std::string message = packed(packed(request));
            child_->send(message.data(), message.size());
        } catch (const ConnectionLost&) { // it may have answered before: receive() finds out
        } catch (const std::system_error& failure) {
            throw LimitError(
                text(reader.path(), ": the process that reads HDF5 could not be started"),
                failure.code().value());
        }
    }

    /// Ends after the last part. The child of an answer that does not end so is left alone, and
    /// ends.
    void end() { reader_.idle_ = std::move(child_); }

    /// The next bytes, of as many parts as it takes.
    void receive(void* to, std::size_t bytes) {
        for (char* at = static_cast<char*>(to); bytes > 0;) {
            in_part_ = in_part_ == 0 ? next_part() : in_part_;
            const std::size_t now = std::min<std::size_t>(bytes, in_part_);
            receive_bytes(at, now);
            in_part_ -= now;
            bytes -= now;
            at += now;
        }
    }

    void receive_part(std::string& bytes) { receive_all(next_part(), bytes); }

    /// An answer of one part.
    template <typename Value> Value whole() {
        std::string part;
        receive_part(part);
        Value value = unpack<Value>(part);
        end();
        return value;
    }

    /// InputError where there is no answer, or an impossible one: damage need not lead to a crash.
    [[noreturn]] void refuse(const std::string& found) const {
        lsrecon::refuse(reader_.path(), thing_,
                        {found, "a file that HDF5 can read",
                         "it is damaged: transfer or write it again; h5dump shows what is in it"});
    }
    [[noreturn]] void refuse_nonsense() const { refuse("HDF5 reads inconsistent data from it"); }

private:
    /// The size in bytes of the next part.
    std::uint64_t next_part() {
        Hdf5PartHead head;
        receive_bytes(&head, sizeof(head));
        if (head.refused != 0) {
            std::string bytes;
            receive_all(head.bytes, bytes);
            const auto refusal = unpack<Hdf5Refusal>(bytes);
            lsrecon::refuse(reader_.path(), thing_, refusal);
        }
        return head.bytes;
    }

    void receive_all(std::uint64_t size, std::string& bytes) {
        if (size > (std::uint64_t{256} << 20) + 4 * reader_.file_.bytes()) {
            refuse_nonsense();
        }
        bytes.resize(size);
        receive_bytes(bytes.data(), size);
    }

    void receive_bytes(void* to, std::size_t bytes) {
        try {
            child_->receive(to, bytes);
        } catch (const ConnectionLost&) {
            refuse("HDF5 cannot read it; it crashed, or did not finish in time");
        }
    }

    template <typename Value> Value unpack(const std::string& bytes) const {
        try {
            return unpacked<Value>(bytes);
        } catch (const std::length_error&) {
            refuse_nonsense();
        }
    }

    const Hdf5Reader& reader_;
    std::string thing_;
    std::unique_ptr<Connection> child_;
    std::uint64_t in_part_ = 0; ///< bytes of the present part that are still to come
};

Hdf5Reader::Hdf5Reader(const std::string& path) : file_(path) {
    known_["/"] = Hdf5Answer(*this, {Hdf5Request::What::about, "/"}).whole<Hdf5Object>();
}

Hdf5Reader::~Hdf5Reader() = default;

void Hdf5Reader::require_whole(const Hdf5Object& object, const std::string& name) const {
    if (!object.whole) {
        refuse(path(), full_name(name), object.refusal);
    }
}

const Hdf5Object* Hdf5Reader::find(const std::string& name) const {
    const std::string full = full_name(name);
    const auto known = known_.find(full);
    if (known != known_.end()) {
        return &known->second;
    }
    const std::size_t slash = full.rfind('/');
    const std::string group = full.substr(0, std::max<std::size_t>(slash, 1));
    const std::vector<std::string> members = names(group);
    if (std::find(members.begin(), members.end(), full.substr(slash + 1)) == members.end()) {
        return nullptr;
    }
    Hdf5Answer answer(*this, {Hdf5Request::What::about, full});
    return &known_.emplace(full, answer.whole<Hdf5Object>()).first->second;
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
    return object->members;
}

const Hdf5Object& Hdf5Reader::dataset(const std::string& name) const {
    const Hdf5Object* const object = find(name);
    if (object != nullptr && object->is == Hdf5Is::dataset) {
        return *object;
    }
    const bool unreadable = object != nullptr && object->is == Hdf5Is::unreadable;
    refuse(path(), full_name(name),
           unreadable ? object->refusal
                      : Hdf5Refusal{object == nullptr ? "it is missing" : "it is not a dataset",
                                    "a dataset", "see docs/formats.md for what a file holds"});
}

Hdf5Shape Hdf5Reader::checked_shape(const std::string& name, Hdf5Kind kind) const {
    const Hdf5Shape found = shape(name);
    if (!fits(found.kind, kind)) {
        refuse(path(), full_name(name),
               {found.to_string(), kind_name(kind),
                "write the dataset with the type that docs/formats.md gives"});
    }
    if (found.elements() == 0) {
        refuse(path(), full_name(name),
               {found.to_string(), "at least one element",
                "write its values; docs/formats.md says which datasets may be left out"});
    }
    if (kind != Hdf5Kind::string) {
        HostMemory memory; // at least once, and no frame less
        const bool frames = found.extents.size() > 1;
        memory.add(
            full_name(name), found.to_string(),
            Cost::on_host(static_cast<double>(frames ? found.row_elements() : found.elements()) *
                          static_cast<double>(found.value_bytes())));
        memory.require(path());
    }
    require_complete(name);
    return found;
}

void Hdf5Reader::require_complete(const std::string& name) const {
    const Hdf5Refusal& incomplete = dataset(name).refusal;
    if (!incomplete.found.empty()) {
        refuse(path(), full_name(name), incomplete);
    }
}

std::vector<double> Hdf5Reader::read_real(const std::string& dataset) const {
    std::vector<double> values(checked_shape(dataset, Hdf5Kind::real).elements());
    Hdf5Values(*this, dataset).read(values.data(), values.size());
    return values;
}

std::vector<Complex> Hdf5Reader::read_complex(const std::string& dataset) const {
    std::vector<Complex> values(checked_shape(dataset, Hdf5Kind::complex).elements());
    Hdf5Values(*this, dataset).read(values.data(), values.size());
    return values;
}

std::vector<Complex> Hdf5Reader::read_complex_row(const std::string& dataset,
                                                  std::size_t row) const {
    std::vector<Complex> values(checked_shape(dataset, Hdf5Kind::complex).row_elements());
    Hdf5Values(*this, dataset, row).read(values.data(), values.size());
    return values;
}

std::vector<std::string> Hdf5Reader::read_texts(const std::string& dataset) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::string);
    Hdf5Answer answer(*this, {Hdf5Request::What::texts, full_name(dataset)});
    auto texts = answer.whole<std::vector<std::string>>();
    if (texts.size() != shape.elements()) {
        answer.refuse_nonsense();
    }
    return texts;
}

std::string Hdf5Reader::read_text(const std::string& dataset) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::string);
    if (shape.elements() != 1) {
        refuse(path(), full_name(dataset),
               {shape.to_string(), "one text", "write it as a single text"});
    }
    return read_texts(dataset).front();
}

std::string Hdf5Reader::read_table(const std::string& dataset, const std::vector<Hdf5Field>& fields,
                                   std::size_t row_bytes) const {
    const Hdf5Shape found = shape(dataset);
    if (found.kind != Hdf5Kind::other || found.elements() == 0) {
        refuse(
            path(), full_name(dataset),
            {found.to_string(), "rows of a table", "see whether another program wrote the file"});
    }
    require_complete(dataset);
    Hdf5Rows rows(*this, dataset, fields, row_bytes, all_indices(found.elements()));
    std::string result(found.elements() * row_bytes, '\0');
    for (std::size_t row = 0; row < found.elements(); ++row) {
        rows.next(result.data() + row * row_bytes);
    }
    return result;
}

std::vector<std::string> Hdf5Reader::attribute_names(const std::string& object) const {
    std::vector<std::string> names;
    if (const Hdf5Object* const found = find(object)) {
        require_whole(*found, object);
        for (const Hdf5Attribute& attribute : found->attributes) {
            names.push_back(attribute.name);
        }
    }
    return names;
}

const Hdf5Attribute* Hdf5Reader::find_attribute(const std::string& object,
                                                const std::string& name) const {
    const Hdf5Object* const found = find(object);
    if (found == nullptr) {
        return nullptr;
    }
    require_whole(*found, object);
    const auto attribute = std::find_if(found->attributes.begin(), found->attributes.end(),
                                        [&](const Hdf5Attribute& one) { return one.name == name; });
    return attribute == found->attributes.end() ? nullptr : &*attribute;
}

bool Hdf5Reader::has_attribute(const std::string& object, const std::string& name) const {
    return find_attribute(object, name) != nullptr;
}

const Hdf5Attribute& Hdf5Reader::attribute(const std::string& object, const std::string& name,
                                           Hdf5Kind kind, const Hdf5Wanted& wanted) const {
    const Hdf5Attribute* const found = find_attribute(object, name);
    const std::size_t elements = found == nullptr ? 0 : found->shape.elements();
    if (elements == 0 || !fits(found->shape.kind, kind) || !found->readable ||
        (kind == Hdf5Kind::string && elements > 1)) {
        refuse(path(), attribute_name(object, name),
               {found == nullptr ? "it is missing" : found_in(*found),
                wanted.expected.empty() ? kind_name(kind) : wanted.expected,
                wanted.next_step.empty() ? "write the attribute as docs/formats.md describes it"
                                         : wanted.next_step});
    }
    return *found;
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
    const Hdf5Attribute& found = *find_attribute(object, name);
    std::string words = found.text;
    for (const double number : found.numbers) {
        words += (words.empty() ? "" : ", ") + shown(number);
    }
    return words;
}

Hdf5Values::Hdf5Values(const Hdf5Reader& file, const std::string& dataset,
                       std::optional<std::size_t> row)
    : file_(file), name_(full_name(dataset)) {
    const Hdf5Object& object = file.dataset(dataset);
    const Hdf5Shape& shape = object.shape;
    const std::size_t first = row.value_or(0);
    const std::size_t end = row ? *row + 1 : shape.extents.empty() ? 1 : shape.extents.front();
    const std::size_t row_bytes = shape.row_elements() * shape.value_bytes();
    precision_ = shape.number_bytes == sizeof(float) ? Precision::float32 : Precision::float64;
    to_come_ = (end - first) * row_bytes;
    offset_ = object.offset + first * row_bytes;
    if (object.offset == 0) {
        const Hdf5Request request{Hdf5Request::What::numbers, name_, {first, end}};
        answer_ = std::make_unique<Hdf5Answer>(file, request);
    }
}

Hdf5Values::Hdf5Values(const Hdf5Reader& file, std::string name, Precision precision,
                       std::uint64_t offset, std::uint64_t bytes)
    : file_(file), name_(std::move(name)), precision_(precision), offset_(offset), to_come_(bytes) {
}

Hdf5Values::~Hdf5Values() {
    if (answer_ && to_come_ == 0) {
        answer_->end();
    }
}

Hdf5Values Hdf5Values::part(const Range& of) const {
    const std::uint64_t bytes = precision_ == Precision::float32 ? sizeof(float) : sizeof(double);
    const std::uint64_t before = std::min(of.first * bytes, to_come_);
    return {file_, name_, precision_, offset_ + before,
            std::min(of.count * bytes, to_come_ - before)};
}

std::size_t Hdf5Values::receive(void* to, std::size_t bytes) {
    const std::size_t now = std::min<std::size_t>({bytes, to_come_, buffer_bytes});
    if (now == 0 || (!answer_ && !read_all(file_.file().descriptor(), to, now, offset_))) {
        refuse(file_.path(), name_,
               {"it ends too early", "values in the file",
                "the file is damaged: transfer or write it again"});
    }
    if (answer_) {
        answer_->receive(to, now);
    }
    offset_ += now;
    to_come_ -= now;
    return now;
}

template <typename Number>
void Hdf5Values::receive_all(Number* to, std::size_t count, LargestPart& largest) {
    while (count > 0) {
        const std::size_t now = receive(to, count * sizeof(Number)) / sizeof(Number);
        largest.add(to, now);
        to += now;
        count -= now;
    }
}

void Hdf5Values::read(double* to, std::size_t count) {
    LargestPart unrequested;
    if (precision_ == Precision::float64) {
        receive_all(to, count, unrequested);
        return;
    }
    std::vector<float> buffer(std::min(count, buffer_bytes / sizeof(float)));
    while (count > 0) {
        const std::size_t now = std::min(count, buffer.size());
        receive_all(buffer.data(), now, unrequested);
        to = std::copy_n(buffer.begin(), now, to);
        count -= now;
    }
}

CoilRows Hdf5Values::read_rows(std::size_t rows, std::size_t columns) {
    CoilRows result(rows, columns, precision_);
    LargestPart largest;
    result.visit([&](auto& values) {
        ask_for_large_pages(values.data(), rows * columns * sizeof(*values.data()));
        const std::size_t count = 2 * rows * columns;
        auto* const to = CoilRows::parts_of(values);
        if (answer_) {
            receive_all(to, count, largest);
            return;
        }
        for (const double of_some : of_each_range(count, parts_of(count), [&](const Range& some) {
                 LargestPart of_these;
                 part(some).receive_all(to + some.first, some.count, of_these);
                 return of_these.value();
             })) {
            largest.add(&of_some, 1);
        }
    });
    result.know_largest_part(largest.value());
    return result;
}

Hdf5Rows::Hdf5Rows(const Hdf5Reader& file, const std::string& dataset,
                   const std::vector<Hdf5Field>& fields, std::size_t row_bytes,
                   const std::vector<std::size_t>& indices)
    : row_bytes_(row_bytes), rows_to_come_(indices.size()) {
    if (!indices.empty()) { // else nobody would read what the child refuses
        answer_ = std::make_unique<Hdf5Answer>(
            file, Hdf5Request{Hdf5Request::What::rows, full_name(dataset), stretches_of(indices),
                              fields, row_bytes});
    }
}

/// A child that has sent all its rows waits for the next request; another is let go.
Hdf5Rows::~Hdf5Rows() {
    if (answer_ && rows_to_come_ == 0 && used_ == part_.size()) {
        answer_->end();
    }
}

void Hdf5Rows::take(void* to, std::size_t bytes) {
    if (bytes > part_.size() - used_) {
        answer_->refuse_nonsense();
    }
    std::copy_n(part_.data() + used_, bytes, static_cast<char*>(to));
    used_ += bytes;
}

void Hdf5Rows::next(void* row) {
    if (used_ == part_.size()) {
        answer_->receive_part(part_);
        used_ = 0;
    }
    take(row, row_bytes_);
    --rows_to_come_;
}

std::vector<float> Hdf5Rows::list(const Hdf5List& of_row) {
    if (of_row.count > part_.size()) {
        answer_->refuse_nonsense();
    }
    std::vector<float> result(of_row.count);
    take(result.data(), of_row.count * sizeof(float));
    return result;
}

} // namespace lsrecon
