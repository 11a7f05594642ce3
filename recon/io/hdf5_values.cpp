#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/hdf5_file.hpp"
#include "io/hdf5_session.hpp"

namespace lsrecon {

namespace {

template <typename Number> void convert(const char* from, double* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        Number value;
        std::memcpy(&value, from + i * sizeof(Number), sizeof(Number));
        to[i] = static_cast<double>(value);
    }
}

} // namespace

Hdf5Values::Hdf5Values(const Hdf5Reader& file, const std::string& dataset)
    : sessions_(file.sessions()),
      session_(sessions_.ask({Hdf5Request::What::values, dataset}, full_name(dataset))) {
    const auto head = session_->receive<Hdf5ValuesHead>();
    number_bytes_ = head.single ? sizeof(float) : sizeof(double);
    to_come_ = head.numbers * number_bytes_;
}

Hdf5Values::~Hdf5Values() {
    if (to_come_ == 0) {
        sessions_.give_back(std::move(session_));
    }
}

void Hdf5Values::read(double* to, std::size_t count) {
    while (count > 0) {
        if (used_ == part_.size()) {
            session_->receive(part_);
            used_ = 0;
            if (part_.empty() || part_.size() > to_come_ || part_.size() % number_bytes_ != 0) {
                session_->refuse_nonsense();
            }
            to_come_ -= part_.size();
        }
        const std::size_t now = std::min(count, (part_.size() - used_) / number_bytes_);
        if (number_bytes_ == sizeof(float)) {
            convert<float>(part_.data() + used_, to, now);
        } else {
            convert<double>(part_.data() + used_, to, now);
        }
        used_ += now * number_bytes_;
        to += now;
        count -= now;
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
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::complex);
    std::vector<Complex> values(shape.elements() / shape.extents.front());
    Hdf5Values stored(*this, dataset);
    for (std::size_t r = 0; r <= row; ++r) {
        stored.read(values.data(), values.size());
    }
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

std::string Hdf5Reader::read_text(const std::string& dataset) const {
    const Hdf5Shape shape = checked_shape(dataset, Hdf5Kind::string);
    if (shape.elements() != 1) {
        throw InputError({path_, full_name(dataset), shape.to_string(), "one text",
                          "write it as a single text"});
    }
    return read_texts(dataset).front();
}

} // namespace lsrecon
