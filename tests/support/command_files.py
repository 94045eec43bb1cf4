"""Calls of every command, by the files they read and write; tests/cli checks that none is left out."""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.evaluation.results_table import write_metrics
from tests.support.synthetic_metrics import row

CONFIG = """\
experiment: tiny
design: {nodes: [2], states: [2], density: [0.5], trajectories: [10], duration: 10, replicates: 1}
learners: {ctss: {algorithm: ctss}}
"""
TRIAL = "results/tiny/nodes~2/states~2/density~0.5/scattered~1/replicate~1/trajectories~10/ctss"

# Each call writes one output, OUT; the extension is one that the command knows.
OUTPUTS = {
    "gallery": ("gallery eating -o OUT", ".json"),
    "generate": ("generate --nodes 3 --density 0.4 -o OUT", ".json"),
    "simulate": ("simulate network.json --duration 5 --seed 1 --to csv -o OUT", ".csv"),
    "simulate arrow": ("simulate network.json --duration 5 --seed 1 --to arrow -o OUT", ".arrow"),
    "convert": ("convert data.csv --states states.json OUT --to long", ".csv"),
    "convert arrow": ("convert data.csv OUT --to arrow", ".arrow"),
    "convert parquet": ("convert data.csv OUT --to parquet", ".parquet"),
    "learn": ("learn data.arrow --learner mine.py -o OUT", ".json"),
    "learn --timings": ("learn data.arrow -o other.json --timings OUT", ".json"),
    "merge": ("merge part-1.json part-2.json -o OUT", ".json"),
    "bootstrap": ("bootstrap data.arrow -n 4 --learner mine.py -o OUT", ".json"),
    "bootstrap --table": ("bootstrap data.arrow -n 4 -o other.json --table OUT", ".csv"),
    "bootstrap --merge": ("bootstrap --merge batch-1.json batch-2.json -o OUT", ".json"),
    "fit": ("fit graph.json data.arrow -o OUT", ".json"),
    "fit --rates": ("fit graph.json data.arrow -o other.json --rates OUT", ".csv"),
    "query": ("query network.json --at 1 -o OUT", ".csv"),
    "query --sample": ("query network.json --at 1 --sample 5 -o OUT", ".csv"),
    "query --plot": ("query network.json --at 0,1 -o other.csv --plot OUT", ".svg"),
    "arcs": ("arcs graph.json -o OUT", ".md"),
    "plot": ("plot graph.json --true network.json --to svg -o OUT", ".svg"),
    "evaluate": ("evaluate network.json graph.json data.arrow --timings timings.json -o OUT", ".json"),
    "truth": ("truth network.json --data data.arrow -o OUT", ".json"),
    "collect": ("collect tiny.yaml -o OUT", ".parquet"),
    "report": ("report reported -o OUT", ".html"),
    "report data": ("report data.arrow -o OUT --learner mine.py", ".html"),
    "config": ("config tiny.yaml -o OUT", ".json"),
    "config --explain": ("config --explain -o OUT", ".md"),
    "config --schema": ("config --schema -o OUT", ".json"),
    "environment": ("environment -o OUT", ".json"),
}
# What these calls write depends on the time they take.
CHANGING = ("learn --timings", "environment")

