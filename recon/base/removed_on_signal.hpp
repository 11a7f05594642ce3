#pragma once

#include <string>

namespace lsrecon {

/// Makes every signal that ends the program remove the files below first; it then ends as that
/// signal ends it, so that the shell and the batch system see why. A signal that was ignored from
/// the start (nohup) stays ignored. SIGXFSZ is ignored, so that a file that grows too large is an
/// error that can be told. For the program's main: a library leaves signals alone.
void remove_files_on_signals();

/// A file to be removed by a signal as long as this object lives. Many threads may have some; one
/// that finds no room, or whose path is too long, is left to whoever cleans up.
class RemovedOnSignal {
public:
    explicit RemovedOnSignal(const std::string& path);
    ~RemovedOnSignal();
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

private:
    int slot_ = -1;
};

} // namespace lsrecon
