// The one way to OpenCL: exceptions on, so that no return code can be forgotten.

#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace lsrecon::opencl {

/// "CL_OUT_OF_RESOURCES (-5)".
std::string error_name(cl_int code);

/// A DeviceError that names what was tried, the code and the next step.
DeviceError device_error(const std::string& what, const cl::Error& error);

/// The error when there is no memory for a buffer; a smaller one may fit.
class NoRoomError : public DeviceError {
public:
    using DeviceError::DeviceError;
};
/// Whether an error means that memory is short; drivers report it by several codes.
bool is_no_room(const cl::Error& error);

/// Runs OpenCL calls and turns their exceptions into the program's own.
template <typename Calls> auto guarded(const std::string& what, Calls&& calls) {
    try {
        return std::forward<Calls>(calls)();
    } catch (const cl::Error& error) {
        if (is_no_room(error)) {
            throw NoRoomError(device_error(what, error).what());
        }
        throw device_error(what, error);
    }
}

} // namespace lsrecon::opencl
