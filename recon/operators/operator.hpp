#pragma once

#include "device/device.hpp"

namespace lsrecon {

/// A linear map of arrays on one device.
class Operator {
public:
    virtual ~Operator() = default;
    virtual std::size_t inputs() const = 0; ///< numbers of `in` of apply
    virtual std::size_t outputs() const = 0;
    virtual void apply(const Array& in, Array& out) = 0;
    virtual void adjoint(const Array& in, Array& out) = 0;
    /// Whether the adjoint inverts the operator: K^H K = 1.
    virtual bool is_isometry() const { return false; }
};

/// A linear map that is its own adjoint.
class SelfAdjoint : public Operator {
public:
    std::size_t outputs() const final { return inputs(); }
    void adjoint(const Array& in, Array& out) final { apply(in, out); }
};

} // namespace lsrecon