# Each call reads one input, IN, which holds what the named file holds.
INPUTS = {
    "simulate": ("simulate IN --duration 5 --seed 1 --to csv -o -", "network.json"),
    "convert": ("convert IN - --to csv", "data.csv"),
    "convert arrow": ("convert IN - --to csv", "data.arrow"),
    "convert parquet": ("convert IN - --to csv", "data.parquet"),
    "convert --states": ("convert data.csv - --to csv --states IN", "states.json"),
    "inspect": ("inspect IN", "data.csv"),
    "show network": ("show IN", "network.json"),
    "show data": ("show IN", "data.arrow"),
    "show --states": ("show data.csv --states IN", "states.json"),
    "learn": ("learn IN", "data.arrow"),
    "learn --states": ("learn data.csv --states IN", "states.json"),
    "merge": ("merge part-1.json IN -o -", "part-2.json"),
    "merge --data": ("merge part-1.json part-2.json --data IN -o -", "data.arrow"),
    "bootstrap": ("bootstrap IN -n 2", "data.arrow"),
    "bootstrap --states": ("bootstrap data.csv -n 2 --states IN", "states.json"),
    "bootstrap --graph": ("bootstrap data.arrow -n 2 --graph IN", "graph.json"),
    "bootstrap --merge": ("bootstrap --merge batch-1.json IN", "batch-2.json"),
    "fit graph": ("fit IN data.arrow -o -", "graph.json"),
    "fit data": ("fit graph.json IN -o -", "data.csv"),
    "fit --initial": ("fit graph.json data.csv -o - --initial IN", "network.json"),
    "fit --states": ("fit graph.json data.csv -o - --states IN", "states.json"),
    "query": ("query IN --at 1 -o -", "network.json"),
    "query --evidence": ("query network.json --at 1 -o - --evidence IN", "evidence.csv"),
    "query --start-like": ("query network.json --at 1 -o - --start-like IN", "data.csv"),
    "query --change": ("query network.json --at 1 -o - --change IN", "rates.csv"),
    "query --posterior": ("query network.json --at 1 -o - --draws 10 --posterior IN", "rates.csv"),
    "compare true": ("compare IN graph.json", "network.json"),
    "compare learned": ("compare network.json IN", "graph.json"),
    "arcs": ("arcs graph.json IN", "other.json"),
    "plot": ("plot IN --to svg -o -", "graph.json"),
    "plot --true": ("plot graph.json --true IN --to svg -o -", "network.json"),
    "evaluate network": ("evaluate IN graph.json data.arrow -o -", "network.json"),
    "evaluate graph": ("evaluate network.json IN data.arrow -o -", "graph.json"),
    "evaluate data": ("evaluate network.json graph.json IN -o -", "data.parquet"),
    "evaluate --states": ("evaluate network.json graph.json data.csv -o - --states IN", "states.json"),
    "evaluate --timings": ("evaluate network.json graph.json data.arrow --timings IN -o -", "timings.json"),
    "report": ("report IN --title Page -o -", "data.arrow"),
    "report --states": ("report data.csv -o - --states IN", "states.json"),
    "report --network": ("report data.arrow -o - --network IN", "fitted.json"),
    "report --bootstrap": ("report data.arrow -o - --bootstrap IN", "bootstrap.json"),
    "truth": ("truth IN -o -", "network.json"),
    "truth --data": ("truth network.json --data IN -o -", "data.arrow"),
    "collect": ("collect IN -o -", "tiny.yaml"),
    "tables": ("tables IN -o tables", "metrics.parquet"),
    "figures": ("figures IN -o figures --formats svg --only f1", "metrics.parquet"),
    "config": ("config IN", "tiny.yaml"),
    "environment --metrics": ("environment --metrics IN", "metrics.parquet"),
}


def prepare(folder: Path) -> None:
    """Write the files that the calls read; the current folder must be `folder`."""
    network = ctbnlab.generate(3, states=2, density=0.4, seed=1)
    network.write("network.json")
    data = ctbnlab.simulate(network, trajectories=30, duration=20.0, seed=2)
    for name in ("data.arrow", "data.csv", "data.parquet"):
        ctbnlab.write(data, folder / name)
    (folder / "states.json").write_text('{"X1": ["0", "1"]}')
    (folder / "evidence.csv").write_text("variable,state,start\nX1,1,0.5\n")
    (folder / "tiny.yaml").write_text(CONFIG)
    learner = Path(__file__).parents[2] / "examples/bivariate_learner.py"
    (folder / "mine.py").write_text(learner.read_text())
    (folder / TRIAL).mkdir(parents=True)
    write_metrics([row(learner="ctss"), row(learner="ctpc-chi2")], folder / "metrics.parquet")
    for line in (
        "learn data.arrow -o graph.json --timings timings.json",
        "learn data.arrow -o other.json --learner ctss",
        "fit network.json data.arrow -o fitted.json --rates rates.csv",
        "learn data.arrow -o part-1.json --part 1/2",
        "learn data.arrow -o part-2.json --part 2/2",
        "bootstrap data.arrow -n 4 -o batch-1.json --batch 1/2",
        "bootstrap data.arrow -n 4 -o batch-2.json --batch 2/2",
        "bootstrap --merge batch-1.json batch-2.json -o bootstrap.json",
        f"evaluate network.json graph.json data.arrow --timings timings.json -o {TRIAL}/metrics.json",
    ):
        assert main(line.split()) == 0
    results = folder / "reported"  # a folder of results of one's own data
    (results / "ctss").mkdir(parents=True)
    shutil.copy("other.json", results / "ctss/graph.json")
    own = "experiment: own\ndata: {path: data.csv}\nlearners: {ctss: {algorithm: ctss}}\n"
    (folder / "own.yaml").write_text(own)
    assert main(["config", "own.yaml", "-o", "reported/config.json"]) == 0
    assert main(["environment", "-o", "reported/environment.json"]) == 0


def arguments(line: str, **names: object) -> list[str]:
    """Return the arguments of a call with the names of its files put in."""
    return [str(names.get(word, word)) for word in line.split()]


@contextmanager
def piped_to(descriptor: int, content: bytes):
    """Put a pipe with this content in the place of a descriptor, such as standard input."""
    before = os.dup(descriptor)
    read, written = os.pipe()

    def feed() -> None:
        # A call that refuses to read closes the pipe.
        with suppress(BrokenPipeError), os.fdopen(written, "wb", buffering=0) as file:
            file.write(content)

    thread = threading.Thread(target=feed)
    thread.start()
    os.dup2(read, descriptor)
    os.close(read)
    try:
        yield
    finally:
        os.dup2(before, descriptor)
        os.close(before)
        thread.join()
