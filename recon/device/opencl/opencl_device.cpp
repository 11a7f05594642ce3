// Devices whose arrays are buffers of a queue: by kernels, and on the CPU by the host's loops.

#include "device/opencl/opencl_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/float_range.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "base/types.hpp"
#include "device/array.hpp"
#include "device/device.hpp"
#include "device/host_device.hpp"
#include "device/host_loops.hpp"
#include "device/opencl/array_kernels.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

namespace {

/// Numbers that belong to the queue's kernels or to the host: to whoever asked last. Memory of a
/// CPU device is the host's until a kernel first asks for it: each command costs such a device two
/// switches of threads, and most arrays of a solver see no kernel.
class BufferMemory : public HostNumbers {
public:
    /// Counted in `of_all` while it lives.
    BufferMemory(Queue& queue, std::size_t bytes, bool in_host_memory,
                 std::shared_ptr<std::size_t> of_all)
        : queue_(queue), bytes_(bytes), all_bytes_(std::move(of_all)) {
        if (!in_host_memory) {
            buffer_ = queue_.buffer(bytes_);
        } else if (bytes_ <= queue_.info().max_allocation_bytes) {
            // posix_memalign, because aligned_alloc takes only whole pages.
            if (::posix_memalign(&host_, page, round_up(bytes_, cache_line)) != 0) {
                host_ = nullptr;
            }
        }
        if (in_host_memory && host_ == nullptr) {
            throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "posix_memalign");
        }
        *all_bytes_ += bytes_;
    }
    /// An error of unmapping would come again with the next command.
    ~BufferMemory() override {
        if (buffer_() == nullptr) {
            std::free(host_);
        } else if (host_ != nullptr) {
            clEnqueueUnmapMemObject(queue_.commands()(), buffer_(), host_, 0, nullptr, nullptr);
        }
        *all_bytes_ -= bytes_;
    }
    BufferMemory(const BufferMemory&) = delete;
    BufferMemory& operator=(const BufferMemory&) = delete;

    /// The buffer, for commands of the queue.
    cl::Buffer& buffer() {
        if (buffer_() == nullptr) {
            buffer_ = cl::Buffer(queue_.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_,
                                 host_);
            // Commands that are queued may outlive this object.
            buffer_.setDestructorCallback([](cl_mem, void* memory) { std::free(memory); }, host_);
        } else if (host_ != nullptr) {
            queue_.commands().enqueueUnmapMemObject(buffer_, host_);
        }
        host_ = nullptr;
        return buffer_;
    }
    /// Returns the numbers for the host, mapped after all queued commands, which may still write
    /// them.
    void* begin() override {
        if (host_ == nullptr) {
            guarded("mapping an array", [&] {
                queue_.finish();
                host_ = queue_.commands().enqueueMapBuffer(buffer_, CL_TRUE,
                                                           CL_MAP_READ | CL_MAP_WRITE, 0, bytes_);
            });
        }
        return host_;
    }

private:
    // Drivers copy what begins or ends elsewhere.
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t cache_line = 64;

    Queue& queue_;
    cl::Buffer buffer_; ///< none before a command needs it
    std::size_t bytes_;
    std::shared_ptr<std::size_t> all_bytes_;
    void* host_ = nullptr; ///< the numbers, while they are the host's
};

/// A device of a queue.
class OnQueue {
public:
    virtual ~OnQueue() = default;
    virtual Queue& queue() = 0;
};

/// A device of a queue, whose verbs are those of `Verbs`.
template <typename Verbs> class QueueDevice : public Verbs, public OnQueue {
public:
    explicit QueueDevice(std::unique_ptr<Queue> queue)
        : Verbs("opencl", queue->info(), machine_model_of(queue->info())),
          owned_(std::move(queue)) {}

    Clock& clock() override { return queue_; }
    void open_ahead() override { queue_.open_ahead(); }
    void open() override { queue_.context(); }
    Queue& queue() override { return queue_; }
    double memory() const override { return static_cast<double>(queue_.memory()); }
    double room() const override {
        return memory() - std::min(memory(), static_cast<double>(*all_bytes_));
    }
    double largest_array() const override { return static_cast<double>(queue_.largest_buffer()); }
    bool in_host_memory() const override { return queue_.info().type == "cpu"; }

    Array zeros(std::size_t count, Element element) override {
        return guarded("an array on the device", [&]() -> Array {
            const std::size_t bytes = count * element.bytes();
            auto memory =
                std::make_shared<BufferMemory>(queue_, bytes, in_host_memory(), all_bytes_);
            // Drivers allocate at first use: force that here, where a failure can be reported.
            if (in_host_memory()) {
                fill_with_zeros(memory->begin(), bytes);
            } else {
                queue_.fill(memory->buffer(), bytes);
            }
            return {count, element, std::move(memory)};
        });
    }

private:
    std::unique_ptr<Queue> owned_;
    Queue& queue_ = *owned_;
    std::shared_ptr<std::size_t> all_bytes_ = std::make_shared<std::size_t>(0);
};

