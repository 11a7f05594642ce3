#!/usr/bin/env python3
"""Checks which file may include what (docs/overview.md), and a few rules of the house.

    check_fences.py [ROOT]      prints every violation; exit code 1 when there is one
    check_fences.py --self-test each rule must catch a snippet that breaks it
"""

import pathlib
import re
import sys

from rule_tests import failures_of

# Room -> the rooms (or single headers) that its files may include. The longest prefix that
# fits a file is its room.
ARROWS = {
    "base/": ["base/"],
    "scan/": ["base/", "scan/"],
    "device/": ["base/", "device/"],
    "engines/": ["base/", "scan/", "device/", "engines/"],
    "operators/": ["base/", "scan/", "device/", "engines/", "operators/"],
    "solve/": ["base/", "device/", "operators/", "solve/"],
    "encoding/": ["base/", "scan/", "device/", "engines/", "operators/", "solve/", "encoding/"],
    "model/": ["base/", "scan/", "device/", "engines/", "operators/", "solve/", "encoding/",
               "model/"],
    "plan/": ["base/", "scan/", "device/", "engines/", "operators/", "solve/", "encoding/",
              "model/", "plan/"],
    "schedule/": ["base/", "scan/", "solve/", "model/", "schedule/"],
    "simulate/": ["base/", "scan/", "engines/", "simulate/"],
    "io/": ["base/", "scan/", "simulate/", "io/", "encoding/q_store.hpp"],
    "reconstruct": ["base/", "scan/", "engines/transforms.hpp", "solve/", "encoding/", "model/",
                    "plan/", "schedule/", "reconstruct"],
    "reconstruct_file": ["base/", "scan/", "io/", "engines/transforms.hpp", "encoding/", "model/",
                         "plan/", "reconstruct"],
    "lsrecon.hpp": [""],
    "measure/": ["base/", "scan/", "simulate/", "io/", "device/", "engines/", "operators/",
                 "solve/", "encoding/", "plan/", "reconstruct", "measure/"],
    "app/": [""],
    "python/": [""],
}
# What only its own room and the OpenCL half of the engines may include.
INNER = {"device/opencl/": ["device/opencl/", "engines/opencl/"],
         "engines/opencl/": ["engines/opencl/", "engines/engines"]}

# Third-party header -> the one room that may include it, or None: any one file.
THIRD_PARTY = {
    r"CLI/.*": "app/",
    r"nanobind/.*": "python/",
    r"iostream": "app/output.cpp",
    r"CL/.*": "device/opencl/",
    r"(hdf5|H5\w*)\.h": None,
    r"ismrmrd/.*": None,
    r"pugixml\.hpp": None,
    r"mpi\.h": None,
    r"vkFFT\.h": None,
    r"fftw3\.h": None,
    r"png\.h": None,
    r"zlib\.h": None,
    r"voro\+\+/.*": None,
    r"(nifti\w*|znzlib)\.h": None,
}

LONGEST_FUNCTION = 60  # lines

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PRINT = re.compile(r"(?<![\w])(std::)?(f?printf|puts|fputs|fwrite)\s*\(")

# A flag of the program in a literal: the library names a key, `maps_crop`.
NAMES_FLAG = re.compile(r'"(?:[^"\\\n]|\\.)*(?<![\w-])--[a-z](?:[^"\\\n]|\\.)*"')


def room_of(name):
    fitting = [room for room in ARROWS if name.startswith(room)]
    return max(fitting, key=len) if fitting else None


def check_file(name, text, users):
    """Violations of one file below recon/; adds to users[pattern] who includes it."""
    room = room_of(name)
    if room is None:
        yield f"recon/{name}: is in no room; add one to ARROWS in scripts/check_fences.py"
        return
    if name.endswith(".hpp") and "#pragma once" not in text:
        yield f"recon/{name}: has no #pragma once"
    for number, line in enumerate(text.splitlines(), 1):
        where = f"recon/{name}:{number}"
        if name != "app/output.cpp" and PRINT.search(line.split("//")[0]):
            yield f"{where}: prints; only app/output.cpp does"
        if room != "app/" and NAMES_FLAG.search(line.split("//")[0]):
            yield f"{where}: names a flag; messages of the library name its key: `maps_crop`"
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match[2]
        for pattern, only_room in THIRD_PARTY.items():
            if re.fullmatch(pattern, header):
                users.setdefault(pattern, set()).add(name)
                if only_room and not name.startswith(only_room):
                    yield f"{where}: <{header}> belongs in {only_room}"
        is_ours = match[1] == '"' and room_of(header) is not None
        if is_ours and not any(header.startswith(allowed) for allowed in ARROWS[room]):
            yield f'{where}: "{header}" must not be included from {room}'
        for inner, allowed in INNER.items():
            if header.startswith(inner) and not name.startswith(tuple(allowed)):
                yield f'{where}: "{header}" is known within {" and ".join(allowed)} alone'


def long_functions(name, text):
    """Functions that do not fit a screen."""
    lines = text.splitlines()
    for begin, line in enumerate(lines):
        if not line.endswith("{") or line.startswith((" ", "#", "//")):
            continue
        head = begin
        while head > 0 and lines[head - 1] and not re.search(r"[;{}:/]$|^ *//", lines[head - 1]):
            head -= 1
        if "(" not in "".join(lines[head:begin + 1]) or re.search(
                r"\b(namespace|struct|class|enum|union|extern)\b", lines[head]):
            continue
        length = lines.index("}", begin) + 1 - head if "}" in lines[begin:] else 0
        if length > LONGEST_FUNCTION:
            yield f"recon/{name}:{head + 1}: a function of {length} lines"


