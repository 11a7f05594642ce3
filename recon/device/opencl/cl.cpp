// Names OpenCL's error codes, and adds to each error the step that usually helps.

#include "device/opencl/cl.hpp"

#include <map>

namespace lsrecon::opencl {

std::string error_name(cl_int code) {
#define NAME(code)                                                                                 \
    { code, #code }
    static const std::map<cl_int, std::string> names{
        NAME(CL_DEVICE_NOT_FOUND),
        NAME(CL_DEVICE_NOT_AVAILABLE),
        NAME(CL_COMPILER_NOT_AVAILABLE),
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        NAME(CL_MAP_FAILURE),
        NAME(CL_OUT_OF_RESOURCES),
        NAME(CL_OUT_OF_HOST_MEMORY),
        NAME(CL_BUILD_PROGRAM_FAILURE),
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        NAME(CL_COMPILE_PROGRAM_FAILURE),
        NAME(CL_INVALID_VALUE),
        NAME(CL_INVALID_DEVICE),
        NAME(CL_INVALID_CONTEXT),
        NAME(CL_INVALID_COMMAND_QUEUE),
        NAME(CL_INVALID_MEM_OBJECT),
        NAME(CL_INVALID_BINARY),
        NAME(CL_INVALID_BUILD_OPTIONS),
        NAME(CL_INVALID_PROGRAM),
        NAME(CL_INVALID_PROGRAM_EXECUTABLE),
        NAME(CL_INVALID_KERNEL_NAME),
        NAME(CL_INVALID_ARG_INDEX),
        NAME(CL_INVALID_ARG_VALUE),
        NAME(CL_INVALID_ARG_SIZE),
        NAME(CL_INVALID_KERNEL_ARGS),
        NAME(CL_INVALID_WORK_GROUP_SIZE),
        NAME(CL_INVALID_WORK_ITEM_SIZE),
        NAME(CL_INVALID_BUFFER_SIZE),
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
#undef NAME
    const auto known = names.find(code);
    return text(known == names.end() ? "OpenCL error" : known->second, " (", code, ")");
}

bool is_no_room(const cl::Error& error) {
    return error.err() == CL_MEM_OBJECT_ALLOCATION_FAILURE || error.err() == CL_OUT_OF_RESOURCES ||
           error.err() == CL_INVALID_BUFFER_SIZE || error.err() == CL_MAP_FAILURE;
}

DeviceError device_error(const std::string& what, const cl::Error& error) {
    return DeviceError(
        text(what, ": ", error.what(), " failed with ", error_name(error.err()), "\n  next:     ",
             is_no_room(error) ? "free the device's memory, or choose another with `device`"
                               : "run 'lsrecon devices', try another `device` or `kernel`, "
                                 "or use `backend` host"));
}

} // namespace lsrecon::opencl
