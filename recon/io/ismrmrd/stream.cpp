#include "io/ismrmrd/stream.hpp"

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/input_file.hpp"

namespace lsrecon {

namespace {

// Numbers of messages.
constexpr std::uint16_t config_file = 1;
constexpr std::uint16_t config_text = 2;
constexpr std::uint16_t xml_header = 3;
constexpr std::uint16_t close_message = 4;
constexpr std::uint16_t text_message = 5;
constexpr std::uint16_t acquisition = 1008;
constexpr std::uint16_t image = 1022;
constexpr std::uint16_t waveform = 1026;

constexpr std::size_t acquisition_header_bytes = 340;
constexpr std::size_t waveform_header_bytes = 40;

/// Reads on from a place. InputError when the file ends before.
class Reading {
public:
    Reading(const InputFile& file, std::uint64_t at) : file_(file), at_(at) {}

    std::uint64_t at() const { return at_; }
    std::uint64_t left() const { return file_.bytes() - at_; }

    void skip(std::uint64_t bytes) {
        require(bytes);
        at_ += bytes;
    }

    void take(void* to, std::size_t bytes) {
        require(bytes);
        errno = 0;
        if (!read_all(file_.descriptor(), to, bytes, at_)) {
            refuse(errno != 0 ? std::strerror(errno) : "it became shorter");
        }
        at_ += bytes;
    }

    template <typename Number> Number take() {
        Number number{};
        take(&number, sizeof(number));
        return number;
    }

    std::string take_text() {
        const auto size = take<std::uint32_t>();
        require(size);
        std::string result(size, '\0');
        take(result.data(), size);
        return result.substr(0, result.find('\0')); // some writers end it so
    }

    [[noreturn]] void refuse(const std::string& found) const {
        throw InputError({file_.path(), text("stream, byte ", at_), found,
                          "messages of ISMRMRD that are whole, the last one a close",
                          "the file is damaged, or its writer was stopped: transfer or write it "
                          "again"});
    }

private:
    void require(std::uint64_t bytes) const {
        if (bytes > left()) {
            refuse(text("it ends ", bytes - left(), " bytes too early"));
        }
    }

