"""One harness per reader: reads a file as the command would and, if that succeeds, uses what it got.

Whatever the bytes are, a harness ends normally or with an error that the command reports in one line: one of
REFUSALS. Anything else is a finding: another exception, a crash, too much time or memory.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ctbnlab.cli.options import name_values, names
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data import arrow_file
from ctbnlab.data.formats.reading import read
from ctbnlab.data.formats.request import declared_states
from ctbnlab.data.formats.writing import write
from ctbnlab.data.formats.xes import XesSource
from ctbnlab.errors import InputError
from ctbnlab.evaluation.metrics import compare
from ctbnlab.evaluation.results_table import read_metrics
from ctbnlab.io import json_text
from ctbnlab.learning import registry
from ctbnlab.learning.arc_list import read_arc_list
from ctbnlab.learning.completion import merge
from ctbnlab.learning.contract import Skip
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge, parse_arc
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.parameters import fit_parameters
from ctbnlab.model.network import Network
from ctbnlab.presentation.arc_table import as_csv, as_html, as_markdown
from ctbnlab.presentation.paper_tables import write_tables
from ctbnlab.simulation.simulate import simulate
from ctbnlab.workflow.config import load, parse
from ctbnlab.workflow.plan import Plan

REFUSALS = (InputError, OSError)
# Names that mutators put into cells, so that some mutated lists are valid.
ARC_NAMES = ("A", "B", "C", "0", "1", "-1", "2", "on", "off", "time", "state", "true", "1e5", "")

# An event log, and rules of every kind for it.
LOG = """\
id,time,event,value,lifecycle
1,0,admission,,
1,1,intubation,,start
1,1,glucose,70,complete
1,2,fall,,
1,2.5,E119,,
1,3,glucose,200,complete
1,3,fall,,
1,4,extubation,,
1,9,discharge,,
1,10,fall,,
2,1,fall,,
2,2,E10,,
2,5,discharge,,
2,5,intubation,,complete
"""
RULES = """\
[variables.ventilation]
states = { off = ["extubation"], on = ["intubation", "intubation+*"] }
[variables.support]
states = { full = ["intubation+complete"] }
initial = "none"
[variables.diabetes]
ever = ["E10*", "E11?"]
[variables.falls]
count = "fall"
max = 2
[variables.unwell]
within = 1.5
events = ["fall", "E*"]
[variables.glucose]
value = ["glucose"]
cut = [70, 180.5]
[observation]
start = ["admission"]
end = ["discharge"]
"""

# Larger data are read and checked, but not learned from: their cost is what users ask for.
MAX_VARIABLES, MAX_STATES, MAX_EVENTS = 6, 6, 2000


@dataclass(frozen=True)
class Harness:
    """How a reader's input is named and used."""

    extension: str
    use: Callable[[Path], None]

    def run(self, content: bytes, folder: Path) -> None:
        """Write the bytes to a file in a scratch folder and use it; only a finding is raised."""
        path = folder / f"input{self.extension}"
        path.write_bytes(content)
        try:
            self.use(path)
        except REFUSALS:
            pass
        finally:
            for left in folder.iterdir():
                if left.is_file():
                    left.unlink()


def reading(**options: str) -> Callable[[Path], None]:
    """Return a harness's use of a file of trajectories, read with these options."""

    def use(path: Path) -> None:
        use_trajectories(read(path, **options), path.parent)

    return use


def use_log(path: Path) -> None:
    """Read an event log with rules of every kind."""
    rules = path.with_name("rules.toml")
    rules.write_text(RULES)
    use_trajectories(read(path, layout="event-log", rules=rules), path.parent)


def use_rules(path: Path) -> None:
    """Read an event log by rules."""
    log = path.with_name("log.csv")
    log.write_text(LOG)
    use_trajectories(read(log, layout="event-log", rules=path), path.parent)


def use_trajectories(data, folder: Path) -> None:
    """Write trajectories and read them back; count all tables of small ones, and learn from them."""
    copy = folder / "copy.arrow"
    write(data, copy)
    assert arrow_file.read(copy).equals(data), "a store does not have what was written to it"
    copy.unlink()
    write(data, folder / "copy.csv")
    if (
        data.n_variables > MAX_VARIABLES
        or data.cardinalities.max() > MAX_STATES
        or data.n_events > MAX_EVENTS
        or data.n_trajectories > MAX_EVENTS
    ):
        return
    count_all(data)
    learn_all(data)


def count_all(data) -> None:
    """Ask for the pairs of every node, and for its table for every set of up to three parents."""
    for target in range(data.n_variables):
        node = NodeStatistics(data, target)
        events = int(node.table(()).transitions.sum())
        pairs = node.pairs()
        assert set(pairs) == set(node.candidates)
        for candidate, table in pairs.items():
            counted = int(table.transitions.sum())  # only those that happen while the candidate is observed
            lost = counted < events and not data.gaps[candidate]
            assert counted <= events and not lost, "pairs lose events"
        for size in range(1, min(3, len(node.candidates)) + 1):
            for parents in itertools.combinations(node.candidates, size):
                node.table(parents)


