// Converts a record to JSON: each entry is a number, a text or a boolean by the form of its option.

#include "app/json.hpp"

#include <cmath>
#include <map>
#include <set>

#include "app/command.hpp"
#include "app/output.hpp"
#include "io/record.hpp"

namespace lsrecon::app {

namespace {

/// A key that goes or changes its meaning makes another version; a new key does not.
constexpr int schema_version = 1;

/// "1" as a number: 1, or null where it is not finite; a text where it is no number.
nlohmann::json number_or_text(const std::string& words) {
    char* end = nullptr;
    const double value = std::strtod(words.c_str(), &end);
    if (words.empty() || *end != '\0') {
        return words;
    }
    const nlohmann::json number = nlohmann::json::parse(words, nullptr, false);
    return std::isfinite(value) && number.is_number() ? number : nlohmann::json();
}

/// The forms of the options by their names in a record.
const std::map<std::string, std::string>& forms_of_options() {
    static const std::map<std::string, std::string> forms = [] {
        std::map<std::string, std::string> all;
        for (const Command& command : commands()) {
            for (const Option& option : bound_rows(command).options) {
                all.emplace(name_of_option(option.key), option.value.form);
            }
        }
        return all;
    }();
    return forms;
}

nlohmann::json value_of_option(const std::string& form, const std::string& words) {
    if (form.empty()) {
        return words == "yes";
    }
    for (const char* const text_form : {"FILE", "FOLDER", "DEVICE", "NAME", "INDICES"}) {
        if (form.find(text_form) != std::string::npos) {
            return words;
        }
    }
    return number_or_text(words);
}

/// What a user names may look like a number.
bool is_text(const std::string& name) {
    static const std::set<std::string> texts{
        "backend",      "command", "converted_format",  "converted_from", "device",
        "driver",       "kernel",  "kernel_parameters", "lambda_rule",    "made",
        "maps",         "method",  "precision",         "preconditioner", "program",
        "regularisers", "scan",    "scan_format",       "solver",         "version",
        "weight_rule"};
    const std::string hash = "_sha256";
    const bool is_hash = name.size() > hash.size() && name.rfind(hash) == name.size() - hash.size();
    return is_hash || texts.count(name) > 0;
}

nlohmann::json value_in_record(const std::string& name, const std::string& words) {
    if (const auto form = forms_of_options().find(name); form != forms_of_options().end()) {
        return value_of_option(form->second, words);
    }
    if (is_text(name)) {
        return words;
    }
    if (name == "converged" || words == "yes" || words == "no") { // a record may have 1 for it
        return words == "yes" || words == "1";
    }
    return number_or_text(words);
}

nlohmann::json json_of(const std::vector<Note>& notes) {
    nlohmann::json warnings = nlohmann::json::array();
    for (const Note& note : notes) {
        warnings.push_back({{"code", note.code}, {"message", with_flags(note.words)}});
    }
    return warnings;
}

} // namespace

nlohmann::json json_of_kind(const std::string& kind) {
    return {{"schema_version", schema_version}, {"kind", kind}};
}

nlohmann::json warnings_as_json(const Findings& findings) {
    return json_of(notes_of(findings));
}

void add_record_to(nlohmann::json& json, const Record& record) {
    const auto [notes, with_facts] = notes_and_rest(record);
    const auto [facts, rest] = facts_and_rest(with_facts);
    json["warnings"] = json_of(notes);
    json["facts"] = nlohmann::json::array();
    for (const std::string& fact : facts) {
        json["facts"].push_back(with_flags(fact));
    }
    for (const auto& [name, words] : rest) {
        json[name] = value_in_record(name, words);
    }
}

std::string page_of(const nlohmann::json& json) {
    return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace lsrecon::app
