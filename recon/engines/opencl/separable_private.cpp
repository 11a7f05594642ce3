// Runs kernels/separable.cl on CPUs: exp(i 2 pi k.x) is a product of factors of x, y and z, and
// each work-item sums its rows in private memory. The forward transform is here, too.

#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

// ROWS of kernels/separable.cl, and the sums p1..p4 in two numbers.
constexpr std::size_t rows_of_an_item = 4;
constexpr std::size_t numbers_of_a_column = 8;

/// The factors of x and y of one chunk of samples.
struct PrivateFactors {
    Array x;
    Array y;
};
using FactorsOfChunks = std::vector<PrivateFactors>;

/// Makes the factors of chunks of samples, and says how these are divided.
class FactorMaker {
public:
    const std::size_t lanes;
    const std::size_t chunk; ///< the samples of a whole one
    const std::size_t tiles;

    FactorMaker(const Parameters& parameters, const Resources& resources,
                const LatticeSamples& samples, const Voxels& voxels)
        : lanes(lanes_of(resources.precision)),
          chunk(static_cast<std::size_t>(parameters.at("CHUNK"))),
          tiles(divide_up(LatticeColumns(voxels).count, lanes)), resources_(resources),
          samples_(samples), size_(voxels.lattice_size()), first_(voxels.lattice_first()),
          options_(text("-DLANES=", lanes, " -DCHUNK=", chunk, " -DRUN=", parameters.at("RUN"),
                        resources.defines())),
          factors_x_(kernel("factors_x")), factors_rows_(kernel("factors_rows")) {
        std::vector<double> numbers;
        for (std::size_t i = 0; i < lanes; ++i) {
            numbers.push_back(static_cast<double>(i) + LatticeColumns(voxels).offset());
        }
        lane_numbers_ = resources_.upload(numbers);
    }

    cl::Kernel kernel(const char* name) const {
        return resources_.queue.kernel("separable.cl", name, options_);
    }
    std::vector<Range> chunks() const {
        return split_into_ranges(round_up(samples_.count(), lanes), chunk);
    }
    /// Reals of the factors of x and y of so many samples.
    std::size_t count_reals_of_x(std::size_t samples) const { return 2 * tiles * lanes * samples; }
    std::size_t count_reals_of_y(std::size_t samples) const { return 2 * size_[1] * samples; }
    PrivateFactors room(std::size_t samples) const {
        return {resources_.zeros(count_reals_of_x(samples)),
                resources_.zeros(count_reals_of_y(samples))};
    }

    void make(const Range& some, const PrivateFactors& to) {
        resources_.launch(factors_x_, {some.count, tiles, 1}, buffer_of(samples_.positions()),
                          static_cast<cl_int>(samples_.stride()), static_cast<cl_int>(some.first),
                          buffer_of(lane_numbers_), buffer_of(to.x));
        make_rows(some, 1, samples_.positions(), 0, to.y); // whose values are not read
    }
    /// The factors of y or z, times the values of so many coils.
    void make_rows(const Range& some, std::size_t d, const Array& values, std::size_t coils,
                   const Array& to) {
        resources_.launch(factors_rows_,
                          {some.count / lanes, size_[d], std::max<std::size_t>(coils, 1)},
                          buffer_of(samples_.positions()), buffer_of(values),
                          static_cast<cl_int>(samples_.stride()), static_cast<cl_int>(some.first),
                          static_cast<cl_int>(d), static_cast<cl_int>(coils > 0),
                          resources_.number(static_cast<double>(first_[d])), buffer_of(to));
    }

private:
    const Resources& resources_;
    const LatticeSamples& samples_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    std::string options_;
    cl::Kernel factors_x_;
    cl::Kernel factors_rows_;
    Array lane_numbers_;
};

/// The factors of all chunks, from the store. Null where there is none, or where they take more
/// than small scans do.
std::shared_ptr<const FactorsOfChunks> kept_factors(FactorMaker& maker, const SeparableWork& work,
                                                    const FactorStore& in) {
    constexpr std::size_t most_bytes = std::size_t(8) << 20;
    const Precision precision = work.resources.precision;
    const std::size_t all = round_up(work.samples.count(), maker.lanes);
    const std::size_t bytes =
        (maker.count_reals_of_x(all) + maker.count_reals_of_y(all)) * bytes_of(precision);
    if (in.store == nullptr || bytes > most_bytes) {
        return nullptr;
    }
    const std::string name = text(name_of(work.voxels, precision), " in chunks of ", maker.chunk);
    return in.store->get<FactorsOfChunks>(name, {bytes_of_all(in.positions)}, bytes, [&] {
        auto made = std::make_shared<FactorsOfChunks>();
        for (const Range& chunk : maker.chunks()) {
            made->push_back(maker.room(chunk.count));
            maker.make(chunk, made->back());
        }
        return made;
    });
}

