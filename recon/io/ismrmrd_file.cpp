#include "io/ismrmrd_file.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/hdf5_session.hpp"

namespace lsrecon {

/// The answer that is being received.
struct IsmrmrdFile::Stream {
    std::unique_ptr<Hdf5Session> session;
    std::size_t next = 0; ///< acquisition
    std::string part;
    std::size_t used = 0; ///< bytes of the part

    void take(void* to, std::size_t size) {
        if (size > part.size() - used) {
            session->refuse_nonsense();
        }
        std::copy_n(part.data() + used, size, static_cast<char*>(to));
        used += size;
    }

    std::vector<float> take_floats(std::uint64_t count) {
        if (count > part.size()) {
            session->refuse_nonsense();
        }
        std::vector<float> result(count);
        take(result.data(), count * sizeof(float));
        return result;
    }
};

std::vector<std::string> IsmrmrdFile::groups(const Hdf5Reader& reader) {
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

IsmrmrdFile::IsmrmrdFile(const Hdf5Reader& reader, const std::string& group)
    : reader_(reader), group_(group), stream_(std::make_unique<Stream>()) {
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

IsmrmrdFile::~IsmrmrdFile() = default;

std::string IsmrmrdFile::xml() const {
    return reader_.read_text(xml_name());
}

IsmrmrdAcquisition IsmrmrdFile::read(std::size_t index) const {
    Stream& stream = *stream_;
    Hdf5Sessions& sessions = reader_.sessions();
    if (!stream.session || stream.next != index) {
        stream = {sessions.ask({Hdf5Request::What::acquisitions, data_name(), index}, ""), index,
                  "", 0};
    }
    if (stream.used == stream.part.size()) {
        stream.session->name_in_messages(text(data_name(), ", acquisition ", index));
        stream.session->receive(stream.part);
        stream.used = 0;
    }
    IsmrmrdAcquisition result;
    std::array<std::uint64_t, 2> lengths{};
    stream.take(&result.header, sizeof(result.header));
    stream.take(lengths.data(), sizeof(lengths));
    result.trajectory = stream.take_floats(lengths[0]);
    result.values = stream.take_floats(lengths[1]);
    if (++stream.next == acquisitions_) {
        sessions.give_back(std::move(stream.session));
    }
    return result;
}

} // namespace lsrecon
