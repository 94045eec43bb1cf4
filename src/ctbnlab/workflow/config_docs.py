"""A reference of all config keys as Markdown, generated from the model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ctbnlab.presentation.table_writers import markdown_table
from ctbnlab.workflow.config import (
    BootstrapSection,
    CellException,
    Config,
    DataSection,
    DataSetSection,
    DesignSection,
    KeepSection,
    LearnerSection,
    NetworkSection,
)

# The title of each section, in the order of the reference.
_TITLES: dict[type[BaseModel], str] = {
    Config: "Top level",
    DesignSection: "`design`",
    CellException: "`design.exceptions`",
    DataSetSection: "`design.data_sets.<label>`",
    NetworkSection: "`network`",
    LearnerSection: "`learners.<label>`",
    DataSection: "`data`",
    BootstrapSection: "`bootstrap`",
    KeepSection: "`keep`",
}


_PLURALS = {"integer": "integers", "number": "numbers", "section": "sections"}


def explanation() -> str:
    """Return every key with its type, default and meaning: the reference in config/README.md."""
    parts = []
    for section, title in _TITLES.items():
        rows = [
            [
                f"`{name}`",
                _type_text(section, name),
                "required" if entry.is_required() else f"`{_plain(entry.default)}`",
                entry.description or "",
            ]
            for name, entry in section.model_fields.items()
        ]
        table = markdown_table(["key", "type", "default", "meaning"], rows, padded=False)
        parts.append(f"## {title}\n\n{section.__doc__ or ''}\n\n{table}\n")
    return "\n".join(parts)


def _plain(value: Any) -> str:
    return json.dumps(value.model_dump() if isinstance(value, BaseModel) else value, ensure_ascii=False)


def _type_text(section: type[BaseModel], name: str) -> str:
    schema = section.model_json_schema(mode="validation")
    return _schema_text(schema["properties"][name])


def _schema_text(entry: Mapping[str, Any]) -> str:
    if "enum" in entry or "const" in entry:
        return " or ".join(f"`{value}`" for value in entry.get("enum", [entry.get("const")]))
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_schema_text(option) for option in entry["anyOf"]))
    if "$ref" in entry:
        return "section"
    if entry.get("type") == "array":
        items = _schema_text(entry["items"])
        return f"list of ({items})" if " or " in items else f"list of {_PLURALS.get(items, items)}"
    if entry.get("type") == "object":
        return "mapping"
    kind = str(entry.get("type", "any"))
    return {"string": "text"}.get(kind, kind)
