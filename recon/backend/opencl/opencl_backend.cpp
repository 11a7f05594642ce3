#include "backend/opencl/opencl_backend.hpp"

#include <deque>
#include <map>

#include "backend/opencl/catalogue.hpp"
#include "backend/opencl/device.hpp"
#include "backend/opencl/points.hpp"
#include "backend/opencl/program.hpp"
#include "base/sha256.hpp"
#include "plan/chunks.hpp"

namespace lsrecon {

namespace opencl {

namespace {

constexpr std::size_t work_group = 64;

std::size_t round_up(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

/// A sum as the kernels keep it: transform.h, add_to_total.
struct Total {
    std::array<float, 2> high{};
    std::array<float, 2> low{};
    Complex value() const {
        return {static_cast<double>(high[0]) + low[0], static_cast<double>(high[1]) + low[1]};
    }
};

/// A chunk of sources on its way to the device, and the launch that still reads it.
struct Slot {
    cl::Buffer buffer;
    std::vector<float> staging;
    cl::Event used;
    bool busy = false;

    void wait() {
        if (busy) {
            used.wait();
            busy = false;
        }
    }

    Slot() = default;
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    /// The staging memory must outlive its upload, also when an error unwinds the stack.
    ~Slot() {
        try {
            wait();
        } catch (const cl::Error&) {
        }
    }
};

class OpenclBackend : public Backend {
public:
    explicit OpenclBackend(const BackendOptions& options)
        : row_(kernel_row(options.kernel.empty() ? default_kernel() : options.kernel)) {
        guarded("opening the device", [&] {
            const std::vector<DeviceInfo> devices = list_devices();
            const int index = choose_device(devices, options.device);
            info_ = devices[static_cast<std::size_t>(index)];
            device_ = device_handles()[static_cast<std::size_t>(index)];
            context_ = cl::Context(device_);
            queue_ = cl::CommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE);
        });
        limits_ = {info_.constant_bytes, info_.max_allocation_bytes, info_.max_work_group};
    }

    BackendInfo info() const override {
        return {"opencl",
                info_.name,
                info_.platform + ", " + info_.driver,
                row_.name,
                Sha256().add(kernel_source(row_.name + ".cl")).hex(),
                std::numeric_limits<float>::epsilon() / 2};
    }

    CoilMatrix mu(const Sampling& sampling, const CoilMatrix& samples) override {
        return guarded("mu", [&] { return run_mu(sampling, samples); });
    }

    CoilMatrix fhd(const std::vector<Vec3>& trajectory, const CoilMatrix& mu, const Voxels& voxels,
                   const Progress& progress) override {
        const SplitScale scale(voxels.extent_in_voxels());
        const TrajectoryPoints sources(trajectory, voxels.per_fov(), scale);
        const VoxelPoints points(voxels);
        return guarded("fhd", [&] { return transform(sources, mu, false, points, +1, progress); });
    }

    ComplexVector q(const std::vector<Vec3>& trajectory, const RealVector& weights,
                    const Voxels& voxels, const Progress& progress) override {
        const SplitScale scale(voxels.extent_in_voxels());
        const TrajectoryPoints sources(trajectory, voxels.per_fov(), scale);
        const VoxelPoints points(voxels);
        const CoilMatrix values = weights.transpose().cast<Complex>();
        return guarded("q", [&]() -> ComplexVector {
            return transform(sources, values, true, points, +1, progress).row(0).transpose();
        });
    }

    CoilMatrix forward(const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                       const Voxels& voxels, const Progress& progress) override {
        const SplitScale scale(voxels.extent_in_voxels());
        const VoxelPoints sources(voxels);
        const TrajectoryPoints points(trajectory, voxels.per_fov(), scale);
        return guarded("f", [&] { return transform(sources, rho, false, points, -1, progress); });
    }

    double compute_seconds() const override { return compute_seconds_; }

private:
    CoilMatrix run_mu(const Sampling& sampling, const CoilMatrix& samples);

    /// out_cp = sum_s value_cs exp(sign i 2 pi k.u)
    CoilMatrix transform(const Points& sources, const CoilMatrix& values, bool real_values,
                         const Points& points, int sign, const Progress& progress);

    /// One block of points of one group of coils, over all chunks of sources.
    void run_block(cl::Kernel& kernel, const Points& sources, const SourcePacker& packer,
                   const Points& points, const Range& block, CoilMatrix& out,
                   const Progress& progress);

    cl::Kernel kernel(const std::string& file, const std::string& name, const std::string& options);
    void launch(const cl::Kernel& kernel, std::size_t items, std::size_t rows);
    cl::Buffer upload(const void* values, std::size_t bytes);

    KernelRow row_;
    DeviceInfo info_;
    DeviceLimits limits_;
    cl::Device device_;
    cl::Context context_;
    cl::CommandQueue queue_;
    std::map<std::string, cl::Kernel> kernels_;
    std::deque<cl::Event> launches_;
    double compute_seconds_ = 0;
};

cl::Kernel OpenclBackend::kernel(const std::string& file, const std::string& name,
                                 const std::string& options) {
    const std::string key = file + options;
    if (kernels_.count(key) == 0) {
        kernels_[key] = cl::Kernel(build_program(context_, device_, file, options), name.c_str());
    }
    return kernels_[key];
}

void OpenclBackend::launch(const cl::Kernel& kernel, std::size_t items, std::size_t rows) {
    const std::size_t allowed = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_);
    const std::size_t local = std::min(work_group, allowed);
    cl::Event event;
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(round_up(items, local), rows),
                                cl::NDRange(local, 1), nullptr, &event);
    launches_.push_back(event);
}

cl::Buffer OpenclBackend::upload(const void* values, std::size_t bytes) {
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, bytes);
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, values);
    return buffer;
}

