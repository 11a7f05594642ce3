#!/usr/bin/env python3
"""The example of docs/extending.md compiles: a file, its maker's name, its row.

    extending.py REPOSITORY COMPILER FLAG..."""

import pathlib
import re
import subprocess
import sys
import tempfile

repository, compiler, *flags = sys.argv[1:]
page = pathlib.Path(repository, "docs/extending.md").read_text()
file, name, row = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def with_example(path, pattern, text):
    source = pathlib.Path(repository, "recon", path).read_text()
    changed, count = re.subn(pattern, lambda _: text, source, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{path} has {count} matches for the example's {text}")
    return changed


lines = file.count("\n")
if f"a file of {lines} lines" not in page:
    sys.exit(f"docs/extending.md does not say that its example is a file of {lines} lines")
with tempfile.TemporaryDirectory() as folder:
    engines = pathlib.Path(folder, "engines/opencl")
    engines.mkdir(parents=True)
    (engines / "mean.cpp").write_text(file)
    (engines / "engines.hpp").write_text(
        with_example("engines/opencl/engines.hpp", r"^MakeTransform make_.*;\n", name))
    table = engines.parent / "engines.cpp"
    table.write_text(
        with_example("engines/engines.cpp", r"^(?=    };\n    return rows;)", row))
    # The changed header before that of the repository. A maker of another type would only be an
    # overload, and in place of a bool only a warning.
    command = [compiler, "-std=c++17", "-fsyntax-only", "-Werror", "-Wmissing-declarations",
               f"-I{folder}", *flags]
    sys.exit(subprocess.run([*command, engines / "mean.cpp", table]).returncode)