class PrivateForm {
public:
    PrivateForm(const Parameters& parameters, const SeparableWork& work, const FactorStore& kept)
        : resources_(work.resources), work_(work), size_(work.voxels.lattice_size()),
          columns_(work.voxels), maker_(parameters, work.resources, work.samples, work.voxels),
          product_(maker_.kernel("product")), finish_(maker_.kernel("finish")),
          kept_(kept_factors(maker_, work, kept)),
          own_(kept_ ? PrivateFactors() : maker_.room(maker_.chunk)) {}

    /// Sums blocks of rows over all chunks of samples, a bundle of coils at a time, so that the
    /// partial sums of a block take at most `most_bytes`, or those of four rows.
    void run(std::size_t most_bytes) {
        const std::size_t coils = work_.coils(work_.samples.count());
        const std::size_t rows_of_coil = size_[1] * size_[2];
        const std::size_t bytes_of_row =
            maker_.tiles * maker_.lanes * numbers_of_a_column * bytes_of(resources_.precision);
        const std::size_t block_rows = std::max(rows_of_an_item, most_bytes / bytes_of_row);
        const std::size_t coils_of_bundle =
            std::clamp<std::size_t>(block_rows / rows_of_coil, 1, coils);
        z_factors_ = resources_.zeros(2 * coils_of_bundle * size_[2] * maker_.chunk);
        const double total =
            static_cast<double>(coils * rows_of_coil) * static_cast<double>(work_.samples.count());
        double done = 0;
        for (const Range& bundle : split_into_ranges(coils, coils_of_bundle)) {
            values_ = work_.samples.packed(work_.in, bundle);
            const std::size_t row_count = bundle.count * rows_of_coil;
            for (const Range& block : split_into_ranges(row_count, block_rows)) {
                Array totals =
                    resources_.zeros(block.count * bytes_of_row / bytes_of(resources_.precision));
                const std::vector<Range> chunks = maker_.chunks();
                for (std::size_t i = 0; i < chunks.size(); ++i) {
                    const Range& chunk = chunks[i];
                    if (!kept_) {
                        maker_.make(chunk, own_);
                    }
                    run_chunk(chunk, kept_ ? (*kept_)[i] : own_, bundle.count, block, totals);
                    done += static_cast<double>(block.count) * static_cast<double>(chunk.count);
                    resources_.queue.limit_queued_launches();
                    work_.progress(std::min(1.0, done / total));
                }
                finish(totals, block, bundle.first * rows_of_coil);
            }
        }
    }

private:
    /// Adds a chunk of samples to the totals of a block. Factors of z hold the values and are made
    /// here; those of x and y come from the caller, who may keep them.
    void run_chunk(const Range& chunk, const PrivateFactors& factors, std::size_t coils,
                   const Range& block, const Array& totals) {
        maker_.make_rows(chunk, 2, values_, coils, z_factors_);
        Queue::set_arguments(product_, buffer_of(factors.x), buffer_of(factors.y),
                             buffer_of(z_factors_), static_cast<cl_int>(chunk.count),
                             static_cast<cl_int>(size_[1]), static_cast<cl_int>(block.first),
                             static_cast<cl_int>(block.count), static_cast<cl_int>(maker_.tiles),
                             buffer_of(totals));
        resources_.queue.launch(product_, cl::NDRange(divide_up(block.count, rows_of_an_item)),
                                cl::NDRange(1));
    }

    void finish(const Array& totals, const Range& block, std::size_t row_of_bundle) {
        resources_.launch(
            finish_, {size_[0], block.count, 1}, buffer_of(totals),
            static_cast<cl_int>(maker_.tiles), static_cast<cl_int>(work_.voxels.lattice_first()[0]),
            static_cast<cl_int>(columns_.halved),
            static_cast<cl_ulong>((row_of_bundle + block.first) * size_[0]), buffer_of(work_.out));
    }

