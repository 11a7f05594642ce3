// Raw data that stores no trajectory, with one of a file, of a sequence or by a rule.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/formats.hpp"
#include "io/ismrmrd/file.hpp"

namespace lsrecon {

/// Raw data whose acquisitions have positions as if they were stored.
class IsmrmrdWithTrajectory : public IsmrmrdFile {
public:
    /// Sets the encoded space, to which rules refer, before anything is read.
    virtual void set_space(const Grid& encoded) = 0;
    virtual std::string units() const = 0; ///< "" where the range shows them
    virtual std::string fact() const = 0; ///< what the positions are, in words
};

/// The file with the trajectory that the options name: a rule or a sequence, or an array where no
/// acquisition of the image stores one. Null where it is not for this; then the samples of whole
/// frames take it (io/beside.hpp). InputError when it does not fit the acquisitions.
std::shared_ptr<IsmrmrdWithTrajectory>
with_trajectory(const std::shared_ptr<const IsmrmrdFile>& file, const ReadOptions& options);

} // namespace lsrecon
