#pragma once

#include "support/wrapped_transforms.hpp"

namespace lsrecon::test {

/// Those of the reference, which counts how often Q is asked for: the adjoint of real values.
class CountingTransforms {
public:
    CountingTransforms() = default;
    CountingTransforms(const CountingTransforms&) = delete;
    CountingTransforms& operator=(const CountingTransforms&) = delete;

    int qs = 0;
    std::size_t voxels_of_q = 0; ///< those at so many voxels are counted alone; 0: all

    operator Transforms&() { return *transforms_; } // NOLINT: as an argument

private:
    class Counting : public WrappedTransform {
    public:
        Counting(std::unique_ptr<Transform> inner, CountingTransforms& by)
            : WrappedTransform(std::move(inner)), by_(by) {}
        void adjoint(const Array& values, Array& out, const Progress& progress) override {
            const bool counts = by_.voxels_of_q == 0 || by_.voxels_of_q == voxels();
            by_.qs += counts && !values.element().complex ? 1 : 0;
            WrappedTransform::adjoint(values, out, progress);
        }

    private:
        CountingTransforms& by_;
    };

    std::unique_ptr<Transforms> transforms_ =
        open_transforms(on_reference(), wrapped([this](std::unique_ptr<Transform> inner) {
                            return std::make_unique<Counting>(std::move(inner), *this);
                        }));
};

} // namespace lsrecon::test
