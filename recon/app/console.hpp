#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/report.hpp"
#include "engines/backend.hpp"
#include "io/formats.hpp"
#include "io/record.hpp"
#include "prepare/prepare_options.hpp"

namespace lsrecon::app {

/// Reports the stages on stderr: a moving percentage on a terminal, a line for each stage
/// elsewhere, and only notes, which include warnings, when quiet. With several frames it shows
/// "frame 3 of 21 (slice 2)" and, after the last, the time of each stage over all frames.
class Console : public Reporter {
public:
    explicit Console(bool quiet);

    void progress(double fraction) override;
    void tell(const std::string& message) override;

protected:
    void on_begin(const std::string& stage) override;
    void on_end(const std::string& stage, double seconds) override;
    void on_note(const std::string& message) override;
    void on_failure(const std::string& message) override;
    void on_frame(std::size_t number, std::size_t count, const std::string& label) override;
    void on_frames_end() override;

private:
    /// What begins a line in place of the moving one.
    const char* line_start() const { return terminal_ && !quiet_ ? "\r\033[K" : ""; }
    void print_seconds(const std::string& what, double seconds) const;

    bool quiet_;
    bool terminal_;
    std::string stage_;
    int last_percent_ = -1;
    std::string frame_; ///< "frame 3 of 21 (slice 2), " within several frames
    std::vector<std::pair<std::string, double>> frame_stages_; ///< what all frames took
};

/// --precision, bound to it.
void add_precision_flag(CLI::App& sub, std::optional<Precision>& precision,
                        const std::string& help);

/// --backend, --device, --kernel, --precision and --device-memory, bound to the struct's members.
void add_backend_flags(CLI::App& sub, BackendOptions& options);
/// The command line and these flags of it, for the record of what depends on them.
Record record_of_flags(const ReadOptions& read, const BackendOptions& backend);
/// Separated by commas.
std::string joined(const std::vector<std::string>& words);
/// The backend, whose notes go to `report`; it must outlive the backend.
std::unique_ptr<Backend> open_backend(BackendOptions options, Reporter& report);
/// SCAN, and what of it is read: --traj-units, --low-resolution, --join, --encoding, --slice and
/// the other counters, --frames, --spokes-per-frame and --stride.
void add_scan_flags(CLI::App& sub, std::string& scan, ReadOptions& options);
/// --matrix, --fov-mm, --shift-mm and --conjugate.
void add_geometry_flags(CLI::App& sub, GeometryOptions& options);
/// --maps and how they are estimated; `others` says what --maps takes besides the methods.
void add_maps_flags(CLI::App& sub, PrepareOptions& options, const std::string& others);
/// Both, and --combine, --field-map, --field-scale, --coils, --energy and --no-whitening.
void add_prepare_flags(CLI::App& sub, PrepareOptions& options);
/// -o / --output, required.
void add_output_flag(CLI::App& sub, std::string& output, const std::string& what);
void add_quiet_flag(CLI::App& sub, bool& quiet);

/// The command line that this process was started with, for the record.
const std::string& command_line();
void remember_command_line(int argc, char** argv);

} // namespace lsrecon::app
