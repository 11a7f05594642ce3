#!/usr/bin/env python3
"""CITATION.cff has what version 1.2.0 of its format asks for, and cites no other paper than the
documents do.

    citation.py REPOSITORY"""

import pathlib
import re
import sys

import jsonschema
import yaml

TEXT = {"type": "string", "minLength": 1}
PERSON = {"required": ["family-names", "given-names"], "additionalProperties": False,
          "properties": {"family-names": TEXT, "given-names": TEXT}}
ENTITY = {"required": ["name"], "additionalProperties": False, "properties": {"name": TEXT}}
AUTHORS = {"type": "array", "minItems": 1, "items": {"anyOf": [PERSON, ENTITY]}}
REFERENCE = {
    "type": "object", "required": ["authors", "title", "type"], "additionalProperties": False,
    "properties": {"type": {"enum": ["article"]}, "title": TEXT, "authors": AUTHORS,
                   "journal": TEXT, "volume": {"type": ["integer", "string"]}, "issue": TEXT,
                   "start": TEXT, "end": TEXT, "year": {"type": "integer"},
                   "doi": {"type": "string", "pattern": r"^10\.\d{4,9}/\S+$"}}}
SCHEMA = {
    "type": "object", "required": ["authors", "cff-version", "message", "title"],
    "additionalProperties": False,
    "properties": {"cff-version": {"const": "1.2.0"}, "message": TEXT, "title": TEXT,
                   "abstract": TEXT, "type": {"enum": ["software", "dataset"]}, "authors": AUTHORS,
                   "references": {"type": "array", "minItems": 1, "items": REFERENCE}}}

repository = pathlib.Path(sys.argv[1])
found = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
jsonschema.validate(found, SCHEMA)
page = re.sub(r"\s+", " ", (repository / "docs/maths.md").read_text(encoding="utf-8"))
for reference in found["references"]:
    if f"{reference['title']}, " not in page:
        sys.exit(f"docs/maths.md does not cite {reference['title']}")
