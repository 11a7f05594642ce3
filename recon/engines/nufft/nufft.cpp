#include "engines/nufft/nufft.hpp"

#include <algorithm>
#include <atomic>

#include "base/complex_rows.hpp"
#include "base/fft.hpp"
#include "base/parallel.hpp"
#include "device/host_numbers.hpp"
#include "engines/nufft/spread.hpp"

namespace lsrecon {

namespace {

/// The rates of a core, measured.
NufftRates rates_of(const Pace& pace, const EngineFacts& context, const Voxels& voxels) {
    const double of_doubles = nufft_precision(context) == Precision::float64 ? 3 : 1;
    const int dimensions = voxels.lattice_size()[2] > 1 ? 3 : 2;
    const auto of_sample = [=, spreading = pace.spreading](std::size_t width) {
        return spreading * of_doubles * 2.5e-10 * std::pow(static_cast<double>(width), dimensions);
    };
    return {of_sample, pace.fine * of_doubles * 6e-10};
}

NufftGrid grid_of(const EngineFacts& context, const SamplePoints& points, const Voxels& voxels) {
    return choose_nufft_grid(voxels.lattice_size(), points.count(), error_for_fine_grid(context),
                             nufft_precision(context),
                             rates_of(context.model.pace, context, voxels));
}

std::size_t points_of(const NufftGrid& grid) {
    return grid.fine[0] * grid.fine[1] * grid.fine[2];
}
/// Small grids of several, as long as their values stay in the caches of most machines.
std::size_t coils_at_a_time(const NufftGrid& grid) {
    constexpr std::size_t most_points = 1 << 22;
    return std::clamp<std::size_t>(most_points / points_of(grid), 1, most_coils);
}

/// Computes in `Real` on arrays of `Stored`.
template <typename Real, typename Stored> class NufftTransform : public Transform {
public:
    using Value = std::complex<Real>;
    using StoredValue = std::complex<Stored>;

    NufftTransform(const EngineContext& context, const SamplePoints& points, const Voxels& voxels)
        : grid_(grid_of(context, points, voxels)), rounding_(nufft_rounding(context)),
          kernel_(grid_.kernel), samples_(points.trajectory, voxels, grid_),
          size_(voxels.lattice_size()), fft_(grid_.fine) {
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
        const StoredValue* const from = lsrecon::values<Stored>(rho);
        StoredValue* const to = lsrecon::values<Stored>(out);
        for_batches(
            out.count() / std::max<std::size_t>(1, samples()), progress, [&](const Range& coils) {
                for_each_coil(coils, [&](std::size_t c, Value* fine, bool threads) {
                    const auto load = [&](std::size_t r, Value* row) {
                        const StoredValue* const voxels_of_row = from + c * voxels() + r * size_[0];
                        for_each_of_row(r, [&](std::size_t i, std::size_t x, Real factor) {
                            row[x] = Value(voxels_of_row[i]) * factor;
                        });
                    };
                    fft_.forward(size_, load, fine, threads);
                });
                interpolate(coils, to);
            });
    }

    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        StoredValue* const to = lsrecon::values<Stored>(out);
        for_batches(out.count() / std::max<std::size_t>(1, voxels()), progress,
                    [&](const Range& coils) {
                        spread(values, coils);
                        for_each_coil(coils, [&](std::size_t c, Value* fine, bool threads) {
                            const auto store = [&](std::size_t r, const Value* row) {
                                StoredValue* const voxels_of_row = to + c * voxels() + r * size_[0];
                                for_each_of_row(r, [&](std::size_t i, std::size_t x, Real factor) {
                                    voxels_of_row[i] = StoredValue(row[x] * factor);
                                });
                            };
                            fft_.backward(size_, store, fine, threads);
                        });
                    });
    }

    double forward_error() const override { return grid_.error + rounding_; }
    double adjoint_error() const override { return grid_.error + rounding_; }

private:
    struct Part {
        const NufftSamples::Tile* tile;
        Range range;
        bool is_tile() const { return range.count == tile->count; }
    };

    /// The frequency of voxel n.
    long frequency(std::size_t d, std::size_t n) const {
        return static_cast<long>(n) - static_cast<long>(size_[d] / 2);
    }
    Real factor(std::size_t d, std::size_t n) const {
        return static_cast<Real>(1 / grid_.kernel.transform(static_cast<double>(frequency(d, n)) /
                                                            static_cast<double>(grid_.fine[d])));
    }

