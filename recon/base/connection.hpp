// The connection of two processes, over which bytes and open files go.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace lsrecon {

/// The other end of a connection is closed, or breaks off.
class ConnectionLost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One end of the connection of two processes, closed with this object.
class Connection {
public:
    explicit Connection(int descriptor) : descriptor_(descriptor) {}
    Connection(Connection&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Connection& operator=(Connection&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();
    /// Makes both ends. No program that this process starts inherits them. std::system_error when
    /// it cannot.
    static std::pair<Connection, Connection> make();

    int descriptor() const { return descriptor_; }
    /// ConnectionLost where the other end is closed.
    void send(const void* bytes, std::size_t size) const;
    void receive(void* bytes, std::size_t size) const;

    /// Two open files; the other end gets descriptors of its own, or ConnectionLost where none
    /// came.
    using Descriptors = std::array<int, 2>;
    void send_descriptors(const Descriptors& descriptors) const;
    Descriptors receive_descriptors() const;

private:
    int descriptor_;
};

} // namespace lsrecon
