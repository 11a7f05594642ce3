// Reads sequences of Pulseq and integrates their gradients, piecewise linear, over the samples of
// every readout. The format is that of its specification, versions 1.2 to 1.5.

#include "io/pulseq.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/input_file.hpp"
#include "base/option.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

constexpr double micro = 1e-6;
using Shape = std::vector<double>;

struct Pulse {
    double amplitude = 0; ///< Hz
    int magnitude = 0, phase = 0, times = 0; ///< shapes
    std::optional<double> centre; ///< s from the begin of its shape
    double delay = 0;
    char use = 'u';
};

struct Gradient {
    bool is_trapezoid = false;
    double amplitude = 0; ///< Hz/m
    double rise = 0, flat = 0, fall = 0, delay = 0; ///< s
    int shape = 0, times = 0;
    std::optional<double> first, last; ///< Hz/m
};

struct Adc {
    std::size_t samples = 0;
    double dwell = 0, delay = 0; ///< s
};

struct Block {
    double duration = 0; ///< s; of formats before 1.4 that of its delay
    int rf = 0;
    std::array<int, 3> gradients{};
    int adc = 0, extension = 0;
};

struct Extension {
    int type = 0, event = 0, next = 0;
};

using Rotation = std::array<Vec3, 3>; ///< rows

/// The tables of a file.
struct Tables {
    int version = 0; ///< 1004 of 1.4
    double gradient_raster = 10 * micro;
    double rf_raster = micro;
    double block_raster = 10 * micro;
    /// The position of a shape's point in its raster: the middle, but JEMRIS samples at the begin,
    /// by which the trajectories that it stores agree to 1.5e-4 (the middle: to 1.6e-2).
    double point = 0.5;
    std::vector<Block> blocks;
    std::map<int, Pulse> pulses;
    std::map<int, Gradient> gradients;
    std::map<int, Adc> adcs;
    std::map<int, double> delays;
    std::map<int, Shape> shapes;
    std::map<int, Extension> extensions;
    std::map<int, Rotation> rotations;
    int rotation_type = 0;
};

