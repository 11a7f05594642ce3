// The module: exceptions, the table of options, devices, and what all its parts share.

#include "python/bindings.hpp"

#include <map>
#include <mutex>
#include <unistd.h>

#include "device/devices.hpp"
#include "io/preview.hpp"
#include "scan/units.hpp"

namespace lsrecon::python {

CoilRows rows_of(const Array& array, std::size_t first, std::size_t rows, std::size_t columns) {
    return visit_complex(array, [&](const auto* values) {
        return CoilRows::of(values + first, rows, columns, nullptr);
    });
}

CoilRows rows_of(const Array& array) {
    const std::size_t columns = array.shape(array.ndim() - 1);
    return rows_of(array, 0, columns == 0 ? 0 : array.size() / columns, columns);
}

RealVector reals_of(const Array& array) {
    const auto count = static_cast<Eigen::Index>(array.size());
    if (array.dtype() == nb::dtype<float>()) {
        return Eigen::Map<const Eigen::VectorXf>(static_cast<const float*>(array.data()), count)
            .cast<double>();
    }
    if (array.dtype() != nb::dtype<double>()) {
        throw nb::type_error("an array of float32 or float64 was expected");
    }
    return Eigen::Map<const RealVector>(static_cast<const double*>(array.data()), count);
}

nb::object numpy_of(const CoilRows& rows, const std::vector<std::size_t>& shape) {
    return rows.visit([&](const auto& values) {
        using Number = std::decay_t<decltype(values(0, 0))>;
        return numpy(std::vector<Number>(values.data(), values.data() + values.size()), shape);
    });
}

Grid grid_of(const std::vector<std::size_t>& matrix, const std::vector<double>& fov_mm) {
    Grid grid;
    grid.dimensions = static_cast<int>(matrix.size());
    std::copy(matrix.begin(), matrix.end(), grid.size.begin());
    std::copy(fov_mm.begin(), fov_mm.end(), grid.fov_mm.begin());
    return grid;
}

std::vector<std::size_t> shape_of(const Grid& grid) {
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    return {grid.size.rend() - static_cast<long>(dimensions), grid.size.rend()};
}

std::vector<std::size_t> joined(std::vector<std::size_t> first,
                                const std::vector<std::size_t>& shape) {
    first.insert(first.end(), shape.begin(), shape.end());
    return first;
}

std::vector<Vec3> positions_of(const Array& trajectory, std::size_t first, std::size_t samples,
                               const std::string& units, const Grid& grid) {
    const Vec3 factor = to_cycles_per_fov(units, grid);
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    std::vector<Vec3> positions(samples, Vec3{0, 0, 0});
    const auto copy = [&](const auto* k) {
        for (std::size_t m = 0; m < samples; ++m) {
            for (std::size_t d = 0; d < dimensions; ++d) {
                positions[m][d] = factor[d] * static_cast<double>(k[first + m * dimensions + d]);
            }
        }
    };
    if (trajectory.dtype() == nb::dtype<float>()) {
        copy(static_cast<const float*>(trajectory.data()));
    } else {
        copy(static_cast<const double*>(trajectory.data()));
    }
    return positions;
}

void ToPython::on_begin(const std::string& stage, double /*expected_seconds*/) {
    stage_ = stage;
    call(0);
}

void ToPython::progress(double fraction) {
    constexpr std::chrono::milliseconds often_enough{20};
    if (std::chrono::steady_clock::now() - last_ > often_enough) {
        call(fraction);
    }
}

void ToPython::check_signals() {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
    }
}

void ToPython::call(double fraction) {
    check_signals();
    if (!progress_.is_none()) {
        const nb::gil_scoped_acquire held;
        progress_(stage_, fraction);
    }
    last_ = std::chrono::steady_clock::now();
}

namespace {

/// The devices that are open and not lent, by the options that chose them.
struct OpenDevices {
    std::mutex mutex;
    std::multimap<std::string, std::shared_ptr<Device>> devices;
};

OpenDevices& open_devices() {
    static OpenDevices* const open = new OpenDevices(); // drivers may end before it would
    return *open;
}

} // namespace

