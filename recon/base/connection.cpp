// Sends messages and open files between this process and the child that reads HDF5.

#include "base/connection.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>

#include "base/platform.hpp"

namespace lsrecon {

namespace {

/// The number of bytes that `call` moved: one at least. A signal interrupts it in vain.
template <typename Call> std::size_t moved_by(const Call& call) {
    ssize_t moved = 0;
    do {
        moved = call();
    } while (moved < 0 && errno == EINTR);
    if (moved <= 0) {
        throw ConnectionLost("the other end is closed");
    }
    return static_cast<std::size_t>(moved);
}

/// One byte, and the room for the descriptors that travel with it.
struct Message {
    Message() {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = room;
        header.msg_controllen = sizeof(room);
        cmsghdr* const first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(sizeof(Connection::Descriptors));
    }
    void* descriptors() { return CMSG_DATA(CMSG_FIRSTHDR(&header)); }

    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(Connection::Descriptors))] = {};
    msghdr header{};
};

} // namespace

Connection::~Connection() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::pair<Connection, Connection> Connection::make() {
    int ends[2];
#ifdef LSRECON_ON_LINUX
    const int kind = SOCK_STREAM | SOCK_CLOEXEC; // at once, beside threads that start programs
#else
    const int kind = SOCK_STREAM;
#endif
    if (::socketpair(AF_UNIX, kind, 0, ends) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    for (const int end : ends) {
        platform::close_when_another_program_starts(end);
        platform::send_without_signal(end);
    }
    return {Connection(ends[0]), Connection(ends[1])};
}

void Connection::send(const void* bytes, std::size_t size) const {
    for (const char* at = static_cast<const char*>(bytes); size > 0;) {
        const std::size_t sent =
            moved_by([&] { return ::send(descriptor_, at, size, platform::without_signal); });
        at += sent;
        size -= sent;
    }
}

void Connection::receive(void* bytes, std::size_t size) const {
    for (char* at = static_cast<char*>(bytes); size > 0;) {
        const std::size_t received = moved_by([&] { return ::recv(descriptor_, at, size, 0); });
        at += received;
        size -= received;
    }
}

void Connection::send_descriptors(const Descriptors& descriptors) const {
    Message message;
    std::memcpy(message.descriptors(), descriptors.data(), sizeof(descriptors));
    moved_by([&] { return ::sendmsg(descriptor_, &message.header, platform::without_signal); });
}

Connection::Descriptors Connection::receive_descriptors() const {
    Message message;
#ifdef LSRECON_ON_LINUX
    const int flags = MSG_CMSG_CLOEXEC;
#else
    const int flags = 0;
#endif
    moved_by([&] { return ::recvmsg(descriptor_, &message.header, flags); });
    if (message.header.msg_controllen != sizeof(message.room)) {
        throw ConnectionLost("no descriptors came");
    }
    Descriptors descriptors{};
    std::memcpy(descriptors.data(), message.descriptors(), sizeof(descriptors));
    for (const int descriptor : descriptors) {
        platform::close_when_another_program_starts(descriptor);
    }
    return descriptors;
}

} // namespace lsrecon