/// Calls write(part, range) with values times 2^exponent, rounded to Real, a part at a time: all of
/// them as they are where nothing changes.
template <typename Real, typename Value, typename Write> void
for_each_rounded_part(const Value* values, std::size_t count, int exponent, const Write& write) {
    constexpr std::size_t values_at_a_time = std::size_t(1) << 20;
    constexpr bool complex = Eigen::NumTraits<Value>::IsComplex;
    using Stored = std::conditional_t<complex, std::complex<Real>, Real>;
    if constexpr (std::is_same_v<Value, Stored>) {
        if (exponent == 0) {
            return write(values, Range{0, count});
        }
    }
    const PowerOfTwo scale(exponent);
    std::vector<Stored> some(std::min(count, values_at_a_time));
    for (const Range& range : split_into_ranges(count, values_at_a_time)) {
        for_each_range_in_parallel(range.count, cores_for(range.count), [&](const Range& part) {
            const Value* from = values + range.first + part.first;
            std::transform(from, from + part.count, some.begin() + static_cast<long>(part.first),
                           [&](const Value& value) { return scaled_to<Stored>(value, scale); });
        });
        write(some.data(), range);
    }
}

constexpr std::size_t most_work_groups = 512;

class OpenclDevice : public QueueDevice<Device> {
public:
    using QueueDevice::QueueDevice;

    void upload(const ComplexVector& from, Array& to) override {
        guarded("an upload", [&] { write_rounded(from.data(), to.count(), 0, to, 0); });
    }
    void upload(const CoilRows& from, const Range& rows, const Range& columns, int exponent,
                Array& to) override {
        guarded("an upload", [&] {
            from.visit([&](const auto& values) {
                for (std::size_t r = 0; r < rows.count; ++r) {
                    write_rounded(values.data() + (rows.first + r) * from.columns() + columns.first,
                                  columns.count, exponent, to, r * columns.count);
                }
            });
        });
    }
    void upload(const RealVector& from, const Range& range, int exponent, Array& to) override {
        guarded("an upload",
                [&] { write_rounded(from.data() + range.first, range.count, exponent, to, 0); });
    }
    ComplexVector download(const Array& from, std::size_t first, std::size_t count) override {
        return guarded("a download", [&]() -> ComplexVector {
            if (from.element().precision == Precision::float64) {
                return values_of<ComplexVector>(from, first, count);
            }
            const auto floats = values_of<Eigen::VectorXcf>(from, first, count);
            auto values = unwritten<ComplexVector>(floats.size());
            for_each_range_in_parallel(count, cores_for(count), [&](const Range& range) {
                std::copy_n(floats.data() + range.first, range.count, values.data() + range.first);
            });
            return values;
        });
    }
    void read(const Array& from, std::size_t first, std::size_t count, void* values) override {
        guarded("a download", [&] {
            const std::size_t bytes = from.element().bytes();
            queue_.read(buffer_of(from), first * bytes, count * bytes, values);
        });
    }
    void write(const void* values, std::size_t first, std::size_t count, Array& to) override {
        guarded("an upload", [&] {
            const std::size_t bytes = to.element().bytes();
            queue_.write(values, count * bytes, buffer_of(to), first * bytes);
        });
    }

    void copy(const Array& from, std::size_t first, Array& to) override {
        guarded("a copy", [&] {
            queue_.commands().enqueueCopyBuffer(buffer_of(from), buffer_of(to),
                                                first * from.element().bytes(), 0, to.bytes());
        });
    }
    void convert(const Array& from, Array& to) override {
        kernels_.run_with_maps("convert", to, from.element().precision, {to.count(), 1, 1},
                               buffer_of(from), buffer_of(to));
    }
    void combine(double a, const Array& x, double b, Array& y) override {
        const std::size_t parts = y.element().complex ? 2 : 1;
        kernels_.run("combine", y, {parts * y.count(), 1, 1}, number(a, y), buffer_of(x),
                     number(b, y), buffer_of(y));
    }
    double dot(const Array& x, const Array& y) override;
    void multiply(const Array& f, std::size_t first, std::size_t count, Array& y) override {
        kernels_.run_with_maps(f.element().complex ? "multiply_complex" : "multiply", y,
                               f.element().precision, {count, y.count() / count, 1}, buffer_of(f),
                               static_cast<cl_ulong>(first), buffer_of(y));
    }
    void multiply_conjugate(const Array& f, std::size_t first, std::size_t count,
                            Array& y) override {
        kernels_.run_with_maps("multiply_conjugate", y, f.element().precision,
                               {count, y.count() / count, 1}, buffer_of(f),
                               static_cast<cl_ulong>(first), buffer_of(y));
    }
    void add_conjugate_product(const Array& map, const Array& in, std::size_t first,
                               Array& out) override {
        kernels_.run_with_maps("add_conjugate_product", out, map.element().precision,
                               {out.count(), 1, 1}, buffer_of(map), buffer_of(in),
                               static_cast<cl_ulong>(first), buffer_of(out));
    }
    void keep_real(const Array& in, double scale, std::size_t first, Array& out) override {
        kernels_.run("keep_real", in, {in.count(), 1, 1}, buffer_of(in), number(scale, in),
                     static_cast<cl_ulong>(first), buffer_of(out));
    }

