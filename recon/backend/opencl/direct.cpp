#include "backend/opencl/direct.hpp"

#include "backend/opencl/geometry.hpp"
#include "backend/opencl/upload.hpp"

namespace lsrecon::opencl {

namespace {

/// One block of points for one group of coils, over all chunks of sources.
void run_block(Queue& queue, cl::Kernel& kernel, const Geometry& geometry, const Points& sources,
               const SourcePacker& packer, const Points& points, const Range& block,
               CoilMatrix& out, const Progress& progress) {
    const std::size_t coils = packer.coils_in_kernel();
    const std::size_t images = geometry.mirror ? 2 : 1;
    std::vector<Total> totals(images * coils * block.count);
    const cl::Buffer point_buffer = queue.upload(points.as_arrays(block, packer.layout()));
    const cl::Buffer total_buffer = queue.upload(totals);
    UploadRing ring(queue);
    for (const Range& chunk : split_into_ranges(sources.count(), packer.sources_per_chunk())) {
        std::size_t packed = 0;
        const cl::Buffer& buffer =
            ring.next([&](std::vector<float>& staging) { packed = packer.pack(chunk, staging); });
        Queue::set_arguments(kernel, buffer, static_cast<cl_int>(packed), point_buffer,
                             static_cast<cl_int>(block.count), total_buffer);
        if (packer.layout() == SourceLayout::vectors) {
            kernel.setArg(5, static_cast<cl_int>(geometry.row_of(block)));
        }
        ring.read_until(queue.launch(kernel, geometry.items(block), 1, geometry.group));
        progress(static_cast<double>(chunk.first) / static_cast<double>(sources.count()));
    }
    queue.commands().enqueueReadBuffer(total_buffer, CL_TRUE, 0, totals.size() * sizeof(Total),
                                       totals.data());
    queue.finish();
    for (std::size_t image = 0; image < images; ++image) {
        const std::size_t first = image * rows(out) / images + packer.group().first;
        for (std::size_t c = 0; c < packer.group().count; ++c) {
            for (std::size_t p = 0; p < block.count; ++p) {
                out(static_cast<Eigen::Index>(first + c),
                    static_cast<Eigen::Index>(block.first + p)) =
                    totals[(image * coils + c) * block.count + p].value();
            }
        }
    }
}

} // namespace

CoilMatrix direct_transform(Queue& queue, const KernelRow& row, const ChosenParameters& parameters,
                            const Points& sources, const CoilMatrix& values, bool real_values,
                            const Points& points, bool mirror, int sign, const Progress& progress) {
    const std::size_t coils = rows(values);
    const DeviceLimits limits{queue.info().constant_bytes, queue.largest_buffer() / 4};
    TransformPlan plan =
        plan_transform(limits, coils, 6 * sizeof(float), (real_values ? 1 : 2) * sizeof(float));
    CoilMatrix out = CoilMatrix::Zero((mirror ? 2 : 1) * values.rows(),
                                      static_cast<Eigen::Index>(points.count()));
    if (sources.count() == 0 || points.count() == 0 || coils == 0) {
        return out;
    }
    // Blocks of one size: a last one of few points would leave the device idle.
    plan.points_per_block =
        divide_up(points.count(), divide_up(points.count(), plan.points_per_block));
    Geometry geometry;
    if (row.layout == SourceLayout::vectors) {
        geometry = tuned_geometry(queue.info(), parameters, sources, points, mirror, plan);
    }
    cl::Kernel kernel = queue.kernel(
        row.name + ".cl", "transform",
        text("-DCOILS=", plan.coils_per_group, " -DSIGN=", sign,
             " -DREAL_VALUES=", real_values ? 1 : 0, " -DLOW_POINTS=", points.has_low() ? 1 : 0,
             " -DLOW_SOURCES=", sources.has_low() ? 1 : 0, geometry.defines));
    double done = 0;
    const double total = static_cast<double>(plan.coil_groups * points.count());
    for (const Range& group : split_into_ranges(coils, plan.coils_per_group)) {
        const SourcePacker packer(sources, values, group, plan, row.layout, real_values);
        for (const Range& block : split_into_ranges(points.count(), plan.points_per_block)) {
            const double share = static_cast<double>(block.count) / total;
            run_block(queue, kernel, geometry, sources, packer, points, block, out,
                      [&](double fraction) { progress(done + share * fraction); });
            done += share;
        }
    }
    return out;
}

} // namespace lsrecon::opencl
