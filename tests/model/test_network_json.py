"""Networks as JSON: exact round trips, the published schema, and errors that name their place."""

from __future__ import annotations

import copy
import gzip
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.model import gallery
from ctbnlab.model.cims import DrawnCims
from ctbnlab.model.generate import generate
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.network_json import from_json, to_json
from tests.support.network_strategies import networks

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schemas/network.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@given(networks(), st.sampled_from(["auto", "explicit", "recipe"]))
def test_round_trip_is_exact(network, rates):
    text = to_json(network, rates)
    back = from_json(text)
    assert back.equals(network)
    assert network.equals(back)
    assert to_json(back, rates) == text
    VALIDATOR.validate(json.loads(text))


@given(networks(drawn_rates=True, max_variables=4))
def test_explicit_rates_equal_their_recipe(network):
    explicit, recipe = (from_json(to_json(network, rates)) for rates in ("explicit", "recipe"))
    assert all(isinstance(cims, DrawnCims) for cims in recipe.cims)
    assert not any(isinstance(cims, DrawnCims) for cims in explicit.cims)
    for a, b in zip(explicit.cims, recipe.cims, strict=True):
        assert np.array_equal(a.table(), b.table())


@pytest.mark.parametrize("name", gallery.names())
def test_gallery_round_trip(tmp_path, name):
    network = gallery.get(name)
    for ending in (".json", ".json.gz"):
        network.write(tmp_path / f"network{ending}")
        back = Network.read(tmp_path / f"network{ending}")
        assert back.equals(network)
        assert back.about == network.about
    VALIDATOR.validate(json.loads((tmp_path / "network.json").read_text()))
    again = tmp_path / "again.json.gz"
    network.write(again)
    assert again.read_bytes() == (tmp_path / "network.json.gz").read_bytes()
    assert len(list(tmp_path.iterdir())) == 3


def test_schema_is_valid_and_refuses_bad_files():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    tree = json.loads(to_json(gallery.get("drug")))
    for change in ({"version": 2}, {"extra": 1}, {"variables": []}, {"initial": "somehow"}):
        assert not VALIDATOR.is_valid(tree | change)


def test_the_documented_example_is_a_network():
    text = (ROOT / "docs/file-formats.md").read_text()
    network = from_json(text.split("```json\n")[1].split("```")[0])
    assert network.cim("Full", Eating="no")[1, 0] == 0.4


def test_matrices_have_one_row_per_line():
    lines = to_json(gallery.get("eating")).splitlines()
    assert "            [10.0, -10.0]" in lines
    assert '          "given": {"Hungry": "no"},' in lines


def test_small_networks_are_explicit_and_large_ones_recipes():
    small, large = generate(5, 3, 0.2), generate(12, 4, 0.4)
    assert small.n_parameters <= 20_000 < large.n_parameters
    assert '"drawn"' not in to_json(small)
    assert '"intensities"' not in to_json(large)


def test_almost_fixed_and_almost_uniform_round_trip_exactly():
    network = gallery.get("eating")
    for row in ([1.0, 1e-10], [0.5 + 1e-12, 0.5], [1.0, 0.0], [0.5, 0.5]):
        initial = InitialDistribution.build(network.variables, [()] * 3, [[row]] * 3)
        changed_network = network.with_initial(initial)
        assert from_json(to_json(changed_network)).equals(changed_network)


def test_order_of_entries_is_free():
    tree = json.loads(to_json(gallery.get("drug")))
    for variable in tree["variables"]:
        variable["cims"].reverse()
    tree["initial"]["network"].reverse()
    assert from_json(json.dumps(tree)).equals(gallery.get("drug"))
    del tree["initial"]
    assert from_json(json.dumps(tree)).initial.uniform


def test_about_is_kept_unchanged(tmp_path):
    about = {"z": [1, {"b": None, "a": [True, 0.1]}], "a": "ä\n"}
    tree = json.loads(to_json(gallery.get("eating"))) | {"about": about}
    network = from_json(json.dumps(tree))
    assert network.about == about
    assert list(from_json(to_json(network)).about) == ["z", "a"]


TREE = json.loads(to_json(gallery.get("eating")))


