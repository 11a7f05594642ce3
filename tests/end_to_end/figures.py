#!/usr/bin/env python3
"""`scripts/figures.py --quick` fills every table of this device and leaves the others alone, and
links into it lead somewhere.

    figures.py LSRECON SOURCE_FOLDER
"""

import pathlib
import re
import subprocess
import sys
import tempfile

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
PAGE = source / "docs/performance.md"
TABLES = {"cpu": ["transforms", "kernels", "runs", "peers", "maps", "predictions", "batch"],
          "gpu": ["transforms", "kernels", "runs", "peers", "predictions"]}
WORDS = ("scan", "NUFFT", "engine", "kernel", "options", "transform", "CG-SENSE", "file to file",
         "lsrecon and BART", "maps", "voxels")  # columns without numbers begin so
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?\b")
# Three transforms, kernels, three scans in three ways, two errors of two transforms of two scans.
ROWS = {"transforms": 3, "kernels": 4, "runs": 9, "peers": 8, "maps": 3, "predictions": 1,
        "batch": 2}


def table_of(page, name, device):
    begin, end = f"<!--{name}:{device}-->", f"<!--/{name}:{device}-->"
    assert page.count(begin) == page.count(end) == 1, (begin, end)
    return page[page.index(begin) + len(begin):page.index(end)].strip()


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def require_filled(name, text):
    """A line of machine, date and turns, and tables whose columns of numbers have them."""
    about, *blocks = text.split("\n\n")
    assert re.search(r"\d+ cores, \d{4}-\d\d-\d\d, .*\bturns?\b", about), (name, about)
    tables = [block.splitlines() for block in blocks if block.startswith("|")]
    assert tables and len(tables[0]) >= 2 + ROWS[name], (name, text)
    for head, _, *rows in tables:
        for row in rows:
            pairs = list(zip(cells_of(head), cells_of(row), strict=True))
            for column, cell in pairs:
                assert cell, (name, column, row)
                assert column.startswith(WORDS) or cell == "-" or NUMBER.match(cell), (name, column,
                                                                                      row)


def require_reached(text):
    """The program reaches every error, a peer the largest one, and the machine is said to be quiet
    or not."""
    assert re.search(r"^(Quiet|Not quiet): .* \d+ % of \d+ cores", text, re.M), text
    for row in re.findall(r"^\| (?:adjoint|forward|Q), .*", text, re.M):
        _, target, *programs = cells_of(row)
        for cell in programs if target == "0.001" else programs[:1]:
            if cell != "-":
                seconds, error = cell.split(", ")
                assert float(seconds) > 0, (row, cell)
                assert float(error) <= float(target), (row, cell)


def quick(folder):
    output = pathlib.Path(folder) / "page.md"
    done = subprocess.run([sys.executable, source / "scripts/figures.py", "--quick", "--program",
                           program, "-o", output], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    page, before = output.read_text("utf-8"), PAGE.read_text("utf-8")
    for name in TABLES["cpu"]:
        require_filled(name, table_of(page, name, "cpu"))
    require_reached(table_of(page, "peers", "cpu"))
    for name in TABLES["gpu"]:
        assert table_of(page, name, "gpu") == table_of(before, name, "gpu"), name


def links():
    headings = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
                for line in PAGE.read_text("utf-8").splitlines() if line.startswith("#")}
    for folder, suffixes in (("docs", [".md"]), ("recon", [".hpp", ".cpp"]), ("scripts", [".py"])):
        for path in (source / folder).rglob("*"):
            if path.suffix not in suffixes:
                continue
            for anchor in re.findall(r"performance\.md#([\w-]+)", path.read_text("utf-8")):
                assert anchor in headings, f"{path} links to performance.md#{anchor}"


with tempfile.TemporaryDirectory() as work:
    quick(work)
links()
