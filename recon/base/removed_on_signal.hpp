#pragma once

#include <string>

namespace lsrecon {

/// Makes every signal that ends the program remove the files below first; it then ends as that
/// signal ends it, so that the shell and the batch system see why. A signal that was ignored from
/// the start (nohup) stays ignored. SIGXFSZ is ignored, so that a file that grows too large is an
/// error that can be reported. For the program's main: a library leaves signals alone.
void remove_files_on_signals();

/// A file that a signal removes as long as this object lives. Many threads may have some. Beyond
/// the size of the table, or with a path that is too long, a file is left for later cleaning up.
class RemovedOnSignal {
public:
    explicit RemovedOnSignal(const std::string& path);
    ~RemovedOnSignal();
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

private:
    int slot_ = -1;
};

/// What a signal that ends the program writes to stderr first, as long as this object lives: what
/// was kept, and how to go on. One object at a time; at most 4000 bytes.
class SaidOnSignal {
public:
    explicit SaidOnSignal(const std::string& words);
    ~SaidOnSignal();
    SaidOnSignal(const SaidOnSignal&) = delete;
    SaidOnSignal& operator=(const SaidOnSignal&) = delete;
};

} // namespace lsrecon
