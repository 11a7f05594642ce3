// From arrays to an image without a file: 300 spokes of two coils, and one bright voxel.
#include <cmath>
#include <cstdio>

#include "lsrecon.hpp"

using namespace lsrecon;

struct Stages : Reporter {
    void on_begin(const std::string& stage, double) override { std::puts(stage.c_str()); }
};

int main() {
    constexpr int n = 48, bright = 30; // voxels along x and y, and where the bright one lies
    Trajectory trajectory;
    CoilMatrix samples(2, 300 * n), maps = CoilMatrix::Ones(2, n * n); // C x M and C x N
    maps.row(1) *= Complex(0, 0.5);
    for (int m = 0; m < 300 * n; ++m) {
        const double angle = 0.0105 * (m / n), k = m % n - n / 2;
        trajectory.positions.push_back({k * std::cos(angle), k * std::sin(angle), 0}); // cycles/FOV
        const double x = double(bright - n / 2) / n; // positions are in fields of view
        samples(0, m) = std::polar(1.0, -2 * pi * x * (k * std::cos(angle) + k * std::sin(angle)));
        samples(1, m) = Complex(0, 0.5) * samples(0, m);
    }
    Scan scan;
    scan.grid.size = {n, n, 1};
    scan.coil_maps = CoilRows(maps);
    const auto shared = std::make_shared<const Trajectory>(trajectory); // by all frames
    const auto borrowed = CoilRows::of(samples.data(), 2, 300 * n, nullptr); // without a copy
    scan.frames.push_back({shared, borrowed, "", {}});

    ComplexVector image; // N, x fastest
    FramesInMemory source(scan);
    FramesToCaller sink([&](std::size_t, ImageFrame frame) { image = frame.values; });
    Stages stages;
    const Request request = options_from({{"iterations", "10"}});
    reconstruct(source, sink, *reference_transforms(), request.reconstruct, stages);
    Eigen::Index at = 0;
    const double largest = image.cwiseAbs().maxCoeff(&at);
    std::printf("brightest voxel: %.3f at %d, %d\n", largest, int(at % n), int(at / n));
    return at == bright * n + bright ? 0 : 1;
}
