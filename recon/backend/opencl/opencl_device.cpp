#include "backend/opencl/opencl_device.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t group = 128; // GROUP of kernels/arrays.cl
constexpr std::size_t most_groups = 512;

struct BufferMemory : Array::Memory {
    explicit BufferMemory(cl::Buffer made) : buffer(std::move(made)) {}
    cl::Buffer buffer;
};

template <typename Integer> cl_int4 as_int4(const std::array<Integer, 3>& values) {
    return {{static_cast<cl_int>(values[0]), static_cast<cl_int>(values[1]),
             static_cast<cl_int>(values[2]), 1}};
}

cl::NDRange range_of(const std::array<std::size_t, 3>& size) {
    return {size[0], size[1], size[2]};
}

class BufferFft : public FftPlan {
public:
    explicit BufferFft(std::unique_ptr<DeviceFft> fft) : fft_(std::move(fft)) {}
    std::string library() const override { return fft_->name(); }
    void forward(Array& values) override {
        guarded("the FFT", [&] { fft_->forward(buffer_of(values)); });
    }
    void backward(Array& values) override {
        guarded("the FFT", [&] { fft_->backward(buffer_of(values)); });
    }

private:
    std::unique_ptr<DeviceFft> fft_;
};

class OpenclDevice : public Device {
public:
    OpenclDevice(Queue& queue, FftEngine engine) : queue_(queue), engine_(engine) {}

    std::string name() const override { return "the device"; }
    bool has(Precision precision) const override {
        return precision == Precision::float32 || queue_.info().double_precision;
    }
    double memory() const override { return static_cast<double>(queue_.memory()); }
    double largest_array() const override { return static_cast<double>(queue_.largest_buffer()); }

    Array zeros(std::size_t count, Element element) override {
        return guarded("an array on the device", [&]() -> Array {
            // The memory of a CPU device is the host's: mapped, its FFT need not copy.
            const cl_mem_flags where =
                queue_.info().type == "cpu" ? CL_MEM_ALLOC_HOST_PTR : cl_mem_flags(0);
            const std::size_t bytes = count * element.bytes();
            const cl::Buffer buffer(queue_.context(), CL_MEM_READ_WRITE | where, bytes);
            // Drivers allocate when a buffer is first used: here, where it can be told.
            queue_.commands().enqueueFillBuffer(buffer, cl_float(0), 0, bytes);
            return {count, element, std::make_shared<BufferMemory>(buffer)};
        });
    }
    void upload(const ComplexVector& from, Array& to) override {
        guarded("an upload", [&] {
            if (to.element().precision == Precision::float64) {
                write(from.data(), to);
            } else {
                const Eigen::VectorXcf rounded = from.cast<std::complex<float>>();
                write(rounded.data(), to);
            }
        });
    }
    ComplexVector download(const Array& from) override {
        return guarded("a download", [&]() -> ComplexVector {
            if (from.element().precision == Precision::float64) {
                return read<ComplexVector>(from);
            }
            return read<Eigen::VectorXcf>(from).cast<Complex>();
        });
    }

    void combine(double a, const Array& x, double b, Array& y) override {
        const std::size_t parts = y.element().complex ? 2 : 1;
        run("combine", y, cl::NDRange(parts * y.count()), cl::NullRange, number(a, y), buffer_of(x),
            number(b, y), buffer_of(y));
    }
    double dot(const Array& x, const Array& y) override;
    void multiply(const Array& f, std::size_t first, std::size_t count, Array& y) override {
        run("multiply", y, cl::NDRange(count, y.count() / count), cl::NullRange, buffer_of(f),
            static_cast<cl_ulong>(first), buffer_of(y));
    }
    void keep_real(const Array& in, double scale, std::size_t first, Array& out) override {
        run("keep_real", in, cl::NDRange(in.count()), cl::NullRange, buffer_of(in),
            number(scale, in), static_cast<cl_ulong>(first), buffer_of(out));
    }

    void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
             Array& out) override {
        run_box(wraps(box) ? "pad_wrapped" : "pad", box.extents, box, map, in, slot, out);
    }
    void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
              Array& out) override {
        run_box(wraps(box) ? "crop_wrapped" : "crop", box.size, box, map, in, slot, out);
    }

    std::unique_ptr<FftPlan> plan_fft(const std::array<std::size_t, 3>& extents, std::size_t batch,
                                      Precision precision) override {
        return guarded("planning an FFT", [&] {
            return std::make_unique<BufferFft>(
                make_device_fft(queue_, extents, batch, engine_, precision));
        });
    }

