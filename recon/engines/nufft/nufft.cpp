#include "engines/nufft/nufft.hpp"

#include <algorithm>

#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "device/host_numbers.hpp"
#include "engines/nufft/spread.hpp"

namespace lsrecon {

namespace {

NufftGrid grid_of(const EngineContext& context, const SamplePoints& points, const Voxels& voxels) {
    return choose_nufft_grid(voxels.lattice_size(), points.count(), nufft_accuracy(context),
                             context.precision);
}

template <typename Real> class NufftTransform : public Transform {
public:
    using Value = std::complex<Real>;

    NufftTransform(const EngineContext& context, const SamplePoints& points, const Voxels& voxels)
        : grid_(grid_of(context, points, voxels)), kernel_(grid_.kernel),
          samples_(points.trajectory, voxels, grid_), size_(voxels.lattice_size()),
          fft_(grid_.fine), fine_(fft_.count()), sorted_(points.count()) {
        for (std::size_t d = 0; d < 3; ++d) {
            for (std::size_t n = 0; n < size_[d]; ++n) {
                factors_[d].push_back(grid_.fine[d] == 1 ? 1 : factor(d, n));
            }
        }
        split_tiles();
    }

    std::size_t samples() const override { return samples_.order.size(); }
    std::size_t voxels() const override { return size_[0] * size_[1] * size_[2]; }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        const Value* const from = lsrecon::values<Real>(rho);
        Value* const to = lsrecon::values<Real>(out);
        const std::size_t coils = out.count() / std::max<std::size_t>(1, samples());
        for (std::size_t c = 0; c < coils; ++c) {
            std::fill(fine_.begin(), fine_.end(), Value(0));
            for_each_row([&](std::size_t n, std::size_t points, Real factor) {
                for_each_of_row([&](std::size_t i, std::size_t point) {
                    fine_[points + point] = from[c * voxels() + n + i] * (factor * factors_[0][i]);
                });
            });
            fft_.forward(fine_.data());
            interpolate(to + c * samples());
            progress(static_cast<double>(c + 1) / static_cast<double>(coils));
        }
    }

    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        Value* const to = lsrecon::values<Real>(out);
        const std::size_t coils = out.count() / std::max<std::size_t>(1, voxels());
        for (std::size_t c = 0; c < coils; ++c) {
            sort_values(values, c);
            std::fill(fine_.begin(), fine_.end(), Value(0));
            spread();
            fft_.backward(fine_.data());
            for_each_row([&](std::size_t n, std::size_t points, Real factor) {
                for_each_of_row([&](std::size_t i, std::size_t point) {
                    to[c * voxels() + n + i] = fine_[points + point] * (factor * factors_[0][i]);
                });
            });
            progress(static_cast<double>(c + 1) / static_cast<double>(coils));
        }
    }

    double forward_error() const override { return grid_.error; }
    double adjoint_error() const override { return grid_.error; }

private:
    struct Part {
        const NufftSamples::Tile* tile;
        Range range;
    };
    static constexpr std::size_t parts_at_a_time = 256;

    /// Frequency of voxel n, and where it stands on the fine grid.
    long frequency(std::size_t d, std::size_t n) const {
        return static_cast<long>(n) - static_cast<long>(size_[d] / 2);
    }
    std::size_t point(std::size_t d, std::size_t n) const {
        const long at = frequency(d, n);
        return static_cast<std::size_t>(at < 0 ? at + static_cast<long>(grid_.fine[d]) : at);
    }
    Real factor(std::size_t d, std::size_t n) const {
        return static_cast<Real>(1 / grid_.kernel.transform(static_cast<double>(frequency(d, n)) /
                                                            static_cast<double>(grid_.fine[d])));
    }

    /// visit(first voxel, first point, factor along y and z) for every row of voxels.
    template <typename Visit> void for_each_row(const Visit& visit) const {
        for_each_in_parallel(size_[1] * size_[2], [&](std::size_t row) {
            const std::size_t y = row % size_[1];
            const std::size_t z = row / size_[1];
            visit(row * size_[0], (point(2, z) * grid_.fine[1] + point(1, y)) * grid_.fine[0],
                  factors_[1][y] * factors_[2][z]);
        });
    }
    template <typename Visit> void for_each_of_row(const Visit& visit) const {
        for (std::size_t i = 0; i < size_[0]; ++i) {
            visit(i, point(0, i));
        }
    }

    void split_tiles() {
        for (const NufftSamples::Tile& tile : samples_.tiles) {
            for (const Range& part : split_into_ranges(tile.count, samples_of_a_part)) {
                parts_.push_back({&tile, {tile.first + part.first, part.count}});
            }
        }
    }

    void sort_values(const Array& values, std::size_t coil) {
        const bool is_complex = values.element().complex;
        const std::size_t first = coil * samples();
        const Real* const real = is_complex ? nullptr : numbers<Real>(values) + first;
        const Value* const complex = is_complex ? lsrecon::values<Real>(values) + first : nullptr;
        for (std::size_t i = 0; i < samples(); ++i) {
            const std::size_t m = samples_.order[i];
            const Value value = is_complex ? complex[m] : Value(real[m]);
            sorted_[i] = samples_.shifts.empty() ? value : value * Value(samples_.shifts[m]);
        }
    }

    TileSamples<Real> samples_of(const Part& part, const TileShape& shape) const {
        return {kernel_, samples_, part.range, shape, grid_.fine[2] == 1 ? 1 : kernel_.width};
    }