    const InputFile& file_;
    std::uint64_t at_;
};

/// Fields of a packed header.
class Fields {
public:
    explicit Fields(const char* bytes) : bytes_(bytes) {}
    template <typename Field> void get(std::size_t place, Field& field) const {
        std::memcpy(&field, bytes_ + place, sizeof(field));
    }

private:
    const char* bytes_;
};

/// Reads a header by the places of its fields in the format's documentation.
IsmrmrdHeader take_header(Reading& reading) {
    std::array<char, acquisition_header_bytes> bytes{};
    reading.take(bytes.data(), bytes.size());
    const Fields fields(bytes.data());
    IsmrmrdHeader header;
    fields.get(2, header.flags);
    fields.get(10, header.measurement_uid);
    fields.get(34, header.number_of_samples);
    fields.get(38, header.active_channels);
    fields.get(168, header.discard_pre);
    fields.get(170, header.discard_post);
    fields.get(172, header.center_sample);
    fields.get(174, header.encoding_space_ref);
    fields.get(176, header.trajectory_dimensions);
    fields.get(178, header.sample_time_us);
    fields.get(182, header.position);
    fields.get(194, header.read_dir);
    fields.get(206, header.phase_dir);
    fields.get(218, header.slice_dir);
    constexpr std::size_t idx = 242;
    fields.get(idx, header.idx.kspace_encode_step_1);
    fields.get(idx + 2, header.idx.kspace_encode_step_2);
    fields.get(idx + 6, header.idx.slice);
    fields.get(idx + 8, header.idx.contrast);
    fields.get(idx + 10, header.idx.phase);
    fields.get(idx + 12, header.idx.repetition);
    fields.get(idx + 14, header.idx.set);
    fields.get(idx + 16, header.idx.segment);
    return header;
}

std::size_t trajectory_floats(const IsmrmrdHeader& header) {
    return std::size_t{header.number_of_samples} * header.trajectory_dimensions;
}

std::size_t value_floats(const IsmrmrdHeader& header) {
    return 2 * std::size_t{header.number_of_samples} * header.active_channels;
}

void skip_waveform(Reading& reading) {
    std::array<char, waveform_header_bytes> bytes{};
    reading.take(bytes.data(), bytes.size());
    std::uint16_t samples = 0;
    std::uint16_t channels = 0;
    Fields(bytes.data()).get(28, samples);
    Fields(bytes.data()).get(30, channels);
    reading.skip(sizeof(std::uint32_t) * std::uint64_t{samples} * channels);
}

/// Skips a message about how to reconstruct, or for a reader, and returns whether it was one.
bool skip_words(Reading& reading, std::uint16_t message) {
    constexpr std::size_t name_of_a_file = 1024;
    if (message == config_file) {
        reading.skip(name_of_a_file);
    } else if (message == config_text || message == text_message) {
        reading.skip(reading.take<std::uint32_t>());
    } else {
        return false;
    }
    return true;
}

} // namespace

bool IsmrmrdStream::recognises(const InputFile& file) {
    constexpr std::size_t most_messages = 8; // before the header
    try {
        Reading reading(file, 0);
        for (std::size_t i = 0; i < most_messages; ++i) {
            const auto message = reading.take<std::uint16_t>();
            if (message == xml_header) {
                reading.skip(sizeof(std::uint32_t));
                std::string begin(std::min<std::uint64_t>(reading.left(), 64), '\0');
                reading.take(begin.data(), begin.size());
                const std::size_t at = begin.find_first_not_of(" \t\r\n");
                return at != std::string::npos && begin[at] == '<';
            }
            if (!skip_words(reading, message)) {
                return false;
            }
        }
    } catch (const InputError&) {
        return false; // it ends before
    }
    return false;
}

IsmrmrdStream::IsmrmrdStream(const InputFile& file) : file_(file) {
    Reading reading(file, 0);
    for (;;) {
        const Reading begin = reading;
        const auto message = reading.take<std::uint16_t>();
        if (message == close_message) {
            break;
        }
        if (message == xml_header) {
            if (!xml_.empty()) {
                begin.refuse("a second header: two measurements in one stream");
            }
            xml_ = reading.take_text();
        } else if (message == acquisition) {
            const IsmrmrdHeader header = take_header(reading);
            stored_.push_back({header, reading.at()});
            reading.skip(sizeof(float) * (trajectory_floats(header) + value_floats(header)));
        } else if (message == waveform) {
            skip_waveform(reading);
            ++waveforms_;
        } else if (!skip_words(reading, message)) {
            begin.refuse(text("message ", message,
                              message == image ? ", an image, in what should be raw data"
                                               : ", which raw data does not contain"));
        }
    }
    if (reading.left() > 0) {
        reading.refuse(text(reading.left(), " bytes after the close"));
    }
}

void IsmrmrdStream::read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const {
    for (const Stored& stored : stored_) {
        take(stored.header);
    }
}

void IsmrmrdStream::add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const {
    if (waveforms_ > 0) {
        details.emplace_back("waveforms", text(waveforms_, " stored, not used"));
    }
}

void IsmrmrdStream::read(const std::vector<std::size_t>& wanted, const Take& take) const {
    IsmrmrdAcquisition result;
    for (const std::size_t index : wanted) {
        const Stored& stored = stored_[index];
        result.header = stored.header;
        result.trajectory.resize(trajectory_floats(stored.header));
        result.values.resize(value_floats(stored.header));
        Reading reading(file_, stored.place);
        reading.take(result.trajectory.data(), sizeof(float) * result.trajectory.size());
        reading.take(result.values.data(), sizeof(float) * result.values.size());
        take(index, result);
    }
}

} // namespace lsrecon
