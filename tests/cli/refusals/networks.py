"""Bad input to the commands on networks: gallery, generate, simulate, show."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import gzip

from tests.cli.refusals import CHILD, NETWORK, RECIPE, VARIABLE, Case, bomb, changed, without

_SHOW = "show n.json"
_MATRIX = ("variables", 0, "cims", 0, "intensities")
_MANY = [changed(VARIABLE, "name", f"P{i}") for i in range(40)]
_TERABYTES = changed(
    NETWORK,
    "variables",
    [*_MANY, changed(changed(CHILD, "parents", [v["name"] for v in _MANY]), "cims", RECIPE)],
)
_BEYOND = [changed(changed(VARIABLE, "name", f"P{i}"), "cims", RECIPE) for i in range(64)]
_TOO_MANY = changed(
    NETWORK,
    "variables",
    [*_BEYOND, changed(changed(CHILD, "parents", [v["name"] for v in _BEYOND]), "cims", RECIPE)],
)


def _initial(*entries):
    return changed(NETWORK, "initial", {"network": list(entries)})


def _table(name, parents, tables):
    return {"variable": name, "parents": parents, "tables": tables}


_HALF = [{"given": {}, "probabilities": [0.5, 0.5]}]
_GIVEN_A = [{"given": {"A": x}, "probabilities": [0.5, 0.5]} for x in "01"]
_GIVEN_B = [{"given": {"B": x}, "probabilities": [0.5, 0.5]} for x in "01"]


def network(message, tree):
    """Return the case of a network that cannot be shown."""
    return Case(_SHOW, f"n.json: {message}", {"n.json": tree})


GALLERY = {
    "gallery: unknown network": Case("gallery eatin", "unknown network 'eatin'"),
    "gallery: a billion variables": Case(
        "gallery ring --nodes 1000000000", "a ring has at most 65,535 variables and 255 states", heavy=True
    ),
    "gallery: a chain of nothing": Case("gallery chain --nodes -3", "a chain needs at least 1 variable"),
    "gallery: a million states": Case(
        "gallery chain --states 1000000", "a chain has at most 65,535 variables and 255 states", heavy=True
    ),
    "gallery: rate is not a number": Case(
        "gallery chain --follow nan", "rates must not be negative or infinite"
    ),
    "gallery: rate is infinite": Case(
        "gallery budding-yeast --up inf", "rates must not be negative or infinite"
    ),
    "gallery: branches": Case("gallery tree --branches 0", "a tree needs at least 1 branch"),
    "gallery: number of 5,000 digits": Case(
        f"gallery ring --nodes {'9' * 5000}", "!argument --nodes: invalid int value: '999"
    ),
    "gallery: into a missing folder": Case(
        "gallery eating -o none/x.json", "none/x.json: the folder none does not exist"
    ),
}
GENERATE = {
    "generate: a billion variables": Case(
        "generate --nodes 1000000000", "a random graph has at most 4096 variables, not 1000000000", heavy=True
    ),
    "generate: scattered without end": Case(
        "generate --nodes 10 --scattered 1000000000",
        "a network has at most 65,535 variables, not 10,000,000,000",
        heavy=True,
    ),
    "generate: states": Case(
        "generate --nodes 5 --states 99999999999", "a variable must have 2 to 255 states", heavy=True
    ),
    "generate: no states": Case("generate --nodes 5 --states ''", "!argument --states: must be a number"),
    "generate: negative variables": Case(
        "generate --nodes -1", "a network needs at least 1 variable, not -1"
    ),
    "generate: density is not a number": Case(
        "generate --nodes 5 --density nan", "the density must be between 0 and 1, not nan"
    ),
    "generate: density is infinite": Case(
        "generate --nodes 5 --density inf", "the density must be between 0 and 1, not inf"
    ),
    "generate: rate is not a number": Case(
        "generate --nodes 5 --low nan", "rate bounds must satisfy 0 < low ≤ high"
    ),
    "generate: rate is infinite": Case(
        "generate --nodes 5 --high inf", "rate bounds must satisfy 0 < low ≤ high"
    ),
    "generate: rate is huge": Case("generate --nodes 5 --high 1e308", "the rates are too large"),
    "generate: effect": Case(
        "generate --nodes 5 --law additive --effect nan", "the effect of additive rates must be"
    ),
    "generate: seed": Case("generate --nodes 5 --seed -1", "!argument --seed: must be a whole number from 0"),
    "generate: rates of terabytes": Case(
        "generate --nodes 40 --states 4 --density 1 --rates explicit", "the parents have", heavy=True
    ),
    "generate: rates of gigabytes": Case(
        "generate --nodes 16 --states 4 --density 1 --rates explicit",
        "206,158,430,208 rates are too many to write out",
        heavy=True,
    ),
    "generate: into a folder": Case("generate --nodes 5 -o folder", "folder: is a folder"),
}
SIMULATE = {
    f"simulate: {title}": Case(f"simulate network.json --seed 1 -o x.csv {options}", message, heavy=heavy)
    for title, options, message, heavy in [
        ("duration is not a number", "--duration nan", "the duration must be finite and 0 or more, not nan", False),
        ("duration is infinite", "--duration inf", "the duration must be finite and 0 or more, not inf", False),
        ("duration is text", "--duration soon", "!argument --duration: invalid float value: 'soon'", False),
        ("durations add up to infinity", "--duration 1e308 --trajectories 1000", "the durations add up to too long a time", False),
        ("duration is too short", "--duration 1e-300", "the duration 1e-300 is too short", False),
        ("2^62 transitions", f"--transitions {2**62}", "the number of transitions must be from 0 to 1,000,000,000,000", True),
        ("too many transitions in all", "--transitions 1000000000 --trajectories 1000000", "the transitions of all trajectories must be at most 1,000,000,000,000", True),
        ("trajectories without end", "--duration 1 --trajectories 10000000000000000", "the number of trajectories must be from 1 to 1,000,000,000,000", True),
        ("first beyond 2^63", f"--duration 1 --first {2**63}", "the number of the first trajectory must be from 0", False),
        ("a billion jobs", "--duration 1 --jobs 1000000000", "the number of jobs must be from 1 to 1,024, not 1000000000", True),
        ("negative jobs", "--duration 1 --jobs -1", "the number of jobs must be from 1 to 1,024, not -1", False),
        ("initial states are empty", "--duration 1 --initial ''", "--initial must be A=x,B=y with each variable once", False),
        ("initial state twice", "--duration 1 --initial A=0,A=1", "--initial must be A=x,B=y with each variable once: 'A' appears twice", False),
        ("initial state with an open quote", "--duration 1 --initial 'A=\"0'", "--initial must be A=x,B=y with each variable once: a double quote is not closed", False),
        ("initial state unknown", "--duration 1 --initial A=7", "initial state: 'A' has no state '7'", False),
        ("escape sequence in a name", "--duration 1 --initial '\x1b[31mA=0'", "initial state: unknown variable '\\x1b[31mA'", False),
    ]
}  # fmt: skip
SIMULATE |= {
    "simulate: rates beyond a double": Case("simulate n.json --duration 1 --seed 1 -o x.arrow", "n.json: variables[0].cims[0].intensities: variable 'A', row '0' has a rate above 1e+100", {"n.json": changed(NETWORK, *_MATRIX, [[-1e300, 1e300], [2, -2]])}, heavy=True),
    "simulate: learned graph": Case("simulate graph.json --duration 1 --seed 1 -o x.arrow", "graph.json: is a learned graph, not a network; `ctbnlab fit` makes one"),
    "simulate: more configurations than numbers": Case("simulate n.json --duration 1 --seed 1 -o x.arrow", "n.json: variables[64].cims.drawn: the parents have", {"n.json": _TOO_MANY}, heavy=True),
}  # fmt: skip
NETWORKS = {
    "network: UTF-16": network("is UTF-16 text; save it as UTF-8", str(NETWORK).encode("utf-16")),
    "network: binary": network("is a binary file, not text", b"{\0\0\0\1"),
    "network: empty": network("the file is empty", b""),
    "network: gzip of gigabytes": Case("show n.json.gz", "n.json.gz: unpacks to more than 200 times its size", {"n.json.gz": bomb(b"{", b" ", 4)}, heavy=True),
    "network: gzip cut off": network("is truncated or not a gzip file", gzip.compress(b"{}" * 500)[:-8]),
    "network: nested lists": network("is nested too deeply", '{"format":' + "[" * 100_000),
    "network: key twice": network("the key 'version' appears twice", '{"format": "ctbnlab.network", "version": 1, "version": 1, "variables": []}'),
    "network: another version": network("has format version 2; this program reads version 1", changed(NETWORK, "version", 2)),
    "network: version is true": network("has format version True", changed(NETWORK, "version", True)),
    "network: no variables": network("variables: there are no variables", changed(NETWORK, "variables", [])),
    "network: variables are text": network('variables: must be a list […], not "A"', changed(NETWORK, "variables", "A")),
    "network: states are text": network('variables[0].states: must be a list […], not "01"', changed(NETWORK, "variables", 0, "states", "01")),
    "network: parents are text": network('variables[1].parents: must be a list […], not "A"', changed(NETWORK, "variables", 1, "parents", "A")),
    "network: no cims": network("variables[0]: the key 'cims' is missing", without(NETWORK, "variables", 0, "cims")),
    "network: a million states": network("variables: variable 'A': has 1000000 states; at most 255 are supported", changed(NETWORK, "variables", 0, "states", [str(i) for i in range(10**6)])),
    "network: NUL in a name": network("variables: the name 'A\\x00' contains a NUL character", changed(NETWORK, "variables", 0, "name", "A\0")),
    "network: half a surrogate pair": network("variables[0].name: contains half of a Unicode surrogate pair", changed(NETWORK, "variables", 0, "name", "\ud800")),
    "network: a name of a megabyte": network("variables[1].parents[0]: 'A' is not a variable of this network", changed(NETWORK, "variables", 0, "name", "A" * 10**6)),
    "network: parent twice": network("variables[1].parents[1]: 'A' appears twice", changed(NETWORK, "variables", 1, "parents", ["A", "A"])),
    "network: own parent": network("variables[1].parents[0]: 'B' is its own parent", changed(NETWORK, "variables", 1, "parents", ["B"])),
    "network: negative rate": network("variables[0].cims[0].intensities: variable 'A', row '0' has a negative rate", changed(NETWORK, *_MATRIX, [[1, -1], [2, -2]])),
    "network: rate is NaN": network("variables[0].cims[0].intensities[0][1]: must be a number, not NaN", changed(NETWORK, *_MATRIX, [[-1, float("nan")], [2, -2]])),
    "network: rate of 1e999": network("variables[0].cims[0].intensities[0][1]: the number is too large", '{"format": "ctbnlab.network", "version": 1, "variables": [{"name": "A", "states": ["0", "1"], "parents": [], "cims": [{"given": {}, "intensities": [[-1, 1e999], [2, -2]]}]}]}'),
    "network: rate is huge": network("variables[0].cims[0].intensities: variable 'A', row '0' has a rate above 1e+100", changed(NETWORK, *_MATRIX, [[-1e200, 1e200], [2, -2]])),
    "network: matrix of another size": network("variables[0].cims[0].intensities: has 1 entries; the variable has 2 states", changed(NETWORK, *_MATRIX, [[0]])),
    "network: recipe without a key": network("variables[0].cims.drawn: the key 'key' is missing", changed(NETWORK, "variables", 0, "cims", without(RECIPE, "drawn", "key"))),
    "network: recipe with infinite rates": network("variables[0].cims.drawn: rate bounds must satisfy", changed(NETWORK, "variables", 0, "cims", changed(RECIPE, "drawn", "high", 0.5))),
    "network: recipe of terabytes": Case("show n.json --cims", "n.json: 2,199,023,255,552 rates are too many to write out", {"n.json": _TERABYTES}, heavy=True),
    "network: cyclic initial distribution": network("initial.network: the initial distribution has a cycle among A, B", _initial(_table("A", ["B"], _GIVEN_B), _table("B", ["A"], _GIVEN_A))),
    "network: initial distribution of one variable": network("initial.network: the variable 'B' is missing", _initial(_table("A", [], _HALF))),
    "network: initial probabilities": network("initial.network: initial distribution of 'A': its probabilities sum to 1.4, not 1", _initial(_table("A", [], [{"given": {}, "probabilities": [0.7, 0.7]}]), _table("B", [], _HALF))),
    "network: initial is a number": network('initial: must be "uniform"', changed(NETWORK, "initial", 7)),
    "inspect: none": Case("inspect none.csv", "none.csv: No such file or directory"),
    "inspect: no table": Case("inspect d.txt", "d.txt: cannot detect the format from the extension or the content", {"d.txt": "hello\n"}),
    "inspect: header only": Case("inspect d.csv", "d.csv: the table has no rows", {"d.csv": "id,time,A\n"}),
    "inspect: truncated": Case("inspect d.parquet", "d.parquet: is truncated or not a Parquet file", {"d.parquet": "PAR1"}),
    "show: folder": Case("show folder", "folder: is a folder without .parquet or .csv files"),
    "show: unreadable name": Case("show 'a\nb\x1b.csv'", "a\\nb\\x1b.csv: No such file or directory"),
}  # fmt: skip
CASES = GALLERY | GENERATE | SIMULATE | NETWORKS
