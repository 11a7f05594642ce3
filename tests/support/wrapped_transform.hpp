#pragma once

#include <memory>

#include "engines/transform.hpp"

namespace lsrecon::test {

/// Another transform as it is: for tests that count its calls or spoil its results.
class WrappedTransform : public Transform {
public:
    explicit WrappedTransform(std::unique_ptr<Transform> inner) : inner_(std::move(inner)) {}

    std::size_t samples() const override { return inner_->samples(); }
    std::size_t voxels() const override { return inner_->voxels(); }
    void forward(const Array& rho, Array& out, const Progress& progress) override {
        inner_->forward(rho, out, progress);
    }
    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        inner_->adjoint(values, out, progress);
    }
    double forward_error() const override { return inner_->forward_error(); }
    double adjoint_error() const override { return inner_->adjoint_error(); }

private:
    std::unique_ptr<Transform> inner_;
};

} // namespace lsrecon::test
