#include "engines/opencl/separable_forms.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t samples_of_a_block = 4096;
constexpr std::size_t numbers_of_a_total = 4; ///< real and imaginary part in two numbers each

class PrivateForward {
public:
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
            resources_.queue.keep_pace();
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
