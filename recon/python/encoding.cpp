// The encoding of a trajectory as an operator on arrays, its adjoint and its normal operator.

#include "python/scan.hpp"

#include <map>
#include <mutex>

#include "encoding/certificate.hpp"
#include "io/q_file.hpp"
#include "operators/gram.hpp"
#include "plan/plan.hpp"
#include "scan/check.hpp"

namespace lsrecon::python {

namespace {

/// The device that all encodings of the same options share; each locks it while it computes.
std::shared_ptr<Device> shared_device(const ComputeOptions& options) {
    static std::mutex mutex;
    static auto* const devices = new std::map<std::string, std::weak_ptr<Device>>();
    const std::lock_guard<std::mutex> lock(mutex);
    std::weak_ptr<Device>& known = (*devices)[device_in_words(options)];
    std::shared_ptr<Device> device = known.lock();
    if (!device) {
        device = open_transforms(options)->shared_device();
        known = device;
    }
    return device;
}

ComputeOptions compute_options(const option::Keywords& options) {
    ComputeOptions compute;
    take(option::device_options(compute), options);
    return compute;
}

/// An encoding with all that it refers to, but for the values of the scan, which must outlive it.
/// Nothing of it changes, but that N is made when it is asked for first.
class EncodingOfArrays {
public:
    EncodingOfArrays(const ScanOfArrays& scan, const option::Keywords& options, KeptQs& qs)
        : scan_(scan.for_run(false, {})), trajectory_(scan_.frames.front().trajectory), qs_(qs) {
        const nb::gil_scoped_release others_may_run;
        const ComputeOptions compute = compute_options(options);
        making_ = making_in_words(compute);
        transforms_ = open_transforms(compute, engines(), shared_device(compute));
        const FormulationOptions formulation{false, false, transforms_->segment_error() > 0};
        formulation_ = formulate(scan_, formulation);
        const Locked lock(*this);
        images_.emplace(transforms_->device(), formulation_, scan_.coil_maps);
        encoding_.emplace(*transforms_, *images_, *trajectory_, RealVector());
    }
    EncodingOfArrays(const EncodingOfArrays&) = delete;

    std::size_t maps() const { return scan_.coil_maps.rows(); }
    const Grid& grid() const { return scan_.grid; }
    std::size_t samples() const { return trajectory_->samples(); }
    bool in_doubles() const { return transforms_->precision() == Precision::float64; }

    /// A of images, ([C,] N), as C x M.
    nb::object forward(const Array& images) const {
        return visit_complex(images, [&](const auto* first) {
            using Number = std::decay_t<decltype(*first)>;
            const std::size_t count = samples();
            std::vector<Number> values;
            std::size_t coils = 0;
            {
                const nb::gil_scoped_release others_may_run;
                const std::vector<ComplexVector> volumes = volumes_of(images);
                coils = maps() > 0 ? maps() : volumes.size();
                values.resize(coils * count);
                encoding_->forward(volumes,
                                   [&](std::size_t c, const Range& at, const ComplexVector& some) {
                                       Eigen::Map<Eigen::Matrix<Number, Eigen::Dynamic, 1>>(
                                           values.data() + c * count + at.first, some.size()) =
                                           some.template cast<Number>();
                                   });
            }
            return numpy(std::move(values), {coils, count});
        });
    }

    /// A^H of samples, C x M, as ([C,] N): weights are those of N alone.
    nb::object adjoint(const Array& samples) const {
        return visit_complex(samples, [&](const auto* first) {
            using Number = std::decay_t<decltype(*first)>;
            std::vector<Number> images;
            std::size_t count = 0;
            {
                const nb::gil_scoped_release others_may_run;
                const std::vector<Volume> volumes = encoding_->adjoint(rows_of(samples)).volumes;
                count = volumes.size();
                images.resize(count * grid().voxels());
                for (std::size_t v = 0; v < count; ++v) {
                    Eigen::Map<Eigen::Matrix<Number, Eigen::Dynamic, 1>>(
                        images.data() + v * grid().voxels(),
                        static_cast<Eigen::Index>(grid().voxels())) =
                        volumes[v].values().template cast<Number>();
                }
            }
            return numpy(std::move(images), joined_if_coils(count));
        });
    }

    /// A^H W A of images.
    nb::object normal(const Array& images) {
        CoilMatrix products;
        {
            const nb::gil_scoped_release others_may_run;
            const std::vector<ComplexVector> volumes = volumes_of(images);
            const Locked lock(*this);
            Gram& gram = this->gram();
            Device& device = transforms_->device();
            const Element complex{true, transforms_->precision()};
            Array2 in = device.zeros(grid().voxels(), complex);
            Array2 out = device.zeros(grid().voxels(), complex);
            products.resize(static_cast<Eigen::Index>(volumes.size()),
                            static_cast<Eigen::Index>(grid().voxels()));
            for (std::size_t v = 0; v < volumes.size(); ++v) {
                const double largest = volumes[v].cwiseAbs().maxCoeff();
                const double scale = largest > 0 ? largest : 1; // floats end at 1e38
                device.upload(volumes[v] / scale, in);
                gram.apply(in, out);
                products.row(static_cast<Eigen::Index>(v)) =
                    scale * gram.unit() * device.download(out).transpose();
            }
        }
        return as(images, products, joined_if_coils(rows(products)));
    }

