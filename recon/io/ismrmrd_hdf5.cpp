#include "io/ismrmrd_hdf5.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/hdf5_session.hpp"

namespace lsrecon {

namespace {

/// The answer that is being received.
struct Stream {
    Hdf5Session& session;
    std::string part{};
    std::size_t used = 0; ///< bytes of the part

    void take(void* to, std::size_t size) {
        if (size > part.size() - used) {
            session.refuse_nonsense();
        }
        std::copy_n(part.data() + used, size, static_cast<char*>(to));
        used += size;
    }

    std::vector<float> take_floats(std::uint64_t count) {
        if (count > part.size()) {
            session.refuse_nonsense();
        }
        std::vector<float> result(count);
        take(result.data(), count * sizeof(float));
        return result;
    }
};

/// The first of each stretch and the one after its last.
std::vector<std::uint64_t> runs_of(const std::vector<std::size_t>& indices) {
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
    Hdf5Sessions& sessions = reader.sessions();
    auto session = sessions.ask({Hdf5Request::What::acquisition_type, data_name()}, data_name());
    if (shape.extents.size() != 1 || shape.null || !session->receive<bool>()) {
        throw InputError({reader.path(), data_name(), shape.to_string(),
                          "a list of ISMRMRD acquisitions: head, traj and data",
                          "write the file with version 1 of the ISMRMRD library"});
    }
    sessions.give_back(std::move(session));
    reader.require_complete(data_name());
    acquisitions_ = shape.extents.front();
}

std::string IsmrmrdHdf5::xml() const {
    return reader_.read_text(xml_name());
}

void IsmrmrdHdf5::add_waveforms(std::vector<std::pair<std::string, std::string>>& details) const {
    const std::string name = group_ + "/waveforms";
    if (reader_.has(name) && reader_.is_dataset(name)) {
        details.emplace_back("waveforms",
                             text(reader_.shape(name).elements(), " stored, not used"));
    }
}

void IsmrmrdHdf5::read_headers(const std::function<void(const IsmrmrdHeader&)>& take) const {
    if (acquisitions_ == 0) {
        return;
    }
    Hdf5Sessions& sessions = reader_.sessions();
    auto session = sessions.ask(
        {Hdf5Request::What::acquisition_headers, data_name(), 0, acquisitions_}, data_name());
    std::vector<IsmrmrdHeader> part;
    for (std::size_t done = 0; done < acquisitions_; done += part.size()) {
        const std::uint64_t bytes = session->receive_size();
        if (bytes == 0 || bytes % sizeof(IsmrmrdHeader) != 0 ||
            bytes / sizeof(IsmrmrdHeader) > acquisitions_ - done) {
            session->refuse_nonsense();
        }
        part.resize(bytes / sizeof(IsmrmrdHeader));
        session->receive(part.data(), bytes);
        std::for_each(part.begin(), part.end(), take);
    }
    sessions.give_back(std::move(session));
}

void IsmrmrdHdf5::read(const std::vector<std::size_t>& wanted, const Take& take) const {
    if (wanted.empty()) {
        return;
    }
    Hdf5Sessions& sessions = reader_.sessions();
    auto session = sessions.ask(
        {Hdf5Request::What::acquisitions, data_name(), 0, 0, runs_of(wanted)}, data_name());
    Stream stream{*session};
    IsmrmrdAcquisition result;
    for (const std::size_t index : wanted) {
        if (stream.used == stream.part.size()) {
            session->name_in_messages(text(data_name(), ", acquisition ", index));
            session->receive(stream.part);
            stream.used = 0;
        }
        std::array<std::uint64_t, 2> lengths{};
        stream.take(&result.header, sizeof(result.header));
        stream.take(lengths.data(), sizeof(lengths));
        result.trajectory = stream.take_floats(lengths[0]);
        result.values = stream.take_floats(lengths[1]);
        take(index, result);
    }
    sessions.give_back(std::move(session));
}

} // namespace lsrecon
