#pragma once

#include <chrono>
#include <string>

namespace lsrecon {

/// Appends a text to a file when a signal ends the process while this object lives, so that a later
/// process can distinguish a crash of the work (SIGSEGV, SIGABRT, ...) from a user who stopped it
/// (SIGINT, SIGTERM, SIGHUP). Afterwards the signals have their usual effect. SIGKILL and a power
/// cut leave no words. One object at a time.
class LastWords {
public:
    /// `when_stopped` is not written when the object has lived for longer than `patience`: the
    /// user may have stopped the process because it hung.
    LastWords(const std::string& path, const std::string& when_crashed,
              const std::string& when_stopped, std::chrono::seconds patience);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;
};

} // namespace lsrecon
