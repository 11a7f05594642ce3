// Computes whitening by a Cholesky factor of the noise covariance, and compression by eigenvectors
// of Gram matrices.

#include "scan/coil_transform.hpp"

#include <Eigen/Cholesky>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t columns_at_a_time = 4096;

/// visit(columns as doubles, their range), on all cores.
template <typename Matrix, typename Visit>
void visit_columns(const Matrix& rows, const Visit& visit) {
    const std::vector<Range> ranges =
        split_into_ranges(static_cast<std::size_t>(rows.cols()), columns_at_a_time);
    for_each_in_parallel(ranges.size(), [&](std::size_t i) {
        const auto first = static_cast<Eigen::Index>(ranges[i].first);
        const auto count = static_cast<Eigen::Index>(ranges[i].count);
        const Eigen::MatrixXcd columns = rows.middleCols(first, count).template cast<Complex>();
        visit(columns, i, first, count);
    });
}

/// The number of the first virtual coils that are enough.
Eigen::Index kept_coils(const Eigen::VectorXd& energies, const CoilCompression& wanted) {
    if (wanted.coils > 0) {
        return std::min(static_cast<Eigen::Index>(wanted.coils), energies.size());
    }
    Eigen::Index kept = 0;
    for (double sum = 0; kept < energies.size() && sum < wanted.energy * energies.sum(); ++kept) {
        sum += energies(kept);
    }
    return kept;
}

} // namespace

Eigen::MatrixXcd gram(const CoilRows& rows) {
    return rows.visit([](const auto& values) {
        const auto count = divide_up(static_cast<std::size_t>(values.cols()), columns_at_a_time);
        std::vector<Eigen::MatrixXcd> parts(count);
        visit_columns(values, [&](const Eigen::MatrixXcd& columns, std::size_t i, Eigen::Index,
                                  Eigen::Index) { parts[i] = columns * columns.adjoint(); });
        Eigen::MatrixXcd sum = Eigen::MatrixXcd::Zero(values.rows(), values.rows());
        for (const Eigen::MatrixXcd& part : parts) {
            sum += part;
        }
        return sum;
    });
}

CoilRows mixed(const CoilTransform& mixing, const CoilRows& rows) {
    return rows.visit([&](const auto& values) { // clang 14 fails to link it with "-> CoilRows"
        using Matrix = typename std::decay_t<decltype(values)>::PlainObject;
        Matrix result(mixing.rows(), values.cols());
        visit_columns(values, [&](const Eigen::MatrixXcd& columns, std::size_t, Eigen::Index first,
                                  Eigen::Index count) {
            result.middleCols(first, count) =
                (mixing * columns).template cast<typename Matrix::Scalar>();
        });
        return CoilRows(std::move(result));
    });
}

double energy_of_noise(const CoilRows& noise) {
    return noise.empty() ? 0 : covariance_of(noise).trace().real();
}

Eigen::MatrixXcd covariance_of(const CoilRows& noise) {
    return gram(noise) / static_cast<double>(noise.columns());
}

CoilTransform whitening(const Scan& scan) {
    const CoilRows& noise = scan.noise;
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError({scan.file, scan.name_of("noise"), found, expected,
                          "measure the noise again, or pass `no_whitening`"});
    };
    if (noise.columns() < 2 * noise.rows()) {
        refuse(text(noise.columns(), " samples of ", noise.rows(), " coils"),
               text("at least ", 2 * noise.rows(), " samples, for the covariance of ", noise.rows(),
                    " coils"));
    }
    Eigen::MatrixXcd covariance = covariance_of(noise);
    // The covariance is scaled to a unit diagonal: coils may have any gain.
    const Eigen::VectorXd deviation = covariance.diagonal().real().cwiseSqrt();
    for (Eigen::Index c = 0; c < deviation.size(); ++c) {
        if (!(deviation(c) > 0)) {
            refuse(text("only zeros in coil ", c), "noise in every coil");
        }
    }
    const Eigen::VectorXd scale = deviation.cwiseInverse();
    covariance = scale.asDiagonal() * covariance * scale.asDiagonal();
    constexpr double smallest_eigenvalue = 1e-8;
    const double found = eigen_of(covariance).values(0);
    if (!(found > smallest_eigenvalue)) {
        refuse(
            text("a singular covariance: the smallest eigenvalue of the correlation of coils is ",
                 found),
            text("more than ", smallest_eigenvalue, ", with independent noise in each coil"));
    }
    const Eigen::MatrixXcd factor = covariance.llt().matrixL();
    Eigen::MatrixXcd inverse = Eigen::MatrixXcd::Identity(factor.rows(), factor.cols());
    factor.triangularView<Eigen::Lower>().solveInPlace(inverse);
    const double mean_square = deviation.squaredNorm() / static_cast<double>(deviation.size());
    return std::sqrt(mean_square) * inverse * scale.asDiagonal();
}

CompressedCoils compressed_coils(const std::vector<Eigen::MatrixXcd>& grams,
                                 const CoilCompression& wanted) {
    Eigen::MatrixXcd sum = Eigen::MatrixXcd::Zero(grams.front().rows(), grams.front().cols());
    for (const Eigen::MatrixXcd& gram : grams) {
        sum += gram / gram.trace().real();
    }
    const HermitianEigen coils = eigen_of(sum);
    const CoilTransform mixing = coils.vectors.rowwise().reverse().adjoint();
    std::vector<Eigen::VectorXd> energies;
    Eigen::Index count = 0;
    for (const Eigen::MatrixXcd& gram : grams) {
        energies.emplace_back((mixing * gram * mixing.adjoint()).diagonal().real());
        count = std::max(count, kept_coils(energies.back(), wanted));
    }
    double least = 1;
    for (const Eigen::VectorXd& of_slice : energies) {
        least = std::min(least, of_slice.head(count).sum() / of_slice.sum());
    }
    return {mixing.topRows(count), least};
}

} // namespace lsrecon
