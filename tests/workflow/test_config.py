"""The config: shipped ones are valid, errors are one clear line, schema and reference are up to date."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
import yaml

from ctbnlab.errors import InputError
from ctbnlab.workflow.config import json_schema, load, parse
from ctbnlab.workflow.config_docs import explanation

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "config").glob("*.yaml"))


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def minimal(**changes):
    content = {
        "experiment": "x",
        "design": {"nodes": [5], "states": [2], "density": [0.2]},
        "learners": {"a": {"algorithm": "ctss"}},
    }
    return content | changes


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path):
    content, source = parse(str(path))
    load(content, source)


def test_schema_and_reference_are_up_to_date():
    committed = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text())
    assert committed == json_schema(), "run: ctbnlab config --schema -o workflow/schemas/config.schema.json"
    assert explanation() in (ROOT / "config/README.md").read_text(), "see: ctbnlab config --explain"


def test_every_shipped_config_is_in_the_readme():
    text = (ROOT / "config/README.md").read_text()
    assert all(f"`{path.name}`" in text for path in SHIPPED)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lerners": {}}, "lerners: unknown key; did you mean 'learners'?"),
        (
            {"learners": {"a": {"algorithm": "ctss", "optoins": {}}}},
            "learners.a.optoins: unknown key",
        ),
        (
            {"design": {"nodes": 5, "states": [2], "density": [0.2]}},
            "design.nodes: Input should be a valid list",
        ),
        ({"design": {"nodes": [5], "density": [0.2]}}, "design.states: required key is missing"),
        ({"design": {"nodes": [5], "states": [1], "density": [0.2]}}, "design.states.0: "),
        ({"design": {"nodes": [5], "states": [2], "density": [1.2]}}, "design.density.0: "),
        ({"design": None}, "set either `design` or `data`"),
        ({"data": {"path": "x.csv"}}, "set either `design` or `data`, not both"),
        ({"baseline": "b"}, "baseline: 'b' is not one of the learners"),
        ({"experiment": "../x"}, "experiment: String should match"),
        ({"seed": "x"}, "seed: Input should be a valid integer"),
        ({"network": {"low": 9.0}}, "low must not exceed high"),
        ({"nodes_per_job": 0}, "nodes_per_job: "),
        ({"time_limit": float("inf")}, "time_limit: must be a finite number, not inf"),
        ({"time_limit": float("nan")}, "time_limit: must be a finite number, not nan"),
        ({"seed": 10**5000}, "seed: is too large a number"),
        ({7: 1}, "the key 7 is not text; put it in quotes"),
        ({None: 1}, "the key None is not text"),
        ({"keep": {("a",): 1}}, "keep: the key ('a',) is not text"),
        ({"experiment": date(2026, 1, 1)}, "not datetime.date(2026, 1, 1); put it in quotes"),
        ({"learners": {"a": {"algorithm": "ctss", "options": {"x": nested(500)}}}}, "is nested too deeply"),
        ({"learners": {"a": {"algorithm": "ctss", "options": {"x": nested(40)}}}}, "learners.a.options.x: "),
    ],
)
def test_errors_are_one_clear_line(changes, message):
    with pytest.raises(InputError) as caught:
        load(minimal() | changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_single_node_is_always_isolated():
    content = minimal(network={"connectivity": "no-isolated"})
    content["design"]["nodes"] = [1]
    with pytest.raises(InputError, match="always isolated"):
        load(content)


def test_parse_reads_files_and_text(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(minimal()))
    assert parse(str(path))[0] == minimal() == parse(json.dumps(minimal()))[0]
    path.write_text("a: [1")
    with pytest.raises(InputError, match=r"config\.yaml: line 1, column 6: is not valid YAML"):
        parse(str(path))


def test_aliases_and_merged_keys_are_read(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "experiment: x\n"
        "design: {nodes: [5], states: [2], density: [0.2]}\n"
        "learners:\n"
        "  a: &a {algorithm: ctss, threads: 2}\n"
        "  b: &b {<<: *a, threads: 4}\n"
        "  c: {<<: *b, options: {tau: 2}}\n"
    )
    learners = load(*parse(str(path))).learners
    assert [learners[label].threads for label in "abc"] == [2, 4, 4]
    assert {entry.algorithm for entry in learners.values()} == {"ctss"}


def test_shared_values_are_counted_without_being_listed():
    value = "x"
    for _ in range(60):
        value = [value] * 2
    with pytest.raises(InputError, match="describes more than 1,000,000 values"):
        load(minimal(network=value))
