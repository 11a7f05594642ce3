#pragma once

#include <memory>

#include "engines/backend.hpp"

namespace lsrecon::test {

/// Another backend as it is: for tests that change or watch one thing of it.
class WrappedBackend : public Backend {
public:
    explicit WrappedBackend(Backend& inner) : inner_(inner) {} ///< which must outlive it
    explicit WrappedBackend(std::unique_ptr<Backend> inner)
        : owned_(std::move(inner)), inner_(*owned_) {}

    BackendInfo info() const override { return inner_.info(); }
    Device& device() override { return inner_.device(); }
    void open_ahead() override { inner_.open_ahead(); }
    Precision precision() const override { return inner_.precision(); }
    Precision solver_precision() override { return inner_.solver_precision(); }
    std::unique_ptr<Transform> transform(const SamplePoints& points,
                                         const Voxels& voxels) override {
        return inner_.transform(points, voxels);
    }
    double segment_error() const override { return inner_.segment_error(); }
    void note(const std::string& message) const override { inner_.note(message); }
    void restart_clock() override { inner_.restart_clock(); }
    double compute_seconds() const override { return inner_.compute_seconds(); }

private:
    std::unique_ptr<Backend> owned_; ///< where it is this one's alone
    Backend& inner_;
};

} // namespace lsrecon::test
