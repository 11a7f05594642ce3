#include "io/record.hpp"

#include <algorithm>
#include <set>

#include "base/machine.hpp"
#include "base/version.hpp"

namespace lsrecon {

Record make_record(const Scan& scan, const BackendInfo& backend, const Record& settings) {
    Record record{{"program", std::string("lsrecon ") + version},
                  {"made", utc_now()},
                  {"backend", backend.backend},
                  {"device", backend.device},
                  {"driver", backend.driver},
                  {"kernel", backend.kernel},
                  {"kernel_sha256", backend.kernel_sha256},
                  {"kernel_parameters", backend.parameters},
                  {"scan", scan.file},
                  {"scan_format", scan.format},
                  {"scan_sha256", scan.sha256}};
    record.insert(record.end(), settings.begin(), settings.end());
    for (std::size_t i = 0; i < scan.remarks.size(); ++i) {
        record.emplace_back("remark_" + std::to_string(i), scan.remarks[i]);
    }
    return record;
}

Record identity_of(const Record& record) {
    const std::set<std::string> left_out{"made", "command", "scan", "q_file"};
    Record identity;
    std::copy_if(record.begin(), record.end(), std::back_inserter(identity),
                 [&](const auto& entry) { return left_out.count(entry.first) == 0; });
    return identity;
}

} // namespace lsrecon
