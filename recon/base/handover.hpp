#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace lsrecon {

/// Hands values from one thread to another, one at a time: who gives waits until it is taken, so
/// that neither is more than one value ahead.
template <typename Value> class Handover {
public:
    /// False when it was closed before the value was taken.
    bool put(Value value) {
        std::unique_lock<std::mutex> lock(mutex_);
        value_ = std::move(value);
        changed_.notify_all();
        changed_.wait(lock, [&] { return !value_ || closed_; });
        return !value_;
    }

    /// Waits for the next one; none when it was closed.
    std::optional<Value> take() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return value_ || closed_; });
        if (closed_) {
            return std::nullopt;
        }
        std::optional<Value> taken = std::exchange(value_, std::nullopt);
        changed_.notify_all();
        return taken;
    }

    /// Called by either side: nobody waits any more.
    void close() {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Value> value_;
    bool closed_ = false;
};

} // namespace lsrecon
