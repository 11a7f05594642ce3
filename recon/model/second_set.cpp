// Decides by statistics of a calibration whether there is a second image, and makes its maps.

#include "model/second_set.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

/// The number of voxels in the largest part of them that hangs together.
std::size_t largest_connected(const std::vector<bool>& is_in, const Grid& grid) {
    std::vector<bool> left = is_in;
    std::size_t largest = 0;
    for (std::size_t start = 0; start < left.size(); ++start) {
        std::size_t count = 0;
        std::vector<std::size_t> front;
        const auto visit = [&](std::size_t n) {
            if (left[n]) {
                left[n] = false;
                front.push_back(n);
                ++count;
            }
        };
        visit(start);
        while (!front.empty()) {
            const std::size_t n = front.back();
            front.pop_back();
            std::size_t stride = 1;
            for (const std::size_t size : grid.size) { // the field of view repeats itself
                const std::size_t at = n / stride % size;
                visit(at > 0 ? n - stride : n + (size - 1) * stride);
                visit(at + 1 < size ? n + stride : n - (size - 1) * stride);
                stride *= size;
            }
        }
        largest = std::max(largest, count);
    }
    return largest;
}

} // namespace

bool needs_second_set(const HermitianField& field, const Calibration& calibration, float crop) {
    // Simulated scans within their field, 2 to 32 coils, SNR 2 to 100: at most 0.0007 of the energy
    // where noise is low, and 0.55 of what is left where it is not. A brain that is wider: 0.009 to
    // 0.012, 0.97 to 0.98, and 0.15 of the voxels.
    constexpr double least_voxels = 0.03;
    constexpr double least_energy = 0.002;
    constexpr double least_of_left = 0.8;
    if (field.coils < 3) {
        return false;
    }
    const Grid& grid = calibration.grid;
    const Eigen::MatrixXcf references = strongest_combinations(calibration.images, 2);
    const Eigenvectors first = dominant_eigenvectors(field, grid, references.col(0));
    const Eigenvectors second = next_eigenvectors(field, grid, references.col(1), first);
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    std::vector<bool> has_two(grid.voxels());
    double seen = 0; // voxels
    double energy = 0;
    double left = 0; // by the first vectors, where there are two
    double by_second = 0;
    for (Eigen::Index n = 0; n < voxels; ++n) {
        if (first.eigenvalues(n) < crop) {
            continue;
        }
        const bool two = second.eigenvalues(n) >= crop;
        has_two[static_cast<std::size_t>(n)] = two;
        ++seen;
        for (Eigen::Index i = n; i < calibration.images.cols(); i += voxels) { // of each frame
            const Eigen::VectorXcd image = calibration.images.col(i);
            energy += image.squaredNorm();
            if (two) {
                left += image.squaredNorm() -
                        std::norm(first.vectors.col(n).cast<Complex>().dot(image));
                by_second += std::norm(second.vectors.col(n).cast<Complex>().dot(image));
            }
        }
    }
    return static_cast<double>(largest_connected(has_two, grid)) > least_voxels * seen &&
           by_second > least_energy * energy && by_second > least_of_left * left;
}

CoilRows::Floats two_sets(const Eigenvectors& first, const Eigen::ArrayXf& first_weights,
                          const Eigenvectors& second, const Eigen::ArrayXf& second_weights,
                          const Eigen::MatrixXcf& references) {
    const Eigen::Index voxels = first.vectors.cols();
    CoilRows::Floats maps(first.vectors.rows(), 2 * voxels);
    constexpr std::size_t at_a_time = 4096;
    const auto parts = split_into_ranges(static_cast<std::size_t>(voxels), at_a_time);
    for_each_in_parallel(parts.size(), [&](std::size_t part) {
        for (std::size_t i = 0; i < parts[part].count; ++i) {
            const auto n = static_cast<Eigen::Index>(parts[part].first + i);
            const Eigen::VectorXcf v = first.vectors.col(n);
            const Eigen::VectorXcf w = second_weights(n) * second.vectors.col(n);
            const std::complex<float> a = references.col(0).dot(v);
            const std::complex<float> b = references.col(0).dot(w);
            const float length = std::hypot(std::abs(a), std::abs(b));
            const std::complex<float> cosine = length > 0 ? a / length : 1;
            const std::complex<float> sine = length > 0 ? b / length : 0;
            Eigen::VectorXcf one = std::conj(cosine) * v + std::conj(sine) * w;
            Eigen::VectorXcf other = cosine * w - sine * v;
            const std::complex<float> along = references.col(1).dot(other);
            const float size = std::abs(along);
            other *= size > 0 ? std::conj(along) / size : 1;
            if (second_weights(n) == 0) {
                one = v;
                other.setZero();
            }
            maps.col(n) = first_weights(n) * one;
            maps.col(voxels + n) = first_weights(n) * other;
        }
    });
    return maps;
}

} // namespace lsrecon
