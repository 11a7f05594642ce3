"""Words of the library as a user of Python reads them, and errors in their form."""

from __future__ import annotations

import re
from typing import NoReturn

_KEYWORDS = {"lambda": "lambda_", "traj_units": "units"}


def of_python(message: str) -> str:
    """The message with keywords in place of the library's keys."""
    message = re.sub(r"`(\w+)`", lambda key: f"`{_KEYWORDS.get(key[1], key[1])}`", message)
    return message.replace("see docs/options.md", "see lsrecon.options()")


def refuse(keyword: str, found: object, expected: str, hint: str) -> NoReturn:
    """The ValueError of a keyword, in the form of the library's own."""
    raise ValueError(f"`{keyword}` {found}\n  expected: {expected}\n  next:     {hint}")
