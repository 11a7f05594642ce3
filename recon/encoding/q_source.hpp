#pragma once

#include "base/report.hpp"
#include "operators/q.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// Where Q of a scan's samplings comes from.
class QSource {
public:
    virtual ~QSource() = default;
    /// Whether the user brings Q, which the scan must then be able to use.
    virtual bool is_given() const { return false; }
    /// InputError when some sampling of the scan has none, so that nothing is missing after hours.
    virtual void require(const Scan& /*scan*/) {}
    virtual Q of(const Sampling& sampling, const Grid& grid) = 0;
};

/// The transforms compute it.
class ComputedQ : public QSource {
public:
    ComputedQ(Transforms& transforms, Reporter& report)
        : transforms_(transforms), report_(report) {}
    Q of(const Sampling& sampling, const Grid& grid) override {
        return compute_q_in_stage(transforms_, sampling, grid, report_);
    }

private:
    Transforms& transforms_;
    Reporter& report_;
};

} // namespace lsrecon