private:
    static bool wraps(const Box& box) {
        bool result = false;
        for (std::size_t d = 0; d < 3; ++d) {
            result = result || box.first[d] != 0 || box.size[d] > box.extents[d];
        }
        return result;
    }

    /// A number as a kernel of the array's precision takes it.
    struct Number {
        double value;
        Precision precision;
    };
    static Number number(double value, const Array& of) { return {value, of.element().precision}; }

    static void set(cl::Kernel& kernel, cl_uint index, const Number& number) {
        if (number.precision == Precision::float64) {
            kernel.setArg(index, number.value);
        } else {
            kernel.setArg(index, static_cast<cl_float>(number.value));
        }
    }
    template <typename Value>
    static void set(cl::Kernel& kernel, cl_uint index, const Value& value) {
        kernel.setArg(index, value);
    }

    template <typename... Arguments> void run(const char* name, const Array& like,
                                              const cl::NDRange& items, const cl::NDRange& local,
                                              const Arguments&... arguments) {
        run_with_maps(name, like, Precision::float32, items, local, arguments...);
    }

    template <typename... Arguments> void run_with_maps(const char* name, const Array& like,
                                                        Precision of_maps, const cl::NDRange& items,
                                                        const cl::NDRange& local,
                                                        const Arguments&... arguments) {
        guarded(name, [&] {
            const auto type = [](Precision precision) {
                return precision == Precision::float64 ? "double" : "float";
            };
            cl::Kernel kernel =
                queue_.kernel("arrays.cl", name,
                              text("-DGROUP=", group, " -DREAL=", type(like.element().precision),
                                   " -DMAP_REAL=", type(of_maps)));
            cl_uint index = 0;
            (set(kernel, index++, arguments), ...);
            queue_.launch(kernel, items, local);
        });
    }

    void run_box(const char* name, const std::array<std::size_t, 3>& items, const Box& box,
                 const Array& map, const Array& in, std::size_t slot, Array& out) {
        const bool with_map = !map.empty();
        const cl::Buffer& map_buffer = buffer_of(with_map ? map : in); // read only with a map
        run_with_maps(name, in, with_map ? map.element().precision : Precision::float32,
                      range_of(items), cl::NullRange, buffer_of(in), map_buffer,
                      static_cast<cl_int>(with_map), as_int4(box.size), as_int4(box.first),
                      as_int4(box.extents), buffer_of(box.factors),
                      static_cast<cl_ulong>(slot * box.points()), buffer_of(out));
    }

    template <typename Value> void write(const Value* values, Array& to) {
        queue_.commands().enqueueWriteBuffer(buffer_of(to), CL_TRUE, 0, to.bytes(), values);
    }
    template <typename Vector> Vector read(const Array& from) {
        Vector values(static_cast<Eigen::Index>(from.count()));
        queue_.commands().enqueueReadBuffer(buffer_of(from), CL_TRUE, 0, from.bytes(),
                                            values.data());
        queue_.finish();
        return values;
    }

    Queue& queue_;
    FftEngine engine_;
    Array parts_[2]; ///< of sums, in each precision
};

double OpenclDevice::dot(const Array& x, const Array& y) {
    const Precision precision = x.element().precision;
    Array& parts = parts_[precision == Precision::float64 ? 1 : 0];
    if (parts.empty()) {
        parts = zeros(most_groups + 1, {true, precision}); // the sum comes last
    }
    const std::size_t groups = std::clamp<std::size_t>(x.count() / (4 * group), 1, most_groups);
    run("dot_parts", x, cl::NDRange(groups * group), cl::NDRange(group), buffer_of(x), buffer_of(y),
        static_cast<cl_ulong>(x.count()), buffer_of(parts));
    run("dot_total", x, cl::NDRange(group), cl::NDRange(group), buffer_of(parts),
        static_cast<cl_int>(groups), static_cast<cl_int>(most_groups));
    return guarded("a sum", [&] {
        const auto sum_at = [&](auto parts_of_sum) {
            queue_.commands().enqueueReadBuffer(buffer_of(parts), CL_TRUE,
                                                most_groups * sizeof(parts_of_sum),
                                                sizeof(parts_of_sum), parts_of_sum.data());
            queue_.finish();
            return static_cast<double>(parts_of_sum[0]) + parts_of_sum[1];
        };
        return precision == Precision::float64 ? sum_at(std::array<double, 2>{})
                                               : sum_at(std::array<float, 2>{});
    });
}

} // namespace

cl::Buffer& buffer_of(const Array& array) {
    return static_cast<BufferMemory*>(array.memory())->buffer;
}

std::unique_ptr<Device> make_opencl_device(Queue& queue, FftEngine engine) {
    return std::make_unique<OpenclDevice>(queue, engine);
}

} // namespace lsrecon::opencl
