#include "io/ismrmrd_hdf5.hpp"

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "io/hdf5/writer.hpp"

namespace lsrecon {

namespace {

/// A row with its arrays where HDF5 looks for them.
template <typename Head> struct Row {
    Head head;
    Hdf5List traj;
    Hdf5List data;
};

/// The field of a header, for reading and for writing: all fields of the format, in a file in the
/// order of their places. HDF5 matches fields by name and leaves out what is not asked for.
template <typename Head> Hdf5Field head_field() {
    using Counters = decltype(Head::idx);
    std::vector<Hdf5Field> counters{
        LSRECON_FIELD(Counters, kspace_encode_step_1, uint16, 1),
        LSRECON_FIELD(Counters, kspace_encode_step_2, uint16, 1),
        LSRECON_FIELD(Counters, slice, uint16, 1),
        LSRECON_FIELD(Counters, contrast, uint16, 1),
        LSRECON_FIELD(Counters, phase, uint16, 1),
        LSRECON_FIELD(Counters, repetition, uint16, 1),
        LSRECON_FIELD(Counters, set, uint16, 1),
        LSRECON_FIELD(Counters, segment, uint16, 1),
    };
    std::vector<Hdf5Field> fields{
        LSRECON_FIELD(Head, flags, uint64, 1),
        LSRECON_FIELD(Head, measurement_uid, uint32, 1),
        LSRECON_FIELD(Head, number_of_samples, uint16, 1),
        LSRECON_FIELD(Head, active_channels, uint16, 1),
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
    };
    if constexpr (std::is_same_v<Head, IsmrmrdRowHead>) {
        counters.push_back(LSRECON_FIELD(Counters, average, uint16, 1));
        counters.push_back(LSRECON_FIELD(Counters, user, uint16, 8));
        fields.insert(fields.end(), {
                                        LSRECON_FIELD(Head, version, uint16, 1),
                                        LSRECON_FIELD(Head, scan_counter, uint32, 1),
                                        LSRECON_FIELD(Head, acquisition_time_stamp, uint32, 1),
                                        LSRECON_FIELD(Head, physiology_time_stamp, uint32, 3),
                                        LSRECON_FIELD(Head, available_channels, uint16, 1),
                                        LSRECON_FIELD(Head, channel_mask, uint64, 16),
                                        LSRECON_FIELD(Head, patient_table_position, float32, 3),
                                        LSRECON_FIELD(Head, user_int, int32, 8),
                                        LSRECON_FIELD(Head, user_float, float32, 8),
                                    });
    }
    fields.push_back(
        {"idx", Hdf5Field::Type::fields, offsetof(Head, idx), sizeof(Counters), counters});
    return {"head", Hdf5Field::Type::fields, 0, sizeof(Head), fields};
}

template <typename Head> std::vector<Hdf5Field> acquisition_fields() {
    using Acquisition = Row<Head>;
    return {head_field<Head>(), LSRECON_FIELD(Acquisition, traj, list, 1),
            LSRECON_FIELD(Acquisition, data, list, 1)};
}

} // namespace

void write_acquisitions(Hdf5Writer& file, const std::string& dataset, std::size_t count,
                        const std::function<IsmrmrdRow(std::size_t index)>& acquisition) {
    using Written = Row<IsmrmrdRowHead>;
    std::vector<IsmrmrdRow> some;
    std::vector<Written> written;
    file.table(dataset, acquisition_fields<IsmrmrdRowHead>(), count, sizeof(Written),
               [&](std::size_t first, std::size_t now) {
                   some.clear();
                   written.clear();
                   for (std::size_t i = first; i < first + now; ++i) {
                       some.push_back(acquisition(i));
                   }
                   for (const IsmrmrdRow& row : some) {
                       written.push_back({row.head,
                                          {row.trajectory.size(), row.trajectory.data()},
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
        Hdf5Rows rows(reader_, data_name(), {head_field<IsmrmrdHeader>()}, sizeof(IsmrmrdHeader),
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
                          fault.next_step + "; frames cannot be told apart without headers, so "
                                            "none can be left out"});
    }
}

void IsmrmrdHdf5::read(const std::vector<std::size_t>& wanted, const Take& take) const {
    using Stored = Row<IsmrmrdHeader>;
    Hdf5Rows rows(reader_, data_name(), acquisition_fields<IsmrmrdHeader>(), sizeof(Stored),
                  wanted);
    IsmrmrdAcquisition result;
    for (const std::size_t index : wanted) {
        try {
            Stored stored;
            rows.next(&stored);
            result.header = stored.head;
            result.trajectory = rows.list(stored.traj);
            result.values = rows.list(stored.data);
        } catch (const InputError& error) {
            Fault fault = error.fault();
            fault.thing += text(", acquisition ", index);
            throw InputError(fault);
        }
        take(index, result);
    }
}

} // namespace lsrecon
