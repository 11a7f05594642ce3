#pragma once

#include <string>

namespace lsrecon {

/// Makes every signal that ends the program write the words below first; it then ends as that
/// signal ends it, so that the shell and the batch system see why. A signal that was ignored from
/// the start (nohup) stays ignored. SIGXFSZ is ignored, so that a file that grows too large is an
/// error that can be reported. `shown` makes of words what the user reads. For the program's main:
/// a library leaves signals alone.
void say_words_on_signals(std::string (*shown)(std::string words));

/// The message that a signal that ends the program writes to stderr first, as long as this object
/// lives: what was kept, and how to go on; of several objects that of the last one. At most 4096
/// bytes.
class SaidOnSignal {
public:
    explicit SaidOnSignal(const std::string& words);
    ~SaidOnSignal();
    SaidOnSignal(const SaidOnSignal&) = delete;
    SaidOnSignal& operator=(const SaidOnSignal&) = delete;
};

} // namespace lsrecon
