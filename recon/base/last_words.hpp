#pragma once

#include <chrono>
#include <string>

namespace lsrecon {

/// Appends a text to a file when a signal ends the process while this object lives: so a later
/// process can tell a crash of the work in between (SIGSEGV, SIGABRT, ...) from somebody who
/// stopped it (SIGINT, SIGTERM, SIGHUP). What the signals did before, they do after that. SIGKILL
/// and a power cut leave no words. One object at a time.
class LastWords {
public:
    /// `when_stopped` is left out when the object has lived for longer than `patience`: the one
    /// who stopped it may have had a reason.
    LastWords(const std::string& path, const std::string& when_crashed,
              const std::string& when_stopped, std::chrono::seconds patience);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;
};

} // namespace lsrecon
