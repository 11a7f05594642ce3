// The JSON of every command, as docs/schema.json describes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/finding.hpp"
#include "scan/image.hpp"

namespace lsrecon::app {

/// What each begins with: the version of the schema, and the kind of its output.
nlohmann::json json_of_kind(const std::string& kind);

/// Findings as objects of a code and a message.
nlohmann::json warnings_as_json(const Findings& findings);

/// The rows of an output's record by their names, each a number, a boolean or a text; null for a
/// number that is not finite. Facts and notes of the run are lists.
void add_record_to(nlohmann::json& json, const Record& record);

/// The JSON as text; a mark stands for bytes that are not UTF-8.
std::string page_of(const nlohmann::json& json);

} // namespace lsrecon::app
