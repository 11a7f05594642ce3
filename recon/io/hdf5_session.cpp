#include "io/hdf5_session.hpp"

#include <system_error>

#include "base/limit_error.hpp"

namespace lsrecon {

namespace {

constexpr const char* intact = "a file that HDF5 can read";
constexpr const char* again =
    "it is damaged: transfer or write it again; h5dump shows what is in it";

} // namespace

Hdf5Session::Hdf5Session(const InputFile& file) : file_(file) {
    try {
        child_ = std::make_unique<ChildProcess>(
            [&file](const Connection& parent) { serve_hdf5(parent, file); }, file.descriptor());
    } catch (const std::system_error& failure) {
        throw LimitError(text(file.path(), ": the process that reads HDF5 could not be started"),
                         failure.code().value());
    }
}

void Hdf5Session::ask(const Hdf5Request& request, const std::string& thing) {
    thing_ = thing;
    const std::string bytes = packed(request);
    try {
        child_->send(packed(std::uint64_t{bytes.size()}) + bytes);
    } catch (const ChildFailure& failure) {
        refuse(failure);
    }
}

void Hdf5Session::receive(void* bytes, std::size_t size) {
    try {
        child_->receive(bytes, size);
    } catch (const ChildFailure& failure) {
        refuse(failure);
    }
}

std::uint64_t Hdf5Session::receive_size() {
    Hdf5PartHead head;
    receive(&head, sizeof(head));
    const std::uint64_t most = (std::uint64_t{256} << 20) + 4 * file_.bytes();
    if (head.bytes > most) {
        refuse_nonsense();
    }
    if (head.failed == 0) {
        return head.bytes;
    }
    std::string part(head.bytes, '\0');
    receive(part.data(), part.size());
    Hdf5Failure failure;
    try {
        failure = unpacked<Hdf5Failure>(part);
    } catch (const std::length_error&) {
        refuse_nonsense();
    }
    refuse(failure);
}

void Hdf5Session::receive(std::string& part) {
    part.resize(receive_size());
    receive(part.data(), part.size());
}

void Hdf5Session::refuse(const std::string& found, const std::string& expected,
                         const std::string& next_step) const {
    throw InputError({file_.path(), thing_, found, expected, next_step});
}

void Hdf5Session::refuse_nonsense() const {
    refuse("HDF5 reads inconsistent data from it", intact, again);
}

void Hdf5Session::refuse(const ChildFailure& failure) const {
    switch (failure.end()) {
    case ChildEnd::crashed:
        refuse(text("HDF5 cannot read it; ", failure.what()), intact, again);
    case ChildEnd::ran_on:
        refuse("HDF5 does not finish reading it", intact, again);
    case ChildEnd::memory:
        refuse("HDF5 asks for more memory than the file can need", intact, again);
    case ChildEnd::gone:
        break;
    }
    refuse(text("the process that reads it has gone: ", failure.what()), intact,
           "run again; if it happens again, transfer or write the file again");
}

void Hdf5Session::refuse(const Hdf5Failure& failure) const {
    using Why = Hdf5Failure::Why;
    const std::string size = text(file_.bytes(), " bytes");
    const std::string closed = "a file that no program is writing";
    switch (failure.why) {
    case Why::no_hdf5:
        refuse(size + " without an HDF5 signature", "an HDF5 file",
               "check that it is the scan, and that its transfer was complete");
    case Why::open_elsewhere:
        refuse("it is open for writing in another program", closed,
               "close it there, or wait until it is written, and run again");
    case Why::marked_open:
        refuse("it is marked as open for writing: a program writes it, or ended before it had "
               "closed it",
               closed,
               "close it there; after a crash run 'h5clear -s' on it and check what it holds");
    case Why::replaced:
        refuse("another file has taken its name", "a file that stays in its place",
               "run again when nothing is written there");
    case Why::memory:
        refuse(text("HDF5 asks for more memory than the file can need or this process may have (",
                    failure.said, ")"),
               intact, "transfer or write it again, or raise the memory limit of this process");
    case Why::damaged:
        break;
    }
    if (thing_ == "file") {
        refuse(text("an HDF5 file of ", size, " that is truncated or damaged (", failure.said, ")"),
               "a whole HDF5 file", "transfer or write the file again");
    }
    refuse(text("it cannot be read (", failure.said, ")"), "readable values",
           "the file is damaged or uses an HDF5 filter that is not installed; copy it again");
}

} // namespace lsrecon