    /// visit(voxel, point along x, factor) for a row of voxels.
    template <typename Visit> void for_each_of_row(std::size_t row, const Visit& visit) const {
        const Real factor = factors_[1][row % size_[1]] * factors_[2][row / size_[1]];
        const std::size_t negative = size_[0] / 2;
        const std::size_t last = grid_.fine[0] - negative;
        for (std::size_t i = 0; i < negative; ++i) {
            visit(i, last + i, factor * factors_[0][i]);
        }
        for (std::size_t i = negative; i < size_[0]; ++i) {
            visit(i, i - negative, factor * factors_[0][i]);
        }
    }

    template <typename Work>
    void for_batches(std::size_t coils, const Progress& progress, const Work& work) {
        for (const Range& batch : split_into_ranges(coils, coils_at_a_time(grid_))) {
            fine_.resize(std::max(fine_.size(), batch.count * fft_.count()));
            work(batch);
            progress(static_cast<double>(batch.first + batch.count) / static_cast<double>(coils));
        }
    }
    /// work(coil, its fine grid, whether all cores are to do it).
    template <typename Work> void for_each_coil(const Range& coils, const Work& work) {
        const bool one_a_core = coils.count >= all_cores();
        const auto of_coil = [&](std::size_t c) {
            work(coils.first + c, fine_.data() + c * fft_.count(), !one_a_core);
        };
        if (one_a_core) {
            for_each_in_parallel(coils.count, of_coil);
            return;
        }
        for (std::size_t c = 0; c < coils.count; ++c) {
            of_coil(c);
        }
    }

    void split_tiles() {
        for (const NufftSamples::Tile& tile : samples_.tiles) {
            for (const Range& part : split_into_ranges(tile.count, samples_of_a_part)) {
                parts_.push_back({&tile, {tile.first + part.first, part.count}});
            }
        }
    }

    /// Coils that are spread side by side for so many of them.
    static std::size_t side_by_side(std::size_t coils) {
        return coils == 1 ? 1 : coils <= most_coils / 2 ? most_coils / 2 : most_coils;
    }

    /// The values of some coils at the samples of a part.
    std::vector<Value> values_of(const Part& part, const Array& values, const Range& coils,
                                 std::size_t beside) const {
        std::vector<Value> sorted(part.range.count * beside);
        const bool is_complex = values.element().complex;
        for (std::size_t c = 0; c < coils.count; ++c) {
            const std::size_t row = (coils.first + c) * samples();
            const Stored* const real = is_complex ? nullptr : numbers<Stored>(values) + row;
            const StoredValue* const complex =
                is_complex ? lsrecon::values<Stored>(values) + row : nullptr;
            for (std::size_t i = 0; i < part.range.count; ++i) {
                const std::size_t m = samples_.order[part.range.first + i];
                const Value value = is_complex ? Value(complex[m]) : Value(real[m]);
                sorted[i * beside + c] =
                    samples_.shifts.empty() ? value : product(value, Value(samples_.shifts[m]));
            }
        }
        return sorted;
    }

    TileSamples<Real> samples_of(const Part& part, const TileShape& shape,
                                 std::size_t beside) const {
        return {kernel_, samples_, part.range, shape, grid_.fine[2] == 1 ? 1 : kernel_.width,
                beside};
    }

    /// A tile goes beyond the fine grid by less than a kernel.
    std::size_t wrapped(std::size_t d, std::size_t point) const {
        return point < grid_.fine[d] ? point : point - grid_.fine[d];
    }

    /// Calls visit(points of the fine grid, points of the tile, how many) for rows of a tile, whole
    /// or cut where the grid begins again.
    template <typename Visit>
    void for_each_row_of(const NufftSamples::Tile& tile, const Visit& visit) const {
        const TileShape shape(tile);
        for (std::size_t z = 0; z < tile.size[2]; ++z) {
            for (std::size_t y = 0; y < tile.size[1]; ++y) {
                const std::size_t row = (wrapped(2, tile.corner[2] + z) * grid_.fine[1] +
                                         wrapped(1, tile.corner[1] + y)) *
                                        grid_.fine[0];
                const std::size_t in_tile = (z * shape.rows + y) * shape.row;
                for (std::size_t x = 0; x < tile.size[0];) {
                    const std::size_t at = wrapped(0, tile.corner[0] + x);
                    const std::size_t count = std::min(tile.size[0] - x, grid_.fine[0] - at);
                    visit(row + at, in_tile + x, count);
                    x += count;
                }
            }
        }
    }

