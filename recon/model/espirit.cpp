// Estimates coil maps by ESPIRiT, as eigenvectors of a projection in k-space.

#include "model/estimated_maps.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/parallel.hpp"
#include "model/second_set.hpp"

namespace lsrecon {

namespace {

using Patches = Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Shares of the largest singular value between which the threshold follows the noise.
constexpr double least_threshold = 0.02;
constexpr double most_threshold = 0.05;
constexpr std::size_t largest_kernel_2d = 6;
constexpr std::size_t largest_kernel_3d = 5;

/// The window that is moved over k-space.
struct Kernel {
    Kernel(const Grid& grid, std::size_t radius) {
        const std::size_t width = std::min(
            grid.dimensions == 3 ? largest_kernel_3d : largest_kernel_2d, (radius + 2) / 2);
        for (std::size_t d = 0; d < 3;
             ++d) { // at as many positions, or nothing says how it moves on
            size[d] = std::min(width, (grid.size[d] + 1) / 2);
        }
    }
    std::size_t points() const { return size[0] * size[1] * size[2]; }
    std::array<std::size_t, 3> size{1, 1, 1};
};

/// Visits every point of a box, x fastest.
template <typename Visit>
void for_each_point(const std::array<std::size_t, 3>& size, const Visit& visit) {
    for (std::size_t z = 0; z < size[2]; ++z) {
        for (std::size_t y = 0; y < size[1]; ++y) {
            for (std::size_t x = 0; x < size[0]; ++x) {
                visit(std::array<std::size_t, 3>{x, y, z});
            }
        }
    }
}

constexpr std::size_t most_windows = 6000; ///< a radius of 12 in 3D has 4800

/// First points of the windows that lie within the radius of the calibration, of many at random.
std::vector<std::array<std::size_t, 3>> windows_of(const Grid& grid, std::size_t radius,
                                                   const Kernel& kernel) {
    const std::array<std::size_t, 3>& size = grid.size;
    std::vector<std::array<std::size_t, 3>> corners;
    std::array<std::size_t, 3> slices{};
    for (std::size_t d = 0; d < 3; ++d) {
        slices[d] = size[d] - kernel.size[d] + 1;
    }
    const double reach = static_cast<double>(radius) + 0.5;
    for_each_point(slices, [&](const std::array<std::size_t, 3>& corner) {
        double farthest = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double first = static_cast<double>(corner[d]) - static_cast<double>(size[d] / 2);
            const double last = first + static_cast<double>(kernel.size[d] - 1);
            farthest += std::max(first * first, last * last);
        }
        if (farthest <= reach * reach) {
            corners.push_back(corner);
        }
    });
    const std::size_t all = corners.size();
    if (all > most_windows) {
        std::mt19937 random(1); // the same maps every time
        const auto is_left_out = [&](const auto&) { return random() % all >= most_windows; };
        corners.erase(std::remove_if(corners.begin(), corners.end(), is_left_out), corners.end());
    }
    return corners;
}

/// A window a row: C kernels side by side. Of several frames each has some of the windows, at
/// random positions, so that there are no more.
Patches patches_of(const Calibration& calibration, const Kernel& kernel) {
    const std::array<std::size_t, 3>& size = calibration.grid.size;
    const auto corners = windows_of(calibration.grid, calibration.radius, kernel);
    std::mt19937 random(1); // the same maps every time
    const Eigen::Index coils = calibration.kspace.rows();
    const auto points = static_cast<Eigen::Index>(kernel.points());
    const double scale = calibration.kspace.cwiseAbs().maxCoeff();
    Patches patches(static_cast<Eigen::Index>(corners.size()), coils * points);
    for (std::size_t p = 0; p < corners.size(); ++p) {
        const std::size_t frame = random() % calibration.frames;
        Eigen::Index i = 0;
        for_each_point(kernel.size, [&](const std::array<std::size_t, 3>& at) {
            const std::size_t n =
                frame * calibration.grid.voxels() +
                ((corners[p][2] + at[2]) * size[1] + corners[p][1] + at[1]) * size[0] +
                corners[p][0] + at[0];
            for (Eigen::Index c = 0; c < coils; ++c) {
                patches(static_cast<Eigen::Index>(p), c * points + i) = std::complex<float>(
                    calibration.kspace(c, static_cast<Eigen::Index>(n)) / scale);
            }
            ++i;
        });
    }
    return patches;
}

/// The largest singular value that noise has in a matrix of this shape, by the energy outside of
/// its first directions (Marchenko and Pastur 1967).
double largest_of_noise(const Patches& patches, double energy_outside, Eigen::Index directions) {
    const auto rows = static_cast<double>(patches.rows());
    const auto columns = static_cast<double>(patches.cols());
    const auto inside = static_cast<double>(directions);
    const double variance = energy_outside / ((rows - inside) * (columns - inside));
    return std::sqrt(std::max(0.0, variance)) * (std::sqrt(rows) + std::sqrt(columns));
}

/// Beyond this share of the largest singular value, noise is all there is: 0.83 to 0.98 were found
/// for noise alone, 0.56 at most for an image of SNR 1.
constexpr double nothing_else = 0.6;

constexpr Eigen::Index first_rank = 128;

/// A B, on all cores.
Eigen::MatrixXcf product(const Eigen::MatrixXcf& a, const Eigen::MatrixXcf& b) {
    constexpr std::size_t columns_at_a_time = 64;
    Eigen::MatrixXcf result(a.rows(), b.cols());
    const auto parts = split_into_ranges(static_cast<std::size_t>(b.cols()), columns_at_a_time);
    for_each_in_parallel(parts.size(), [&](std::size_t i) {
        const auto first = static_cast<Eigen::Index>(parts[i].first);
        const auto count = static_cast<Eigen::Index>(parts[i].count);
        result.middleCols(first, count).noalias() = a * b.middleCols(first, count);
    });
    return result;
}

/// A^H A, on all cores.
Eigen::MatrixXcf gram_of(const Patches& a) {
    constexpr std::size_t columns_at_a_time = 64;
    Eigen::MatrixXcf result(a.cols(), a.cols());
    const auto parts = split_into_ranges(static_cast<std::size_t>(a.cols()), columns_at_a_time);
    const auto columns = [&](std::size_t i) {
        return a.middleCols(static_cast<Eigen::Index>(parts[i].first),
                            static_cast<Eigen::Index>(parts[i].count));
    };
    for_each_in_parallel(parts.size() * parts.size(), [&](std::size_t pair) {
        const std::size_t i = pair / parts.size();
        const std::size_t j = pair % parts.size();
        if (i > j) {
            return;
        }
        const Eigen::MatrixXcf block = columns(i).adjoint() * columns(j);
        const auto row = static_cast<Eigen::Index>(parts[i].first);
        const auto column = static_cast<Eigen::Index>(parts[j].first);
        result.block(row, column, block.rows(), block.cols()) = block;
        if (i < j) {
            result.block(column, row, block.cols(), block.rows()) = block.adjoint();
        }
    });
    return result;
}

/// The largest eigenvalues of a matrix, in ascending order, and their eigenvectors.
struct Leading {
    Eigen::VectorXf eigenvalues;
    Eigen::MatrixXcf vectors;
    Eigen::VectorXf residuals; ///< norms of A v - lambda v
};

/// Leading eigenvectors, by iteration on a subspace of `rank` dimensions (Halko et al. 2011, SIAM
/// Review 53:217) that begins with the `known` vectors and random ones.
Leading leading_eigenvectors(const Eigen::MatrixXcf& matrix, Eigen::Index rank,
                             const Eigen::MatrixXcf& known) {
    constexpr int passes = 4;
    std::mt19937 random(1); // the same maps every time
    std::normal_distribution<float> normal;
    Eigen::MatrixXcf basis = Eigen::MatrixXcf::NullaryExpr(matrix.cols(), rank, [&] {
        const float real = normal(random);
        return std::complex<float>(real, normal(random));
    });
    basis.rightCols(known.cols()) = known;
    Eigen::MatrixXcf images;
    for (int pass = 0; pass < passes; ++pass) {
        const Eigen::HouseholderQR<Eigen::MatrixXcf> qr(pass == 0 ? basis : images);
        basis = qr.householderQ() * Eigen::MatrixXcf::Identity(matrix.cols(), rank);
        images = product(matrix, basis);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcf> solver(basis.adjoint() * images);
    Leading leading{solver.eigenvalues(), product(basis, solver.eigenvectors()), {}};
    leading.residuals = (product(images, solver.eigenvectors()) -
                         leading.vectors * leading.eigenvalues.asDiagonal())
                            .colwise()
                            .norm();
    return leading;
}

struct RowSpace {
    Eigen::MatrixXcf basis; ///< orthogonal columns as long as they count, none where nothing is
    double threshold; ///< share of the largest singular value above which it is
};

/// Share of the largest singular value, roughly, that is wrong in a calibration: what it has in the
/// darkest tenth of its field of view, where samples that are hardly dense enough leave aliasing.
double errors_of(const Calibration& calibration) {
    Eigen::ArrayXd energy = calibration.smooth_energy();
    const double mean = energy.mean();
    const auto tenth = energy.begin() + energy.size() / 10;
    std::nth_element(energy.begin(), tenth, energy.end());
    return mean > 0 ? std::sqrt(*tenth / mean) : 0;
}

/// Far above noise and errors, so that they take no part; where there is little, down to what weak
/// coils and dark parts of an object have.
double threshold_of(double of_noise, double errors, std::optional<double> wanted) {
    const double far = std::clamp(2 * std::max(of_noise, errors), least_threshold, most_threshold);
    return std::max(wanted.value_or(far), of_noise);
}

/// Weights of directions by the squares of their singular values. They fall towards the least
/// threshold, where artefacts of an object begin to form an image of their own.
Eigen::ArrayXf weights_of(const Eigen::ArrayXf& squares, double threshold) {
    const double edge = std::min(threshold, least_threshold);
    const auto square = static_cast<float>(edge * edge) * squares.maxCoeff();
    const Eigen::ArrayXf left_out =
        (square / squares.max(std::numeric_limits<float>::min())).square();
    return (1 - left_out).max(0);
}

/// The row space of the patches above the threshold and above noise: by the eigenvectors of P^H P,
/// or of P P^H where that is smaller. The subspace grows until it holds all of them and they are
/// known well.
RowSpace row_space(const Patches& patches, double errors, std::optional<double> wanted) {
    constexpr float known_well = 0.01F; // residual over eigenvalue
    const bool is_wide = patches.cols() > patches.rows();
    const Eigen::MatrixXcf gram = is_wide ? gram_of(patches.adjoint()) : gram_of(patches);
    const Eigen::Index full = gram.rows();
    const double energy = patches.cast<std::complex<double>>().squaredNorm();
    Leading leading{{}, Eigen::MatrixXcf(full, 0), {}};
    for (Eigen::Index rank = std::min(full, first_rank);; rank = std::min(full, 2 * rank)) {
        leading = leading_eigenvectors(gram, rank, leading.vectors);
        const Eigen::VectorXd squares = leading.eigenvalues.cast<double>();
        const Eigen::Index first = std::min(rank, full / 2);
        const double outside = energy - squares.tail(first).sum();
        const double largest = std::sqrt(squares(rank - 1));
        const double of_noise = largest_of_noise(patches, outside, first);
        if (of_noise > nothing_else * largest) {
            return {Eigen::MatrixXcf(patches.cols(), 0), nothing_else};
        }
        const double threshold = threshold_of(of_noise / largest, errors, wanted);
        const auto count = (squares.array() >= std::pow(threshold * largest, 2)).count();
        const Eigen::ArrayXf kept = leading.eigenvalues.tail(count).array();
        const Eigen::ArrayXf weights = weights_of(kept, threshold);
        const bool all_known =
            (weights * leading.residuals.tail(count).array() <= known_well * kept).all();
        if (rank == full || (count < rank && all_known)) {
            const Eigen::MatrixXcf vectors =
                leading.vectors.rightCols(count) * weights.sqrt().matrix().asDiagonal();
            if (!is_wide) {
                return {vectors, threshold};
            }
            const Eigen::VectorXf lengths = kept.sqrt().matrix();
            return {product(patches.adjoint(), vectors) * lengths.cwiseInverse().asDiagonal(),
                    threshold};
        }
    }
}

/// The projection of one coil from the others at a distance in k-space, averaged over the window.
/// Coefficient (a, b) at distance t belongs to a field whose eigenvectors of eigenvalue 1 are maps.
///
///     X_a(m) = sum_b sum_t W_ab(t) X_b(m + t),  W_ab(t) = sum over s - s' = t of P(bs, as') / K
HermitianField field_of(const Eigen::MatrixXcf& row_space, const Kernel& kernel,
                        std::size_t coils) {
    std::array<std::size_t, 3> distances{};
    for (std::size_t d = 0; d < 3; ++d) {
        distances[d] = 2 * kernel.size[d] - 1;
    }
    const auto points = static_cast<Eigen::Index>(kernel.points());
    const auto count = static_cast<Eigen::Index>(coils);
    HermitianField field;
    field.coils = coils;
    field.coefficients = CoilRows::Floats::Zero(
        count * (count + 1) / 2,
        static_cast<Eigen::Index>(distances[0] * distances[1] * distances[2]));
    std::vector<std::array<std::size_t, 3>> slices;
    for_each_point(kernel.size,
                   [&](const std::array<std::size_t, 3>& at) { slices.push_back(at); });
    std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs;
    for (Eigen::Index a = 0; a < count; ++a) {
        for (Eigen::Index b = a; b < count; ++b) {
            pairs.emplace_back(a, b);
        }
    }
    for_each_in_parallel(pairs.size(), [&](std::size_t pair) {
        const auto [a, b] = pairs[pair];
        const Eigen::MatrixXcf projection = row_space.middleRows(b * points, points) *
                                            row_space.middleRows(a * points, points).adjoint();
        for (Eigen::Index i = 0; i < points; ++i) {
            for (Eigen::Index j = 0; j < points; ++j) {
                const auto& of_b = slices[static_cast<std::size_t>(i)];
                const auto& of_a = slices[static_cast<std::size_t>(j)];
                std::size_t index = 0;
                for (std::size_t d = 3; d-- > 0;) {
                    index = index * distances[d] + of_b[d] + kernel.size[d] - 1 - of_a[d];
                }
                field.coefficients(static_cast<Eigen::Index>(pair),
                                   static_cast<Eigen::Index>(index)) +=
                    projection(i, j) / static_cast<float>(points);
            }
        }
    });
    return field;
}

/// The field on the voxels of a grid.
HermitianField field_on_grid(HermitianField field, const Kernel& kernel, const Grid& grid) {
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t distances = 2 * kernel.size[d] - 1;
        field.basis[d].resize(static_cast<Eigen::Index>(grid.size[d]),
                              static_cast<Eigen::Index>(distances));
        const auto size = static_cast<double>(grid.size[d]);
        for (std::size_t n = 0; n < grid.size[d]; ++n) {
            const double x = (static_cast<double>(n) - std::floor(size / 2)) / size;
            for (std::size_t t = 0; t < distances; ++t) {
                const double distance =
                    static_cast<double>(t) - static_cast<double>(kernel.size[d] - 1);
                field.basis[d](static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(t)) =
                    std::complex<float>(std::polar(1.0, -2 * pi * distance * x));
            }
        }
    }
    return field;
}

/// The crop of the eigenvalue for a threshold. The eigenvalue of an object falls below 1 as more is
/// left out of its windows: simulated objects were whole, and no wider, with a crop of 0.9 at a
/// threshold of 0.02 and with 0.8 from 0.05 on.
double crop_of(double threshold) {
    constexpr double most = 0.9;
    constexpr double least = 0.8;
    const double above = (threshold - least_threshold) / (most_threshold - least_threshold);
    return std::clamp(most - above * (most - least), least, most);
}

/// The weight of the map at a voxel with this largest eigenvalue, which is 1 where there is signal.
float weight_of(float eigenvalue, float crop, bool soft) {
    if (!soft) {
        return eigenvalue >= crop ? 1 : 0;
    }
    const float t = std::clamp((eigenvalue - crop) / (1 - crop), 0.0F, 1.0F);
    return std::sqrt(t);
}

using RealPlane = Eigen::ArrayXXf; ///< values by x and y

/// 1 for what is not 0 and for what it encloses. An opening needs no closing first: the window of 6
/// points, or fewer, bridges all that are narrower than a quarter of the field of view.
void fill_holes(Eigen::Ref<RealPlane> weights) {
    RealPlane padded = RealPlane::Zero(weights.rows() + 2, weights.cols() + 2);
    const auto inner = [&] { return padded.block(1, 1, weights.rows(), weights.cols()); };
    inner() = weights;
    std::vector<Eigen::Index> front{0};
    while (!front.empty()) {
        const Eigen::Index n = front.back();
        front.pop_back();
        if (n >= 0 && n < padded.size() && padded.data()[n] == 0) {
            padded.data()[n] = -1;
            front.insert(front.end(), {n - 1, n + 1, n - padded.rows(), n + padded.rows()});
        }
    }
    weights = (inner() >= 0).cast<float>();
}

} // namespace