std::string device_in_words(const ComputeOptions& options) {
    return text(options.backend, " ", options.device, " ", options.device_memory, " ", ::getpid());
}

std::string making_in_words(const ComputeOptions& options) {
    return text(device_in_words(options), " ", options.kernel, " ",
                options.precision ? static_cast<int>(*options.precision) : -1);
}

LentTransforms::LentTransforms(ComputeOptions options, Reporter& report)
    : key_(device_in_words(options)) {
    std::shared_ptr<Device> device;
    {
        OpenDevices& open = open_devices();
        const std::lock_guard<std::mutex> lock(open.mutex);
        if (const auto found = open.devices.find(key_); found != open.devices.end()) {
            device = std::move(found->second);
            open.devices.erase(found);
        }
    }
    if (!device) { // its findings must not reach a reporter that ends before it
        device = open_transforms(options)->shared_device();
    }
    options.on_finding = [&report](const Finding& finding) { report.add(finding); };
    options.on_info = [&report](const std::string& message) { report.info(message); };
    transforms_ = open_transforms(std::move(options), engines(), std::move(device));
}

LentTransforms::~LentTransforms() {
    if (works_) {
        OpenDevices& open = open_devices();
        const std::lock_guard<std::mutex> lock(open.mutex);
        open.devices.emplace(key_, transforms_->shared_device());
    }
}

void close_devices() {
    OpenDevices& open = open_devices();
    const std::lock_guard<std::mutex> lock(open.mutex);
    open.devices.clear();
}

namespace {

/// The rows of the keywords of a reconstruction.
nb::list rows_of_options() {
    Request request;
    nb::list rows;
    for (const option::Option& row : option::joined({option::solve_options(request.reconstruct),
                                                     option::device_options(request.compute),
                                                     option::error_options(request.reconstruct)})) {
        nb::dict one;
        one["key"] = row.key;
        one["form"] = row.value.form;
        one["help"] = row.help;
        one["unit"] = row.unit;
        one["default"] = row.default_words.empty() ? row.value.shown() : row.default_words;
        one["more"] = row.more;
        one["group"] = row.group;
        one["words"] = row.value.words;
        one["repeated"] = row.is(option::Is::repeated);
        rows.append(one);
    }
    return rows;
}

nb::list rows_of_devices() {
    nb::list rows;
    for (const DeviceInfo& info : list_devices()) {
        nb::dict one;
        one["index"] = info.index;
        one["name"] = info.name;
        one["type"] = info.type;
        one["platform"] = info.platform;
        one["vendor"] = info.vendor;
        one["driver"] = info.driver;
        one["memory"] = info.global_bytes;
        one["double_precision"] = info.double_precision;
        rows.append(one);
    }
    return rows;
}

/// A picture of F images on a grid, in grey.
nb::object preview(const Array& images, const std::vector<std::size_t>& matrix) {
    Image image;
    image.grid = grid_of(matrix, {});
    const std::size_t voxels = image.grid.voxels();
    image.frames.resize(images.size() / voxels);
    const Picture picture = make_preview(image, [&](std::size_t frame) {
        return to_floats(
            rows_of(images, frame * voxels, 1, voxels).to_doubles().row(0).transpose());
    });
    return numpy(picture.grey, {picture.height, picture.width});
}

} // namespace

} // namespace lsrecon::python

NB_MODULE(_core, m) {
    using namespace lsrecon;
    using namespace lsrecon::python;
    nb::set_leak_warnings(false);
    m.attr("__version__") = version;
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Error& error) {
            const bool is_value =
                error.code() == ExitCode::usage || error.code() == ExitCode::input;
            // The words name keys; the package makes keywords of them.
            const nb::object words = nb::module_::import_("lsrecon._words").attr("of_python");
            const nb::object message = words(error.what());
            PyErr_SetObject(is_value ? PyExc_ValueError : PyExc_RuntimeError, message.ptr());
        }
    });
    m.def("options", &rows_of_options);
    m.def("devices", &rows_of_devices);
    m.def("preview", &preview, nb::arg("images"), nb::arg("matrix"));
    bind_scan(m);
    bind_recon(m);
    bind_encoding(m);
    bind_coils(m);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&close_devices));
}
