#include "base/content_store.hpp"

#include <algorithm>

namespace lsrecon {

std::shared_ptr<const void> ContentStore::find(const std::type_index& type, const std::string& what,
                                               const Contents& of) {
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

void ContentStore::keep(const std::type_index& type, const std::string& what, const Contents& of,
                        std::size_t bytes, std::shared_ptr<const void> made) {
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
