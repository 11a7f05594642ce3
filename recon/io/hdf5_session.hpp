#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "base/child_process.hpp"
#include "base/input_file.hpp"
#include "base/packed.hpp"
#include "io/hdf5_child.hpp"

namespace lsrecon {

/// A child process that has a file open with HDF5, asked one thing after the other. The child goes
/// on reading while the parts of an answer that it has sent are used.
/// Any failure in the child is an InputError that names the file and what was asked for.
class Hdf5Session {
public:
    explicit Hdf5Session(const InputFile& file);

    /// Messages call the object of the request `thing`.
    void ask(const Hdf5Request& request, const std::string& thing);
    void name_in_messages(const std::string& thing) { thing_ = thing; }
    /// The next part of the answer.
    void receive(std::string& part);
    /// The same in two steps: the size in bytes of the next part, then the part itself.
    std::uint64_t receive_size();
    void receive(void* bytes, std::size_t size);
    template <typename Value> Value receive() {
        std::string part;
        receive(part);
        try {
            return unpacked<Value>(part);
        } catch (const std::length_error&) {
            refuse_nonsense();
        }
    }

    /// InputError for an impossible answer: damage need not lead to a crash.
    [[noreturn]] void refuse_nonsense() const;

private:
    [[noreturn]] void refuse(const ChildFailure& failure) const;
    [[noreturn]] void refuse(const Hdf5Failure& failure) const;
    [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                             const std::string& next_step) const;

    const InputFile& file_;
    std::string thing_ = "file";
    std::unique_ptr<ChildProcess> child_;
};

/// The sessions of a file. One is enough while answers are received one after the other; where two
/// are received alternately, each gets its own.
class Hdf5Sessions {
public:
    explicit Hdf5Sessions(const std::string& path) : file_(path) {}
    InputFile& file() { return file_; }

    std::unique_ptr<Hdf5Session> ask(const Hdf5Request& request, const std::string& thing) {
        auto session = idle_ ? std::move(idle_) : std::make_unique<Hdf5Session>(file_);
        session->ask(request, thing);
        return session;
    }
    /// After the last part of an answer. A session that is not given back ends its child.
    void give_back(std::unique_ptr<Hdf5Session> session) { idle_ = std::move(session); }

private:
    InputFile file_;
    std::unique_ptr<Hdf5Session> idle_;
};

} // namespace lsrecon