    /// Coils of a batch onto their fine grids. Tiles of one colour have no points in common; parts
    /// of one tile are added in their order.
    void spread(const Array& values, const Range& coils) {
        const std::size_t all = coils.count * fft_.count();
        for_each_range_in_parallel(all, all_cores(), [&](const Range& range) {
            std::fill_n(fine_.begin() + static_cast<long>(range.first), range.count, Value(0));
        });
        const std::size_t beside = side_by_side(coils.count);
        for (const Range& together : split_into_ranges(coils.count, beside)) {
            Value* const fine = fine_.data() + together.first * fft_.count();
            const Range of_scan{coils.first + together.first, together.count};
            for (std::size_t first = 0; first < parts_.size();) {
                const Range parts = parts_from(first, beside);
                add_parts(parts, spread_parts(parts, values, of_scan, fine), together.count, beside,
                          fine);
                first += parts.count;
            }
        }
    }

    /// Parts of one colour, enough for all cores, and few enough for their points to stay in
    /// caches.
    Range parts_from(std::size_t first, std::size_t beside) const {
        constexpr std::size_t most_values = 1 << 22;
        std::size_t held = 0;
        std::size_t end = first;
        while (end < parts_.size() && parts_[end].tile->color == parts_[first].tile->color &&
               (held < most_values || end < first + all_cores())) {
            const Part& part = parts_[end++];
            held += part.is_tile() ? 0 : beside * TileShape(*part.tile).points;
        }
        return {first, end - first};
    }

    /// Spreads parts. Those that are all of their tile go onto the fine grid, in memory that each
    /// core touches once: new pages for each tile took a tenth of F^H d. The points of the other
    /// parts are returned.
    std::vector<std::vector<Value>> spread_parts(const Range& parts, const Array& values,
                                                 const Range& coils, Value* fine) const {
        const std::size_t beside = side_by_side(coils.count);
        std::vector<std::vector<Value>> of_parts(parts.count);
        std::atomic<std::size_t> next{0};
        for_each_in_parallel(std::min(all_cores(), parts.count), [&](std::size_t) {
            std::vector<Value> of_tile;
            for (std::size_t p = next++; p < parts.count; p = next++) {
                const Part& part = parts_[parts.first + p];
                const TileShape shape(*part.tile);
                std::vector<Value>& points = part.is_tile() ? of_tile : of_parts[p];
                points.assign(shape.points * beside, Value(0));
                samples_of(part, shape, beside)
                    .spread(values_of(part, values, coils, beside).data(), points.data());
                if (part.is_tile()) {
                    add(part, points, coils.count, beside, fine);
                }
            }
        });
        return of_parts;
    }

    static void add_every(std::size_t step, const Value* from, std::size_t count, Value* to) {
        if (step == 1) { // in vectors
            const auto* const numbers = reinterpret_cast<const Real*>(from);
            std::transform(numbers, numbers + 2 * count, reinterpret_cast<Real*>(to),
                           reinterpret_cast<Real*>(to), std::plus<Real>());
            return;
        }
        for (std::size_t x = 0; x < count; ++x) {
            to[x] += from[x * step];
        }
    }
    void add(const Part& part, const std::vector<Value>& points, std::size_t coils,
             std::size_t beside, Value* fine) const {
        for_each_row_of(*part.tile, [&](std::size_t to, std::size_t from, std::size_t count) {
            for (std::size_t c = 0; c < coils; ++c) {
                add_every(beside, points.data() + from * beside + c, count,
                          fine + c * fft_.count() + to);
            }
        });
    }

    /// Adds the points of tiles of several parts to the fine grid.
    void add_parts(const Range& parts, const std::vector<std::vector<Value>>& of_parts,
                   std::size_t coils, std::size_t beside, Value* fine) const {
        std::vector<Range> of_tiles; // parts of one tile
        for (std::size_t p = 0; p < parts.count; ++p) {
            if (of_parts[p].empty()) {
                continue;
            }
            if (!of_tiles.empty() &&
                parts_[parts.first + p].tile == parts_[parts.first + of_tiles.back().first].tile) {
                ++of_tiles.back().count;
            } else {
                of_tiles.push_back({p, 1});
            }
        }
        for_each_in_parallel(of_tiles.size(), [&](std::size_t t) {
            const Range& of_tile = of_tiles[t];
            for (std::size_t p = of_tile.first; p < of_tile.first + of_tile.count; ++p) {
                add(parts_[parts.first + p], of_parts[p], coils, beside, fine);
            }
        });
    }

