#pragma once

// Small ISMRMRD files for the tests, written by libismrmrd itself.

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <ismrmrd/dataset.h>
#include <ismrmrd/ismrmrd.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "io/ismrmrd/formats.hpp"
#include "support/findings.hpp"
#include "support/message.hpp"

namespace lsrecon::ismrmrd_test {

using ISMRMRD::Acquisition;

struct Sizes {
    int x = 8, y = 8, z = 1;
    double fov_x = 240, fov_y = 240, fov_z = 5;
};

inline std::string space(const std::string& name, const Sizes& s) {
    return text("<", name, "><matrixSize><x>", s.x, "</x><y>", s.y, "</y><z>", s.z,
                "</z></matrixSize><fieldOfView_mm><x>", s.fov_x, "</x><y>", s.fov_y, "</y><z>",
                s.fov_z, "</z></fieldOfView_mm></", name, ">");
}

inline std::string header(const Sizes& encoded, const Sizes& recon,
                          const std::string& limits = "") {
    return "<?xml version=\"1.0\"?><ismrmrdHeader xmlns=\"http://www.ismrm.org/ISMRMRD\">"
           "<experimentalConditions><H1resonanceFrequency_Hz>63500000</H1resonanceFrequency_Hz>"
           "</experimentalConditions><encoding>" +
           space("encodedSpace", encoded) + space("reconSpace", recon) + "<encodingLimits>" +
           limits + "</encodingLimits><trajectory>other</trajectory></encoding></ismrmrdHeader>";
}

/// The header is packed: a reference to its float, which sample_time_us() gives, is misaligned.
inline void set_dwell(Acquisition& acquisition, float us) {
    ISMRMRD::AcquisitionHeader header = acquisition.getHead();
    header.sample_time_us = us;
    acquisition.setHead(header);
}

/// Coil c, sample i holds (base + 10 c + i) - i*1; a trajectory fills the range of 8 voxels.
inline Acquisition readout(int samples, int channels, int dimensions, float base = 1) {
    Acquisition a(static_cast<uint16_t>(samples), static_cast<uint16_t>(channels),
                  static_cast<uint16_t>(dimensions));
    for (int i = 0; i < samples; ++i) {
        for (int c = 0; c < channels; ++c) {
            a.data(static_cast<uint16_t>(i), static_cast<uint16_t>(c)) = {
                base + 10 * static_cast<float>(c) + static_cast<float>(i), -1};
        }
        for (int d = 0; d < dimensions; ++d) {
            a.traj(static_cast<uint16_t>(d), static_cast<uint16_t>(i)) =
                static_cast<float>(d == 0 ? i - samples / 2 : 0.25 * d);
        }
    }
    a.center_sample() = static_cast<uint16_t>(samples / 2);
    return a;
}

// The format's headers are packed to two bytes, so that a float in one may be misaligned.
inline void set_vector(float (&target)[3], const std::array<float, 3>& value) {
    std::memcpy(static_cast<void*>(target), value.data(), sizeof(target));
}

inline std::string file_name() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return ::testing::TempDir() + text("ismrmrd_", getpid(), "_", test->name(), ".h5");
}

/// Removes what the tests wrote when the program ends.
struct WrittenFiles {
    std::set<std::string> paths;
    ~WrittenFiles() {
        for (const std::string& path : paths) {
            std::error_code ignored;
            std::filesystem::remove(path, ignored);
        }
    }
};

inline std::string write(const std::vector<Acquisition>& acquisitions,
                         const std::string& xml = header({}, {})) {
    const std::string path = file_name();
    static WrittenFiles written;
    written.paths.insert(path);
    std::filesystem::remove(path);
    ISMRMRD::Dataset file(path.c_str(), "dataset", true);
    file.writeHeader(xml);
    for (const Acquisition& acquisition : acquisitions) {
        file.appendAcquisition(acquisition);
    }
    return path;
}

/// The whole scan, unchecked.
inline Scan read_ismrmrd(const std::string& path, const ReadOptions& options = {}) {
    StoredScan stored = open_ismrmrd(std::make_shared<const Hdf5Reader>(path), options).load();
    for (std::size_t f = 0; f < stored.scan.frames.size(); ++f) {
        stored.scan.frames[f].samples = stored.samples(f);
    }
    return std::move(stored.scan);
}

inline Scan read(const std::vector<Acquisition>& acquisitions,
                 const std::string& xml = header({}, {}), const std::string& units = "") {
    ReadOptions options;
    options.trajectory_units = units;
    return read_ismrmrd(write(acquisitions, xml), options);
}

inline Fault refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.fault();
    }
    ADD_FAILURE() << "no InputError";
    return {};
}

inline bool has(const std::string& whole, const std::string& part) {
    return whole.find(part) != std::string::npos;
}

inline bool holds(const std::vector<std::string>& sentences, const std::string& part) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& sentence) { return has(sentence, part); });
}

inline bool has_fact(const Scan& scan, const std::string& part) {
    return holds(scan.facts, part);
}

/// Whether one of its facts holds all of these names and numbers.
inline bool has_fact_with(const Scan& scan, const std::vector<std::string>& tokens) {
    return test::one_holds(scan.facts, tokens);
}

inline bool found(const Scan& scan, Found code) {
    return test::has(scan.findings, code);
}

inline std::vector<double> first_coordinates(const Frame& frame) {
    std::vector<double> result;
    for (const Vec3& k : frame.trajectory->positions) {
        result.push_back(k[0]);
    }
    return result;
}

inline std::vector<double> real_parts(const Frame& frame, Eigen::Index coil = 0) {
    std::vector<double> result;
    for (std::size_t m = 0; m < frame.samples.columns(); ++m) {
        result.push_back(frame.samples(coil, m).real());
    }
    return result;
}

} // namespace lsrecon::ismrmrd_test
