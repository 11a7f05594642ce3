#include "io/ismrmrd/xml.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <pugixml.hpp>

#include "base/error.hpp"

namespace lsrecon {

struct XmlElement::Node {
    std::shared_ptr<const pugi::xml_document> document;
    pugi::xml_node node;
    std::string file;
    std::string dataset;
    std::string place; ///< what messages call the element: "encoding/"; "" for the root
};

namespace {

constexpr double largest_whole = 65535; // xs:unsignedShort of the format

/// The finite number that the whole of a word says.
std::optional<double> to_number(const std::string& word) {
    // strtod would also take hexadecimal digits and names.
    if (word.empty() || word.find_first_not_of("+-.0123456789eE") != std::string::npos) {
        return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    return *end == '\0' && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

/// Leaves out the prefix of the root element's namespace: of ns0:ismrmrdHeader, ns0:encoding is
/// encoding.
struct WithoutPrefix : pugi::xml_tree_walker {
    explicit WithoutPrefix(const std::string& root)
        : prefix(root.substr(0, root.find(':') + 1)) {} // none without a colon
    bool for_each(pugi::xml_node& node) override {
        const std::string name = node.name();
        if (!prefix.empty() && name.compare(0, prefix.size(), prefix) == 0) {
            node.set_name(name.substr(prefix.size()).c_str());
        }
        return true;
    }
    std::string prefix;
};

} // namespace

std::string trimmed(const std::string& word) {
    const char* const blanks = " \t\r\n";
    const std::size_t first = word.find_first_not_of(blanks);
    return first == std::string::npos
               ? ""
               : word.substr(first, word.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

XmlElement XmlElement::parse(const std::string& xml, const std::string& root,
                             const std::string& file, const std::string& dataset) {
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError(
            {file, dataset, found, expected,
             "write the header again; ismrmrd.xsd of the ISMRMRD project describes it"});
    };
    const auto document = std::make_shared<pugi::xml_document>();
    const pugi::xml_parse_result parsed = document->load_buffer(xml.data(), xml.size());
    if (!parsed) {
        refuse(text("it does not parse: ", parsed.description(), " at character ", parsed.offset,
                    " of ", xml.size()),
               "an ISMRMRD header in XML");
    }
    WithoutPrefix without_prefix(document->document_element().name());
    document->traverse(without_prefix);
    const pugi::xml_node node = document->child(root.c_str());
    if (!node) {
        refuse(text("its root element is \"", document->document_element().name(), '"'), root);
    }
    return XmlElement(std::make_shared<const Node>(Node{document, node, file, dataset, ""}));
}

bool XmlElement::has(const std::string& path) const {
    return !node_->node.first_element_by_path(path.c_str()).empty();
}

std::string XmlElement::word(const std::string& path) const {
    std::string all;
    const pugi::xml_node first = node_->node.first_element_by_path(path.c_str());
    for (pugi::xml_node one = first; one; one = one.next_sibling(first.name())) {
        std::string words;
        for (const pugi::xml_node& part : one.children()) { // a comment lies between two
            words += part.type() == pugi::node_element ? text("<", part.name(), ">") : part.value();
        }
        all += (all.empty() ? "" : " and ") + trimmed(words);
    }
    return all;
}

std::optional<double> XmlElement::number(const std::string& path) const {
    return to_number(word(path));
}

std::size_t XmlElement::whole(const std::string& path, double lowest,
                              const std::string& next) const {
    const std::optional<double> value = number(path);
    if (!value || *value != std::floor(*value) || *value < lowest || *value > largest_whole) {
        refuse(path, text("a whole number from ", lowest, " to ", largest_whole), next);
    }
    return static_cast<std::size_t>(*value);
}

double XmlElement::positive(const std::string& path, const std::string& meaning) const {
    const std::optional<double> value = number(path);
    if (!value || !(*value > 0)) {
        refuse(path, meaning);
    }
    return *value;
}

std::vector<XmlElement> XmlElement::all(const std::string& name) const {
    std::vector<XmlElement> result;
    for (const pugi::xml_node& child : node_->node.children(name.c_str())) {
        const std::string number = result.empty() ? "" : text(" ", result.size());
        Node node{node_->document, child, node_->file, node_->dataset, ""};
        node.place = node_->place + name + number + "/";
        result.push_back(XmlElement(std::make_shared<const Node>(std::move(node))));
    }
    return result;
}

void XmlElement::refuse(const std::string& path, const std::string& expected,
                        const std::string& next) const {
    throw InputError({node_->file, text(node_->dataset, ", ", node_->place, path),
                      has(path) ? "\"" + word(path).substr(0, 40) + "\"" : "it is missing",
                      expected, next});
}

} // namespace lsrecon
