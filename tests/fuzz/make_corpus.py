"""Write the seeds of the corpus: small valid files of every reader, and a few that are almost valid.

`python -m tests.fuzz.make_corpus` writes them to tests/fuzz/corpus/READER/seed-*; the same bytes every time,
for the same versions of the libraries. Files of other names there are findings that have been mended.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ctbnlab
from ctbnlab.data.formats.writing import write
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.evaluation.results_table import write_metrics
from ctbnlab.model.network_json import to_json
from ctbnlab.model.variables import Variable
from tests.fuzz.harnesses import LOG, RULES
from tests.support.sample_trajectories import two_trajectories
from tests.support.strategies import random_trajectories
from tests.support.synthetic_metrics import row

CORPUS = Path(__file__).with_name("corpus")

CONFIG = """\
experiment: small
seed: 3
design:
  nodes: [3, 4]
  states: [2, [2, 3]]
  density: [0.3]
  trajectories: [10]
  duration: 5.0
  replicates: 2
  exceptions: [{nodes: 4, replicates: 1}]
network: {law: log-uniform, low: 0.5, high: 2.0}
learners:
  ctss: {algorithm: ctss, options: {search: exhaustive}}
  ctpc: {algorithm: ctpc-chi2, sweep: {alpha: [0.01, 0.1]}, threads: 2}
baseline: ctss
time_limit: 60
formats: [png]
"""
OWN_DATA = """\
experiment: mine
data: {path: data.csv, ties: order, require: [A->B], forbid: ['*->A'], max_parents: 2}
learners: {ours: {algorithm: empirical-bayes}}
nodes_per_job: all
"""
GIVEN = """\
experiment: given
design:
  networks: {drug: drug, mine: network.json}
  data_sets: {lab: {path: data.csv, truth: arcs.csv, trajectories: [5, 10], ties: jitter}}
  replicates: 2
learners:
  shell: {command: 'sh learner.sh {data} {arcs} {alpha}', data_format: long, sweep: {alpha: [0.1, a/b.py]}}
  score: {algorithm: ctss, options: {criterion: 'my_score.py:Mine'}}
"""
ARC_LIST = """\
from,to,score,kept
A,B,2.5,true
B,A,,FALSE
C,A,-inf,1
A,C,NA,no
C,B,0,0
B,C,1e5,yes
0,1,3,TRUE
on,off,2,true
"""
TEXT = """\
A->B
*->B
 A -> *
A,B , C
search=exhaustive
max-parents = 3
alpha=0.05
test=pooled
prior=scaled
conventions=paper-2021
"""
PYAGRUM = """\
IdSample,time,var,state
0,0,A,0
0,0,B,1
0,0.5,A,0
0,0.75,B,1
0,1.5,A,1
0,1.5,B,0
1,0,A,1
1,0,B,1
1,1,B,1
1,1.5,A,1
1,1.5,B,0
"""
XES = """\
<?xml version="1.0" encoding="UTF-8" ?>
<!-- two traces -->
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <global scope="event"><string key="org:resource" value="A&amp;E"/></global>
  <trace>
    <string key="concept:name" value="Ann"/>
    <int key="age" value="40"/>
    <event>
      <string key="concept:name" value="admit"/>
      <date key="time:timestamp" value="2024-01-01T01:00:00.000+01:00"/>
      <string key="lifecycle:transition" value="start"/>
    </event>
    <event>
      <string key="concept:name" value="leave"><string key="inner" value="x"/></string>
      <date key="time:timestamp" value="2024-01-02T00:00:00Z"/>
    </event>
  </trace>
  <trace>
    <event>
      <string key="concept:name" value="admit"/>
      <string key="org:resource" value="é"/>
      <list key="items"><values/></list>
    </event>
  </trace>
