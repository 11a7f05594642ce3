// Reads and writes acquisitions as rows of an HDF5 table, and reads them as messages of a stream.

#include "io/ismrmrd/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/input_file.hpp"
#include "io/hdf5/writer.hpp"
#include "io/ismrmrd/formats.hpp"

namespace lsrecon {

namespace {

/// A row with its arrays where HDF5 looks for them.
struct Row {
    IsmrmrdHeader head;
    Hdf5List traj;
    Hdf5List data;
};

/// The header as a field: all fields of the format, in its order. HDF5 matches them by name.
Hdf5Field head_field() {
    using Counters = ISMRMRD::ISMRMRD_EncodingCounters;
    const std::vector<Hdf5Field> counters{
        LSRECON_FIELD(Counters, kspace_encode_step_1, uint16, 1),
        LSRECON_FIELD(Counters, kspace_encode_step_2, uint16, 1),
        LSRECON_FIELD(Counters, average, uint16, 1),
        LSRECON_FIELD(Counters, slice, uint16, 1),
        LSRECON_FIELD(Counters, contrast, uint16, 1),
        LSRECON_FIELD(Counters, phase, uint16, 1),
        LSRECON_FIELD(Counters, repetition, uint16, 1),
        LSRECON_FIELD(Counters, set, uint16, 1),
        LSRECON_FIELD(Counters, segment, uint16, 1),
        LSRECON_FIELD(Counters, user, uint16, 8),
    };
    using Head = IsmrmrdHeader;
    const std::vector<Hdf5Field> fields{
        LSRECON_FIELD(Head, version, uint16, 1),
        LSRECON_FIELD(Head, flags, uint64, 1),
        LSRECON_FIELD(Head, measurement_uid, uint32, 1),
        LSRECON_FIELD(Head, scan_counter, uint32, 1),
        LSRECON_FIELD(Head, acquisition_time_stamp, uint32, 1),
        LSRECON_FIELD(Head, physiology_time_stamp, uint32, 3),
        LSRECON_FIELD(Head, number_of_samples, uint16, 1),
        LSRECON_FIELD(Head, available_channels, uint16, 1),
        LSRECON_FIELD(Head, active_channels, uint16, 1),
        LSRECON_FIELD(Head, channel_mask, uint64, 16),
        LSRECON_FIELD(Head, discard_pre, uint16, 1),
        LSRECON_FIELD(Head, discard_post, uint16, 1),
        LSRECON_FIELD(Head, center_sample, uint16, 1),
        LSRECON_FIELD(Head, encoding_space_ref, uint16, 1),
        LSRECON_FIELD(Head, trajectory_dimensions, uint16, 1),
        LSRECON_FIELD(Head, sample_time_us, float32, 1),
        LSRECON_FIELD(Head, position, float32, 3),
        LSRECON_FIELD(Head, read_dir, float32, 3),
        LSRECON_FIELD(Head, phase_dir, float32, 3),
        LSRECON_FIELD(Head, slice_dir, float32, 3),
        LSRECON_FIELD(Head, patient_table_position, float32, 3),
        {"idx", Hdf5Field::Type::fields, offsetof(Head, idx), sizeof(Counters), counters},
        LSRECON_FIELD(Head, user_int, int32, 8),
        LSRECON_FIELD(Head, user_float, float32, 8),
    };
    return {"head", Hdf5Field::Type::fields, 0, sizeof(Head), fields};
}

std::vector<Hdf5Field> acquisition_fields() {
    return {head_field(), LSRECON_FIELD(Row, traj, list, 1), LSRECON_FIELD(Row, data, list, 1)};
}

// Numbers of messages.
constexpr std::uint16_t config_file = 1;
constexpr std::uint16_t config_text = 2;
constexpr std::uint16_t xml_header = 3;
constexpr std::uint16_t close_message = 4;
constexpr std::uint16_t text_message = 5;
constexpr std::uint16_t acquisition = 1008;
constexpr std::uint16_t image = 1022;
constexpr std::uint16_t waveform = 1026;

/// Reads on from an offset. InputError when the file ends before.
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

std::size_t trajectory_floats(const IsmrmrdHeader& header) {
    return std::size_t{header.number_of_samples} * header.trajectory_dimensions;
}

std::size_t value_floats(const IsmrmrdHeader& header) {
    return 2 * std::size_t{header.number_of_samples} * header.active_channels;
}

void skip_waveform(Reading& reading) {
    const auto header = reading.take<ISMRMRD::ISMRMRD_WaveformHeader>();
    reading.skip(sizeof(std::uint32_t) * std::uint64_t{header.number_of_samples} * header.channels);
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

// --- in HDF5 -------------------------------------------------------------------------------------

void write_acquisitions(Hdf5Writer& file, const std::string& dataset, std::size_t count,
                        const std::function<IsmrmrdAcquisition(std::size_t index)>& acquisition) {
    std::vector<IsmrmrdAcquisition> some;
    std::vector<Row> written;
    file.table(dataset, acquisition_fields(), count, sizeof(Row),
               [&](std::size_t first, std::size_t now) {
                   some.clear();
                   written.clear();
                   for (std::size_t i = first; i < first + now; ++i) {
                       some.push_back(acquisition(i));
                   }
                   for (const IsmrmrdAcquisition& row : some) {
                       written.push_back({row.header,
                                          {row.positions.size(), row.positions.data()},
                                          {row.values.size(), row.values.data()}});
                   }
                   return written.data();
               });
}

std::vector<std::string> IsmrmrdHdf5::groups(const Hdf5Reader& reader) {
    std::vector<std::string> groups;
    for (const std::string& name : reader.names()) {
        if (!reader.is_dataset("/" + name) && reader.has("/" + name + "/xml") &&
            reader.has("/" + name + "/data")) {
            groups.push_back("/" + name);
        }
    }
    std::stable_partition(groups.begin(), groups.end(),
                          [](const std::string& group) { return group == "/dataset"; });
    return groups;
}

IsmrmrdHdf5::IsmrmrdHdf5(const Hdf5Reader& reader, const std::string& group)
    : reader_(reader), group_(group) {
    const Hdf5Shape shape = reader.shape(data_name());
    if (shape.kind != Hdf5Kind::other || shape.extents.size() != 1) {
        throw InputError({reader.path(), data_name(), shape.to_string(),
                          "a list of ISMRMRD acquisitions: head, traj and data",
                          "write the file with version 1 of the ISMRMRD library"});
    }
    reader.require_complete(data_name());
    acquisitions_ = shape.extents.front();
}

std::string IsmrmrdHdf5::xml() const {
    return reader_.read_text(xml_name());
}

void IsmrmrdHdf5::add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const {
    const std::string name = group_ + "/waveforms";
    if (reader_.is_dataset(name)) {
        details.emplace_back("waveforms",
                             text(reader_.shape(name).elements(), " stored, not used"));
    }
}

void IsmrmrdHdf5::read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const {
    try {
        Hdf5Rows rows(reader_, data_name(), {head_field()}, sizeof(IsmrmrdHeader),
                      all_indices(acquisitions_));
        for (std::size_t i = 0; i < acquisitions_; ++i) {
            IsmrmrdHeader header;
            rows.next(&header);
            take(header);
        }
    } catch (const InputError& error) {
        const Fault& fault = error.fault();
        throw InputError({fault.file, fault.thing + ", headers of the acquisitions", fault.found,
                          fault.expected,
                          fault.next_step + "; frames cannot be separated without headers, so "
                                            "none can be left out"});
    }
}

void IsmrmrdHdf5::read(const std::vector<std::size_t>& wanted, const Take& take) const {
    Hdf5Rows rows(reader_, data_name(), acquisition_fields(), sizeof(Row), wanted);
    IsmrmrdAcquisition result;
    for (const std::size_t index : wanted) {
        try {
            Row stored;
            rows.next(&stored);
            result.header = stored.head;
            result.positions = rows.list(stored.traj);
            result.values = rows.list(stored.data);
        } catch (const InputError& error) {
            Fault fault = error.fault();
            fault.thing += text(", acquisition ", index);
            throw InputError(fault);
        }
        take(index, result);
    }
}

// --- as a stream ---------------------------------------------------------------------------------

bool is_ismrmrd_stream(const InputFile& file) {
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
            const auto header = reading.take<IsmrmrdHeader>();
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
        result.positions.resize(trajectory_floats(stored.header));
        result.values.resize(value_floats(stored.header));
        Reading reading(file_, stored.offset);
        reading.take(result.positions.data(), sizeof(float) * result.positions.size());
        reading.take(result.values.data(), sizeof(float) * result.values.size());
        take(index, result);
    }
}

} // namespace lsrecon
