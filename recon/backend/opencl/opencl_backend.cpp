#include "backend/opencl/opencl_backend.hpp"

#include "backend/opencl/direct.hpp"
#include "backend/opencl/float_range.hpp"
#include "backend/opencl/mirrored.hpp"
#include "backend/opencl/opencl_device.hpp"
#include "backend/opencl/separable.hpp"
#include "backend/tuning.hpp"
#include "base/tolerance.hpp"

namespace lsrecon {

namespace opencl {

namespace {

class OpenclBackend : public Backend {
public:
    explicit OpenclBackend(const BackendOptions& options)
        : options_(options),
          queue_(
              guarded("opening the device",
                      [&] { return Queue(options.device, options.device_memory, options.note); })),
          device_(make_opencl_device(queue_, fft_engine_for(queue_.info()))),
          row_(kernel_row(options.kernel.empty() ? default_kernel() : options.kernel)),
          off_lattice_(row_.needs_lattice ? kernel_row(best_off_lattice_kernel) : row_) {}

    BackendInfo info() const override {
        return {"opencl",
                queue_.info().name,
                queue_.info().platform + ", " + queue_.info().driver,
                kernels_that_ran(),
                kernel_hash(row_.name),
                std::numeric_limits<float>::epsilon() / 2,
                parameters_that_ran()};
    }

    CoilMatrix mu(const Sampling& sampling, const CoilMatrix& samples) override {
        return guarded("mu", [&] { return run_mu(sampling, samples); });
    }

    CoilMatrix fhd(const std::vector<Vec3>& trajectory, const CoilMatrix& mu, const Voxels& voxels,
                   const Progress& progress) override {
        return guarded("fhd", [&] {
            return in_float_range(mu, [&](const CoilMatrix& values) {
                return adjoint(trajectory, values, false, voxels, progress);
            });
        });
    }

    ComplexVector q(const std::vector<Vec3>& trajectory, const RealVector& weights,
                    const Voxels& voxels, const Progress& progress) override {
        const CoilMatrix as_one_coil = weights.transpose().cast<Complex>();
        return guarded("q", [&]() -> ComplexVector {
            return in_float_range(as_one_coil,
                                  [&](const CoilMatrix& values) {
                                      return adjoint(trajectory, values, true, voxels, progress);
                                  })
                .row(0)
                .transpose();
        });
    }

    CoilMatrix forward(const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                       const Voxels& voxels, const Progress& progress) override {
        return guarded("f", [&] {
            return in_float_range(rho, [&](const CoilMatrix& values) {
                return transform(trajectory, values, voxels, progress);
            });
        });
    }

    Device& device() override { return *device_; }
    void note(const std::string& message) const override { options_.note(message); }

    double compute_seconds() const override { return queue_.compute_seconds(); }
    double error_bound() const override { return error_bound_; }

private:
    /// The variant asked for, and the one that served what it cannot: the record must say it.
    std::string kernels_that_ran() const {
        const bool helped = off_lattice_ran_ && off_lattice_.name != row_.name;
        return row_.name + (helped ? " and " + off_lattice_.name : "");
    }

    /// The user's parameters are those of the variant that he named.
    const ChosenParameters& parameters_of(const KernelRow& row, const std::string& stage) {
        const std::string key = row.name + " " + stage;
        if (chosen_.count(key) == 0) {
            chosen_[key] =
                choose_parameters(queue_.info(), row.name, stage,
                                  row.name == row_.name ? options_.parameters : Parameters{});
        }
        return chosen_[key];
    }

    std::string parameters_that_ran() const {
        std::string result;
        for (const auto& [kernel_and_stage, chosen] : chosen_) {
            if (!chosen.values.empty()) {
                result += (result.empty() ? "" : "; ") + kernel_and_stage + ": " + chosen.text();
            }
        }
        return result;
    }

