#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

// ROWS of kernels/separable.cl, and the sums p1..p4 in two numbers.
constexpr std::size_t rows_of_an_item = 4;
constexpr std::size_t numbers_of_a_column = 8;

class PrivateForm {
public:
    PrivateForm(const Parameters& parameters, const SeparableWork& work)
        : resources_(work.resources), work_(work), size_(work.voxels.lattice_size()),
          first_(work.voxels.lattice_first()), columns_(work.voxels),
          lanes_(lanes_of(resources_.precision)),
          chunk_(static_cast<std::size_t>(parameters.at("CHUNK"))),
          tiles_(divide_up(columns_.count, lanes_)) {
        const std::string options = text("-DLANES=", lanes_, " -DCHUNK=", chunk_,
                                         " -DRUN=", parameters.at("RUN"), resources_.defines());
        const auto kernel = [&](const char* name) {
            return resources_.queue.kernel("separable.cl", name, options);
        };
        factors_x_ = kernel("factors_x");
        factors_rows_ = kernel("factors_rows");
        product_ = kernel("product");
        finish_ = kernel("finish");
        std::vector<double> numbers;
        for (std::size_t i = 0; i < lanes_; ++i) {
            numbers.push_back(static_cast<double>(i) + columns_.offset());
        }
        lane_numbers_ = resources_.upload(numbers);
        panel_ = resources_.zeros(2 * tiles_ * lanes_ * chunk_);
        y_factors_ = resources_.zeros(2 * size_[1] * chunk_);
    }

    void run(std::size_t most_bytes) {
        const std::size_t coils = work_.coils(work_.samples.count());
        const std::size_t rows_of_coil = size_[1] * size_[2];
        const std::size_t bytes_of_row =
            tiles_ * lanes_ * numbers_of_a_column * bytes_of(resources_.precision);
        const std::size_t block_rows = std::max(rows_of_an_item, most_bytes / bytes_of_row);
        const std::size_t coils_of_bundle =
            std::clamp<std::size_t>(block_rows / rows_of_coil, 1, coils);
        z_factors_ = resources_.zeros(2 * coils_of_bundle * size_[2] * chunk_);
        const double total =
            static_cast<double>(coils * rows_of_coil) * static_cast<double>(work_.samples.count());
        double done = 0;
        for (const Range& bundle : split_into_ranges(coils, coils_of_bundle)) {
            values_ = work_.samples.packed(work_.in, bundle);
            const std::size_t row_count = bundle.count * rows_of_coil;
            for (const Range& block : split_into_ranges(row_count, block_rows)) {
                Array totals =
                    resources_.zeros(block.count * bytes_of_row / bytes_of(resources_.precision));
                const std::size_t padded = round_up(work_.samples.count(), lanes_);
                for (const Range& chunk : split_into_ranges(padded, chunk_)) {
                    run_chunk(chunk, bundle.count, block, totals);
                    done += static_cast<double>(block.count) * static_cast<double>(chunk.count);
                    resources_.queue.keep_pace();
                    work_.progress(std::min(1.0, done / total));
                }
                finish(totals, block, bundle.first * rows_of_coil);
            }
        }
    }

private:
    void run_chunk(const Range& chunk, std::size_t coils, const Range& block, const Array& totals) {
        const auto offset = static_cast<cl_int>(chunk.first);
        const auto stride = static_cast<cl_int>(work_.samples.stride());
        const std::size_t vectors = chunk.count / lanes_;
        const cl::Buffer& positions = buffer_of(work_.samples.positions());
        resources_.launch(factors_x_, {chunk.count, tiles_, 1}, positions, stride, offset,
                          buffer_of(lane_numbers_), buffer_of(panel_));
        const auto factors_of_rows = [&](int dimension, std::size_t with_coils, const Array& out) {
            const auto d = static_cast<std::size_t>(dimension);
            resources_.launch(factors_rows_,
                              {vectors, size_[d], std::max<std::size_t>(with_coils, 1)}, positions,
                              buffer_of(values_), stride, offset, cl_int(dimension),
                              static_cast<cl_int>(with_coils > 0),
                              resources_.number(static_cast<double>(first_[d])), buffer_of(out));
        };
        factors_of_rows(1, 0, y_factors_);
        factors_of_rows(2, coils, z_factors_);
        Queue::set_arguments(product_, buffer_of(panel_), buffer_of(y_factors_),
                             buffer_of(z_factors_), static_cast<cl_int>(chunk.count),
                             static_cast<cl_int>(size_[1]), static_cast<cl_int>(block.first),
                             static_cast<cl_int>(block.count), static_cast<cl_int>(tiles_),
                             buffer_of(totals));
        resources_.queue.launch(product_, cl::NDRange(divide_up(block.count, rows_of_an_item)),
                                cl::NDRange(1));
    }

    void finish(const Array& totals, const Range& block, std::size_t row_of_bundle) {
        resources_.launch(
            finish_, {size_[0], block.count, 1}, buffer_of(totals), static_cast<cl_int>(tiles_),
            static_cast<cl_int>(first_[0]), static_cast<cl_int>(columns_.halved),
            static_cast<cl_ulong>((row_of_bundle + block.first) * size_[0]), buffer_of(work_.out));
    }

    const Resources& resources_;
    const SeparableWork& work_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    LatticeColumns columns_;
    std::size_t lanes_;
    std::size_t chunk_;
    std::size_t tiles_;
    cl::Kernel factors_x_;
    cl::Kernel factors_rows_;
    cl::Kernel product_;
    cl::Kernel finish_;
    Array lane_numbers_;
    Array panel_;
    Array y_factors_;
    Array z_factors_;
    Array values_; ///< values of one bundle of coils
};

} // namespace

void separable_private(const Parameters& parameters, const SeparableWork& work,
                       std::size_t most_bytes) {
    PrivateForm(parameters, work).run(most_bytes);
}

} // namespace lsrecon::opencl
