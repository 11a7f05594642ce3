// Replaces the OpenCL device and its tuning in a build without OpenCL: lists are empty, and opening
// a device throws NotBuiltError.

#ifndef LSRECON_WITH_OPENCL

#include "base/error.hpp"
#include "device/device.hpp"
#include "engines/tuning.hpp"

namespace lsrecon {

namespace {
[[noreturn]] void refuse_opencl() {
    throw NotBuiltError("OpenCL is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_OPENCL=ON, or use `backend` host");
}
} // namespace

std::vector<DeviceInfo> list_devices() {
    return {};
}
bool has_opencl_driver() {
    return false;
}
int choose_device(const std::vector<DeviceInfo>&, const std::string&) {
    refuse_opencl();
}
std::unique_ptr<RateMeter> make_rate_meter(const std::string&) {
    refuse_opencl();
}
std::unique_ptr<Device> open_device(const std::string&, double, OnFinding) {
    refuse_opencl();
}
std::vector<Tunable> tunables() {
    return {};
}
Candidates tuning_candidates(const DeviceInfo&, const std::string&, const std::string&) {
    refuse_opencl();
}
void store_winner(const DeviceInfo&, const std::string&, const std::string&, const Winner&) {
    refuse_opencl();
}
std::string kernel_hash(const std::string&) {
    refuse_opencl();
}
std::string tuning_path(const DeviceInfo&) {
    refuse_opencl();
}
ChosenParameters choose_parameters(const DeviceInfo&, const std::string&, const std::string&,
                                   const Parameters&) {
    refuse_opencl();
}
ChosenParameters shipped_parameters(const DeviceInfo&, const std::string&, const std::string&,
                                    const Parameters&) {
    refuse_opencl();
}
} // namespace lsrecon

#endif