def learn_all(data) -> None:
    """Learn the graph with one learner of each kind, and fit its rates."""
    known = Knowledge(max_parents=2)
    for name in ("ctss", "ctpc-chi2", "empirical-bayes"):
        try:
            graph = learn(data, registry.make(name), knowledge=known).graph
        except Skip:  # a learner may decline data, with a reason
            continue
        fit_parameters(data, [node.parents for node in graph.nodes])


def use_network(path: Path) -> None:
    """Read a network, write it again, and simulate a few transitions."""
    network = Network.read(path)
    network.write(path.with_name("copy.json"))
    if len(network.names) <= 2 * MAX_VARIABLES:
        simulate(network, trajectories=2, transitions=20, seed=1)


def use_graph(path: Path) -> None:
    """Read a learned graph, merge it with itself, tabulate its arcs, and write it again."""
    graph = LearnedGraph.read(path)
    again = path.with_name("copy.json")
    graph.write(again)
    assert LearnedGraph.read(again).to_json() == graph.to_json(), "a graph changes when it is written"
    for tabulate in (as_csv, as_html, as_markdown):
        tabulate([graph, graph])
    if len(graph.names) <= 4 * MAX_VARIABLES:
        compare(graph.arcs, graph.arcs, graph.names)
    merge([graph])


def use_config(path: Path) -> None:
    """Read a config, fill in its defaults, and plan a small experiment."""
    content, source = parse(os.fspath(path))
    config = load(content, source)
    json_text.dumps(config.model_dump(mode="json"))
    design = config.design
    if design is None or (design.replicates < 20 and len(design.exceptions) == 0):
        Plan(config).trials()


def use_states(path: Path) -> None:
    """Read declared states, and read data with them."""
    for labels in declared_states(path).values():
        assert labels
    data = path.with_name("data.csv")
    data.write_text("trajectory,time,A,B\n1,0,on,1\n1,1,off,1\n1,2,off,2\n1,3,off,2\n")
    use_trajectories(read(data, states=path), path.parent)


def use_text(path: Path) -> None:
    """Read each line as an arc, as a list of names and as an option of a learner, as arguments are."""
    # The system hands over arguments with their invalid bytes as surrogates.
    for line in os.fsdecode(path.read_bytes()).splitlines():
        for use in (
            lambda text: Knowledge.from_arcs(forbidden=[parse_arc(text)]).for_nodes("ABC"),
            lambda text: Knowledge.from_arcs(required=[parse_arc(text)], max_parents=1).for_nodes("ABC"),
            lambda text: names([text]),
            lambda text: registry.make("ctss", name_values([text])),
            lambda text: registry.make("ctpc-chi2", name_values([text])),
            lambda text: registry.make("empirical-bayes", name_values([text])),
        ):
            try:
                use(line)
            except REFUSALS:
                continue


def use_metrics(path: Path) -> None:
    """Read a table of metrics, write it again, and write its tables."""
    metrics = read_metrics(path)
    folder = path.with_name("tables")
    if len(metrics) <= 20:
        try:
            write_tables(metrics, None, folder)
        finally:
            for written in folder.glob("*"):
                written.unlink()


def use_process_log(path: Path) -> None:
    """Read a log as a table, all of its columns, and find the place of the last row."""
    source = XesSource(path)
    rows = [int(chunk.rows[-1]) for chunk in source.chunks(["time"], source.columns)]
    source.sample()
    assert source.place(rows[-1]).startswith("line "), "the line of an event is not found"


HARNESSES = {
    "wide-csv": Harness(".csv", reading(format="wide")),
    "wide-csv-ties": Harness(".csv", reading(format="wide", ties="jitter")),
    "long-csv": Harness(".csv", reading(format="long", ties="order")),
    "pyagrum-csv": Harness(".csv", reading(format="pyagrum")),
    "intervals-csv": Harness(".csv", reading(layout="intervals")),
    "start-stop-csv": Harness(".csv", reading(layout="start-stop")),
    "event-log-csv": Harness(".csv", use_log),
    "rules-toml": Harness(".toml", use_rules),
    "person-csv": Harness(".csv", reading(layout="person", event="relapse", terminal="outcome")),
    "gzip-csv": Harness(".csv.gz", reading()),
    "pyctbn-json": Harness(".json", reading()),
    "xes": Harness(".xes", use_process_log),
    "arrow-store": Harness(".arrow", reading()),
    "parquet-events": Harness(".parquet", reading()),
    "parquet-rows": Harness(".parquet", reading(ties="jitter")),
    "unknown": Harness("", reading()),
    "network-json": Harness(".json", use_network),
    "graph-json": Harness(".json", use_graph),
    "config-yaml": Harness(".yaml", use_config),
    "states-json": Harness(".json", use_states),
    "text": Harness(".txt", use_text),
    "metrics-parquet": Harness(".parquet", use_metrics),
    "arc-list": Harness(".csv", lambda path: read_arc_list(path, ARC_NAMES)),
}