CoilMatrix OpenclBackend::run_mu(const Sampling& sampling, const CoilMatrix& samples) {
    using Floats =
        Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Index count = samples.cols();
    if (samples.size() == 0) {
        return samples;
    }
    Eigen::VectorXcf phi = Eigen::VectorXcf::Ones(count);
    if (sampling.phi.size() > 0) {
        phi = sampling.phi.cast<std::complex<float>>();
    }
    Eigen::VectorXf weights = Eigen::VectorXf::Ones(count);
    if (sampling.weights.size() > 0) {
        weights = sampling.weights.cast<float>();
    }
    Floats data = samples.cast<std::complex<float>>();
    const std::size_t bytes = static_cast<std::size_t>(data.size()) * sizeof(data(0, 0));
    cl::Kernel compute = kernel("mu.cl", "mu", "-cl-std=CL1.2");
    // Named, because a kernel argument does not keep its buffer alive.
    const cl::Buffer phi_buffer =
        upload(phi.data(), static_cast<std::size_t>(count) * sizeof(phi(0)));
    const cl::Buffer weight_buffer =
        upload(weights.data(), static_cast<std::size_t>(count) * sizeof(float));
    const cl::Buffer on_device = upload(data.data(), bytes);
    compute.setArg(0, phi_buffer);
    compute.setArg(1, weight_buffer);
    compute.setArg(2, on_device);
    compute.setArg(3, static_cast<cl_int>(count));
    compute.setArg(4, on_device);
    launch(compute, static_cast<std::size_t>(count), static_cast<std::size_t>(data.rows()));
    queue_.enqueueReadBuffer(on_device, CL_TRUE, 0, bytes, data.data());
    launches_.clear();
    return data.cast<Complex>();
}