    void interpolate(const Range& coils, StoredValue* out) {
        const std::size_t beside = side_by_side(coils.count);
        for (const Range& together : split_into_ranges(coils.count, beside)) {
            for_each_in_parallel(parts_.size(), [&](std::size_t p) {
                interpolate(parts_[p], fine_.data() + together.first * fft_.count(),
                            {coils.first + together.first, together.count}, beside, out);
            });
        }
    }
    void interpolate(const Part& part, const Value* fine, const Range& coils, std::size_t beside,
                     StoredValue* out) const {
        const TileShape shape(*part.tile);
        std::vector<Value> points(shape.points * beside, Value(0));
        for_each_row_of(*part.tile, [&](std::size_t from, std::size_t to, std::size_t count) {
            for (std::size_t c = 0; c < coils.count; ++c) {
                const Value* const row = fine + c * fft_.count() + from;
                for (std::size_t x = 0; x < count; ++x) {
                    points[(to + x) * beside + c] = row[x];
                }
            }
        });
        std::vector<Value> sums(part.range.count * beside);
        samples_of(part, shape, beside).interpolate(points.data(), sums.data());
        for (std::size_t c = 0; c < coils.count; ++c) {
            StoredValue* const row = out + (coils.first + c) * samples();
            for (std::size_t i = 0; i < part.range.count; ++i) {
                const std::size_t m = samples_.order[part.range.first + i];
                const Value sum = sums[i * beside + c];
                row[m] = StoredValue(samples_.shifts.empty()
                                         ? sum
                                         : product(sum, Value(std::conj(samples_.shifts[m]))));
            }
        }
    }

    NufftGrid grid_;
    double rounding_; ///< rounding of the stored results
    KernelTable<Real> kernel_;
    NufftSamples samples_;
    std::array<std::size_t, 3> size_; ///< size of the lattice of voxels
    std::array<std::vector<Real>, 3> factors_; ///< 1 / the kernel's transform
    Fft<Real> fft_;
    std::vector<Value> fine_; ///< fine grid of a batch of coils
    std::vector<Part> parts_;
};

/// The accuracy that is asked for, or the usual one.
double accuracy_of(const EngineFacts& context) {
    const double usual = context.precision == Precision::float64 ? 1e-12 : least_accuracy_of_floats;
    return context.accuracy > 0 ? context.accuracy : usual;
}

} // namespace

Precision nufft_precision(const EngineFacts& context) {
    const bool in_floats =
        context.precision == Precision::float32 &&
        (accuracy_of(context) >= least_accuracy_of_floats || !context.has_doubles);
    return in_floats ? Precision::float32 : Precision::float64;
}

double error_for_fine_grid(const EngineFacts& context) {
    const double accuracy = accuracy_of(context);
    return std::max(accuracy - nufft_rounding(context), accuracy / 2);
}

double nufft_rounding(const EngineFacts& context) {
    return nufft_precision(context) == context.precision ? 0 : unit_roundoff(context.precision);
}

std::string nufft_refusal(const SamplePoints&, const Voxels& voxels) {
    return voxels.on_lattice() ? "" : "the voxels are not on a grid";
}

Cost predict_nufft(const EngineFacts& context, const Variant&, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    const NufftGrid grid = grid_of(context, points, voxels);
    // Order, place and shift, beside positions that engines of a device would keep.
    constexpr double bytes_of_a_sample = 60;
    const std::size_t coils = stage == "q" ? 1 : coils_at_a_time(grid); // at most
    const auto fine = static_cast<double>(points_of(grid) * coils);
    Cost cost;
    const Pace& pace = context.machine.pace;
    cost.seconds = grid.seconds(points.count(), rates_of(pace, context, voxels)) / pace.cores;
    cost.host_bytes = fine * 2 * static_cast<double>(bytes_of(nufft_precision(context))) +
                      bytes_of_a_sample * static_cast<double>(points.count());
    cost.error = grid.error + nufft_rounding(context);
    return cost;
}

std::unique_ptr<Transform> make_nufft(const EngineContext& context, const Variant&,
                                      const SamplePoints& points, const Voxels& voxels) {
    if (context.precision == Precision::float64) {
        return std::make_unique<NufftTransform<double, double>>(context, points, voxels);
    }
    if (nufft_precision(context) == Precision::float64) {
        return std::make_unique<NufftTransform<double, float>>(context, points, voxels);
    }
    return std::make_unique<NufftTransform<float, float>>(context, points, voxels);
}

} // namespace lsrecon
