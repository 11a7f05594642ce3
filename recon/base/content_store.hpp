// A store of what was made of some numbers, found by these numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

namespace lsrecon {

/// The bytes of numbers that lie one after the other.
template <typename Numbers> std::string_view bytes_of_all(const Numbers& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()),
            static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data())};
}

/// Keeps what was made of some numbers for whoever needs it of the same numbers again. They are
/// compared byte by byte, never by a name or a hash alone. The results that were used last are
/// kept, within a bound. Threads may use the store at the same time.
class ContentStore {
public:
    using Contents = std::vector<std::string_view>;

    /// `most_bytes` is the limit of all that is kept, with the numbers that it was made of.
    explicit ContentStore(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// Finds what was made of these numbers under the name `what`, which says everything else that
    /// it depends on. Otherwise calls make(), and keeps its shared pointer to `bytes` bytes.
    template <typename Made, typename Make> std::shared_ptr<const Made>
    get(const std::string& what, const Contents& of, std::size_t bytes, const Make& make) {
        const std::type_index type = typeid(Made);
        if (std::shared_ptr<const void> found = find(type, what, of)) {
            return std::static_pointer_cast<const Made>(std::move(found));
        }
        std::shared_ptr<const Made> made = make();
        keep(type, what, of, bytes, made);
        return made;
    }

private:
    struct Entry {
        std::type_index type;
        std::string what;
        std::vector<std::string> of;
        std::size_t bytes;
        std::shared_ptr<const void> made;
    };
    std::shared_ptr<const void> find(const std::type_index& type, const std::string& what,
                                     const Contents& of);
    void keep(const std::type_index& type, const std::string& what, const Contents& of,
              std::size_t bytes, std::shared_ptr<const void> made);

    const std::size_t most_bytes_;
    std::mutex mutex_;
    std::deque<Entry> entries_; ///< the one that was asked for last comes first
    std::size_t bytes_ = 0;
};

/// ContentStore::get(), or make() where there is no store.
template <typename Made, typename Make>
std::shared_ptr<const Made> kept_or_made(ContentStore* store, const std::string& what,
                                         const ContentStore::Contents& of, std::size_t bytes,
                                         const Make& make) {
    return store != nullptr ? store->get<Made>(what, of, bytes, make) : make();
}

inline std::shared_ptr<const void> ContentStore::find(const std::type_index& type,
                                                      const std::string& what, const Contents& of) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.type == type && entry.what == what &&
               std::equal(entry.of.begin(), entry.of.end(), of.begin(), of.end());
    });
    if (found == entries_.end()) {
        return nullptr;
    }
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().made;
}

inline void ContentStore::keep(const std::type_index& type, const std::string& what,
                               const Contents& of, std::size_t bytes,
                               std::shared_ptr<const void> made) {
    for (const std::string_view& part : of) {
        bytes += part.size();
    }
    if (bytes > most_bytes_) {
        return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_.push_front({type, what, {of.begin(), of.end()}, bytes, std::move(made)});
    bytes_ += bytes;
    while (bytes_ > most_bytes_) {
        bytes_ -= entries_.back().bytes;
        entries_.pop_back();
    }
}

} // namespace lsrecon
