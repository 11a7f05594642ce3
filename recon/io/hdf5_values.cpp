#include <algorithm>

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/machine.hpp"
#include "io/hdf5_file.hpp"
#include "io/hdf5_session.hpp"

namespace lsrecon {

namespace {

/// Received and looked through at once: small enough to be in the cache for the second.
constexpr std::size_t buffer_bytes = 1 << 18;

} // namespace

Hdf5Values::Hdf5Values(const Hdf5Reader& file, const std::string& dataset)
    : Hdf5Values(file, Hdf5Request{Hdf5Request::What::values, dataset}) {}

Hdf5Values::Hdf5Values(const Hdf5Reader& file, const std::string& dataset, std::size_t row)
    : Hdf5Values(file, Hdf5Request{Hdf5Request::What::values, dataset, row, 1}) {}

Hdf5Values::Hdf5Values(const Hdf5Reader& file, const Hdf5Request& request)
    : sessions_(file.sessions()), session_(sessions_.ask(request, full_name(request.dataset))) {
    const auto head = session_->receive<Hdf5ValuesHead>();
    precision_ = head.single ? Precision::float32 : Precision::float64;
    place_ = head.place;
    to_come_ = head.numbers * bytes_of(precision_);
}

Hdf5Values::~Hdf5Values() {
    if (to_come_ == 0) {
        sessions_.give_back(std::move(session_));
    }
}

std::size_t Hdf5Values::receive(void* to, std::size_t bytes) {
    if (place_ > 0) {
        const std::size_t now = std::min<std::size_t>({bytes, to_come_, buffer_bytes});
        if (now == 0 || !read_all(sessions_.file().descriptor(), to, now, place_)) {
            session_->refuse_nonsense();
        }
        place_ += now;
        to_come_ -= now;
        return now;
    }
    if (in_part_ == 0) {
        in_part_ = session_->receive_size();
        if (in_part_ == 0 || in_part_ > to_come_ || in_part_ % bytes_of(precision_) != 0) {
            session_->refuse_nonsense();
        }
    }
    const std::size_t now = std::min<std::size_t>({bytes, in_part_, buffer_bytes});
    session_->receive(to, now);
    in_part_ -= now;
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
    LargestPart not_asked_for;
    if (precision_ == Precision::float64) {
        receive_all(to, count, not_asked_for);
        return;
    }
    std::vector<float> buffer(std::min(count, buffer_bytes / sizeof(float)));
    while (count > 0) {
        const std::size_t now = std::min(count, buffer.size());
        receive_all(buffer.data(), now, not_asked_for);
        to = std::copy_n(buffer.begin(), now, to);
        count -= now;
    }
}

CoilRows Hdf5Values::read_rows(std::size_t rows, std::size_t columns) {
    CoilRows result(rows, columns, precision_);
    LargestPart largest;
    result.visit([&](auto& values) {
        ask_for_large_pages(values.data(), rows * columns * sizeof(*values.data()));
        receive_all(CoilRows::parts_of(values), 2 * rows * columns, largest);
    });
    result.know_largest_part(largest.value());
    return result;
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
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::complex);
    std::vector<Complex> values(shape.elements() / shape.extents.front());
    Hdf5Values(*this, dataset, row).read(values.data(), values.size());
    return values;
}

std::vector<std::string> Hdf5Reader::read_texts(const std::string& dataset) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::string);
    auto session = sessions_->ask({Hdf5Request::What::texts, dataset}, full_name(dataset));
    auto texts = session->receive<std::vector<std::string>>();
    if (texts.size() != shape.elements()) {
        session->refuse_nonsense();
    }
    sessions_->give_back(std::move(session));
    return texts;
}

std::string Hdf5Reader::read_table(const std::string& dataset, const std::vector<Hdf5Field>& fields,
                                   std::size_t row_bytes) const {
    const Hdf5Shape found = shape(dataset);
    if (found.kind != Hdf5Kind::other || found.elements() == 0) {
        throw InputError({path_, full_name(dataset), found.to_string(), "rows of a table",
                          "see whether another program wrote the file"});
    }
    require_complete(dataset);
    Hdf5Request request{Hdf5Request::What::table, dataset};
    request.fields = fields;
    request.row_bytes = row_bytes;
    auto session = sessions_->ask(request, full_name(dataset));
    std::string rows;
    session->receive(rows);
    if (rows.size() != found.elements() * row_bytes) {
        session->refuse_nonsense();
    }
    sessions_->give_back(std::move(session));
    return rows;
}

std::string Hdf5Reader::read_text(const std::string& dataset) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::string);
    if (shape.elements() != 1) {
        throw InputError({path_, full_name(dataset), shape.to_string(), "one text",
                          "write it as a single text"});
    }
    return read_texts(dataset).front();
}

} // namespace lsrecon
