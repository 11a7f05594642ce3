// Multiplies by several sets of coil maps around one convolution, and by operators side by side.

#include "operators/sets.hpp"

#include <algorithm>
#include <cmath>

#include "operators/embedding.hpp"

namespace lsrecon {

namespace {

/// A box of so many numbers with few factors, all of them 1.
Box unit_box(Device& device, Precision precision, std::size_t count) {
    auto rows = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
    while (rows > 1 && count % rows != 0) {
        --rows;
    }
    rows = std::max<std::size_t>(1, rows);
    const GridSize size{count / rows, rows, 1};
    return with_factors(device, precision, {size, {0, 0, 0}, size, {}},
                        [](std::size_t, std::size_t) { return 1; });
}

} // namespace

Parts::Parts(Device& device, Precision precision, std::size_t count, std::size_t parts)
    : device_(device), box_(unit_box(device, precision, count)) {
    for (std::size_t p = 0; p < parts; ++p) {
        taken_.push_back(device.zeros(count, {true, precision}));
    }
}

Array& Parts::take(const Array& whole, std::size_t part) {
    device_.copy(whole, part * taken_[part].count(), taken_[part]);
    return taken_[part];
}

void Parts::put(const Array& values, std::size_t part, Array& whole) {
    device_.pad(box_, {}, values, part, whole);
}

namespace {

class GramOfSets : public Gram {
public:
    GramOfSets(Device& device, Precision precision, CoilMaps& maps,
               const std::function<std::unique_ptr<Gram>(CoilMaps& none)>& make_t)
        : Gram(device), maps_(maps), none_(device, no_rows_), t_(make_t(none_)),
          images_(device, precision, t_->inputs(), maps.sets()) {
        const auto zeros = [&](std::size_t count) {
            return device.zeros(count, {true, precision});
        };
        for (std::size_t s = 0; s < maps.sets(); ++s) {
            sums_.push_back(zeros(t_->inputs()));
        }
        of_coil_ = zeros(t_->inputs());
        part_ = zeros(t_->inputs());
        sum_ = zeros(inputs());
    }

    std::size_t inputs() const override { return maps_.sets() * t_->inputs(); }
    double unit() const override { return t_->unit(); }
    std::string means() const override { return t_->means(); }

    void add(const Array& in, Array& out) override {
        std::vector<const Array*> images;
        for (std::size_t s = 0; s < sums_.size(); ++s) {
            images.push_back(&images_.take(in, s));
            device_.combine(0, sums_[s], 0, sums_[s]);
        }
        for (std::size_t c = 0; c < maps_.count(); ++c) {
            device_.combine(0, of_coil_, 0, of_coil_);
            for (std::size_t s = 0; s < sums_.size(); ++s) { // sum_t S_tc rho_t
                device_.combine(1, *images[s], 0, part_);
                device_.multiply(maps_.map(c, s, s), 0, part_.count(), part_);
                device_.combine(1, part_, 1, of_coil_);
            }
            t_->apply(of_coil_, part_);
            for (std::size_t s = 0; s < sums_.size(); ++s) {
                device_.add_conjugate_product(maps_.map(c, s, s), part_, 0, sums_[s]);
            }
        }
        for (std::size_t s = 0; s < sums_.size(); ++s) {
            images_.put(sums_[s], s, sum_);
        }
        device_.combine(1, sum_, 1, out);
    }

private:
    CoilMaps& maps_;
    const CoilRows no_rows_;
    CoilMaps none_;
    std::unique_ptr<Gram> t_;
    Parts images_;
    std::vector<Array> sums_; ///< a set each
    Array of_coil_; ///< image of a coil
    Array part_;
    Array sum_; ///< of all sets
};

} // namespace

std::unique_ptr<Gram>
make_gram_of_sets(Device& device, Precision precision, CoilMaps& maps,
                  const std::function<std::unique_ptr<Gram>(CoilMaps& none)>& make_t) {
    return std::make_unique<GramOfSets>(device, precision, maps, make_t);
}

BlockDiagonal::BlockDiagonal(Device& device, Precision precision,
                             std::vector<std::unique_ptr<Operator>> k)
    : k_(std::move(k)), inputs_(device, precision, k_.front()->inputs(), k_.size()),
      outputs_(device, precision, k_.front()->outputs(), k_.size()),
      there_(device.zeros(k_.front()->outputs(), {true, precision})),
      back_(device.zeros(k_.front()->inputs(), {true, precision})) {}

void BlockDiagonal::apply(const Array& in, Array& out) {
    for (std::size_t s = 0; s < k_.size(); ++s) {
        k_[s]->apply(inputs_.take(in, s), there_);
        outputs_.put(there_, s, out);
    }
}

void BlockDiagonal::adjoint(const Array& in, Array& out) {
    for (std::size_t s = 0; s < k_.size(); ++s) {
        k_[s]->adjoint(outputs_.take(in, s), back_);
        inputs_.put(back_, s, out);
    }
}

} // namespace lsrecon