    /// Sampled errors of A^H and N against exact sums, (estimate, upper) each.
    nb::dict certify(const Array& samples) {
        Certificate errors;
        {
            const nb::gil_scoped_release others_may_run;
            const CoilRows rows = rows_of(samples);
            const Locked lock(*this);
            gram();
            const Encoding weighted(*transforms_, *images_, *trajectory_);
            const DrawnVoxels drawn = draw_voxels(scan_.coil_maps, grid().voxels());
            const Certifier certifier(weighted, *normal_, drawn);
            std::future<CoilMatrix> exact = certifier.exact(rows);
            errors = certifier.of(exact.get(), weighted.adjoint(rows).volumes);
        }
        nb::dict result;
        result["adjoint"] = std::pair(errors.fhd.estimate, errors.fhd.upper);
        result["normal"] = std::pair(errors.gram.estimate, errors.gram.upper);
        return result;
    }

    nb::dict cost(std::size_t coils) const {
        const Cost cost = encoding_->cost(coils);
        nb::dict result;
        result["seconds"] = cost.seconds;
        result["device_bytes"] = cost.device_bytes;
        result["host_bytes"] = cost.host_bytes;
        result["error"] = cost.error;
        result["engine"] = transforms_->engine_for(trajectory_->points(), formulation_.voxels).name;
        return result;
    }

private:
    using Array2 = lsrecon::Array;
    struct Locked {
        explicit Locked(const EncodingOfArrays& of) : lock(of.transforms_->device().in_use) {}
        std::lock_guard<std::recursive_mutex> lock;
    };

    std::vector<std::size_t> joined_if_coils(std::size_t volumes) const {
        return joined(maps() > 0 ? std::vector<std::size_t>() : std::vector{volumes},
                      shape_of(grid()));
    }

    std::vector<ComplexVector> volumes_of(const Array& images) const {
        const std::size_t voxels = grid().voxels();
        std::vector<ComplexVector> volumes;
        for (std::size_t v = 0; v < images.size() / voxels; ++v) {
            volumes.emplace_back(
                rows_of(images, v * voxels, 1, voxels).to_doubles().row(0).transpose());
        }
        return volumes;
    }

    /// Values in the precision of another array.
    static nb::object as(const Array& like, const CoilMatrix& values,
                         const std::vector<std::size_t>& shape) {
        return like.dtype() == nb::dtype<std::complex<float>>()
                   ? numpy_of<std::complex<float>>(values, shape)
                   : numpy_of<std::complex<double>>(values, shape);
    }

    /// N on the device, which is locked.
    Gram& gram() {
        if (!gram_) {
            Transforms& transforms = *transforms_;
            const SamplePoints points = trajectory_->points();
            const Route route = route_of(transforms, points, formulation_, SolveOptions(),
                                         std::max<std::size_t>(1, maps()), 1);
            Reporter nobody_watches;
            KeptQ store("", "", qs_.of(making_), nobody_watches);
            QsOfRun qs(&store, 0, nobody_watches);
            normal_.emplace(
                *encoding_,
                [&](const Trajectory& trajectory) {
                    return qs.of(transforms, trajectory, formulation_.grid);
                },
                NormalOperator::Options{route, false});
            std::shared_ptr<ToeplitzWorkspace> workspace;
            gram_ = normal_->gram(transforms.device(), transforms.precision(), images_->maps,
                                  workspace);
        }
        return *gram_;
    }

    const Scan scan_;
    const std::shared_ptr<const Trajectory> trajectory_;
    KeptQs& qs_;
    std::string making_; ///< of Qs
    std::unique_ptr<Transforms> transforms_;
    Formulation formulation_;
    std::optional<ImageSpace> images_;
    std::optional<Encoding> encoding_;
    std::optional<NormalOperator> normal_; ///< with the next, once N is asked for
    std::unique_ptr<Gram> gram_;
};

} // namespace

void bind_encoding(nb::module_& m) {
    nb::class_<KeptQs>(m, "KeptQs").def(nb::init<>());
    nb::class_<EncodingOfArrays>(m, "Encoding")
        .def(nb::init<const ScanOfArrays&, const option::Keywords&, KeptQs&>(), nb::arg("scan"),
             nb::arg("options"), nb::arg("qs"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def_prop_ro("maps", &EncodingOfArrays::maps)
        .def_prop_ro("samples", &EncodingOfArrays::samples)
        .def_prop_ro("in_doubles", &EncodingOfArrays::in_doubles)
        .def("forward", &EncodingOfArrays::forward, nb::arg("images"))
        .def("adjoint", &EncodingOfArrays::adjoint, nb::arg("samples"))
        .def("normal", &EncodingOfArrays::normal, nb::arg("images"))
        .def("certify", &EncodingOfArrays::certify, nb::arg("samples"))
        .def("cost", &EncodingOfArrays::cost, nb::arg("coils"));
}

} // namespace lsrecon::python
