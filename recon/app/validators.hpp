#pragma once

#include <CLI/CLI.hpp>
#include <climits>
#include <optional>
#include <string>
#include <vector>

namespace lsrecon::app {

/// What a validator says of a word; main.cpp puts the flag in front and the next step behind.
std::string refusal(const std::string& word, const std::string& expected);
CLI::Validator one_of(const std::vector<std::string>& words);

/// Used because CLI11 2.1 wraps a negative number round to a huge one, reads any number that is too
/// large as the largest one, and has validators that print the largest double with all its digits.
/// Null when the whole word is not one finite number.
std::optional<double> finite_number(const std::string& word);
CLI::Validator whole_number(const std::string& expected, bool zero_allowed,
                            unsigned long long most = ULLONG_MAX);
/// Samples and voxels of a measurement on made-up data: a whole number from 1 to 10^9.
CLI::Validator count_to_measure();
/// UsageError unless it has two or three sides, and as many voxels as count_to_measure() takes.
void require_matrix(const std::vector<std::size_t>& matrix);
CLI::Validator positive_number();
CLI::Validator non_negative_number();
CLI::Validator number_between(double least, double most);
/// A file name that is not empty: an empty one is usually an unset variable of a script.
CLI::Validator file_name();

} // namespace lsrecon::app
