#!/usr/bin/env python3
"""Checks that the documents stay short: words, columns, cells of tables, links of the README.

    check_docs.py [ROOT]      prints every violation; exit code 1 when there is one
    check_docs.py --self-test each rule must catch a page that breaks it
"""

import pathlib
import re
import sys

from rule_tests import failures_of

GENERATED = "docs/options.md"
MOST_WORDS = 30000  # in all pages but the generated one
MOST_WORDS_OF = {"docs/performance.md": 2500, "docs/maths.md": 6000,
                 "docs/formats.md docs/ismrmrd.md docs/image.md": 5000}
LONGEST_LINE = 110  # columns
LONGEST_CELL = 25  # words

LINK = re.compile(r"\]\(([^)#\s]+)[^)\s]*\)")


def pages(root):
    """Path below `root` -> text, of every page that somebody writes."""
    paths = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    names = [path.relative_to(root).as_posix() for path in paths]
    return {name: path.read_text(encoding="utf-8") for name, path in zip(names, paths)
            if name != GENERATED}


def too_many_words(texts):
    words = {name: len(text.split()) for name, text in texts.items()}
    if sum(words.values()) > MOST_WORDS:
        yield f"the documents have {sum(words.values())} words, {MOST_WORDS} at most"
    for names, most in MOST_WORDS_OF.items():
        found = sum(words.get(name, 0) for name in names.split())
        if found > most:
            yield f"{names}: {found} words, {most} at most"


def check_page(name, text):
    """Lines and cells of one page that are too long."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            yield f"{name}:{number}: {len(line)} columns, {LONGEST_LINE} at most"
        if line.startswith("|"):
            for cell in line.strip("|").split("|"):
                if len(cell.split()) > LONGEST_CELL:
                    yield f"{name}:{number}: a cell of {len(cell.split())} words"


def broken_links(root, text):
    """Links of the README; Sphinx checks those of the other pages."""
    for target in LINK.findall(text):
        if "://" not in target and not (root / target).exists():
            yield f"README.md: links to {target}, which is missing"


def check(root):
    """Every violation below `root`, as text."""
    texts = pages(root)
    yield from too_many_words(texts)
    for name, text in texts.items():
        yield from check_page(name, text)
    yield from broken_links(root, texts["README.md"])


# What is right, and for every rule something that breaks it: (pages, what the message holds).
RIGHT = {
    "README.md": "[page](docs/maths.md#sums), [site](https://example.org)\n",
    "docs/maths.md": "| a | b |\n|---|---|\n" + "| " + "w " * LONGEST_CELL + "| b |\n",
    GENERATED: "word " * (MOST_WORDS + 1) + "\n",
}
WRONG = [
    ({"docs/a.md": "word\n" * MOST_WORDS}, f"{MOST_WORDS} at most"),
    ({"docs/performance.md": "word\n" * 2501}, "2501 words"),
    ({"docs/formats.md": "word\n" * 2501, "docs/image.md": "word\n" * 2500}, "5001 words"),
    ({"docs/decisions/a.md": "x" * 111 + "\n"}, "111 columns"),
    ({"docs/a.md": "| a | " + "w " * 26 + "|\n"}, "a cell of 26 words"),
    ({"README.md": "[page](docs/none.md)\n"}, "docs/none.md"),
]


def main(arguments):
    if arguments == ["--self-test"]:
        failures = failures_of(check, RIGHT, WRONG)
    else:
        here = pathlib.Path(__file__).resolve().parent.parent
        failures = list(check(pathlib.Path(arguments[0]) if arguments else here))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