    void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
             Array& out) override {
        run_box(wraps(box) ? "pad_wrapped" : "pad", box.extents, box, map, in, slot, out);
    }
    void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
              Array& out) override {
        run_box(wraps(box) ? "crop_wrapped" : "crop", box.size, box, map, in, slot, out);
    }

    void run(const KernelRun& kernel) override { ArrayKernels(queue_, kernel.file).run(kernel); }

    std::unique_ptr<FftPlan> plan_fft(const GridSize& extents, std::size_t batch,
                                      Precision precision,
                                      const std::array<Range, 3>& zeros) override {
        return make_vkfft(queue_, *this, extents, zeros, batch, precision);
    }

private:
    static bool wraps(const Box& box) {
        bool result = false;
        for (std::size_t d = 0; d < 3; ++d) {
            result = result || box.first[d] != 0 || box.size[d] > box.extents[d];
        }
        return result;
    }

    void run_box(const char* name, const std::array<std::size_t, 3>& items, const Box& box,
                 const Array& map, const Array& in, std::size_t slot, Array& out) {
        const bool with_map = !map.empty();
        const cl::Buffer& map_buffer = buffer_of(with_map ? map : in); // read only with a map
        kernels_.run_with_maps(name, in, with_map ? map.element().precision : Precision::float32,
                               items, buffer_of(in), map_buffer, static_cast<cl_int>(with_map),
                               as_int4(box.size), as_int4(box.first), as_int4(box.extents),
                               buffer_of(box.factors), static_cast<cl_ulong>(slot * box.points()),
                               buffer_of(out));
    }

    /// Values times 2^exponent in the array's own precision.
    template <typename Value> void write_rounded(const Value* values, std::size_t count,
                                                 int exponent, Array& to, std::size_t first) {
        const auto write_part = [&](const auto* part, const Range& range) {
            write(part, first + range.first, range.count, to);
        };
        if (to.element().precision == Precision::float64) {
            for_each_rounded_part<double>(values, count, exponent, write_part);
        } else {
            for_each_rounded_part<float>(values, count, exponent, write_part);
        }
    }
    template <typename Vector>
    Vector values_of(const Array& from, std::size_t first, std::size_t count) {
        Vector values(static_cast<Eigen::Index>(count));
        read(from, first, count, values.data());
        return values;
    }

    Queue& queue_ = queue();
    ArrayKernels kernels_{queue_, "arrays.cl"};
    Array parts_[2]; ///< partial sums, in each precision
};

/// Sums by work-groups, and then adds up their sums. Their number depends on the length alone, so
/// that the same arrays give the same bits.
double OpenclDevice::dot(const Array& x, const Array& y) {
    const Precision precision = x.element().precision;
    Array& parts = parts_[precision == Precision::float64 ? 1 : 0];
    if (parts.empty()) {
        parts = zeros(most_work_groups + 1, {true, precision}); // the sum comes last
    }
    const std::size_t work_groups =
        std::clamp<std::size_t>(x.count() / (4 * ArrayKernels::group), 1, most_work_groups);
    kernels_.run_work_groups("dot_parts", x, work_groups, buffer_of(x), buffer_of(y),
                             static_cast<cl_ulong>(x.count()), buffer_of(parts));
    kernels_.run_work_groups("dot_total", x, 1, buffer_of(parts), static_cast<cl_int>(work_groups),
                             static_cast<cl_int>(most_work_groups));
    return guarded("a sum", [&] {
        const auto sum_at = [&](auto parts_of_sum) {
            queue_.read(buffer_of(parts), most_work_groups * sizeof(parts_of_sum),
                        sizeof(parts_of_sum), parts_of_sum.data());
            return static_cast<double>(parts_of_sum[0]) + parts_of_sum[1];
        };
        return precision == Precision::float64 ? sum_at(std::array<double, 2>{})
                                               : sum_at(std::array<float, 2>{});
    });
}

} // namespace

cl::Buffer& buffer_of(const Array& array) {
    return static_cast<BufferMemory*>(array.memory())->buffer();
}

std::unique_ptr<Device> make_opencl_device(std::unique_ptr<Queue> queue) {
    return std::make_unique<OpenclDevice>(std::move(queue));
}

std::unique_ptr<Device> make_cpu_device(std::unique_ptr<Queue> queue) {
    return std::make_unique<QueueDevice<HostDevice>>(std::move(queue));
}

std::unique_ptr<Device> make_device(std::unique_ptr<Queue> queue) {
    return queue->info().type == "cpu" ? make_cpu_device(std::move(queue))
                                       : make_opencl_device(std::move(queue));
}

Queue& queue_of(Device& device) {
    return dynamic_cast<OnQueue&>(device).queue();
}

} // namespace lsrecon::opencl

namespace lsrecon {

std::unique_ptr<Device> open_device(const std::string& wanted, double memory,
                                    OnFinding on_finding) {
    return opencl::guarded("opening the device", [&] {
        return opencl::make_device(
            std::make_unique<opencl::Queue>(wanted, memory, std::move(on_finding)));
    });
}

} // namespace lsrecon