    /// FHd, and Q with real values.
    CoilMatrix adjoint(const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                       bool real_values, const Voxels& voxels, const Progress& progress) {
        queue_.reset_clock();
        if (row_.needs_lattice && voxels.on_lattice()) {
            const Parameters& parameters = parameters_of(row_, real_values ? "q" : "fhd").values;
            error_bound_ = separable_bound(parameters, trajectory.size());
            return separable_transform(queue_, parameters, trajectory, values, voxels, progress,
                                       options_.note);
        }
        off_lattice_ran_ = true;
        error_bound_ = tolerance::direct_transform(off_lattice_.name, trajectory.size());
        const ChosenParameters& parameters = parameters_of(off_lattice_, real_values ? "q" : "fhd");
        // Q comes as its half.
        if (off_lattice_.layout == SourceLayout::vectors && !real_values && can_mirror(voxels)) {
            return mirrored_transform(queue_, off_lattice_, parameters, trajectory, values, voxels,
                                      progress);
        }
        const SplitScale scale(voxels.extent_in_voxels());
        const TrajectoryPoints sources(trajectory, voxels.per_fov(), scale);
        return direct_transform(queue_, off_lattice_, parameters, sources, values, real_values,
                                VoxelPoints(voxels), false, +1, progress);
    }

    CoilMatrix transform(const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                         const Voxels& voxels, const Progress& progress) {
        queue_.reset_clock();
        if (row_.needs_lattice && voxels.on_lattice()) {
            const Parameters& parameters = parameters_of(row_, "f").values;
            error_bound_ = separable_bound(parameters, voxels.count());
            return separable_forward(queue_, parameters, trajectory, rho, voxels, progress);
        }
        off_lattice_ran_ = true;
        error_bound_ = tolerance::direct_transform(off_lattice_.name, voxels.count());
        const SplitScale scale(voxels.extent_in_voxels());
        const VoxelPoints sources(voxels);
        const TrajectoryPoints points(trajectory, voxels.per_fov(), scale);
        return direct_transform(queue_, off_lattice_, parameters_of(off_lattice_, "f"), sources,
                                rho, false, points, false, -1, progress);
    }

    CoilMatrix run_mu(const Sampling& sampling, const CoilMatrix& samples);

    BackendOptions options_;
    Queue queue_;
    std::unique_ptr<Device> device_;
    KernelRow row_;
    bool off_lattice_ran_ = false;
    double error_bound_ = 0;
    KernelRow off_lattice_; ///< what serves voxels anywhere
    std::map<std::string, ChosenParameters> chosen_; ///< by kernel and stage, of what ran
};

CoilMatrix OpenclBackend::run_mu(const Sampling& sampling, const CoilMatrix& samples) {
    using Floats =
        Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    if (samples.size() == 0) {
        return samples;
    }
    const Eigen::Index count = samples.cols();
    const int phi_exponent = float_exponent(sampling.phi);
    const int weight_exponent = float_exponent(sampling.weights);
    const int sample_exponent = float_exponent(samples);
    Eigen::VectorXcf phi = Eigen::VectorXcf::Ones(count);
    if (sampling.phi.size() > 0) {
        phi = as_floats<Eigen::VectorXcf>(sampling.phi, -phi_exponent);
    }
    Eigen::VectorXf weights = Eigen::VectorXf::Ones(count);
    if (sampling.weights.size() > 0) {
        weights = as_floats<Eigen::VectorXf>(sampling.weights, -weight_exponent);
    }
    auto data = as_floats<Floats>(samples, -sample_exponent);
    const std::size_t bytes = static_cast<std::size_t>(data.size()) * sizeof(data(0, 0));
    // Named, because a kernel argument does not keep its buffer alive.
    const cl::Buffer phi_buffer =
        queue_.upload(phi.data(), static_cast<std::size_t>(count) * sizeof(phi(0)));
    const cl::Buffer weight_buffer =
        queue_.upload(weights.data(), static_cast<std::size_t>(count) * sizeof(float));
    const cl::Buffer sample_buffer = queue_.upload(data.data(), bytes);
    const cl::Buffer out = queue_.buffer(bytes);
    cl::Kernel kernel = queue_.kernel("mu.cl", "mu", "");
    kernel.setArg(0, phi_buffer);
    kernel.setArg(1, weight_buffer);
    kernel.setArg(2, sample_buffer);
    kernel.setArg(3, static_cast<cl_int>(count));
    kernel.setArg(4, out);
    queue_.launch(kernel, static_cast<std::size_t>(count), static_cast<std::size_t>(data.rows()));
    queue_.commands().enqueueReadBuffer(out, CL_TRUE, 0, bytes, data.data());
    queue_.finish();
    return times_power_of_two<CoilMatrix>(data.cast<Complex>(),
                                          phi_exponent + weight_exponent + sample_exponent);
}

} // namespace
} // namespace opencl

std::unique_ptr<Backend> make_opencl_backend(const BackendOptions& options) {
    return std::make_unique<opencl::OpenclBackend>(options);
}

} // namespace lsrecon
