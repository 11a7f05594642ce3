#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lsrecon {

/// One element of an ISMRMRD header. Those below it are named by their path, "matrixSize/x". A
/// number is read whole or refused, and every InputError names file, dataset and element.
class XmlElement {
public:
    /// The root element of the text. InputError when it does not parse or has another name.
    static XmlElement parse(const std::string& xml, const std::string& root,
                            const std::string& file, const std::string& dataset);

    bool has(const std::string& path) const;
    /// "" when it is missing. "16 and 32", which is no number, when there are two.
    std::string word(const std::string& path) const;
    std::optional<double> number(const std::string& path) const;
    /// A whole number from `lowest` to 65535; else the next step is `next`.
    std::size_t whole(const std::string& path, double lowest,
                      const std::string& next = "correct the ISMRMRD header") const;
    /// A number above 0.
    double positive(const std::string& path, const std::string& meaning) const;
    /// The elements of this name directly below.
    std::vector<XmlElement> all(const std::string& name) const;
    [[noreturn]] void refuse(const std::string& path, const std::string& expected,
                             const std::string& next = "correct the ISMRMRD header") const;

private:
    struct Node;
    explicit XmlElement(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

    std::shared_ptr<const Node> node_;
};

/// The word without blanks at its ends.
std::string trimmed(const std::string& word);
std::string lower_case(std::string word);

} // namespace lsrecon
