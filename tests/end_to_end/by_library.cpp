// by_library SCAN FILE: the images of a scan by the library with its defaults, as raw complex
// floats.
#include <cstdio>
#include <map>

#include "lsrecon.hpp"

using namespace lsrecon;

int main(int, char** argv) {
    ScanFile source(argv[1]);
    std::map<std::size_t, ImageValues> images;
    FramesToCaller sink(
        [&](std::size_t f, const ImageFrame& frame) { images[f] = to_floats(frame.values); });
    reconstruct(source, sink);
    std::FILE* const file = std::fopen(argv[2], "wb");
    for (const auto& [f, values] : images) {
        std::fwrite(values.data(), sizeof values.front(), values.size(), file);
    }
    return std::fclose(file);
}
