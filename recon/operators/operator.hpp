// Linear maps of arrays on one device, and the ways to compose them.

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

/// diag(f); f may be real, of another precision, or empty for 1.
class Diagonal : public Operator {
public:
    /// The device must outlive it, here and below.
    Diagonal(Device& device, std::size_t count, Array factors = {})
        : device_(device), count_(count), factors_(std::move(factors)) {}

    void set(Array factors) { factors_ = std::move(factors); }
    std::size_t inputs() const override { return count_; }
    std::size_t outputs() const override { return count_; }
    void apply(const Array& in, Array& out) override {
        device_.combine(1, in, 0, out);
        if (!factors_.empty()) {
            device_.multiply(factors_, 0, count_, out);
        }
    }
    void adjoint(const Array& in, Array& out) override {
        if (factors_.empty() || !factors_.element().complex) {
            apply(in, out);
            return;
        }
        device_.combine(1, in, 0, out);
        device_.multiply_conjugate(factors_, 0, count_, out);
    }

private:
    Device& device_;
    std::size_t count_;
    Array factors_;
};

/// A B: first B, then A. What is between them is on this device, in this precision.
class Product : public Operator {
public:
    /// The factors must outlive the product.
    Product(Device& device, Precision precision, Operator& a, Operator& b)
        : a_(a), b_(b), between_(device.zeros(b.outputs(), {true, precision})) {}

    std::size_t inputs() const override { return b_.inputs(); }
    std::size_t outputs() const override { return a_.outputs(); }
    void apply(const Array& in, Array& out) override {
        b_.apply(in, between_);
        a_.apply(between_, out);
    }
    void adjoint(const Array& in, Array& out) override {
        a_.adjoint(in, between_);
        b_.adjoint(between_, out);
    }

private:
    Operator& a_;
    Operator& b_;
    Array between_;
};

/// A^H A, with A's outputs on this device in this precision.
class NormalOf : public SelfAdjoint {
public:
    /// A must outlive it.
    NormalOf(Device& device, Precision precision, Operator& a)
        : a_(a), there_(device.zeros(a.outputs(), {true, precision})) {}

    std::size_t inputs() const override { return a_.inputs(); }
    void apply(const Array& in, Array& out) override {
        a_.apply(in, there_);
        a_.adjoint(there_, out);
    }

private:
    Operator& a_;
    Array there_;
};

} // namespace lsrecon
