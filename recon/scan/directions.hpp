#pragma once

#include <array>
#include <cmath>
#include <string>

#include "base/types.hpp"

namespace lsrecon {

inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Whether the directions of x, y and z are unit vectors at right angles, to the precision of a
/// header of floats typed by hand.
inline bool orthonormal(const std::array<Vec3, 3>& directions) {
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = i; j < 3; ++j) {
            const double expected = i == j ? 1 : 0;
            if (!(std::abs(dot(directions[i], directions[j]) - expected) < 1e-3)) {
                return false;
            }
        }
    }
    return true;
}

/// The letter of the patient's side that an axis mainly leads to, from its direction in LPS: L, R,
/// P, A, H or F.
inline std::string towards(const Vec3& direction) {
    constexpr const char* letters[3][2] = {{"L", "R"}, {"P", "A"}, {"H", "F"}};
    std::size_t main = 0;
    for (std::size_t d = 1; d < 3; ++d) {
        main = std::abs(direction[d]) > std::abs(direction[main]) ? d : main;
    }
    return letters[main][direction[main] < 0 ? 1 : 0];
}

} // namespace lsrecon
