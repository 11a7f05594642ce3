#include "io/hdf5/object.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace lsrecon {

std::size_t product_of(const std::vector<std::size_t>& factors) {
    if (std::find(factors.begin(), factors.end(), 0U) != factors.end()) {
        return 0;
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    std::size_t product = 1;
    for (const std::size_t factor : factors) {
        product = product > most / factor ? most : product * factor;
    }
    return product;
}

std::size_t Hdf5Shape::elements() const {
    return null ? 0 : product_of(extents);
}

std::size_t Hdf5Shape::row_elements() const {
    return extents.empty() ? elements() : product_of({extents.begin() + 1, extents.end()});
}

std::string Hdf5Shape::to_string() const {
    if (null) {
        return type_name + " without a value";
    }
    return extents.empty() ? "one " + type_name : type_name + " " + shown(extents);
}

std::vector<std::size_t> all_indices(std::size_t count) {
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
}

std::string shown(const std::vector<std::size_t>& extents) {
    std::string result = "[";
    for (std::size_t i = 0; i < extents.size(); ++i) {
        result += (i == 0 ? "" : ", ") + std::to_string(extents[i]);
    }
    return result + "]";
}

std::string kind_name(Hdf5Kind kind) {
    switch (kind) {
    case Hdf5Kind::integer:
        return "whole numbers";
    case Hdf5Kind::real:
        return "real numbers";
    case Hdf5Kind::complex:
        return "complex numbers, compound {r,i} of two floats";
    case Hdf5Kind::string:
        return "text";
    case Hdf5Kind::other:
        break;
    }
    return "another type";
}

bool fits(Hdf5Kind found, Hdf5Kind wanted) {
    return found == wanted || (wanted == Hdf5Kind::real && found == Hdf5Kind::integer);
}

std::string full_name(const std::string& object) {
    return object.rfind('/', 0) == 0 ? object : "/" + object;
}

std::string attribute_name(const std::string& object, const std::string& name) {
    return text("attribute \"", name, "\" of ", full_name(object));
}

} // namespace lsrecon
