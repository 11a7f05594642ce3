#pragma once

#include "engines/reference.hpp"
#include "support/wrapped_backend.hpp"
#include "support/wrapped_transform.hpp"

namespace lsrecon::test {

/// The reference, which counts how often Q is asked for: the adjoint of real values.
class CountingBackend : public WrappedBackend {
public:
    CountingBackend() : WrappedBackend(make_reference_backend()) {}

    int qs = 0;
    std::size_t voxels_of_q = 0; ///< those at so many voxels are counted alone; 0: all

    std::unique_ptr<Transform> transform(const SamplePoints& points,
                                         const Voxels& voxels) override {
        return std::make_unique<Counting>(WrappedBackend::transform(points, voxels), *this);
    }

private:
    class Counting : public WrappedTransform {
    public:
        Counting(std::unique_ptr<Transform> inner, CountingBackend& by)
            : WrappedTransform(std::move(inner)), by_(by) {}
        void adjoint(const Array& values, Array& out, const Progress& progress) override {
            const bool counts = by_.voxels_of_q == 0 || by_.voxels_of_q == voxels();
            by_.qs += counts && !values.element().complex ? 1 : 0;
            WrappedTransform::adjoint(values, out, progress);
        }

    private:
        CountingBackend& by_;
    };
};

} // namespace lsrecon::test
