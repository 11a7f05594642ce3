#pragma once

#include <random>
#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon::test {

/// What a test transforms: sizes are all that matters, the values follow from the seed.
struct Case {
    std::string name;
    std::array<std::size_t, 3> size{8, 8, 0}; ///< Z = 0: two dimensions
    std::size_t samples = 64; ///< of the trajectory "uniform"
    std::size_t coils = 1;
    /// Positions off the grid; 0: the voxels of the grid.
    std::size_t listed_voxels = 0;
    double reach = 0.5; ///< the listed voxels lie within +-reach fields of view
    bool phi = false;
    bool weights = false;
    bool coil_maps = false;
    double field_hz = 0; ///< largest |field|; samples then have times from -2 to 20 ms
    double r2star = 0; ///< largest, 1/s
    /// "uniform" fills -N/2..N/2 at random; others are rows of trajectories.cpp.
    std::string design = "uniform";
    std::uint64_t seed = 1;
};

/// A case with its values.
struct Problem {
    Grid grid;
    std::shared_ptr<const Trajectory> trajectory;
    CoilMatrix samples; ///< C x M
    CoilMatrix rho; ///< C x N
    CoilMatrix coil_maps; ///< C x N, or empty
    Voxels voxels;

    const std::vector<Vec3>& positions() const { return trajectory->positions; }
    SamplePoints points() const { return trajectory->points(); }
    Frame frame() const { return {trajectory, samples, "", {}}; }
    /// Largest phase in turns: what the double reference loses digits to.
    double largest_turns() const;
};

Grid make_grid(std::size_t x, std::size_t y, std::size_t z = 0);
Problem make_problem(const Case& of);

/// The same numbers on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : generator_(seed) {}
    double uniform(double from, double to);
    Complex complex(); ///< in the square of -1..1
    CoilMatrix matrix(std::size_t rows, std::size_t columns);
    ComplexVector vector(std::size_t size);
    /// A permutation of 0..size-1.
    std::vector<std::size_t> permutation(std::size_t size);

private:
    std::mt19937_64 generator_;
};

/// Progress that is ignored.
inline void silent(double) {}

void PrintTo(const Case& of, std::ostream* stream);

} // namespace lsrecon::test
