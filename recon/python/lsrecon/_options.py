"""The table of options: keywords of Python are its keys, and words are made of their values."""

from __future__ import annotations

import functools
import numbers
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._words import of_python, refuse


class Option(NamedTuple):
    """A keyword of `recon` and of what does as it does."""

    name: str
    form: str
    help: str
    default: str
    unit: str
    more: str
    group: str
    words: list[str]
    repeated: bool


@functools.cache
def _rows() -> dict[str, Option]:
    rows = {}
    for row in _core.options():
        name = {"lambda": "lambda_"}.get(row["key"], row["key"])
        rows[row["key"]] = Option(name, row["form"], of_python(row["help"]),
                                  of_python(row["default"]), row["unit"], of_python(row["more"]),
                                  row["group"], row["words"], row["repeated"])
    return rows


_ARGUMENTS = {"matrix", "fov_mm", "maps", "field_map", "prior"}  # which are arrays


def options() -> list[Option]:
    """Every keyword that chooses how images are made, as a row of the table of options."""
    return [row for key, row in _rows().items() if key not in _ARGUMENTS]


def devices() -> list[dict[str, Any]]:
    """The OpenCL devices of this machine; any part of a name chooses one by `device`."""
    return _core.devices()


def _word(name: str, value: Any) -> str:
    """One value in a word."""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (list, tuple, range, np.ndarray)):
        return ",".join(_word(name, one) for one in value)
    refuse(name, repr(value), "a number, a word, or several of them", "see lsrecon.options()")


def _words(row: Option, value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        is_switch = row.form in ("", "[N]")
        if not is_switch:
            refuse(row.name, value, row.form, "see lsrecon.options()")
        return [""] if value else ["no"] if row.form == "" else []
    if not row.repeated:
        return [_word(row.name, value)]
    weighed = isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], numbers.Real)
    several = [value] if weighed or isinstance(value, str) else value
    return [":".join(_word(row.name, part) for part in one) if isinstance(one, tuple)
            else _word(row.name, one) for one in several]


def words_of(given: dict[str, Any]) -> list[tuple[str, str]]:
    """Keys and words of keywords: lambda_=0.1 is ("lambda", "0.1"), reg=[("tv", 0.02)] is
    ("reg", "tv:0.02"). None stands for the default."""
    words = []
    for name, value in given.items():
        key = name[:-1] if name == "lambda_" else name
        row = _rows().get(key)
        if row is None or name != row.name:
            words.append((name, ""))  # which the table refuses, and names the nearest
        else:
            words += [(key, word) for word in _words(row, value)]
    return words


def documented(function: Any) -> Any:
    """Adds the rows to the text of a function that takes them."""
    lines = [function.__doc__ or "", "Options, as of lsrecon.options():\n"]
    for row in options():
        unit = f", {row.unit}" if row.unit else ""
        default = f" (default: {row.default})" if row.default else ""
        lines.append(f"{row.name} : {row.form or 'bool'}{unit}\n    {row.help}{default}")
    function.__doc__ = "\n".join(lines)
    return function