Cost cost_of_espirit(const MachineModel& machine, std::size_t coils, const Grid& from,
                     const Grid& to) {
    const Kernel kernel(from, from.size[0] / 2);
    const auto points = static_cast<double>(coils * kernel.points());
    const auto windows = static_cast<double>(windows_of(from, from.size[0] / 2, kernel).size());
    const double full = std::min(points, windows);
    const double rank = std::min(full, 2.0 * static_cast<double>(first_rank)); // mostly
    const double patches = (points > windows ? 2 : 1) * points * windows;
    Cost cost = Cost::on_host((patches + full * full + 4 * full * rank) *
                              static_cast<double>(sizeof(std::complex<float>)));
    // Four passes by QR and an eigendecomposition for half of the rank, and for all of it; of their
    // products, two take as long as one of matrices.
    cost.seconds = machine.window * (points * windows * full / 2 + 6 * rank * full * full +
                                     points * points * rank / 2 + 5 * (full + rank) * rank * rank);
    return in_turn(cost, cost_of_walsh(machine, coils, from, to));
}

CoilRows::Floats espirit_maps(const Calibration& calibration, const Grid& grid,
                              const MapsOptions& options) {
    const Kernel kernel(calibration.grid, calibration.radius);
    const auto coils = static_cast<std::size_t>(calibration.kspace.rows());
    const RowSpace space =
        row_space(patches_of(calibration, kernel), errors_of(calibration), options.threshold);
    if (space.basis.cols() == 0) {
        return CoilRows::Floats::Zero(static_cast<Eigen::Index>(coils),
                                      static_cast<Eigen::Index>(grid.voxels()));
    }
    const auto usual_crop = static_cast<float>(crop_of(space.threshold));
    const auto crop = static_cast<float>(options.crop.value_or(crop_of(space.threshold)));
    const float second_crop = std::max(crop, usual_crop);
    const HermitianField calibrated = field_of(space.basis, kernel, coils);
    const bool two =
        coils > 1 &&
        (options.sets ? *options.sets == 2
                      : needs_second_set(field_on_grid(calibrated, kernel, calibration.grid),
                                         calibration, second_crop));
    const HermitianField field = field_on_grid(calibrated, kernel, grid);
    const Eigen::MatrixXcf references = strongest_combinations(calibration.images, two ? 2 : 1);
    Eigenvectors found = dominant_eigenvectors(field, grid, references.col(0));
    Eigen::ArrayXf weights = found.eigenvalues.unaryExpr(
        [&](float value) { return weight_of(value, crop, options.soft); });
    // A slab cuts through lungs, which are open at its ends, as its slices do.
    for_each_in_parallel(options.soft ? 0 : grid.size[2], [&](std::size_t z) {
        const auto x = static_cast<Eigen::Index>(grid.size[0]);
        const auto y = static_cast<Eigen::Index>(grid.size[1]);
        fill_holes(
            Eigen::Map<RealPlane>(weights.data() + static_cast<Eigen::Index>(z) * x * y, x, y));
    });
    if (two) {
        const Eigenvectors next = next_eigenvectors(field, grid, references.col(1), found);
        constexpr float edge = 0.1F; // over which the second set ends without a step
        const Eigen::ArrayXf second_weights =
            ((next.eigenvalues - second_crop) / edge + 1).max(0).min(1).sqrt();
        return two_sets(found, weights, next, second_weights, references);
    }
    found.vectors.array().rowwise() *= weights.cast<std::complex<float>>().transpose();
    return std::move(found.vectors);
}

} // namespace lsrecon
