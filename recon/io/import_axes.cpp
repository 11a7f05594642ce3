// Finds coils, frames and the points of a trajectory among the axes of an array by their sizes.

#include "io/import_axes.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon {

ArrayAxes axes_of(const StoredArray& array) {
    const std::vector<std::size_t>& extents = array.shape.extents;
    ArrayAxes axes;
    std::size_t stride = 1;
    for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d]) {
        if (extents[d] > 1) {
            axes.insert(axes.begin(), {extents[d], stride});
        }
    }
    return axes;
}

std::vector<std::size_t> sizes_of(const ArrayAxes& axes) {
    std::vector<std::size_t> sizes;
    for (const ArrayAxis& axis : axes) {
        sizes.push_back(axis.size);
    }
    return sizes;
}

std::size_t count_of(const ArrayAxes& axes) {
    return product_of(sizes_of(axes));
}

std::vector<std::size_t> offsets_of(const ArrayAxes& axes) {
    std::vector<std::size_t> offsets{0};
    for (const ArrayAxis& axis : axes) {
        std::vector<std::size_t> next;
        next.reserve(offsets.size() * axis.size);
        for (const std::size_t offset : offsets) {
            for (std::size_t i = 0; i < axis.size; ++i) {
                next.push_back(offset + i * axis.stride);
            }
        }
        offsets = std::move(next);
    }
    return offsets;
}

ComplexArray complex_array(const StoredArray& array) {
    ComplexArray result{{}, axes_of(array), {}, ""};
    if (array.shape.kind != Hdf5Kind::complex) {
        ArrayAxes& axes = result.axes;
        const bool at_end = !axes.empty() && axes.back().size == 2;
        const bool at_begin = !axes.empty() && axes.front().size == 2;
        if (!at_end && !at_begin) {
            throw InputError({array.file, array.thing, array.shape.to_string(),
                              "complex numbers, or an axis of 2 for real and imaginary parts",
                              "write complex numbers"});
        }
        const auto part = at_end ? axes.end() - 1 : axes.begin();
        result.part = part->stride;
        axes.erase(part);
        result.said = text("real and imaginary parts are its ", at_end ? "last" : "first", " axis");
    }
    result.values = array.values(1);
    return result;
}

namespace {

using Indices = std::vector<std::size_t>;

/// The axes that have the sizes in this order, as far to the right as they can be; none when there
/// are none.
Indices last_of_sizes(const ArrayAxes& axes, const std::vector<std::size_t>& sizes) {
    Indices found;
    std::size_t d = axes.size();
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
        while (d > 0 && axes[d - 1].size != *size) {
            --d;
        }
        if (d == 0) {
            return {};
        }
        found.insert(found.begin(), --d);
    }
    return found;
}

/// Neighbours whose sizes have this product, as far to the right as they can be.
Indices last_of_product(const ArrayAxes& axes, std::size_t product) {
    for (std::size_t end = axes.size(); end > 0; --end) {
        std::size_t count = 1;
        for (std::size_t first = end; first-- > 0;) {
            count *= axes[first].size;
            if (count == product) {
                Indices found;
                for (std::size_t d = first; d < end; ++d) {
                    found.push_back(d);
                }
                return found;
            }
        }
    }
    return {};
}

/// The axes that are not of the points: one of coils, or one of frames before it.
bool take_rest(const ArrayAxes& axes, const Indices& points, SampleAxes& result) {
    Indices rest;
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (std::find(points.begin(), points.end(), d) == points.end()) {
            rest.push_back(d);
        }
    }
    if (rest.size() > 2) {
        return false;
    }
    const std::size_t first =
        points.empty() ? axes.size() : *std::min_element(points.begin(), points.end());
    const bool behind = !rest.empty() && rest.front() > first;
    if (!points.empty() && !rest.empty() &&
        rest.front() > *std::max_element(points.begin(), points.end())) {
        result.said = "coils are behind the samples";
    }
    if (behind) {
        std::reverse(rest.begin(), rest.end());
    }
    if (rest.size() == 2 && behind == (rest.back() < first)) {
        return false; // one on each side: either may be the coils
    }
    if (!rest.empty()) {
        result.coils = {axes[rest.back()]};
    }
    if (rest.size() == 2) {
        result.frames = {axes[rest.front()]};
    }
    return true;
}

} // namespace

SampleAxes axes_of_bart(const StoredArray& array) {
    constexpr std::size_t of_coils = 3;
    const std::vector<std::size_t>& extents = array.shape.extents;
    SampleAxes axes;
    std::size_t stride = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const std::size_t size = extents[extents.size() - 1 - d];
        ArrayAxes& of = d < of_coils ? axes.points : d == of_coils ? axes.coils : axes.frames;
        if (size > 1) {
            of.insert(of.begin(), {size, stride});
        }
        stride *= size;
    }
    return axes;
}

std::optional<SampleAxes> find_points(const ArrayAxes& samples,
                                      const std::vector<std::size_t>& points) {
    std::vector<std::size_t> reversed(points.rbegin(), points.rend());
    const std::size_t product = product_of(points);
    SampleAxes result;
    Indices found = last_of_sizes(samples, points);
    if (found.empty() && points.size() > 1) {
        found = last_of_sizes(samples, reversed);
        std::reverse(found.begin(), found.end());
        result.said =
            found.empty() ? "" : "its readouts and samples are transposed to the trajectory's";
    }
    if (found.empty() && !points.empty()) {
        found = last_of_product(samples, product);
    }
    if (found.empty() && !points.empty()) {
        return std::nullopt;
    }
    SampleAxes rest;
    if (!take_rest(samples, found, rest)) {
        return std::nullopt;
    }
    result.frames = rest.frames;
    result.coils = rest.coils;
    result.said += (result.said.empty() || rest.said.empty() ? "" : "; ") + rest.said;
    for (const std::size_t d : found) {
        result.points.push_back(samples[d]);
    }
    return result;
}

} // namespace lsrecon
