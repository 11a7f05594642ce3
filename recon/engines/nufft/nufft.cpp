// The NUFFT on the host: tiles of the fine grid are spread in two colours a dimension, coils share
// a kernel, and FFTs leave out zeros.

#include "engines/host/engines.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/fft.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "device/array.hpp"
#include "engines/nufft/spread.hpp"

namespace lsrecon {

namespace {

/// The rates of a core, measured.
NufftRates rates_of(const MachineModel& machine, const EngineFacts& context, const Voxels& voxels) {
    const double of_doubles = nufft_precision(context) == Precision::float64 ? 3 : 1;
    const int dimensions = voxels.lattice_size()[2] > 1 ? 3 : 2;
    const auto of_sample = [=, spreading = machine.spreading](std::size_t width) {
        return spreading * of_doubles * 2.5e-10 * std::pow(static_cast<double>(width), dimensions);
    };
    return {of_sample, machine.fine * of_doubles * 6e-10};
}

NufftGrid grid_of(const EngineFacts& context, const SamplePoints& points, const Voxels& voxels) {
    return choose_nufft_grid(voxels.lattice_size(), points.count(), error_for_fine_grid(context),
                             nufft_precision(context),
                             rates_of(context.standard_machine.model, context, voxels));
}

/// The most coils side by side on the fine grid: as long as their values stay in the caches of most
/// machines.
std::size_t coils_at_a_time(const NufftGrid& grid) {
    constexpr std::size_t most_values = 1 << 22;
    for (const std::size_t coils : {most_coils, most_coils / 2}) {
        if (FineGrid(grid, coils).values() <= most_values) {
            return coils;
        }
    }
    return 1;
}

/// Computes in `Real` on arrays of `Stored`.
template <typename Real, typename Stored> class NufftTransform : public Transform {
public:
    using Value = std::complex<Real>;
    using StoredValue = std::complex<Stored>;

    NufftTransform(const EngineContext& context, const SamplePoints& points, const Voxels& voxels)
        : grid_(grid_of(context, points, voxels)), rounding_(nufft_rounding(context)),
          kernel_(grid_.kernel), samples_(points.positions, voxels, grid_),
          size_(voxels.lattice_size()) {
        for (std::size_t d = 0; d < 3; ++d) {
            for (std::size_t n = 0; n < size_[d]; ++n) {
                factors_[d].push_back(grid_.fine[d] == 1 ? 1 : factor(d, n));
            }
        }
        for (const Tile& tile : samples_.tiles) {
            for (const Range& part : split_into_ranges(tile.count, samples_of_a_part)) {
                parts_.push_back({&tile, {tile.first + part.first, part.count}});
            }
        }
    }

    std::size_t samples() const override { return samples_.order.size(); }
    std::size_t voxels() const override { return size_[0] * size_[1] * size_[2]; }

    void forward(const Array& rho, Array& out, const Progress& progress) override {
        const StoredValue* const from = lsrecon::values<Stored>(rho);
        StoredValue* const to = lsrecon::values<Stored>(out);
        const std::size_t all = out.count() / std::max<std::size_t>(1, samples());
        for_batches(all, progress, [&](const Batch& batch) {
            const auto load = [&](std::size_t c, std::size_t r, Value* row) {
                if (c < batch.coils.count) {
                    const StoredValue* const voxels_of_row =
                        from + (batch.coils.first + c) * voxels() + r * size_[0];
                    for_each_of_row(r, [&](std::size_t i, std::size_t x, Real factor) {
                        row[x] = Value(voxels_of_row[i]) * factor;
                    });
                }
            };
            batch.fft.forward(load, fine_.data());
            fill_padding(batch.grid);
            for_each_in_parallel(parts_.size(),
                                 [&](std::size_t p) { interpolate(parts_[p], batch, to); });
        });
    }

    void adjoint(const Array& values, Array& out, const Progress& progress) override {
        StoredValue* const to = lsrecon::values<Stored>(out);
        const std::size_t all = out.count() / std::max<std::size_t>(1, voxels());
        for_batches(all, progress, [&](const Batch& batch) {
            spread(values, batch);
            add_padding(batch.grid);
            const auto store = [&](std::size_t c, std::size_t r, const Value* row) {
                if (c < batch.coils.count) {
                    StoredValue* const voxels_of_row =
                        to + (batch.coils.first + c) * voxels() + r * size_[0];
                    for_each_of_row(r, [&](std::size_t i, std::size_t x, Real factor) {
                        voxels_of_row[i] = StoredValue(row[x] * factor);
                    });
                }
            };
            batch.fft.backward(store, fine_.data());
        });
    }

    double forward_error() const override { return grid_.error + rounding_; }
    double adjoint_error() const override { return grid_.error + rounding_; }

private:
    using Tile = typename NufftSamples<Real>::Tile;
    struct Part {
        const Tile* tile;
        Range range;
        bool is_tile() const { return range.count == tile->count; }
    };
    /// Coils that are side by side on the fine grid; zeros where they are fewer than its arrays.
    struct Batch {
        Range coils;
        FineGrid grid;
        const CroppedFft<Real>& fft;
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

    /// Coils are computed by eights, or by four for three of them, else one at a time.
    template <typename Work>
    void for_batches(std::size_t coils, const Progress& progress, const Work& work) {
        const std::size_t most = coils_at_a_time(grid_);
        for (std::size_t first = 0; first < coils;) {
            const std::size_t left = coils - first;
            const std::size_t arrays = most >= 8 && left > 5 ? 8 : most >= 4 && left > 2 ? 4 : 1;
            const FineGrid grid(grid_, arrays);
            std::unique_ptr<CroppedFft<Real>>& fft = ffts_[arrays];
            if (fft == nullptr) {
                fft.reset(new CroppedFft<Real>({grid.period, size_, grid.padded, arrays}));
            }
            if (fine_.size() < grid.values()) {
                fine_ = LargeArray<Value>(grid.values());
            }
            const Range some{first, std::min(arrays, left)};
            work(Batch{some, grid, *fft});
            first += some.count;
            progress(static_cast<double>(first) / static_cast<double>(coils));
        }
    }

    /// The values of some coils at the samples of a part.
    std::vector<Value> values_of(const Part& part, const Array& values, const Batch& batch) const {
        const std::size_t beside = batch.grid.arrays;
        std::vector<Value> sorted(part.range.count * beside);
        const bool is_complex = values.element().complex;
        for (std::size_t c = 0; c < batch.coils.count; ++c) {
            const std::size_t row = (batch.coils.first + c) * samples();
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

    TileSamples<Real> samples_of(const Part& part, const PointShape& shape,
                                 std::size_t beside) const {
        return {kernel_, samples_, part.range, shape, grid_.fine[2] == 1 ? 1 : kernel_.width,
                beside};
    }
    /// The first value of a tile, or of any point, on the fine grid.
    Value* on_grid(const FineGrid& grid, const std::array<std::size_t, 3>& point) {
        return fine_.data() + point[2] * grid.plane() + point[1] * grid.row() +
               point[0] * grid.arrays;
    }

    // The fine grid: zeros, kernels, and what lies beyond the period.

    /// visit(row) for every row of so many planes, on every core.
    template <typename Visit>
    static void for_each_row(const FineGrid& grid, std::size_t planes, const Visit& visit) {
        const std::size_t rows = planes * grid.padded[1];
        for_each_range_in_parallel(rows, cores_for(rows * grid.row()), [&](const Range& range) {
            for (std::size_t r = range.first; r < range.first + range.count; ++r) {
                visit(r / grid.padded[1], r % grid.padded[1]);
            }
        });
    }
    static void add_to(const Value* from, std::size_t count, Value* to) {
        const auto* const numbers = reinterpret_cast<const Real*>(from);
        std::transform(numbers, numbers + 2 * count, reinterpret_cast<Real*>(to),
                       reinterpret_cast<Real*>(to), std::plus<Real>());
    }

    /// Adds the points beyond the period to those that they are.
    void add_padding(const FineGrid& grid) {
        const std::size_t beyond = grid.padded[0] - grid.period[0];
        for_each_row(grid, grid.padded[2] - grid.period[2], [&](std::size_t z, std::size_t y) {
            add_to(on_grid(grid, {0, y, grid.period[2] + z}), grid.row(), on_grid(grid, {0, y, z}));
        });
        const std::size_t of_plane = grid.plane();
        for_each_range_in_parallel(
            grid.period[2], cores_for(grid.period[2] * of_plane), [&](const Range& planes) {
                for (std::size_t z = planes.first; z < planes.first + planes.count; ++z) {
                    add_to(on_grid(grid, {0, grid.period[1], z}),
                           (grid.padded[1] - grid.period[1]) * grid.row(),
                           on_grid(grid, {0, 0, z}));
                    for (std::size_t y = 0; y < grid.period[1]; ++y) {
                        add_to(on_grid(grid, {grid.period[0], y, z}), beyond * grid.arrays,
                               on_grid(grid, {0, y, z}));
                    }
                }
            });
    }
    /// The points beyond the period are those in which it begins.
    void fill_padding(const FineGrid& grid) {
        const std::size_t beyond = grid.padded[0] - grid.period[0];
        for_each_range_in_parallel(
            grid.period[2], cores_for(grid.period[2] * grid.plane()), [&](const Range& planes) {
                for (std::size_t z = planes.first; z < planes.first + planes.count; ++z) {
                    for (std::size_t y = 0; y < grid.period[1]; ++y) {
                        std::copy_n(on_grid(grid, {0, y, z}), beyond * grid.arrays,
                                    on_grid(grid, {grid.period[0], y, z}));
                    }
                    std::copy_n(on_grid(grid, {0, 0, z}),
                                (grid.padded[1] - grid.period[1]) * grid.row(),
                                on_grid(grid, {0, grid.period[1], z}));
                }
            });
        for_each_row(grid, grid.padded[2] - grid.period[2], [&](std::size_t z, std::size_t y) {
            std::copy_n(on_grid(grid, {0, y, z}), grid.row(),
                        on_grid(grid, {0, y, grid.period[2] + z}));
        });
    }

    /// Coils of a batch onto their fine grid. Tiles of one colour have no points in common; parts
    /// of one tile are added in their order.
    void spread(const Array& values, const Batch& batch) {
        for_each_row(batch.grid, batch.grid.padded[2], [&](std::size_t z, std::size_t y) {
            std::fill_n(on_grid(batch.grid, {0, y, z}), batch.grid.row(), Value(0));
        });
        for (std::size_t first = 0; first < parts_.size();) {
            const Range parts = parts_from(first, batch.grid.arrays);
            spread_parts(parts, values, batch);
            first += parts.count;
        }
    }

    static PointShape own_shape(const Tile& tile) {
        return {tile.size[0] + points_beside_kernels, tile.size[1]};
    }
    static std::size_t own_points(const Tile& tile) {
        return own_shape(tile).row * tile.size[1] * tile.size[2];
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
            held += part.is_tile() ? 0 : beside * own_points(*part.tile);
        }
        return {first, end - first};
    }

    /// Spreads parts of one colour. A core adds those of a tile to the fine grid one after the
    /// other, in memory that it uses again. Where that would take it longer than others have to do,
    /// parts are spread on several cores, and added afterwards.
    void spread_parts(const Range& parts, const Array& values, const Batch& batch) {
        struct Task {
            Range parts;
            bool apart;
        };
        std::vector<Task> tasks;
        std::vector<Range> apart; // those of a tile
        const std::size_t share = divide_up(parts.count, 2 * all_cores());
        for (std::size_t p = parts.first; p < parts.first + parts.count;) {
            const Range of_tile{p, parts_of_tile(p, parts.first + parts.count)};
            if (of_tile.count <= share) {
                tasks.push_back({of_tile, false});
            } else {
                apart.push_back(of_tile);
                for (std::size_t i = 0; i < of_tile.count; ++i) {
                    tasks.push_back({{p + i, 1}, true});
                }
            }
            p += of_tile.count;
        }
        std::vector<std::vector<Value>> added_later(parts.count);
        std::atomic<std::size_t> next{0};
        for_each_in_parallel(std::min(all_cores(), tasks.size()), [&](std::size_t) {
            std::vector<Value> own;
            for (std::size_t t = next++; t < tasks.size(); t = next++) {
                const Range& of_task = tasks[t].parts;
                for (std::size_t p = of_task.first; p < of_task.first + of_task.count; ++p) {
                    std::vector<Value>& points =
                        tasks[t].apart ? added_later[p - parts.first] : own;
                    spread_part(parts_[p], values, batch, points);
                    if (!tasks[t].apart) {
                        add(parts_[p], points, batch.grid);
                    }
                }
            }
        });
        for_each_in_parallel(apart.size(), [&](std::size_t t) {
            for (std::size_t p = apart[t].first; p < apart[t].first + apart[t].count; ++p) {
                add(parts_[p], added_later[p - parts.first], batch.grid);
            }
        });
    }
    /// The number of parts from `first` to `end` that are of one tile.
    std::size_t parts_of_tile(std::size_t first, std::size_t end) const {
        std::size_t p = first;
        while (p < end && parts_[p].tile == parts_[first].tile) {
            ++p;
        }
        return p - first;
    }

    /// One that is all of its tile goes onto the fine grid, others into the points of their tile.
    void spread_part(const Part& part, const Array& values, const Batch& batch,
                     std::vector<Value>& points) {
        const std::size_t beside = batch.grid.arrays;
        const std::vector<Value> of_samples = values_of(part, values, batch);
        if (part.is_tile()) {
            samples_of(part, {batch.grid.padded[0], batch.grid.padded[1]}, beside)
                .spread(of_samples.data(), on_grid(batch.grid, part.tile->corner));
            return;
        }
        points.assign(own_points(*part.tile) * beside, Value(0));
        samples_of(part, own_shape(*part.tile), beside).spread(of_samples.data(), points.data());
    }
    void add(const Part& part, const std::vector<Value>& points, const FineGrid& grid) {
        if (part.is_tile()) {
            return;
        }
        const Tile& tile = *part.tile;
        const std::size_t of_row = own_shape(tile).row * grid.arrays;
        for (std::size_t z = 0; z < tile.size[2]; ++z) {
            for (std::size_t y = 0; y < tile.size[1]; ++y) {
                add_to(points.data() + (z * tile.size[1] + y) * of_row, tile.size[0] * grid.arrays,
                       on_grid(grid, {tile.corner[0], tile.corner[1] + y, tile.corner[2] + z}));
            }
        }
    }

    void interpolate(const Part& part, const Batch& batch, StoredValue* out) {
        const std::size_t beside = batch.grid.arrays;
        std::vector<Value> sums(part.range.count * beside);
        samples_of(part, {batch.grid.padded[0], batch.grid.padded[1]}, beside)
            .interpolate(on_grid(batch.grid, part.tile->corner), sums.data());
        for (std::size_t c = 0; c < batch.coils.count; ++c) {
            StoredValue* const row = out + (batch.coils.first + c) * samples();
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
    NufftSamples<Real> samples_;
    std::array<std::size_t, 3> size_; ///< size of the lattice of voxels
    std::array<std::vector<Real>, 3> factors_; ///< 1 / the kernel's transform
    std::map<std::size_t, std::unique_ptr<CroppedFft<Real>>> ffts_; ///< by arrays side by side
    LargeArray<Value> fine_; ///< fine grid of a batch of coils
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

std::string nufft_refusal(const SamplePoints& points, const Voxels& voxels) {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max(); // numbers of samples
    return !voxels.on_lattice()    ? "the voxels are not on a grid"
           : points.count() > most ? text("there are more than ", most, " samples")
                                   : "";
}

Cost predict_nufft(const EngineFacts& context, const Variant&, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels) {
    const NufftGrid grid = grid_of(context, points, voxels);
    // Order, grid position and shift, beside positions that engines of a device would keep.
    constexpr double bytes_of_a_sample = 60;
    const std::size_t coils = stage == "q" ? 1 : coils_at_a_time(grid); // at most
    const auto fine = static_cast<double>(FineGrid(grid, coils).values());
    Cost cost;
    const MachineModel& machine = context.machine.model;
    const double of_coil = static_cast<double>(FineGrid(grid, 1).values() + points.count());
    cost.seconds = grid.seconds(points.count(), rates_of(machine, context, voxels)) /
                   busy_cores(machine.cores, of_coil);
    cost.host_bytes = fine * 2 * static_cast<double>(bytes_of(nufft_precision(context))) +
                      bytes_of_a_sample * static_cast<double>(points.count());
    cost.error = grid.error + nufft_rounding(context);
    grid.set_limits(voxels.lattice_size(), points.count(), nufft_precision(context), cost);
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