CoilMatrix OpenclBackend::transform(const Points& sources, const CoilMatrix& values,
                                    bool real_values, const Points& points, int sign,
                                    const Progress& progress) {
    const std::size_t coils = rows(values);
    const TransformPlan plan =
        plan_transform(limits_, coils, 6 * sizeof(float), (real_values ? 1 : 2) * sizeof(float));
    CoilMatrix out = CoilMatrix::Zero(values.rows(), static_cast<Eigen::Index>(points.count()));
    compute_seconds_ = 0;
    if (sources.count() == 0 || points.count() == 0 || coils == 0) {
        return out;
    }
    cl::Kernel compute = kernel(row_.name + ".cl", "transform",
                                text("-cl-std=CL1.2 -DCOILS=", plan.coils_per_group,
                                     " -DSIGN=", sign, " -DREAL_VALUES=", real_values ? 1 : 0,
                                     " -DLOW_POINTS=", points.has_low() ? 1 : 0,
                                     " -DLOW_SOURCES=", sources.has_low() ? 1 : 0));
    const std::vector<Range> blocks = split_into_ranges(points.count(), plan.points_per_block);
    double done = 0;
    const double total = static_cast<double>(plan.coil_groups * points.count());
    for (const Range& group : split_into_ranges(coils, plan.coils_per_group)) {
        const SourcePacker packer(sources, values, group, plan, row_.layout, real_values);
        for (const Range& block : blocks) {
            const double share = static_cast<double>(block.count) / total;
            run_block(compute, sources, packer, points, block, out,
                      [&](double fraction) { progress(done + share * fraction); });
            done += share;
        }
    }
    return out;
}

void OpenclBackend::run_block(cl::Kernel& compute, const Points& sources,
                              const SourcePacker& packer, const Points& points, const Range& block,
                              CoilMatrix& out, const Progress& progress) {
    const std::vector<float> positions = points.as_arrays(block);
    std::vector<Total> totals(packer.coils_in_kernel() * block.count);
    const cl::Buffer point_buffer = upload(positions.data(), positions.size() * sizeof(float));
    const cl::Buffer out_buffer = upload(totals.data(), totals.size() * sizeof(Total));
    std::array<Slot, 2> slots;
    std::size_t turn = 0;
    launches_.clear();
    for (const Range& chunk : split_into_ranges(sources.count(), packer.sources_per_chunk())) {
        Slot& slot = slots[turn++ % slots.size()];
        slot.wait();
        packer.pack(chunk, slot.staging);
        const std::size_t bytes = slot.staging.size() * sizeof(float);
        if (slot.buffer() == nullptr) {
            slot.buffer = cl::Buffer(context_, CL_MEM_READ_ONLY, bytes);
        }
        queue_.enqueueWriteBuffer(slot.buffer, CL_FALSE, 0, bytes, slot.staging.data());
        compute.setArg(0, slot.buffer);
        compute.setArg(1, static_cast<cl_int>(chunk.count));
        compute.setArg(2, point_buffer);
        compute.setArg(3, static_cast<cl_int>(block.count));
        compute.setArg(4, out_buffer);
        launch(compute, block.count, 1);
        queue_.flush();
        slot.used = launches_.back();
        slot.busy = true;
        progress(static_cast<double>(chunk.first) / static_cast<double>(sources.count()));
    }
    queue_.enqueueReadBuffer(out_buffer, CL_TRUE, 0, totals.size() * sizeof(Total), totals.data());
    for (const cl::Event& event : launches_) {
        const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
        compute_seconds_ += 1e-9 * static_cast<double>(end - start);
    }
    launches_.clear();
    for (std::size_t c = 0; c < packer.group().count; ++c) {
        for (std::size_t p = 0; p < block.count; ++p) {
            out(static_cast<Eigen::Index>(packer.group().first + c),
                static_cast<Eigen::Index>(block.first + p)) = totals[c * block.count + p].value();
        }
    }
}

} // namespace
} // namespace opencl

std::unique_ptr<Backend> make_opencl_backend(const BackendOptions& options) {
    return std::make_unique<opencl::OpenclBackend>(options);
}

} // namespace lsrecon