    /// Calls visit(points of the fine grid, points of the tile, how many) for rows of a tile, whole
    /// or cut where the grid begins again.
    template <typename Visit>
    void for_each_row_of(const NufftSamples::Tile& tile, const Visit& visit) const {
        const TileShape shape(tile);
        for (std::size_t z = 0; z < tile.size[2]; ++z) {
            for (std::size_t y = 0; y < tile.size[1]; ++y) {
                const std::size_t row = ((tile.corner[2] + z) % grid_.fine[2] * grid_.fine[1] +
                                         (tile.corner[1] + y) % grid_.fine[1]) *
                                        grid_.fine[0];
                const std::size_t in_tile = (z * shape.rows + y) * shape.row;
                for (std::size_t x = 0; x < tile.size[0];) {
                    const std::size_t at = (tile.corner[0] + x) % grid_.fine[0];
                    const std::size_t count = std::min(tile.size[0] - x, grid_.fine[0] - at);
                    visit(row + at, in_tile + x, count);
                    x += count;
                }
            }
        }
    }

    /// Tiles of one colour have no points in common; parts of one tile are added in their order.
    void spread() {
        for (std::size_t first = 0; first < parts_.size();) {
            std::size_t end = first;
            while (end < parts_.size() && end < first + parts_at_a_time &&
                   parts_[end].tile->color == parts_[first].tile->color) {
                ++end;
            }
            std::vector<std::vector<Value>> points(end - first);
            for_each_in_parallel(points.size(), [&](std::size_t p) {
                const Part& part = parts_[first + p];
                const TileShape shape(*part.tile);
                points[p].assign(shape.points, Value(0));
                samples_of(part, shape).spread(sorted_.data() + part.range.first, points[p].data());
            });
            add_parts(first, points);
            first = end;
        }
    }

    void add_parts(std::size_t first, const std::vector<std::vector<Value>>& points) {
        std::vector<Range> of_tiles; // parts of one tile
        for (std::size_t p = 0; p < points.size(); ++p) {
            if (p > 0 && parts_[first + p].tile == parts_[first + p - 1].tile) {
                ++of_tiles.back().count;
            } else {
                of_tiles.push_back({p, 1});
            }
        }
        for_each_in_parallel(of_tiles.size(), [&](std::size_t t) {
            const Range& parts = of_tiles[t];
            for (std::size_t p = parts.first; p < parts.first + parts.count; ++p) {
                for_each_row_of(*parts_[first + p].tile, [&](std::size_t to, std::size_t from,
                                                             std::size_t count) {
                    std::transform(points[p].begin() + static_cast<long>(from),
                                   points[p].begin() + static_cast<long>(from + count),
                                   fine_.begin() + static_cast<long>(to),
                                   fine_.begin() + static_cast<long>(to), std::plus<Value>());
                });
            }
        });
    }

    void interpolate(Value* out) {
        for_each_in_parallel(parts_.size(), [&](std::size_t p) {
            const Part& part = parts_[p];
            const TileShape shape(*part.tile);
            std::vector<Value> points(shape.points, Value(0));
            for_each_row_of(*part.tile, [&](std::size_t from, std::size_t to, std::size_t count) {
                std::copy_n(fine_.begin() + static_cast<long>(from), count,
                            points.begin() + static_cast<long>(to));
            });
            Value* const sums = sorted_.data() + part.range.first;
            samples_of(part, shape).interpolate(points.data(), sums);
            for (std::size_t i = 0; i < part.range.count; ++i) {
                const std::size_t m = samples_.order[part.range.first + i];
                out[m] = samples_.shifts.empty() ? sums[i]
                                                 : sums[i] * Value(std::conj(samples_.shifts[m]));
            }
        });
    }

    NufftGrid grid_;
    KernelTable<Real> kernel_;
    NufftSamples samples_;
    std::array<std::size_t, 3> size_; ///< of the voxels
    std::array<std::vector<Real>, 3> factors_; ///< 1 / the kernel's transform
    Fft<Real> fft_;
    std::vector<Value> fine_;
    std::vector<Value> sorted_; ///< values of a coil
    std::vector<Part> parts_;
};

} // namespace

double nufft_accuracy(const EngineContext& context) {
    const double usual = context.precision == Precision::float64 ? 1e-12 : 5e-6;
    return context.accuracy > 0 ? context.accuracy : usual;
}

std::string nufft_refusal(const Device&, const SamplePoints&, const Voxels& voxels) {
    return voxels.on_lattice() ? "" : "the voxels are not on a grid";
}

Cost predict_nufft(const EngineContext& context, const Variant&, const std::string&,
                   const SamplePoints& points, const Voxels& voxels) {
    const NufftGrid grid = grid_of(context, points, voxels);
    constexpr double bytes_of_a_sample = 64; // place, order, sorted value
    const double fine = static_cast<double>(grid.fine[0] * grid.fine[1] * grid.fine[2]);
    Cost cost;
    cost.seconds = grid.seconds / static_cast<double>(all_cores());
    cost.host_bytes = fine * 2 * static_cast<double>(bytes_of(context.precision)) +
                      bytes_of_a_sample * static_cast<double>(points.count());
    cost.error = grid.error;
    return cost;
}

std::unique_ptr<Transform> make_nufft(const EngineContext& context, const Variant&,
                                      const SamplePoints& points, const Voxels& voxels) {
    if (context.precision == Precision::float64) {
        return std::make_unique<NufftTransform<double>>(context, points, voxels);
    }
    return std::make_unique<NufftTransform<float>>(context, points, voxels);
}

} // namespace lsrecon
