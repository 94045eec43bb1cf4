"""The record that ends every report: learners, versions, config, how to repeat the run, what to cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ctbnlab.io import json_text
from ctbnlab.learning import registry
from ctbnlab.presentation.report.markup import (
    Html,
    code_block,
    element,
    facts_table,
    folded,
    joined,
    name,
    paragraph,
    plain_table,
    text,
)
from ctbnlab.presentation.report.page_layout import Part, Section

_LABELS = {
    "ctbnlab": "ctbnlab",
    "python": "Python",
    "system": "System",
    "processor": "Processor",
    "cores": "Cores",
    "memory_gb": "Memory (GB)",
    "revision": "Revision",
    "rows": "Rows made with",
    "packages": "Packages",
}


def record(config: Mapping[str, Any], environment: Mapping[str, Any]) -> Section:
    """Return the section on how the results were made and how to make them again."""
    parts = [
        Part("Learners and options", _learners(config)),
        Part("Versions and machine", _environment(environment)),
        Part("Reproduce", _reproduce(config, environment)),
        Part("Config", folded("The whole config, defaults included", code_block(json_text.dumps(config)))),
        Part("Citation", _citation(config, environment)),
    ]
    return Section("Record", Html(), tuple(parts))


def _learners(config: Mapping[str, Any]) -> Html:
    body = [
        [
            name(label),
            name(entry.get("algorithm") or _value(entry.get("command", ""))),
            _options(entry),
            str(entry.get("threads", 1)),
        ]
        for label, entry in config["learners"].items()
    ]
    return plain_table(
        ["Label", "Algorithm", "Options", "Threads"], body, label="Learners and options", numeric=(3,)
    )


def _options(entry: Mapping[str, Any]) -> Html:
    """Return the options that the config sets, with the values of a sweep."""
    given = {**entry.get("options", {}), **entry.get("sweep", {})}
    if not given:
        return text("defaults")
    return joined([element("code", f"{key}={_value(value)}") for key, value in given.items()], " ")


def _value(value: object) -> str:
    return value if isinstance(value, str) else json_text.dumps(value).strip()


def _environment(environment: Mapping[str, Any]) -> Html:
    """Return whatever the record of the environment has, the known entries first."""
    keys = [*(key for key in _LABELS if key in environment), *sorted(set(environment) - set(_LABELS))]
    body = [
        (_LABELS.get(key, key.replace("_", " ").capitalize()), _described(environment[key])) for key in keys
    ]
    return facts_table(body, label="Versions and machine") if body else paragraph("Not recorded.")


def _described(value: object) -> Html:
    """Return a value of the record as a line, and a list or an object as several."""
    if isinstance(value, Mapping):
        return joined([_pair(key, entry) for key, entry in value.items()], ", ")
    if isinstance(value, list):
        return joined([element("div", _described(entry)) for entry in value])
    return text("not recorded" if value is None else value)


def _pair(key: object, value: object) -> Html:
    return joined([text(key), _described(value)], " ")


def reproducing(config: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    """Return the commands that make the results again, in a clone of ctbnlab."""
    lines = []
    if found := re.match(r"[0-9a-f]{40}\b", str(environment.get("revision"))):
        lines.append(f"git checkout {found[0]}")
    lines.append(f"snakemake --cores all --configfile results/{config['experiment']}/config.json")
    return "\n".join(lines)


def _reproduce(config: Mapping[str, Any], environment: Mapping[str, Any]) -> Html:
    note = "In a clone of ctbnlab; config.json is next to this page."
    return joined([paragraph(note), code_block(reproducing(config, environment))])


def citations(config: Mapping[str, Any], environment: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what to cite: the software, then its learners."""
    version = environment.get("ctbnlab")
    return (f"The ctbnlab developers: ctbnlab{f' {version}' if version else ''}", *_citations(config))


def _citation(config: Mapping[str, Any], environment: Mapping[str, Any]) -> Html:
    return element(
        "ul", *(element("li", entry) for entry in citations(config, environment)), class_="notes-list"
    )


def _citations(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what to cite for the built-in learners and the published values; users' code is not loaded."""
    algorithms = [entry.get("algorithm") for entry in config["learners"].values()]
    if config.get("reference") is not None:
        algorithms.append("ctpc-chi2")  # its citation is the paper
    found = [
        registry.learner_class(algorithm)[0].citation
        for algorithm in algorithms
        if algorithm in registry.LEARNERS
    ]
    return tuple(dict.fromkeys(found))
