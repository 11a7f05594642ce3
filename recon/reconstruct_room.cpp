#include "reconstruct_room.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "io/field_file.hpp"
#include "io/image/formats.hpp"
#include "io/maps_file.hpp"
#include "scan/place.hpp"
#include "scan/sampling_pool.hpp"
#include "solve/choose_lambda.hpp"
#include "solve/joint.hpp"
#include "solve/lambda_curve.hpp"
#include "solve/solver_room.hpp"
#include "solve/solvers.hpp"

namespace lsrecon {

namespace {

/// The program with its libraries, mostly PoCL's compiler: of a scan of 16 x 16 voxels.
constexpr double bytes_of_program = 100e6;

void require(HostMemory& memory, const std::string& file) {
    memory.add("the program", "with its libraries", bytes_of_program);
    memory.add_reserved(reserved_addresses());
    memory.require(file);
}

/// Of a scan, without its samples and maps: trajectories and what they come with.
double bytes_of_samplings(const Scan& scan) {
    double bytes = 0;
    for (const Sampling* const sampling : samplings_of(scan.frames)) {
        bytes +=
            static_cast<double>(sampling->samples() * sizeof(Vec3)) +
            static_cast<double>(sampling->phi.size()) * sizeof(Complex) +
            static_cast<double>(sampling->weights.size() + sampling->times.size()) * sizeof(double);
    }
    return bytes;
}

} // namespace

Grid ReconstructRoom::grid_of(const Grid& of_file) const {
    ReadOptions read;
    tell(options_.prepare, read);
    return read.grid_of_image(of_file);
}

/// As many as they are compressed to, where that is known.
std::size_t ReconstructRoom::coils_of(std::size_t stored) const {
    const std::size_t wanted = options_.prepare.compression.coils;
    return wanted > 0 ? std::min(wanted, stored) : stored;
}

/// Of the scan, of a file, or estimated where it has none.
bool ReconstructRoom::has_maps(std::size_t coils, std::size_t stored_maps) const {
    const std::string& wanted = options_.prepare.maps;
    return wanted != "none" && (stored_maps > 0 || coils > 1 || !wanted.empty());
}

SolveOptions ReconstructRoom::solving(Products products) const {
    return with_effort(solving_by(where_cheap(options_.lambda_rule, products), options_.solve),
                       options_.effort, products, unit_roundoff(transforms_.solver_precision()));
}

/// As its file has it; null for none.
std::shared_ptr<const OffResonance> ReconstructRoom::field_of(const Scan& scan) const {
    if (options_.prepare.field_map_of_file()) {
        return std::make_shared<const OffResonance>(
            read_field(options_.prepare.field_map, scan.grid).off_resonance);
    }
    return options_.prepare.field_map == "none" ? nullptr : scan.off_resonance;
}

/// What PlacedVolumes keep while slices take theirs.
void ReconstructRoom::add_volumes_of_slices(HostMemory& memory, const OffResonance* field) const {
    if (options_.prepare.field_map_of_file()) {
        const Eigen::Index numbers = field->field.size() + field->r2star.size();
        memory.add(options_.prepare.field_map, "the field map of all slices",
                   static_cast<double>(numbers) * sizeof(Complex));
    }
    if (!options_.prepare.prior.empty()) {
        const StoredImage prior =
            format_of_input(options_.prepare.prior).open(options_.prepare.prior, {});
        memory.add(options_.prepare.prior, "the prior image of all slices",
                   static_cast<double>(prior.voxels() * prior.frames()) *
                       sizeof(std::complex<float>));
    }
    if (options_.prepare.maps_of_file()) {
        memory.add(options_.prepare.maps, "coil maps of all slices",
                   bytes_of_maps(options_.prepare.maps));
    }
}

void ReconstructRoom::require(const ScanShape& shape) const {
    const bool maps = has_maps(shape.coils, shape.coil_maps);
    const std::size_t coils = coils_of(shape.coils);
    const SolveOptions how = solving(Products::one_convolution);
    SolveShape solve{{shape.grid, maps ? coils : 0}, maps ? 1 : coils};
    solve.replicas = options_.noise_replicas > 0;
    if (need_all_frames(how.regularisers)) {
        return; // which frames there are is not known yet
    }
    if (solver_of(how).on_device) {
        note_room_of_solver(transforms_, solve.system, how);
    }
    HostMemory memory;
    add_solve(memory, transforms_, solve, how, "the image and its solver");
    lsrecon::require(memory, file_);
}

void ReconstructRoom::require(const Scan& scan) const {
    if (scan.voxels || !scan.has_samples()) {
        return;
    }
    const Grid grid = grid_of(scan.grid);
    const std::shared_ptr<const OffResonance> field = field_of(scan);
    HostMemory memory;
    if (places_of(scan).size() > 1) {
        add_volumes_of_slices(memory, field.get());
    }
    const bool maps = has_maps(scan.coils(), scan.coil_maps.rows());
    const std::size_t coils = coils_of(scan.coils());
    memory.add(scan.name_of("trajectory"), counted(scan.frames.size(), "frame"),
               bytes_of_samplings(scan));
    if (need_all_frames(options_.solve.regularisers)) {
        memory.require(file_);
        MemoryLimit left = memory_limit();
        left.bytes -= memory.bytes();
        left.whose += " beside trajectories and what slices are taken from";
        require_joint_room(transforms_, scan, grid, coils, maps, options_.solve, left);
        return;
    }
    SolveShape solve{{grid, maps ? coils : 0}, maps ? 1 : coils};
    solve.replicas = options_.noise_replicas > 0;
    for (const Frame& frame : scan.frames) {
        if (field) {
            solve.expect(transforms_, frame.sampling->times, *field);
        }
    }
    const std::size_t samples = scan.most_samples();
    solve.coils = coils;
    solve.samples = samples;
    const auto of_coils = static_cast<double>(scan.coils());
    const auto each = static_cast<double>(2 * bytes_of(scan.frames.front().samples.precision()));
    memory.add(scan.name_of("samples"),
               text(samples, " samples of each of ", counted(scan.coils(), "coil")),
               of_coils * each * static_cast<double>(samples));
    if (maps) {
        memory.add("coil maps", text(coils, " on the grid of the image"),
                   static_cast<double>(coils * grid.voxels() * sizeof(std::complex<float>)),
                   "compress the coils (`coils`)");
    }
    const Products off_resonance =
        transforms_.segment_error() > 0 ? Products::convolutions : Products::transforms;
    const Products products = field ? off_resonance : Products::one_convolution;
    add_solve(memory, transforms_, solve, solving(products), "the image and its solver");
    lsrecon::require(memory, file_);
}

} // namespace lsrecon
