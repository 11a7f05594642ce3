#include "measure/validate_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace lsrecon {

Indices all_of(std::size_t total) {
    Indices all(total);
    std::iota(all.begin(), all.end(), std::size_t(0));
    return all;
}

std::vector<Vec3> pick(const std::vector<Vec3>& points, const Indices& indices) {
    std::vector<Vec3> picked;
    for (const std::size_t i : indices) {
        picked.push_back(points[i]);
    }
    return picked;
}

CoilMatrix pick(const CoilRows& values, const Indices& indices) {
    CoilMatrix picked(static_cast<Eigen::Index>(values.rows()),
                      static_cast<Eigen::Index>(indices.size()));
    values.visit([&](const auto& all) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            picked.col(static_cast<Eigen::Index>(i)) =
                all.col(static_cast<Eigen::Index>(indices[i])).template cast<Complex>();
        }
    });
    return picked;
}

Indices ValidationRows::sample(std::size_t total, double pairs_each) {
    const double affordable = std::max(8.0, pairs_ / std::max(1.0, pairs_each));
    Indices all = all_of(total);
    if (affordable >= static_cast<double>(total)) {
        return all;
    }
    std::shuffle(all.begin() + 1, all.end() - 1, random_);
    std::swap(all[1], all.back());
    all.resize(static_cast<std::size_t>(affordable));
    std::sort(all.begin(), all.end());
    return all;
}

CoilMatrix ValidationRows::random_values(std::size_t coils, std::size_t count) {
    std::normal_distribution<double> normal;
    return CoilMatrix::NullaryExpr(static_cast<Eigen::Index>(coils),
                                   static_cast<Eigen::Index>(count),
                                   [&] { return Complex(normal(random_), normal(random_)); });
}

void ValidationRows::add(const std::string& stage, double bound, const CoilMatrix& computed,
                         const CoilMatrix& reference, const Indices& indices,
                         const std::string& remark) {
    ValidationRow row;
    row.stage = stage;
    row.bound = bound;
    row.compared = indices.size();
    row.total = columns(computed);
    const CoilMatrix difference = pick(computed, indices) - reference;
    const double share = static_cast<double>(row.compared) / static_cast<double>(row.total);
    row.relative_l2 =
        difference.norm() / std::max(reference.norm(), computed.norm() * std::sqrt(share));
    Eigen::Index coil = 0;
    Eigen::Index column = 0;
    row.largest = difference.cwiseAbs().maxCoeff(&coil, &column) / computed.cwiseAbs().maxCoeff();
    row.where = text(computed.rows() > 1 ? text("coil ", coil, ", ") : "",
                     stage == "mu" || stage == "f" ? "sample " : "voxel ",
                     indices[static_cast<std::size_t>(column)]);
    row.remark = remark;
    if (remark.empty() && row.compared < row.total) {
        row.remark = text(row.compared, " of ", row.total, " compared, chosen at random");
    }
    rows_.push_back(row);
}

} // namespace lsrecon