def changed(path, value):
    """Return the example with the value at `path` replaced, or deleted if `value` is None."""
    tree = copy.deepcopy(TREE)
    *keys, last = path
    container = tree
    for key in keys:
        container = container[key]
    if value is None:
        del container[last]
    else:
        container[last] = value
    return json.dumps(tree)


MATRIX = ("variables", 2, "cims", 1, "intensities")
CYCLE = {
    "network": [
        {
            "variable": a,
            "parents": [b],
            "tables": [{"given": {b: x}, "probabilities": [1, 0]} for x in states],
        }
        for states in [("no", "yes")]
        for a, b in [("Eating", "Full"), ("Full", "Hungry"), ("Hungry", "Eating")]
    ]
}
DRAWN = {"law": "uniform", "low": 1.0, "high": 5.0, "key": "0x0123456789abcdef"}
BAD = {
    "row does not sum to 0": (
        changed((*MATRIX, 0), [-0.01, 0.11]),
        "variables[2].cims[1].intensities: variable 'Hungry', Full=yes, row 'no' sums to 0.1, not 0",
    ),
    "negative rate": (
        changed((*MATRIX, 0), [0.01, -0.01]),
        "variables[2].cims[1].intensities: variable 'Hungry', Full=yes, row 'no' has a negative rate, -0.01",
    ),
    "too few configurations": (
        changed(("variables", 2, "cims", 1), None),
        "variables[2].cims: has 1 entries; the parents have 2 configurations",
    ),
    "a configuration twice": (
        changed(("variables", 2, "cims", 1, "given", "Full"), "no"),
        "variables[2].cims[1].given: Full=no appears twice",
    ),
    "given an unknown state": (
        changed(("variables", 2, "cims", 1, "given", "Full"), "half"),
        "variables[2].cims[1].given.Full: 'half' is not a state of 'Full'; its states are no, yes",
    ),
    "given a variable that is no parent": (
        changed(("variables", 2, "cims", 1, "given"), {"Eating": "no"}),
        "variables[2].cims[1].given: the key 'Full' is missing",
    ),
    "too short a row": (
        changed((*MATRIX, 1), [0.0]),
        "variables[2].cims[1].intensities[1]: has 1 entries; the variable has 2 states",
    ),
    "too few rows": (changed(MATRIX, [[0, 0]]), "variables[2].cims[1].intensities: has 1 entries"),
    "a text for a number": (
        changed((*MATRIX, 1, 0), "5"),
        'variables[2].cims[1].intensities[1][0]: must be a number, not "5"',
    ),
    "true for a number": (changed((*MATRIX, 1, 0), True), "intensities[1][0]: must be a number, not true"),
    "NaN": (changed((*MATRIX, 1, 0), float("nan")), "intensities[1][0]: must be a number, not NaN"),
    "infinity": (changed((*MATRIX, 1, 0), float("inf")), "[1][0]: must be a number, not Infinity"),
    "too large a number": (changed((*MATRIX, 1, 0), 0.5).replace("0.5", "1e999"), "the number is too large"),
    "too large an integer": (changed((*MATRIX, 1, 0), 10**400), "[1][0]: the number is too large"),
    "endless digits": (
        changed((*MATRIX, 1, 0), 1).replace("[1,", f"[{'9' * 5000},"),
        "has a whole number of more than 4,300 digits",
    ),
    "unknown parent": (
        changed(("variables", 2, "parents"), ["Sleepy"]),
        "variables[2].parents[0]: 'Sleepy' is not a variable of this network",
    ),
    "self-loop": (
        changed(("variables", 2, "parents"), ["Hungry"]),
        "variables[2].parents[0]: 'Hungry' is its own parent",
    ),
    "parent twice": (
        changed(("variables", 2, "parents"), ["Full", "Full"]),
        "variables[2].parents[1]: 'Full' appears twice",
    ),
    "duplicate variable": (
        changed(("variables", 2, "name"), "Eating"),
        "variables: the variable 'Eating' appears twice",
    ),
    "duplicate state": (
        changed(("variables", 2, "states"), ["no", "no"]),
        "variables: variable 'Hungry': the state 'no' appears twice",
    ),
    "half a surrogate pair": (
        changed(("variables", 2, "name"), "\ud800"),
        "variables[2].name: contains half",
    ),
    "cyclic initial distribution": (
        changed(("initial",), CYCLE),
        "initial.network: the initial distribution has a cycle among Eating, Full, Hungry",
    ),
    "initial probabilities": (
        changed(
            ("initial",),
            {
                "network": [
                    {"variable": a, "parents": [], "tables": [{"given": {}, "probabilities": [0.5, 0.4]}]}
                    for a in ("Eating", "Full", "Hungry")
                ]
            },
        ),
        "initial.network: initial distribution of 'Eating': its probabilities sum to 0.9, not 1",
    ),
    "initial network lacks a variable": (
        changed(("initial",), {"network": []}),
        "initial.network: the variable 'Eating' is missing",
    ),
    "initial state of an unknown variable": (
        changed(("initial",), {"fixed": {"Eating": "no", "Full": "no", "Sleepy": "no"}}),
        "initial.fixed: an initial state is given for 'Sleepy', which is not a variable",
    ),
    "initial of no known form": (changed(("initial",), {"some": 1}), 'initial: must be "uniform", {"fixed"'),
    "law": (
        changed(("variables", 0, "cims"), {"drawn": DRAWN | {"law": "normal"}}),
        "variables[0].cims.drawn: unknown rate law 'normal'",
    ),
    "bounds of a law": (
        changed(("variables", 0, "cims"), {"drawn": DRAWN | {"low": 9}}),
        "variables[0].cims.drawn: rate bounds must satisfy 0 < low ≤ high",
    ),
    "key": (
        changed(("variables", 0, "cims"), {"drawn": DRAWN | {"key": "17"}}),
        "variables[0].cims.drawn.key: must be 0x followed by 16 hexadecimal digits",
    ),
    "wrong version": (changed(("version",), 2), "has format version 2; this program reads version 1"),
    "no version": (changed(("version",), None), "has format version None"),
    "another format": (changed(("format",), "ctbnlab.cohort"), "is not a network"),
    "a number": ("17", "is not a network"),
    "an unknown key": (changed(("variables", 0, "colour"), "red"), "variables[0].colour: unknown key"),
    "a missing key": (changed(("variables", 0, "states"), None), "variables[0]: the key 'states' is missing"),
    "a duplicate key": (
        json.dumps(TREE).replace('"name": "Full"', '"name": "Full", "name": "Full"'),
        "variables[1]: the key 'name' appears twice",
    ),
    "an object for a list": (changed(("variables",), {}), "variables: must be a list […], not an object"),
    "about is no object": (changed(("about",), [1]), "about: must be an object"),
    "NaN in about": (changed(("about",), {"x": [float("nan")]}), "about.x[0]: must be a JSON value, not NaN"),
    "truncated": (json.dumps(TREE, indent=1)[:300], "column"),
    "truncated after a comma": (json.dumps(TREE)[:40], "line 1, column 41: is not JSON"),
    "deep nesting": ('{"format":' * 100_000, "is nested too deeply"),
    "deep nesting in about": (
        changed(("about",), {"x": 1}).replace('{"x": 1}', '{"x": ' + "[" * 60 + "]" * 60 + "}"),
        "nested too deeply",
    ),
    "empty": ("", "the file is empty"),
    "blank": (" \n\t\n", "the file is empty"),
    "binary": (bytes(range(256)) * 4, "is a binary file, not text"),
    "truncated gzip": (gzip.compress(json.dumps(TREE).encode())[:-40], "is truncated or not a gzip file"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gives_one_line(tmp_path, capsys, case):
    content, message = BAD[case]
    path = tmp_path / "network.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["show", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"ctbnlab: {path}: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_missing_file(tmp_path, capsys):
    assert main(["show", str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err == f"ctbnlab: {tmp_path / 'none.json'}: No such file or directory\n"


def test_reading_needs_neither_scipy_nor_pandas_nor_pydantic(tmp_path):
    gallery.get("drug").write(tmp_path / "network.json")
    program = (
        "import sys, ctbnlab; ctbnlab.Network.read(sys.argv[1]);"
        "print([m for m in ('scipy', 'pandas', 'pydantic', 'matplotlib', 'networkx') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "network.json")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_unknown_ways_to_write_rates_are_refused():
    with pytest.raises(InputError, match="not 'twice'"):
        to_json(gallery.get("eating"), "twice")