</log>
"""
INTERVALS = """\
id,variable,state,start,end
1,A,on,0,2
1,A,off,2,5
1,B,1,0,1.5
1,B,2,2,
2,B,1,1,3
2,A,on,1,2
2,A,on,1.5,2.5
2,A,off,4,4
"""
EPISODES = "id,variable,start,end\n2,A,2020-01-01,2020-01-05\n1,B,2020-01-03,2020-01-04\n2,A,2020-01-07,\n"
START_STOP = """\
id,start,stop,event,A,B
1,0,2,0,on,1
1,2,3,1,off,2
1,5,6,2,off,
2,1,1,0,on,3
2,1,4,1,on,3
2,4,7,0,on,3
"""
PERSON = """\
id,start,end,relapse,rel,rel.s,sex,outcome
1,0,9,2,3,1,f,dead
2,1,5,,4,0,m,alive
3,0,7,8,1,2,,dead
"""
DATES = """\
id,entry,exit,relapse,sex,outcome
1,2020-01-01,2020-02-01,2020-01-09,f,0
2,2020-01-05,2020-03-01,,m,1
"""
TIES = "trajectory,time,A,B\n1,0,on,1\n1,1,off,2\n1,1,on,2\n1,2,on,2\n2,0,off,1\n2,0,on,2\n2,3,on,2\n"


def trajectories() -> dict[str, Trajectories]:
    """Return the data of the seeds: two trajectories by hand, and more of three variables at random."""
    variables = [Variable("A", ("off", "on")), Variable("B", ("1", "2", "3")), Variable("C", ("x", "y"))]
    return {
        "two": two_trajectories(),
        "random": random_trajectories(np.random.default_rng(7), variables, [12, 0, 5, 1]),
    }


def seeds() -> Iterator[tuple[str, str, bytes]]:
    """Yield the reader, the name and the bytes of every seed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in trajectories().items():
            yield from trajectory_seeds(name, data, Path(folder))
        yield from json_seeds(Path(folder))
        rows = [row(), row(learner="ctpc-chi2", false_negatives=1), row(learner="ctpc-ks", status="failed")]
        write_metrics(rows, Path(folder) / "metrics.parquet")
        yield "metrics-parquet", "rows", (Path(folder) / "metrics.parquet").read_bytes()
    yield "wide-csv-ties", "ties", TIES.encode()
    yield "pyagrum-csv", "lines", PYAGRUM.encode()
    yield "xes", "traces", XES.encode()
    yield "intervals-csv", "states", INTERVALS.encode()
    yield "intervals-csv", "episodes", EPISODES.encode()
    yield "start-stop-csv", "rows", START_STOP.encode()
    yield "event-log-csv", "rows", LOG.encode()
    yield "rules-toml", "rules", RULES.encode()
    yield "person-csv", "numbers", PERSON.encode()
    yield "person-csv", "dates", DATES.encode()
    yield "config-yaml", "design", CONFIG.encode()
    yield "config-yaml", "data", OWN_DATA.encode()
    yield "config-yaml", "given", GIVEN.encode()
    yield "arc-list", "lines", ARC_LIST.encode()
    yield "text", "lines", TEXT.encode()


def trajectory_seeds(name: str, data: Trajectories, folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield some trajectories in every format."""

    def written(file: str, format: str | None) -> bytes:
        write(data, folder / file, format=format)
        return (folder / file).read_bytes()

    wide = written("data.csv", "wide")
    for reader in ("wide-csv", "wide-csv-ties", "unknown"):
        yield reader, name, wide
    yield "gzip-csv", name, gzip.compress(wide, mtime=0)
    yield "long-csv", name, written("data.csv", "long")
    yield "pyctbn-json", name, written("data.json", "pyctbn")
    yield "arrow-store", name, written("data.arrow", None)
    yield "unknown", f"{name}-arrow", written("data.arrow", None)
    yield "parquet-events", name, written("data.parquet", None)
    for layout in ("wide", "long"):
        yield "parquet-rows", f"{name}-{layout}", written("data.parquet", layout)


def json_seeds(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield networks, learned graphs and declared states."""
    network = ctbnlab.generate(3, states=2, density=0.4, seed=1)
    for rates in ("explicit", "recipe"):
        yield "network-json", rates, to_json(network, rates).encode()
    yield "network-json", "gallery", to_json(ctbnlab.gallery.get("eating"), "explicit").encode()
    data = ctbnlab.simulate(network, trajectories=20, duration=10.0, seed=2)
    for name in ("EmpiricalBayes", "Ctpc", "Ctss"):
        graph = getattr(ctbnlab, name)().fit(data).graph_
        graph.write(folder / "graph.json")
        yield "graph-json", name.lower(), (folder / "graph.json").read_bytes()
    yield "states-json", "mapping", json.dumps({"A": ["off", "on"], "B": ["1", "2", "3"]}).encode()
    yield "states-json", "network", to_json(network, "explicit").encode()


def main() -> None:
    """Write every seed."""
    for reader, name, content in seeds():
        path = CORPUS / reader / f"seed-{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
