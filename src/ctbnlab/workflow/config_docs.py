"""The config's keys explained in Markdown, from the model itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ctbnlab.workflow.config import (
    CellException,
    Config,
    DataSection,
    DesignSection,
    KeepSection,
    LearnerSection,
    NetworkSection,
    sections,
)


def explanation() -> str:
    """Return every key, its type, default and meaning as Markdown: the text of config/README.md."""
    lines: list[str] = []
    for section in sorted(sections(), key=lambda section: section is not Config):
        title = "The whole" if section is Config else f"`{_KEYS[section]}`"
        lines += [f"## {title}", "", section.__doc__ or "", "", "| key | type | default | meaning |"]
        lines.append("| --- | --- | --- | --- |")
        for name, entry in section.model_fields.items():
            default = "required" if entry.is_required() else f"`{_plain(entry.default)}`"
            meaning = (entry.description or "").replace("|", "\\|")
            lines.append(f"| `{name}` | {_type_text(section, name)} | {default} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


# Where each section stands in a config.
_KEYS: dict[type[BaseModel], str] = {
    DesignSection: "design",
    CellException: "design.exceptions",
    NetworkSection: "network",
    LearnerSection: "learners.<label>",
    DataSection: "data",
    KeepSection: "keep",
}


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
        return f"list of {_schema_text(entry['items'])}"
    if entry.get("type") == "object":
        return "mapping"
    kind = str(entry.get("type", "any"))
    return {"null": "nothing", "string": "text"}.get(kind, kind)
