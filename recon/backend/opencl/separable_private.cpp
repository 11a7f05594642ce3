#include "backend/opencl/separable_forms.hpp"
#include "backend/opencl/upload.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t lanes = 16;
// ROWS of kernels/separable.cl.
constexpr std::size_t rows_of_an_item = 4;
/// Samples that go to the device at a time, a multiple of every chunk.
constexpr std::size_t samples_of_a_piece = 65536;

/// The sums p1..p4 of one tile of x.
struct Tile {
    struct Sum {
        std::array<float, lanes> high;
        std::array<float, lanes> low;
        double at(std::size_t lane) const { return static_cast<double>(high[lane]) + low[lane]; }
    };
    std::array<Sum, 4> sums;
};

class PrivateForm {
public:
    PrivateForm(Queue& queue, const Parameters& parameters, const SeparableWork& work)
        : queue_(queue), work_(work), size_(work.voxels.lattice_size()),
          first_(work.voxels.lattice_first()), columns_(work.voxels),
          chunk_(static_cast<std::size_t>(parameters.at("CHUNK"))),
          tiles_(divide_up(columns_.count, lanes)) {
        const std::string options =
            text("-DLANES=", lanes, " -DCHUNK=", chunk_, " -DRUN=", parameters.at("RUN"));
        factors_x_ = queue_.kernel("separable.cl", "factors_x", options);
        factors_rows_ = queue_.kernel("separable.cl", "factors_rows", options);
        product_ = queue_.kernel("separable.cl", "product", options);
        std::array<float, lanes> numbers{};
        for (std::size_t i = 0; i < lanes; ++i) {
            numbers[i] = static_cast<float>(static_cast<double>(i) + columns_.offset());
        }
        lane_numbers_ = queue_.upload(numbers.data(), sizeof(numbers));
        panel_ = queue.buffer(2 * sizeof(float) * tiles_ * lanes * chunk_);
        y_factors_ = queue.buffer(2 * sizeof(float) * size_[1] * chunk_);
        z_factors_ = queue.buffer(2 * sizeof(float) * work.coils * size_[2] * chunk_);
    }

    CoilMatrix run() {
        CoilMatrix out(static_cast<Eigen::Index>(work_.coils),
                       static_cast<Eigen::Index>(work_.voxels.count()));
        const std::size_t row_count = work_.coils * size_[1] * size_[2];
        const std::size_t block_rows =
            std::max(rows_of_an_item, work_.most_bytes / (tiles_ * sizeof(Tile)));
        const double total =
            static_cast<double>(row_count) * static_cast<double>(work_.samples.count());
        double done = 0;
        UploadRing ring(queue_);
        for (const Range& block : split_into_ranges(row_count, block_rows)) {
            std::vector<Tile> totals(block.count * tiles_, Tile{});
            const cl::Buffer buffer = queue_.upload(totals);
            for (const Range& piece :
                 split_into_ranges(work_.samples.count(), samples_of_a_piece)) {
                run_piece(ring, piece, block, buffer);
                done += static_cast<double>(block.count) * static_cast<double>(piece.count);
                work_.progress(done / total);
            }
            queue_.commands().enqueueReadBuffer(buffer, CL_TRUE, 0, totals.size() * sizeof(Tile),
                                                totals.data());
            queue_.finish();
            unpack(totals, block, out);
        }
        return out;
    }

private:
    void run_piece(UploadRing& ring, const Range& piece, const Range& block,
                   const cl::Buffer& totals) {
        const std::size_t padded = round_up(piece.count, lanes);
        const cl::Buffer& samples = ring.next(
            [&](std::vector<float>& packed) { work_.samples.pack(piece, padded, packed); });
        cl::Event last;
        for (const Range& chunk : split_into_ranges(padded, chunk_)) {
            last = run_chunk(samples, padded, chunk, block, totals);
        }
        ring.read_until(last);
    }

    cl::Event run_chunk(const cl::Buffer& samples, std::size_t padded, const Range& chunk,
                        const Range& block, const cl::Buffer& totals) {
        const auto offset = static_cast<cl_int>(chunk.first);
        const auto stride = static_cast<cl_int>(padded);
        const std::size_t vectors = chunk.count / lanes;
        Queue::set_arguments(factors_x_, samples, stride, offset, lane_numbers_, panel_);
        queue_.launch(factors_x_, cl::NDRange(chunk.count, tiles_), cl::NullRange);
        Queue::set_arguments(factors_rows_, samples, stride, offset, cl_int(1), cl_int(0),
                             static_cast<cl_float>(first_[1]), y_factors_);
        queue_.launch(factors_rows_, cl::NDRange(vectors, size_[1], 1), cl::NullRange);
        Queue::set_arguments(factors_rows_, samples, stride, offset, cl_int(2), cl_int(1),
                             static_cast<cl_float>(first_[2]), z_factors_);
        queue_.launch(factors_rows_, cl::NDRange(vectors, size_[2], work_.coils), cl::NullRange);
        Queue::set_arguments(product_, panel_, y_factors_, z_factors_,
                             static_cast<cl_int>(chunk.count), static_cast<cl_int>(size_[1]),
                             static_cast<cl_int>(block.first), static_cast<cl_int>(block.count),
                             static_cast<cl_int>(tiles_), totals);
        return queue_.launch(product_, cl::NDRange(divide_up(block.count, rows_of_an_item)),
                             cl::NDRange(1));
    }

    /// out(+x) = (p1 - p2) + i (p3 + p4), out(-x) = (p1 + p2) + i (p4 - p3).
    void unpack(const std::vector<Tile>& totals, const Range& block, CoilMatrix& out) const {
        const std::size_t rows_of_a_coil = size_[1] * size_[2];
        for (std::size_t r = 0; r < block.count; ++r) {
            const std::size_t row = block.first + r;
            const std::size_t start = row % rows_of_a_coil * size_[0];
            const auto coil = static_cast<Eigen::Index>(row / rows_of_a_coil);
            for (std::size_t i = 0; i < size_[0]; ++i) {
                const long x = first_[0] + static_cast<long>(i);
                const std::size_t column = columns_.of(x);
                const Tile& tile = totals[r * tiles_ + column / lanes];
                const std::size_t lane = column % lanes;
                const double p1 = tile.sums[0].at(lane);
                const double p2 = tile.sums[1].at(lane);
                const double p3 = tile.sums[2].at(lane);
                const double p4 = tile.sums[3].at(lane);
                out(coil, static_cast<Eigen::Index>(start + i)) =
                    x >= 0 ? Complex(p1 - p2, p3 + p4) : Complex(p1 + p2, p4 - p3);
            }
        }
    }

    Queue& queue_;
    const SeparableWork& work_;
    std::array<std::size_t, 3> size_;
    std::array<long, 3> first_;
    LatticeColumns columns_;
    std::size_t chunk_;
    std::size_t tiles_;
    cl::Kernel factors_x_;
    cl::Kernel factors_rows_;
    cl::Kernel product_;
    cl::Buffer lane_numbers_;
    cl::Buffer panel_;
    cl::Buffer y_factors_;
    cl::Buffer z_factors_;
};

} // namespace

CoilMatrix separable_private(Queue& queue, const Parameters& parameters,
                             const SeparableWork& work) {
    return PrivateForm(queue, parameters, work).run();
}

} // namespace lsrecon::opencl
