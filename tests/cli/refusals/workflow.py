"""Bad input to the commands of the workflow: evaluate, collect, tables, figures, config and the rest."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import json

import pyarrow as pa

from ctbnlab.evaluation.results_table import SCHEMA
from tests.cli.refusals import (
    CONFIG,
    GRAPH,
    METRICS,
    NETWORK,
    TIMINGS,
    TRIAL,
    Case,
    bomb,
    changed,
    parquet,
    without,
)
from tests.support.synthetic_metrics import row

_METRICS = f"{TRIAL}/metrics.json"


def evaluate(message, timings):
    """Return the case of a file of timings."""
    return Case(
        "evaluate network.json graph.json data.csv --timings t.json -o x.json",
        f"t.json: {message}",
        {"t.json": timings},
    )


def collect(message, metrics):
    """Return the case of a metrics.json."""
    return Case("collect tiny.yaml -o x.parquet", f"{_METRICS}: {message}", {_METRICS: metrics})


def metrics(message, rows=None, table=None, command="tables"):
    """Return the case of a metrics.parquet."""
    table = pa.Table.from_pylist(rows, SCHEMA) if table is None else table
    return Case(
        f"{command} m.parquet -o out",
        f"m.parquet: {message}",
        {"m.parquet": table if isinstance(table, bytes) else parquet(table)},
    )


def config(message, text):
    """Return the case of a config."""
    return Case("config c.yaml", f"c.yaml: {message}", {"c.yaml": text})


def edited(old, new):
    """Return the good config with one thing changed."""
    assert old in CONFIG
    return CONFIG.replace(old, new, 1)


def _design(text):
    """Return the good config with another design."""
    first, _, last = CONFIG.splitlines(keepends=True)
    return f"{first}design: {{{text}}}\n{last}"


_GOOD = pa.Table.from_pylist([row()], SCHEMA)
_LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
_MERGES = "m0: &m0 {k0: 1}\n" + "".join(
    f"m{i}: &m{i} {{<<: [*m{i - 1}, *m{i - 1}], k{i}: 1}}\n" for i in range(1, 40)
)

EVALUATE = {
    "timings: a list": evaluate("is not a file of timings", []),
    "timings: text": evaluate("is not a file of timings: 'cpu_seconds' must be a number", changed(TIMINGS, "cpu_seconds", "1")),
    "timings: negative": evaluate("is not a file of timings: 'wall_seconds' must be a number of at least 0", changed(TIMINGS, "wall_seconds", -1)),
    "timings: true": evaluate("is not a file of timings: 'peak_memory_mb' must be a number", changed(TIMINGS, "peak_memory_mb", True)),
    "timings: infinite": evaluate("cpu_seconds: the number is too large", json.dumps(TIMINGS).replace('"cpu_seconds": 0.1', '"cpu_seconds": 1e999')),
    "timings: empty": evaluate("the file is empty", ""),
    "timings: gzip of gigabytes": Case("evaluate network.json graph.json data.csv --timings t.gz -o x.json", "t.gz: has more than 16,777,216 bytes", {"t.gz": bomb(b"{", b" ", 2)}, heavy=True),
    "evaluate: graph of other variables": Case("evaluate network.json g.json data.csv -o x.json", "g.json: does not have the variables of the network and of the data", {"g.json": json.loads(json.dumps(GRAPH).replace('"A"', '"C"'))}),
    "evaluate: network of other variables": Case("evaluate n.json graph.json data.csv -o x.json", "graph.json: does not have the variables of the network and of the data", {"n.json": json.loads(json.dumps(NETWORK).replace('"A"', '"C"'))}),
    "evaluate: part of a graph": Case("evaluate network.json g.json data.csv -o x.json", "g.json: is only a part of a graph", {"g.json": changed(GRAPH, "nodes", GRAPH["nodes"][:1])}),
    "evaluate: learner without a name": Case("evaluate network.json g.json data.csv -o x.json", "g.json: does not record the name and the parameters of its learner", {"g.json": changed(GRAPH, "learner", {})}),
    "evaluate: network": Case("evaluate network.json network.json data.csv -o x.json", "network.json: is a network, not a learned graph"),
}  # fmt: skip
COLLECT = {
    "metrics.json: a list": collect("is not a file of metrics", [METRICS]),
    "metrics.json: empty": collect("the file is empty", ""),
    "metrics.json: no options": collect("is not a file of metrics", without(METRICS, "options")),
    "metrics.json: no status": collect("is not a file of metrics: it has no 'status'", without(METRICS, "status")),
    "metrics.json: unknown column": collect("is not a file of metrics: it has an unknown column 'f2'", METRICS | {"f2": 1}),
    "metrics.json: text as a number": collect("is not a file of metrics: it has the value '-10' in the column 'bic'", changed(METRICS, "bic", "-10")),
    "metrics.json: number as text": collect("is not a file of metrics: it has the value 7 in the column 'status'", changed(METRICS, "status", 7)),
    "metrics.json: true as a number": collect("is not a file of metrics: it has the value True in the column 'events'", changed(METRICS, "events", True)),
    "metrics.json: fraction as a count": collect("is not a file of metrics: it has the value 1.5 in the column 'shd'", METRICS | {"shd": 1.5}),
    "metrics.json: count beyond 64 bits": collect("is not a file of metrics: it has a number in the column 'events' that is too large", changed(METRICS, "events", 2**70)),
    "metrics.json: unknown status": Case("collect tiny.yaml -o x.parquet", "x.parquet: row 0 (ctss): unknown status 'lost'", {_METRICS: changed(METRICS, "status", "lost")}),
    "collect: own data": Case("collect c.yaml -o x.parquet", "c.yaml: has no `design`", {"c.yaml": "experiment: own\ndata: {path: data.csv}\nlearners: {ctss: {algorithm: ctss}}\n"}),
    "collect: missing run": Case("collect c.yaml -o x.parquet", "results/other/", {"c.yaml": edited("tiny", "other")}),
}  # fmt: skip
TABLES = {
    "metrics: cut off": metrics("is truncated or not a Parquet file", table=parquet(_GOOD)[:-20]),
    "metrics: empty": metrics("the file is empty", table=b"", command="figures"),
    "metrics: text": metrics("is truncated or not a Parquet file", table=b"experiment,nodes\n"),
    "metrics: of others": metrics("is a Parquet file, but not a table of metrics", table=pa.table({"a": [1]}), command="figures"),
    "metrics: header is no JSON": metrics("is a Parquet file, but not a table of metrics", table=_GOOD.replace_schema_metadata({"ctbnlab": "{"})),
    "metrics: header is a list": metrics("is a Parquet file, but not a table of metrics", table=_GOOD.replace_schema_metadata({"ctbnlab": "[]"}), command="figures"),
    "metrics: no version": metrics("has version None of the table", table=_GOOD.replace_schema_metadata({"ctbnlab": '{"format": "ctbnlab.metrics"}'})),
    "metrics: column is missing": metrics("has no column 'f1' of type double", table=_GOOD.drop_columns(["f1"]), command="figures"),
    "metrics: column twice": metrics("has the column 'f1' twice", table=_GOOD.append_column("f1", _GOOD["f1"])),
    "metrics: no rows": metrics("the table has no rows", rows=[], command="figures"),
    "metrics: density is NaN": metrics("row 0 (ctss): density must be a finite number", rows=[row(density=float("nan"))]),
    "metrics: duration is infinite": metrics("row 0 (ctss): duration must be a finite number", rows=[row(duration=float("inf"))], command="figures"),
    "metrics: nodes are negative": metrics("row 0 (ctss): nodes must be a finite number of at least 0", rows=[row(nodes=-5)]),
    "metrics: options are nested": metrics("row 0 (ctss): the options are not a JSON object", rows=[row(options="[" * 100_000)]),
    "metrics: states of another script": metrics("row 0 (ctss): states must be written as 2 or 2,3,4", rows=[row(states="٣")], command="figures"),
    "metrics: learner of an escape sequence": metrics("row 0 (\\x1b[2J): unknown status 'lost'", rows=[row(learner="\x1b[2J", status="lost")]),
    "figures: unknown": Case("figures m.parquet --only f2 -o out", "m.parquet: unknown figure 'f2'", {"m.parquet": parquet(_GOOD)}),
    "figures: no formats": Case("figures m.parquet --formats '' -o out", "expected names, as in A,B, not ''", {"m.parquet": parquet(_GOOD)}),
    "tables: no such file": Case("tables none.parquet -o out", "none.parquet: No such file or directory"),
    "tables: folder": Case("tables folder -o out", "folder: is a folder"),
}  # fmt: skip
CONFIGS = {
    "config: none": Case("config", "no config given"),
    "config: empty": config("is not a mapping of keys to values", ""),
    "config: UTF-16": config("is UTF-16 text; save it as UTF-8", CONFIG.encode("utf-16")),
    "config: binary": config("is a binary file, not text", b"\0\1\2"),
    "config: 20 MB": config("has 20,971,520 bytes; at most 16,777,216 can be read", b"#" * (20 << 20)),
    "config: gzip of gigabytes": Case("config c.yaml", "c.yaml: has more than 16,777,216 bytes", {"c.yaml": bomb(b"#", b"#", 2)}, heavy=True),
    "config: tabs": config("line 2, column 1: is not valid YAML", "a:\n\tb: 1\n"),
    "config: key twice": config("line 4, column 1: is not valid YAML: the key 'experiment' appears twice", CONFIG + "experiment: other\n"),
    "config: several documents": config("line 4, column 1: is not valid YAML: but found another document", CONFIG + "---\na: 1\n"),
    "config: tag": config("line 1, column 13: is not valid YAML: could not determine a constructor", edited("tiny", "!!python/object:os.system x")),
    "config: nested": config("line 1, column 67: is not valid YAML: nested too deeply", "a: " + "[" * 1000),
    "config: nested JSON text": Case("config '" + '{"a":' * 1000 + "'", "config: line 1, column 317: is not valid YAML: nested too deeply"),
    "config: billions of values": Case("config c.yaml", "c.yaml: describes more than 1,000,000 values", {"c.yaml": CONFIG + _LAUGHS}, heavy=True),
    "config: billions of merged keys": Case("config c.yaml", "c.yaml: line 17, column 6: is not valid YAML: too many merged keys", {"c.yaml": CONFIG + _MERGES}, heavy=True),
    "config: endless value": config("is nested too deeply", CONFIG + "loop: &loop [*loop]\n"),
    "config: impossible date": config("is not valid YAML: month must be in 1..12", edited("tiny", "2026-99-99")),
    "config: date as text": config("experiment: Input should be a valid string, not datetime.date(2026, 1, 1); put it in quotes", edited("tiny", "2026-01-01")),
    "config: octal number as text": config("experiment: Input should be a valid string, not 8; put it in quotes", edited("tiny", "010")),
    "config: truth value as text": config("experiment: Input should be a valid string, not False; put it in quotes", edited("tiny", "no")),
    "config: number as a key": config("the key 7 is not text", CONFIG + "7: x\n"),
    "config: list as a key": config("line 4, column 1: is not valid YAML: found unhashable key", CONFIG + "[a]: x\n"),
    "config: duration is infinite": config("design.duration: must be a finite number, not inf", edited("duration: 10", "duration: .inf")),
    "config: duration is not a number": config("design.duration: must be a finite number, not nan", edited("duration: 10", "duration: .nan")),
    "config: seed beyond 64 bits": config("seed: is too large a number", CONFIG + f"seed: {2**80}\n"),
    "config: number of 5,000 digits": config("is not valid YAML: Exceeds the limit", CONFIG + f"seed: {'9' * 5000}\n"),
    "config: NUL": config("experiment: contains a NUL character", edited("tiny", '"a\\0"')),
    "config: a billion nodes": config("design.nodes.0: Input should be less than or equal to 4096", edited("nodes: [2]", "nodes: [1000000000]")),
    "config: a billion replicates": Case("config c.yaml", "c.yaml: describes 1,000,000,000 runs of learners", {"c.yaml": edited("replicates: 1", "replicates: 1000000000")}, heavy=True),
    "config: level twice": config("design.density: 0.5 appears twice", edited("[0.5]", "[0.5, 0.5000000001]")),
    "config: threads": config("learners.ctss.threads: Input should be less than or equal to 1024", edited("algorithm: ctss", "algorithm: ctss, threads: 100000")),
    "config: option is a list": config("learners.ctss.options.tau: ", edited("algorithm: ctss", "algorithm: ctss, options: {tau: [[[1]]]}")),
    "config: text where a list belongs": config("design.nodes: Input should be a valid list, not '25'", edited("nodes: [2]", "nodes: '25'")),
    "config: no networks": config("design: set `nodes`, `states` and `density`, or `networks` or `data_sets`", _design("replicates: 1")),
    "config: networks and nodes": config("design.nodes: is for random networks; set either `nodes`, `states` and `density`, or `networks` and `data_sets`", _design("networks: {a: drug}, nodes: [2]")),
    "config: networks and exceptions": config("design.exceptions: is for random networks", _design("networks: {a: drug}, exceptions: [{nodes: 2, skip: true}]")),
    "config: networks and scattered": config("design.scattered: is for random networks", _design("data_sets: {a: {path: data.csv, truth: t.csv}}, scattered: [2]")),
    "config: network of a number": config("design.networks.a: Input should be a valid string, not 7; put it in quotes", _design("networks: {a: 7}")),
    "config: network and data set of one label": config("design.data_sets: the label 'a' is also that of a network", _design("networks: {a: drug}, data_sets: {a: {path: data.csv, truth: t.csv}}")),
    "config: data set without a truth": config("design.data_sets.a.truth: required key is missing", _design("data_sets: {a: {path: data.csv}}")),
    "config: data set of a text": config("design.data_sets.a: Input should be", _design("data_sets: {a: data.csv}")),
    "config: trajectories of a data set twice": config("design.data_sets.a.trajectories: 5 appears twice", _design("data_sets: {a: {path: data.csv, truth: t.csv, trajectories: [5, 5]}}")),
    "config: label of a network": config("design.networks.a/b: String should match pattern", _design("networks: {a/b: drug}")),
    "config: a billion data sets of a network": Case("config c.yaml", "c.yaml: describes 1,000,000,000 runs of learners", {"c.yaml": _design("networks: {a: drug}, replicates: 1000000000")}, heavy=True),
    "config: neither algorithm nor command": config("learners.ctss: set either `algorithm` or `command`", edited("{algorithm: ctss}", "{threads: 2}")),
    "config: algorithm and command": config("learners.ctss: set either `algorithm` or `command`, not both", edited("algorithm: ctss", "algorithm: ctss, command: 'sh {data} {arcs}'")),
    "config: format without a command": config("learners.ctss.data_format: is for a `command` only", edited("algorithm: ctss", "algorithm: ctss, data_format: long")),
    "config: schema and config": Case("config tiny.yaml --schema --explain", "!argument --explain: not allowed with argument --schema"),
    "environment: into a missing folder": Case("environment -o none/x.json", "none/x.json: the folder none does not exist"),
    "environment: into a folder": Case("environment -o folder", "folder: is a folder"),
    "environment: argument": Case("environment '\x1b[2J'", "!unknown arguments: \\x1b[2J"),
    "completion: unknown shell": Case("completion tcsh", "!argument shell: invalid choice: 'tcsh'"),
    "completion: no shell": Case("completion", "!the following arguments are required: shell"),
    "help: unknown command": Case("help lern", "!unknown command 'lern'; did you mean 'learn'?"),
    "help: two commands": Case("help learn show", "!unknown arguments: show"),
    "help: option": Case("help --learner", "!unknown option '--learner'"),
    "completion: two shells": Case("completion bash zsh", "!unknown arguments: zsh"),
}  # fmt: skip
_OWN = {"experiment": "own", "data": {"path": "data.csv"}, "learners": {"ctss": {"algorithm": "ctss"}}}
_DESIGN = {
    "experiment": "tiny",
    "design": {"nodes": [2], "states": [2], "density": [0.5]},
    "learners": _OWN["learners"],
}


def report(message, **files):
    """Return the case of a folder of results, `r`; the files are given by their names with _ for /."""
    good = {"config.json": _OWN, "environment.json": {}, "ctss/graph.json": GRAPH}
    found = good | {
        name.replace("__", "/").replace("_json", ".json").replace("_parquet", ".parquet"): content
        for name, content in files.items()
    }
    return Case(
        "report r -o page.html",
        message,
        {f"r/{name}": content for name, content in found.items() if content is not None},
    )


REPORTS = {
    "report: no such folder": Case("report none -o page.html", "none: No such file or directory"),
    "report: folder with an option of data": Case("report r -o page.html --learner ctss", "r: is a folder of results: --learner is for data", {"r/config.json": _OWN}),
    "report: unknown learner to compare": Case("report data.csv -o page.html --compare nothing", "unknown learner 'nothing'; choose "),
    "report: a learner twice": Case("report data.csv -o page.html --learner ctss --compare ctss", "--compare names a learner twice, or the one that is learned with anyway"),
    "report: truth of other variables": Case("report data.csv -o page.html --network t.json", "t.json: lacks the variable 'A', which data.csv has", {"t.json": json.loads(json.dumps(GRAPH).replace('"A"', '"other"'))}),
    "report: bootstrap is a graph": Case("report data.csv -o page.html --bootstrap t.json", "t.json: is a learned graph, not a bootstrap", {"t.json": GRAPH}),
    "report: empty folder": Case("report folder -o page.html", "folder: is a folder without .parquet or .csv files; name a file to read"),
    "report: no config": report("r: is not a whole folder of results: it has no config.json", config_json=None),
    "report: no output": Case("report folder", "!the following arguments are required: -o/--output"),
    "report: config is a list": report("r/config.json: is not a mapping of keys to values", config_json=[]),
    "report: config with another key": report("r/config.json: desing: unknown key; did you mean 'design'?", config_json={**_OWN, "desing": {}}),
    "report: config is empty": report("r/config.json: is not a mapping of keys to values", config_json=""),
    "report: no environment": report("r/environment.json: No such file or directory", environment_json=None),
    "report: environment is a list": report("r/environment.json: is not a record of an environment", environment_json=[]),
    "report: environment is cut": report("r/environment.json: line 1, column 2: ", environment_json="{"),
    "report: no graph": report("r: has no learned graph: no LEARNER/graph.json", ctss__graph_json=None),
    "report: graph is a network": report("r/ctss/graph.json: is not a learned graph", ctss__graph_json=NETWORK),
    "report: graphs of other variables": report("r/other/graph.json: has other variables than ctss/graph.json", other__graph_json=json.loads(json.dumps(GRAPH).replace('"A"', '"C"'))),
    "report: no metrics": report("r/metrics.parquet: No such file or directory", config_json=_DESIGN),
    "report: metrics are text": report("r/metrics.parquet: is truncated or not a Parquet file", config_json=_DESIGN, metrics_parquet="x"),
    "report: metrics of several experiments": report("r/metrics.parquet: the metrics are from several experiments", config_json=_DESIGN, metrics_parquet=parquet(pa.Table.from_pylist([row(), row(experiment="other")], SCHEMA))),
}  # fmt: skip
CASES = EVALUATE | COLLECT | TABLES | CONFIGS | REPORTS