    const Resources& resources_;
    const SeparableWork& work_;
    std::array<std::size_t, 3> size_;
    LatticeColumns columns_;
    FactorMaker maker_;
    cl::Kernel product_;
    cl::Kernel finish_;
    std::shared_ptr<const FactorsOfChunks> kept_; ///< those of all chunks, or null
    PrivateFactors own_; ///< those of a chunk, where none are kept
    Array z_factors_;
    Array values_; ///< values of one bundle of coils
};

} // namespace

void separable_private(const Parameters& parameters, const SeparableWork& work,
                       std::size_t most_bytes, const FactorStore& kept) {
    PrivateForm(parameters, work, kept).run(most_bytes);
}

namespace {

constexpr std::size_t samples_of_a_block = 4096;
constexpr std::size_t numbers_of_a_total = 4; ///< real and imaginary part in two numbers each

class PrivateForward {
public:
    /// Compiles the kernels and takes the memory of one block of samples.
    explicit PrivateForward(const SeparableWork& work)
        : resources_(work.resources), work_(work), size_(work.voxels.lattice_size()),
          lanes_(lanes_of(resources_.precision)) {
        // One program serves all sizes up to the same power of two.
        std::size_t most_x = 64;
        while (most_x < size_[0]) {
            most_x *= 2;
        }
        const std::string options =
            text("-DMOST_X=", most_x, " -DLANES=", lanes_, resources_.defines());
        const auto kernel = [&](const char* name) {
            return resources_.queue.kernel("separable_forward.cl", name, options);
        };
        factors_ = kernel("factors_rows");
        forward_ = kernel("forward");
        finish_ = kernel("finish");
        for (std::size_t d = 0; d < 3; ++d) {
            of_dimension_[d] = resources_.zeros(2 * samples_of_a_block * size_[d]);
        }
        totals_ = resources_.zeros(numbers_of_a_total * samples_of_a_block);
    }

    /// Transforms blocks of samples, with all coils in a block, so that its factors are made once.
    void run() {
        const LatticeSamples& samples = work_.samples;
        const std::size_t coils = work_.coils(work_.voxels.count());
        for (const Range& block : split_into_ranges(samples.count(), samples_of_a_block)) {
            const std::size_t padded = round_up(block.count, lanes_);
            for (std::size_t d = 0; d < 3; ++d) {
                resources_.launch(
                    factors_, {padded / lanes_, size_[d], 1}, buffer_of(samples.positions()),
                    buffer_of(samples.positions()), static_cast<cl_int>(samples.stride()),
                    static_cast<cl_int>(block.first), static_cast<cl_int>(d), cl_int(0),
                    resources_.number(static_cast<double>(work_.voxels.lattice_first()[d])),
                    buffer_of(of_dimension_[d]));
            }
            for (std::size_t coil = 0; coil < coils; ++coil) {
                run_coil(coil, block, padded);
            }
            resources_.queue.limit_queued_launches();
            work_.progress(static_cast<double>(block.first + block.count) /
                           static_cast<double>(samples.count()));
        }
    }

private:
    void run_coil(std::size_t coil, const Range& block, std::size_t padded) {
        Queue::set_arguments(forward_, buffer_of(of_dimension_[0]), buffer_of(of_dimension_[1]),
                             buffer_of(of_dimension_[2]), buffer_of(work_.in),
                             static_cast<cl_ulong>(coil * work_.voxels.count()),
                             static_cast<cl_int>(size_[0]), static_cast<cl_int>(size_[1]),
                             static_cast<cl_int>(size_[1] * size_[2]), static_cast<cl_int>(padded),
                             buffer_of(totals_));
        resources_.queue.launch(forward_, cl::NDRange(padded / lanes_), cl::NDRange(1));
        resources_.launch(
            finish_, {block.count, 1, 1}, buffer_of(totals_), static_cast<cl_ulong>(block.first),
            work_.samples.order(), work_.samples.has_order(),
            static_cast<cl_ulong>(coil * work_.samples.count()), buffer_of(work_.out));
    }

    const Resources& resources_;
    const SeparableWork& work_;
    std::array<std::size_t, 3> size_;
    std::size_t lanes_;
    cl::Kernel factors_;
    cl::Kernel forward_;
    cl::Kernel finish_;
    std::array<Array, 3> of_dimension_;
    Array totals_;
};

} // namespace

void forward_private(const SeparableWork& work) {
    PrivateForward(work).run();
}

} // namespace lsrecon::opencl
