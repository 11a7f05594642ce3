// Operators on S images at once, one after the other in an array: those of S sets of coil maps.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "operators/gram.hpp"
#include "operators/operator.hpp"

namespace lsrecon {

/// The parts of arrays that hold several of one size, one after the other.
class Parts {
public:
    /// `parts` of `count` numbers each. The device must outlive it.
    Parts(Device& device, Precision precision, std::size_t count, std::size_t parts);

    /// A copy of a part, valid until the same part is taken again.
    Array& take(const Array& whole, std::size_t part);
    void put(const Array& values, std::size_t part, Array& whole);

private:
    Device& device_;
    Box box_; ///< of the numbers of a part
    std::vector<Array> taken_;
};

/// N of S sets of coil maps: N_st = sum_c conj(S_sc) T S_tc. `make_t` gives T, which is the N of no
/// maps. The device and the maps must outlive it.
std::unique_ptr<Gram>
make_gram_of_sets(Device& device, Precision precision, CoilMaps& maps,
                  const std::function<std::unique_ptr<Gram>(CoilMaps& none)>& make_t);

/// diag(K_1, ..., K_S) of operators of one shape.
class BlockDiagonal : public Operator {
public:
    /// The device must outlive it.
    BlockDiagonal(Device& device, Precision precision, std::vector<std::unique_ptr<Operator>> k);

    std::size_t inputs() const override { return k_.size() * k_.front()->inputs(); }
    std::size_t outputs() const override { return k_.size() * k_.front()->outputs(); }
    bool is_isometry() const override { return k_.front()->is_isometry(); }
    void apply(const Array& in, Array& out) override;
    void adjoint(const Array& in, Array& out) override;

private:
    std::vector<std::unique_ptr<Operator>> k_;
    Parts inputs_;
    Parts outputs_;
    Array there_; ///< K of one
    Array back_; ///< K^H of one
};

} // namespace lsrecon
