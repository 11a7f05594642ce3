"""The examples of the documents, each a script."""

import pathlib
import runpy

import pytest

EXAMPLES = sorted(pathlib.Path(__file__).parent.glob("examples/*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example):
    try:
        runpy.run_path(str(example))
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
