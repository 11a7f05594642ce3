// The options by which an image was made, for another scan.

#include <algorithm>
#include <set>

#include "app/command.hpp"
#include "base/numbers.hpp"
#include "io/image/file.hpp"

namespace lsrecon::app {

namespace {

/// A file that has changed since would make another image.
void require_same_file(const std::string& image, const std::string& name, const std::string& file,
                       const std::string& hash) {
    if (!hash.empty() && FileHashes().of(file) != hash) {
        throw InputError({file, name, "a file that has changed since " + image + " was made",
                          "the same content", "give `" + name + "` beside `like`"});
    }
}

} // namespace

void take_like(const std::string& image, const OptionTable& rows, Keywords& given) {
    const Record record = record_of(Hdf5Reader(image));
    if (value_in(record, "program").empty()) {
        throw InputError({image, "/record", "no record of a reconstruction", "an image of recon",
                          "name the image whose options are to be taken"});
    }
    std::set<std::string> settled{"device", "threads"}; // of the machine
    for (const auto& [key, word] : given) {
        settled.insert(key);
    }
    for (const auto& [key, value] : options_in(record)) {
        if (settled.count(key) > 0) {
            continue;
        }
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&key = key](const Option& of) { return of.key == key; });
        if (row == rows.end()) {
            throw UsageError(text("`like` ", image, ": its option `", key,
                                  "` is none of this version\n  next:     give the options "
                                  "themselves"));
        }
        require_same_file(image, key, value, value_in(record, name_of_file_hash(key)));
        for (const std::string& word :
             row->is(Is::repeated) ? split(value, ' ') : std::vector<std::string>{value}) {
            given.emplace_back(key, row->value.form.empty() ? "" : word);
            take(*row, given.back().second);
        }
    }
}

} // namespace lsrecon::app