std::vector<std::string> words_of_line(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

/// Lines of a file by their sections.
class SequenceParser {
public:
    explicit SequenceParser(const std::string& path) : path_(path) {
        InputFile file(path);
        file.start_hash();
        std::string content(file.bytes(), '\0');
        if (!read_all(file.descriptor(), content.data(), content.size(), 0)) {
            refuse_line("it cannot be read to its end", "all of it");
        }
        std::istringstream stream(content);
        std::string section;
        for (std::string line; std::getline(stream, line);) {
            ++number_;
            if (number_ < 10 && line.find("Created by JEMRIS") != std::string::npos) {
                tables.point = 0;
            }
            line.erase(std::min(line.find_first_of("#\r"), line.size()));
            words_ = words_of_line(line);
            if (words_.empty()) {
                continue;
            }
            if (words_[0][0] == '[' || words_[0] == "extension") {
                section = words_[0] == "extension" && words_.size() == 3 ? words_[1] : words_[0];
                if (section == "ROTATIONS") {
                    tables.rotation_type = id(2);
                }
                continue;
            }
            take(section);
        }
        end_shape();
        sequence.sha256 = file.sha256();
        if (tables.blocks.empty()) {
            throw InputError({path_, "[BLOCKS]", "none", "the blocks of a sequence",
                              "name a sequence of Pulseq"});
        }
    }

    Tables tables;
    Sequence sequence;

private:
    [[noreturn]] void refuse_line(const std::string& found, const std::string& expected) const {
        throw InputError({path_, text("line ", number_), printable(found, 80), expected,
                          "write the sequence again"});
    }

    double number(std::size_t i) const {
        if (i >= words_.size()) {
            refuse_line(text(words_.size(), " numbers"), text(i + 1, " or more"));
        }
        const std::optional<double> value = option::finite_number(words_[i]);
        if (!value) {
            refuse_line("\"" + words_[i] + "\"", "a number");
        }
        return *value;
    }

    int id(std::size_t i) const {
        constexpr double most = 1e9;
        const double value = number(i);
        if (!(std::abs(value) <= most) || value != std::floor(value)) {
            refuse_line("\"" + words_[i] + "\"", "a whole number");
        }
        return static_cast<int>(value);
    }

    void take(const std::string& section) {
        if (section == "[VERSION]") {
            take_version();
        } else if (section == "[DEFINITIONS]") {
            take_definition();
        } else if (section == "[BLOCKS]") {
            take_block();
        } else if (section == "[RF]") {
            take_pulse();
        } else if (section == "[GRADIENTS]") {
            take_gradient();
        } else if (section == "[TRAP]") {
            tables.gradients[id(0)] = {true,
                                       number(1),
                                       micro * number(2),
                                       micro * number(3),
                                       micro * number(4),
                                       micro * number(5),
                                       0,
                                       0,
                                       {},
                                       {}};
        } else if (section == "[ADC]") {
            take_adc();
        } else if (section == "[DELAYS]") {
            tables.delays[id(0)] = micro * number(1);
        } else if (section == "[SHAPES]") {
            take_shape();
        } else if (section == "[EXTENSIONS]") {
            tables.extensions[id(0)] = {id(1), id(2), id(3)};
        } else if (section == "ROTATIONS") {
            take_rotation();
        }
    }

    void take_version() {
        const int part = words_[0] == "major" ? 1000 : words_[0] == "minor" ? 1 : 0;
        const std::string word = words_.size() > 1 ? words_[1] : "";
        sequence.version += (sequence.version.empty() ? "" : ".") + printable(word, 8);
        if (part == 0) {
            return; // the revision, which may have letters
        }
        tables.version += part * id(1);
        constexpr int oldest = 1002;
        constexpr int newest = 1005;
        if (part == 1 && (tables.version < oldest || tables.version > newest)) {
            throw InputError({path_, "[VERSION]", sequence.version, "1.2 to 1.5",
                              "write the sequence in one of these versions"});
        }
    }

    void take_definition() {
        const std::map<std::string, double*> known{{"GradientRasterTime", &tables.gradient_raster},
                                                   {"RadiofrequencyRasterTime", &tables.rf_raster},
                                                   {"BlockDurationRaster", &tables.block_raster}};
        if (const auto found = known.find(words_[0]); found != known.end()) {
            *found->second = number(1);
            if (!(*found->second > 0)) {
                refuse_line(words_[1], "a time above 0, in s");
            }
        } else if (words_[0] == "FOV") {
            for (std::size_t i = 1; i < words_.size(); ++i) {
                sequence.fov.push_back(number(i));
            }
        }
    }

    void take_block() {
        require_version();
        Block block;
        const bool has_durations = tables.version >= 1004;
        if (has_durations) {
            block.duration = number(1) * tables.block_raster;
        } else if (const int delay = id(1); delay > 0) {
            block.duration = -delay; // [DELAYS] stands behind
        }
        block.rf = id(2);
        block.gradients = {id(3), id(4), id(5)};
        block.adc = id(6);
        block.extension = words_.size() > 7 ? id(7) : 0;
        tables.blocks.push_back(block);
    }

    void require_version() const {
        if (tables.version == 0) {
            throw InputError({path_, "[VERSION]", "none before the blocks", "1.2 to 1.5",
                              "write the sequence again"});
        }
    }

    void take_pulse() {
        require_version();
        Pulse pulse;
        pulse.amplitude = number(1);
        pulse.magnitude = id(2);
        pulse.phase = id(3);
        const bool has_times = tables.version >= 1004;
        const bool has_centre = tables.version >= 1005;
        pulse.times = has_times ? id(4) : 0;
        if (has_centre) {
            pulse.centre = micro * number(5);
            pulse.use = words_.size() > 11 ? words_[11][0] : 'u';
        }
        pulse.delay = micro * number(has_centre ? 6 : has_times ? 5 : 4);
        tables.pulses[id(0)] = pulse;
    }

    void take_gradient() {
        require_version();
        Gradient gradient;
        gradient.amplitude = number(1);
        const bool has_ends = tables.version >= 1005;
        const bool has_times = tables.version >= 1004;
        if (has_ends) {
            gradient.first = number(2);
            gradient.last = number(3);
        }
        const std::size_t shape = has_ends ? 4 : 2;
        gradient.shape = id(shape);
        gradient.times = has_times ? id(shape + 1) : 0;
        gradient.delay = micro * number(shape + (has_times ? 2 : 1));
        tables.gradients[id(0)] = gradient;
    }

    void take_adc() {
        constexpr double most = 1e8;
        constexpr double nano = 1e-9;
        const double samples = number(1);
        if (!(samples >= 1 && samples <= most) || !(number(2) > 0)) {
            refuse_line(words_[1] + " samples each " + words_[2] + " ns", "numbers above 0");
        }
        tables.adcs[id(0)] = {static_cast<std::size_t>(samples), nano * number(2),
                              micro * number(3)};
    }

    void take_rotation() {
        if (words_.size() == 10) {
            tables.rotations[id(0)] = {Vec3{number(1), number(2), number(3)},
                                       Vec3{number(4), number(5), number(6)},
                                       Vec3{number(7), number(8), number(9)}};
            return;
        }
        double w = number(1);
        double x = number(2);
        double y = number(3);
        double z = number(4);
        const double norm = std::sqrt(w * w + x * x + y * y + z * z);
        if (!(norm > 0)) {
            refuse_line("a quaternion of 0", "a rotation");
        }
        w /= norm, x /= norm, y /= norm, z /= norm;
        tables.rotations[id(0)] = {
            Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
            Vec3{2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
            Vec3{2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    }

    void take_shape() {
        std::string key = words_[0];
        std::transform(key.begin(), key.end(), key.begin(), ::tolower);
        if (key == "shape_id") {
            end_shape();
            shape_ = id(1);
        } else if (key == "num_samples" || key == "num_uncompressed") {
            constexpr double most = 1e8;
            if (!(number(1) >= 0 && number(1) <= most)) {
                refuse_line(words_[1], "the number of values of a shape");
            }
            shape_samples_ = static_cast<std::size_t>(number(1));
        } else {
            stored_.push_back(number(0));
        }
    }

    /// A shape is stored as its differences, of which a third that follows two equal ones is how
    /// often they repeat; from 1.4 on as it is where that is no longer.
    void end_shape() {
        if (shape_ == 0 && stored_.empty()) {
            return;
        }
        Shape shape;
        if (tables.version >= 1004 && stored_.size() == shape_samples_) {
            shape = stored_;
        } else {
            double sum = 0;
            for (std::size_t i = 0; i < stored_.size() && shape.size() < shape_samples_; ++i) {
                const bool repeats = i + 2 < stored_.size() && stored_[i] == stored_[i + 1];
                const double more = repeats ? stored_[i + 2] + 1 : 0;
                const double room = static_cast<double>(shape_samples_ - shape.size());
                if (!(more >= 0 && more + 1 <= room)) {
                    shape.clear();
                    break;
                }
                for (std::size_t n = 0; n < 1 + static_cast<std::size_t>(more); ++n) {
                    shape.push_back(sum += stored_[i]);
                }
                i += repeats ? 2 : 0;
            }
        }
        if (shape.size() != shape_samples_ || shape.empty()) {
            throw InputError({path_, text("shape ", shape_),
                              text(stored_.size(), " numbers that make other than its values"),
                              text(shape_samples_, " values"), "write the sequence again"});
        }
        tables.shapes[shape_] = std::move(shape);
        stored_.clear();
        shape_ = 0;
        shape_samples_ = 0;
    }

    std::string path_;
    std::size_t number_ = 0; ///< of the line
    std::vector<std::string> words_;
    int shape_ = 0;
    std::size_t shape_samples_ = 0;
    Shape stored_;
};

/// A function of time that is linear between its points and 0 beyond them, and its integral.
class PiecewiseLinear {
public:
    void add(double time, double value) {
        if (!times_.empty()) {
            const double step = std::max(0.0, time - times_.back());
            integrals_.push_back(integrals_.back() + 0.5 * step * (values_.back() + value));
        } else {
            integrals_.push_back(0);
        }
        times_.push_back(time);
        values_.push_back(value);
    }

    double end() const { return times_.empty() ? 0 : times_.back(); }
    double last() const { return values_.empty() ? 0 : values_.back(); }

    double integral(double time) const {
        if (times_.empty() || time <= times_.front()) {
            return 0;
        }
        if (time >= times_.back()) {
            return integrals_.back();
        }
        const auto next = static_cast<std::size_t>(
            std::upper_bound(times_.begin(), times_.end(), time) - times_.begin());
        const std::size_t at = next - 1;
        const double step = time - times_[at];
        const double slope = (values_[next] - values_[at]) / (times_[next] - times_[at]);
        return integrals_[at] + step * (values_[at] + 0.5 * slope * step);
    }

private:
    std::vector<double> times_, values_, integrals_;
};

/// The direction in which positions have no extent, beside two in which they have: all of them,
/// or those of each readout about their mean.
std::optional<Vec3> normal_of(const std::vector<SequenceReadout>& readouts, bool of_each) {
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    for (const SequenceReadout& readout : readouts) {
        if (!readout.is_encoded) {
            continue;
        }
        Eigen::Vector3d sum = Eigen::Vector3d::Zero();
        for (const Vec3& k : readout.positions) {
            const Eigen::Map<const Eigen::Vector3d> at(k.data());
            sum += at;
            squares += at * at.transpose();
        }
        if (of_each) {
            squares -= sum * sum.transpose() / static_cast<double>(readout.positions.size());
        }
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> parts(squares);
    const Eigen::Vector3d& extents = parts.eigenvalues(); // squared, the least first
    constexpr double none = 1e-6;
    constexpr double some = 1e-3;
    if (extents(0) > none * extents(1) || extents(1) < some * extents(2)) {
        return std::nullopt;
    }
    const Eigen::Vector3d normal = parts.eigenvectors().col(0);
    return Vec3{normal(0), normal(1), normal(2)};
}

/// Goes through the blocks in time, and knows k.
class KSpace {
public:
    KSpace(std::string path, const Tables& tables) : path_(std::move(path)), tables_(tables) {}

    void run(std::vector<SequenceReadout>& readouts) {
        for (std::size_t b = 0; b < tables_.blocks.size(); ++b) {
            block_ = b + 1;
            run_block(tables_.blocks[b], readouts);
        }
    }

private:
    template <typename Value>
    const Value& row(const std::map<int, Value>& table, int id, const std::string& name) const {
        const auto found = table.find(id);
        if (found == table.end()) {
            throw InputError({path_, text("block ", block_), text(name, " ", id),
                              "one that the sequence has", "write the sequence again"});
        }
        return found->second;
    }

    /// The times of a shape's points, in rasters.
    Shape times_of(int times, std::size_t count, double point = 0.5) const {
        Shape result;
        for (std::size_t i = 0; times <= 0 && i < count; ++i) {
            const auto at = static_cast<double>(i);
            result.push_back(times == 0 ? at + point : 0.5 * (at + 1));
        }
        if (times > 0) {
            result = row(tables_.shapes, times, "shape");
        }
        if (result.size() != count) {
            throw InputError({path_, text("shape ", times, " of times"),
                              text(result.size(), " values"), text(count, ", as its shape has"),
                              "write the sequence again"});
        }
        return result;
    }

    PiecewiseLinear waveform(int id, std::size_t axis) const {
        PiecewiseLinear wave;
        if (id == 0) {
            return wave;
        }
        const Gradient& gradient = row(tables_.gradients, id, "gradient");
        double at = gradient.delay;
        if (gradient.is_trapezoid) {
            wave.add(at, 0);
            wave.add(at += gradient.rise, gradient.amplitude);
            wave.add(at += gradient.flat, gradient.amplitude);
            wave.add(at += gradient.fall, 0);
            return wave;
        }
        const Shape& shape = row(tables_.shapes, gradient.shape, "shape");
        const Shape times = times_of(gradient.times, shape.size(), tables_.point);
        const double raster = tables_.gradient_raster;
        const double amplitude = gradient.amplitude;
        const bool has_own_times = gradient.times > 0;
        if (!has_own_times) {
            // Formats before 1.5 leave out what stands at its ends.
            wave.add(at, gradient.first.value_or(gradient.delay > 0 ? 0 : last_[axis]));
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            wave.add(at + raster * times[i], amplitude * shape[i]);
        }
        if (!has_own_times) {
            const std::size_t n = shape.size();
            const double rest = gradient.times == 0 ? 1 - tables_.point : 0.5;
            const double slope = n > 1 ? (shape[n - 1] - shape[n - 2]) : 0;
            const double beyond = shape[n - 1] + rest * slope;
            const double end = times.back() + rest;
            wave.add(at + raster * end, gradient.last.value_or(amplitude * beyond));
        }
        return wave;
    }

    struct PulseAt {
        double time = 0;
        bool refocuses = false;
    };

    /// The centre of a pulse in its block, and what it does; null for one that leaves k alone.
    std::optional<PulseAt> pulse_of(int id, double& end) const {
        if (id == 0) {
            return std::nullopt;
        }
        const Pulse& pulse = row(tables_.pulses, id, "RF pulse");
        const Shape& magnitude = row(tables_.shapes, pulse.magnitude, "shape");
        const Shape times = times_of(pulse.times, magnitude.size());
        const double raster = tables_.rf_raster;
        end = pulse.delay + raster * (times.back() + (pulse.times > 0 ? 0 : 0.5));
        const double centre = pulse.centre ? *pulse.centre : raster * middle_of(magnitude, times);
        const bool refocuses =
            pulse.use == 'r' || (pulse.use == 'u' && degrees_of(pulse, magnitude, times) > 90.01);
        if (pulse.use != 'r' && pulse.use != 'e' && pulse.use != 'u') {
            return std::nullopt;
        }
        return PulseAt{pulse.delay + centre, refocuses};
    }

    /// The time of a pulse's peak, or the middle of its plateau.
    static double middle_of(const Shape& magnitude, const Shape& times) {
        const double peak = *std::max_element(magnitude.begin(), magnitude.end());
        const auto at_peak = [&](double value) { return value >= (1 - 1e-5) * peak; };
        const auto first = std::find_if(magnitude.begin(), magnitude.end(), at_peak);
        const auto last = std::find_if(magnitude.rbegin(), magnitude.rend(), at_peak);
        return 0.5 * (times[static_cast<std::size_t>(first - magnitude.begin())] +
                      times[static_cast<std::size_t>(magnitude.rend() - last) - 1]);
    }

    double degrees_of(const Pulse& pulse, const Shape& magnitude, const Shape& times) const {
        const Shape* const phase =
            pulse.phase > 0 ? &row(tables_.shapes, pulse.phase, "shape") : nullptr;
        Complex sum = 0;
        for (std::size_t i = 0; i < magnitude.size(); ++i) {
            const double step = i + 1 < times.size() ? times[i + 1] - times[i]
                                : i > 0              ? times[i] - times[i - 1]
                                                     : 1;
            const double angle = phase != nullptr && i < phase->size() ? 2 * pi * (*phase)[i] : 0;
            sum += std::polar(magnitude[i] * step, angle);
        }
        return 360 * std::abs(sum * pulse.amplitude) * tables_.rf_raster;
    }

    Rotation rotation_of(int extension) const {
        Rotation rotation{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
        std::size_t seen = 0;
        while (extension != 0 && seen++ <= tables_.extensions.size()) {
            const Extension& found = row(tables_.extensions, extension, "extension");
            if (found.type == tables_.rotation_type && found.type != 0) {
                rotation = row(tables_.rotations, found.event, "rotation");
            }
            extension = found.next;
        }
        return rotation;
    }

    void run_block(const Block& block, std::vector<SequenceReadout>& readouts) {
        std::array<PiecewiseLinear, 3> waves;
        double duration = block.duration < 0
                              ? row(tables_.delays, static_cast<int>(-block.duration), "delay")
                              : block.duration;
        double end = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            waves[d] = waveform(block.gradients[d], d);
            end = std::max(end, waves[d].end());
        }
        double pulse_end = 0;
        const std::optional<PulseAt> pulse = pulse_of(block.rf, pulse_end);
        end = std::max(end, pulse_end);
        const Rotation rotation = rotation_of(block.extension);
        const auto moment = [&](double time) {
            const Vec3 own{waves[0].integral(time), waves[1].integral(time),
                           waves[2].integral(time)};
            Vec3 rotated{};
            for (std::size_t d = 0; d < 3; ++d) {
                for (std::size_t i = 0; i < 3; ++i) {
                    rotated[d] += rotation[d][i] * own[i];
                }
            }
            return rotated;
        };
        const Vec3 before = base_;
        Vec3 after = base_;
        double excited_after = excited_;
        if (pulse) {
            const Vec3 at = moment(pulse->time);
            for (std::size_t d = 0; d < 3; ++d) {
                after[d] = pulse->refocuses ? -before[d] - 2 * at[d] : -at[d];
            }
            excited_after = pulse->refocuses ? excited_ : time_ + pulse->time;
        }
        if (block.adc != 0) {
            const Adc& adc = row(tables_.adcs, block.adc, "ADC");
            end = std::max(end, adc.delay + static_cast<double>(adc.samples) * adc.dwell);
            add_readout(
                adc,
                [&](double time) {
                    const Vec3& base = pulse && time >= pulse->time ? after : before;
                    const Vec3 at = moment(time);
                    return Vec3{base[0] + at[0], base[1] + at[1], base[2] + at[2]};
                },
                pulse && adc.delay >= pulse->time ? excited_after : excited_, readouts);
        }
        if (tables_.version < 1004) {
            duration = std::max(duration, end);
        }
        finish(waves, moment(std::max(duration, end)), after, duration);
        excited_ = excited_after;
    }

    void finish(const std::array<PiecewiseLinear, 3>& waves, const Vec3& moment, const Vec3& base,
                double duration) {
        constexpr double rounding = 1e-9; // s
        for (std::size_t d = 0; d < 3; ++d) {
            base_[d] = base[d] + moment[d];
            last_[d] = waves[d].end() + rounding < duration ? 0 : waves[d].last();
        }
        time_ += duration;
    }

    template <typename Position> void add_readout(const Adc& adc, const Position& position,
                                                  double excited,
                                                  std::vector<SequenceReadout>& readouts) {
        constexpr std::size_t most = 200000000; // 5 GB
        samples_ += adc.samples;
        if (samples_ > most) {
            throw InputError({path_, text("block ", block_), text(samples_, " samples so far"),
                              text("at most ", most), "cut the sequence"});
        }
        SequenceReadout readout;
        readout.dwell = adc.dwell;
        readout.begin = time_ + adc.delay + 0.5 * adc.dwell - excited;
        readout.positions.reserve(adc.samples);
        for (std::size_t i = 0; i < adc.samples; ++i) {
            readout.positions.push_back(
                position(adc.delay + (static_cast<double>(i) + 0.5) * adc.dwell));
        }
        const Vec3& first = readout.positions.front();
        for (const Vec3& k : readout.positions) {
            constexpr double least = 1e-3; // 1/m, a cycle in a kilometre
            for (std::size_t d = 0; d < 3; ++d) {
                readout.is_encoded = readout.is_encoded || std::abs(k[d] - first[d]) > least;
            }
        }
        readouts.push_back(std::move(readout));
    }

    std::string path_;
    const Tables& tables_;
    std::size_t block_ = 0;
    std::size_t samples_ = 0;
    Vec3 base_{0, 0, 0}; ///< k at the begin of the block
    std::array<double, 3> last_{}; ///< gradients at the end of the block before
    double time_ = 0; ///< begin of the block
    double excited_ = 0; ///< of the last excitation
};

} // namespace

std::optional<std::array<Vec3, 3>> Sequence::along_planes() {
    std::optional<Vec3> normal = normal_of(readouts, false);
    normal = normal ? normal : normal_of(readouts, true);
    constexpr double least = 0.01; // rad, what slice gradients that are not balanced leave
    std::size_t axis = 0;
    for (std::size_t d = 0; normal && d < 3; ++d) {
        axis = std::abs((*normal)[d]) > std::abs((*normal)[axis]) ? d : axis;
    }
    if (!normal || 1 - std::abs((*normal)[axis]) < 0.5 * least * least) {
        return std::nullopt;
    }
    const Eigen::Vector3d gradient = Eigen::Vector3d::Unit(static_cast<Eigen::Index>(axis));
    Eigen::Vector3d tilted(normal->data());
    tilted *= tilted.dot(gradient) < 0 ? -1 : 1;
    const Eigen::Matrix3d rotation =
        Eigen::Quaterniond::FromTwoVectors(gradient, tilted).toRotationMatrix();
    std::array<Vec3, 3> axes{};
    for (std::size_t d = 0; d < 3; ++d) {
        Eigen::Map<Eigen::Vector3d>(axes[d].data()) = rotation.col(static_cast<Eigen::Index>(d));
    }
    for (SequenceReadout& readout : readouts) {
        for (Vec3& k : readout.positions) {
            k = {dot(k, axes[0]), dot(k, axes[1]), dot(k, axes[2])};
        }
    }
    return axes;
}

bool recognises_sequence(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string line(256, '\0');
    for (int i = 0;
         i < 40 && stream.getline(line.data(), static_cast<std::streamsize>(line.size())); ++i) {
        const std::vector<std::string> words = words_of_line(line.c_str());
        if (!words.empty() && words[0][0] != '#') {
            return words[0] == "[VERSION]";
        }
    }
    return false;
}

Sequence read_sequence(const std::string& path) {
    SequenceParser parser(path);
    Sequence sequence = std::move(parser.sequence);
    KSpace(path, parser.tables).run(sequence.readouts);
    if (sequence.readouts.empty()) {
        throw InputError({path, "[BLOCKS]", "no ADC", "at least one block with samples",
                          "name the sequence of the scan"});
    }
    return sequence;
}

} // namespace lsrecon
