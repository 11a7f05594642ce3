#pragma once

#include <random>

#include "measure/validate.hpp"

namespace lsrecon {

using Indices = std::vector<std::size_t>;

Indices all_of(std::size_t total);
std::vector<Vec3> pick(const std::vector<Vec3>& points, const Indices& indices);
CoilMatrix pick(const CoilRows& values, const Indices& indices);

/// What is compared of each stage, by chance where the reference cannot afford all, and how it came
/// out.
class ValidationRows {
public:
    explicit ValidationRows(const ValidateOptions& options)
        : pairs_(options.pairs), random_(options.seed) {}

    /// All of 0..total-1 when the reference can afford it, else as many at random, in order, and
    /// always the first and the last, where partial chunks and blocks are.
    Indices sample(std::size_t total, double pairs_each);
    CoilMatrix random_values(std::size_t coils, std::size_t count);
    std::mt19937_64& random() { return random_; }

    /// What the device made of the stage, and the reference at the indices. The error is relative
    /// to the size of the whole: what is chosen may be weak, as Q of a Cartesian scan is.
    void add(const std::string& stage, double bound, const CoilMatrix& computed,
             const CoilMatrix& reference, const Indices& indices, const std::string& remark = "");
    const std::vector<ValidationRow>& rows() const { return rows_; }

private:
    double pairs_;
    std::mt19937_64 random_;
    std::vector<ValidationRow> rows_;
};

} // namespace lsrecon
