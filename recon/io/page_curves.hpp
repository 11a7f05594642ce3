#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/stored_image.hpp"

namespace lsrecon {

/// What io/page.html draws as curves: the residuals of the image's first solves, and the L-curve
/// where lambda was chosen by a rule.
void add_residuals(nlohmann::json& data, const StoredImage& image);
void add_lambda_curve(nlohmann::json& data, const StoredImage& image);

} // namespace lsrecon
