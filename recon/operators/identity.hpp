#pragma once

#include "operators/operator.hpp"

namespace lsrecon {

/// I on vectors of so many numbers.
class Identity : public SelfAdjoint {
public:
    /// The device must outlive it.
    Identity(Device& device, std::size_t count) : device_(device), count_(count) {}
    std::size_t inputs() const override { return count_; }
    bool is_isometry() const override { return true; }
    void apply(const Array& in, Array& out) override { device_.combine(1, in, 0, out); }

private:
    Device& device_;
    std::size_t count_;
};

} // namespace lsrecon
