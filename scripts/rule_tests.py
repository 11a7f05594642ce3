"""Tests of scripts that check files by rules: check(root) yields every violation below a folder."""

import pathlib
import tempfile


def violations_of(check, files):
    """Those of files, by their path below the root."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return list(check(root))


def failures_of(check, right, wrong):
    """What is right must pass, and each of the wrong ones, (files, what the message holds), beside
    it must give one message."""
    failures = [f"complains about what is right: {v}" for v in violations_of(check, right)]
    for files, expected in wrong:
        found = violations_of(check, {**right, **files})
        if len(found) != 1 or expected not in found[0]:
            failures.append(f"{list(files)}: expected one message with '{expected}', found {found}")
    return failures
