// Structs as bytes, for messages between the processes of a job.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lsrecon {

// Plain data as bytes and back, for messages between processes of one program. A struct takes part
// by naming its members once, for both directions:
//
//     template <typename Archive> void each(Archive& archive) { archive(name, extents); }

template <typename Value> constexpr bool is_plain =
    std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

class Packer {
public:
    template <typename... Values> void operator()(Values&... values) { (put(values), ...); }
    const std::string& bytes() const { return bytes_; }

private:
    template <typename Value> void put(Value& value) {
        if constexpr (is_plain<Value>) {
            bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
        } else {
            value.each(*this);
        }
    }
    void put(std::string& text) {
        put_count(text.size());
        bytes_ += text;
    }
    template <typename Value> void put(std::vector<Value>& values) {
        put_count(values.size());
        if constexpr (is_plain<Value>) {
            bytes_.append(reinterpret_cast<const char*>(values.data()),
                          values.size() * sizeof(Value));
        } else {
            for (Value& value : values) {
                put(value);
            }
        }
    }
    template <typename First, typename Second> void put(std::pair<First, Second>& value) {
        put(value.first);
        put(value.second);
    }
    template <typename Value> void put(std::optional<Value>& value) {
        put_count(value ? 1 : 0);
        if (value) {
            put(*value);
        }
    }
    void put_count(std::uint64_t count) { put(count); }

    std::string bytes_;
};

/// Throws std::length_error where bytes are missing: a process that went wrong may send anything.
class Unpacker {
public:
    explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}
    template <typename... Values> void operator()(Values&... values) { (get(values), ...); }

private:
    template <typename Value> void get(Value& value) {
        if constexpr (is_plain<Value>) {
            std::memcpy(&value, take(sizeof(value)), sizeof(value));
        } else {
            value.each(*this);
        }
    }
    void get(std::string& text) {
        const std::uint64_t size = count();
        text.assign(take(size), size);
    }
    template <typename Value> void get(std::vector<Value>& values) {
        values.clear();
        for (std::uint64_t left = count(); left > 0; --left) {
            get(values.emplace_back());
        }
    }
    template <typename First, typename Second> void get(std::pair<First, Second>& value) {
        get(value.first);
        get(value.second);
    }
    template <typename Value> void get(std::optional<Value>& value) {
        value.reset();
        if (count() > 0) {
            get(value.emplace());
        }
    }
    std::uint64_t count() {
        std::uint64_t result = 0;
        get(result);
        return result;
    }
    const char* take(std::uint64_t size) {
        if (size > bytes_.size() - at_) {
            throw std::length_error("a message ends too early");
        }
        at_ += size;
        return bytes_.data() + (at_ - size);
    }

    const std::string& bytes_;
    std::size_t at_ = 0;
};

template <typename Value> std::string packed(Value value) {
    Packer packer;
    packer(value);
    return packer.bytes();
}

template <typename Value> Value unpacked(const std::string& bytes) {
    Value value{};
    Unpacker unpacker(bytes);
    unpacker(value);
    return value;
}

} // namespace lsrecon