def check(root):
    """Every violation below `root`, as text."""
    users = {}
    for path in sorted((root / "recon").rglob("*.[hc]pp")):
        name = path.relative_to(root / "recon").as_posix()
        text = path.read_text(encoding="utf-8")
        yield from check_file(name, text, users)
        yield from long_functions(name, text)
    for pattern, names in users.items():
        if THIRD_PARTY[pattern] is None and len(names) > 1:
            yield f"{pattern} is included by {', '.join(sorted(names))}; one file may"


# What is right, and for every rule something that breaks it: (files, what the message holds).
RIGHT = {
    "recon/app/main.cpp": '#include "reconstruct.hpp"\n',
    "recon/app/output.cpp": '#include <iostream>\nint x = printf("");\n',
    "recon/reconstruct.hpp": '#pragma once\n#include "scan/image.hpp"\n',
    "recon/reconstruct_file.hpp": '#pragma once\n#include "io/formats.hpp"\n',
    "recon/io/hdf5/types.hpp": '#pragma once\n#include <hdf5.h>\n#include "encoding/q_store.hpp"\n',
    "recon/device/opencl/device.hpp": "#pragma once\n#include <CL/opencl.hpp>\n",
    "recon/engines/opencl/direct.cpp": '#include "device/opencl/device.hpp"\n',
    "recon/app/recon.cpp": 'auto x = "--maps";\n',
    "recon/encoding/problem.cpp": 'auto x = "leave `maps` out -- or not"; // --maps\n',
    "recon/base/text.cpp": "// printf( in a comment\nint n = std::snprintf(b, 1, \"\");\n",
}
WRONG = [
    ({"recon/io/a.cpp": "#include <CLI/CLI.hpp>\n"}, "app/"),
    ({"recon/app/a.cpp": "#include <iostream>\n"}, "app/output.cpp"),
    ({"recon/io/a.cpp": "#include <H5Cpp.h>\n"}, "hdf5"),
    ({"recon/io/a.cpp": "#  include \"hdf5.h\"\n"}, "hdf5"),
    ({"recon/io/a.cpp": "#include <pugixml.hpp>\n",
      "recon/io/b.cpp": "#include \"pugixml.hpp\"\n"}, "pugixml"),
    ({"recon/app/a.cpp": "#include <mpi.h>\n", "recon/plan/b.cpp": "#include <mpi.h>\n"}, "mpi"),
    ({"recon/solve/a.cpp": "#include <CL/opencl.hpp>\n"}, "device/opencl/"),
    ({"recon/device/a.cpp": "#include \"vkFFT.h\"\n",
      "recon/plan/b.cpp": "#include \"vkFFT.h\"\n"}, "vkFFT"),
    ({"recon/plan/a.cpp": "#include <fftw3.h>\n",
      "recon/solve/b.cpp": "#include <fftw3.h>\n"}, "fftw3"),
    ({"recon/io/a.cpp": "#include <png.h>\n", "recon/app/b.cpp": "#include <png.h>\n"}, "png"),
    ({"recon/io/a.cpp": "#include <nifti1_io.h>\n", "recon/app/b.cpp": "#include <znzlib.h>\n"},
     "nifti"),
    ({"recon/base/a.cpp": '#include "scan/scan.hpp"\n'}, "from base/"),
    ({"recon/scan/a.cpp": '#include "io/formats.hpp"\n'}, "from scan/"),
    ({"recon/scan/a.cpp": '#include "engines/transforms.hpp"\n'}, "from scan/"),
    ({"recon/solve/a.cpp": '#include "scan/scan.hpp"\n'}, "from solve/"),
    ({"recon/engines/a.cpp": '#include "encoding/problem.hpp"\n'}, "from engines/"),
    ({"recon/device/a.cpp": '#include "scan/scan.hpp"\n'}, "from device/"),
    ({"recon/operators/a.cpp": '#include "solve/conjugate_gradient.hpp"\n'}, "from operators/"),
    ({"recon/solve/a.cpp": '#include "device/opencl/device.hpp"\n'}, "known within"),
    ({"recon/engines/a.cpp": '#include "engines/opencl/a.hpp"\n'}, "known within"),
    ({"recon/io/a.cpp": '#include "operators/q.hpp"\n'}, "from io/"),
    ({"recon/io/a.cpp": '#include "reconstruct.hpp"\n'}, "from io/"),
    ({"recon/solve/lanczos.cpp": '#include "measure/measure.hpp"\n'}, "from solve/"),
    ({"recon/reconstruct.cpp": '#include "app/console.hpp"\n'}, "from reconstruct"),
    ({"recon/reconstruct.cpp": '#include "io/formats.hpp"\n'}, "from reconstruct"),
    ({"recon/model/a.cpp": '#include "io/formats.hpp"\n'}, "from model/"),
    ({"recon/cellar/a.cpp": "int x;\n"}, "no room"),
    ({"recon/base/a.hpp": "int x;\n"}, "#pragma once"),
    ({"recon/io/a.cpp": 'auto x = "pass --maps";\n'}, "names a flag"),
    ({"recon/app/a.cpp": 'void f() { std::printf("x"); }\n'}, "prints"),
]


def self_test():
    failures = failures_of(check, RIGHT, WRONG)
    body = "    x();\n" * (LONGEST_FUNCTION - 1)
    for lines, found in ((body, 1), (body[9:], 0)):
        if len(list(long_functions("a.cpp", f"void f() {{\n{lines}}}\n"))) != found:
            failures.append("long_functions counts wrong")
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        failures = self_test()
    else:
        here = pathlib.Path(__file__).resolve().parent.parent
        root = pathlib.Path(arguments[0]) if arguments else here
        if not (root / "recon").is_dir():
            failures = [f"{root}: has no folder recon"]
        else:
            failures = list(check(root))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
