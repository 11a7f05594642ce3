// Times the stages and frames of a run, and writes the last message from a signal handler.

#include "base/report.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <unistd.h>

#include "base/machine.hpp"

namespace lsrecon {

void Reporter::add(const Finding& finding) {
    if (!shown_.insert(words_of(finding)).second) {
        return;
    }
    on_finding(finding);
    if (row_of(finding).severity != Severity::error) {
        findings_.push_back(finding);
    }
}

void Reporter::add(const Findings& findings) {
    for (const Finding& finding : findings) {
        add(finding);
    }
}

void Reporter::end(const std::string& stage, double seconds) {
    // A stage that runs once a frame is one line in the record: its times add up.
    const auto known = std::find_if(stage_seconds_.begin(), stage_seconds_.end(),
                                    [&](const auto& entry) { return entry.first == stage; });
    if (known == stage_seconds_.end()) {
        stage_seconds_.emplace_back(stage, seconds);
    } else {
        known->second += seconds;
    }
    on_end(stage, seconds);
}

Stage::Stage(Reporter& report, std::string name, double expected_seconds)
    : report_(report), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {
    report_.on_begin(name_, expected_seconds);
}

Stage::~Stage() {
    report_.end(name_, seconds_since(start_));
}

void FrameProgress::next(const std::string& label) {
    if (count_ > 1) {
        report_.on_frame(++number_, count_, label);
    }
}

FrameProgress::~FrameProgress() {
    if (count_ > 1) {
        report_.on_frames_end();
    }
}

namespace {

std::array<char, 4096> words; // a handler of signals may read no memory that is allocated
std::atomic<std::size_t> words_size{0}; // 0 while they are set
std::mutex setting;
const SaidOnSignal* owner = nullptr; // of the words
std::atomic<bool> on_terminal{false};
std::atomic<bool> ending{false};
std::string (*shown_to_user)(std::string) = nullptr;

void say_words_and_end(int signal) {
    if (ending.exchange(true)) {
        return; // sent twice, as timeout(1) does: another thread is here
    }
    if (words_size > 0) {
        // A failure to write is ignored: nothing can be done about it. On a terminal the words
        // begin a new line after that of the progress.
        [[maybe_unused]] ssize_t ignored = on_terminal ? ::write(STDERR_FILENO, "\n", 1) : 0;
        ignored = ::write(STDERR_FILENO, words.data(), words_size);
    }
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

} // namespace

void say_words_on_signals(std::string (*shown)(std::string words)) {
    shown_to_user = shown;
    on_terminal = ::isatty(STDERR_FILENO) == 1;
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2}) {
        if (std::signal(signal, &say_words_and_end) == SIG_IGN) {
            std::signal(signal, SIG_IGN);
        }
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

SaidOnSignal::SaidOnSignal(const std::string& said) {
    const std::string text = shown_to_user != nullptr ? shown_to_user(said) : said;
    const std::size_t size = std::min(text.size(), words.size());
    const std::lock_guard<std::mutex> lock(setting);
    owner = this;
    words_size = 0;
    std::memcpy(words.data(), text.data(), size);
    words_size = size;
}

SaidOnSignal::~SaidOnSignal() {
    const std::lock_guard<std::mutex> lock(setting);
    if (owner == this) {
        words_size = 0;
    }
}

} // namespace lsrecon
