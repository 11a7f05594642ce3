// The library's face: a program that links it needs to know these headers. What they include is
// installed beside them and may change.

#pragma once

#include "base/error.hpp" // what every call throws: the exit code and the next step
#include "base/parallel.hpp" // the cores that a thread works on
#include "base/report.hpp" // who hears of stages, progress and findings
#include "base/version.hpp" // of the library
#include "encoding/certificate.hpp" // how wrong F^H d and Q of an encoding are
#include "encoding/encoding.hpp" // A: images to samples, samples to images, its derivative
#include "encoding/normal_operator.hpp" // A^H W A
#include "encoding/solve.hpp" // the image that explains samples best
#include "engines/compute_options.hpp" // device, engine, precision, accuracy
#include "engines/on_host.hpp" // one transform of arrays, to the samples or from them
#include "io/scan_file.hpp" // a scan of any format, read frame by frame
#include "plan/options.hpp" // maps, regularisers, lambda; by the keys and words of the program
#include "reconstruct.hpp" // images of a source into a sink
#include "reconstruct_file.hpp" // images of a file into a file
#include "scan/image.hpp" // images: to a function, or a sink of your own
#include "scan/scan.hpp" // scans: in memory, or a source of your own
#include "simulate/simulate.hpp" // phantom scans
