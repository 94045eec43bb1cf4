"""The calls whose output is in messages.txt: small examples, and typical mistakes."""

# ruff: noqa: E501 - a call is a line

from __future__ import annotations

LEARNER = """\
from dataclasses import dataclass
from ctbnlab import {names}

@dataclass(frozen=True)
class Mine:
    alpha: float = 0.1
    citation = "none"

    def learn_node(self, statistics, knowledge):
        {body}
"""
CONFIG = """\
experiment: tiny
design: {nodes: [2], states: [2], density: [0.5], trajectories: [10], duration: 10, replicates: 1}
learners: {ctss: {algorithm: ctss}}
"""
WIDE = "trajectory,time,A,B\n1,0,x,u\n1,1,y,u\n1,2,y,v\n1,3,y,v\n"

# Names that mean something to arcs, Markdown and terminals.
ODD_GRAPH = """{"format": "ctbnlab.graph", "version": 1, "learner": {"name": "ctss"}, "data": {},
"variables": [{"name": "A->B", "states": ["0"]}, {"name": "*|<b>", "states": ["0"]}, {"name": "C\\u001b", "states": ["0"]}],
"nodes": [
 {"name": "A->B", "parents": ["*|<b>"], "counts": {}, "notes": [], "evidence": [{"candidate": "*|<b>", "kept": true, "why": "x", "gain": 1}]},
 {"name": "*|<b>", "parents": ["C\\u001b"], "counts": {}, "notes": [], "evidence": [{"candidate": "C\\u001b", "kept": true, "why": "x", "gain": 2}]},
 {"name": "C\\u001b", "parents": [], "counts": {}, "notes": [], "evidence": []}],
"failures": []}"""

FILES = {
    "few.csv": WIDE,
    "unchanged.csv": WIDE.replace("1,2,y,v", "1,1.5,y,u\n1,2,y,v"),
    "odd.csv": WIDE.replace("A,B", 'A->B,"C, ""D"""'),
    "odd.json": ODD_GRAPH,
    "ties.csv": WIDE.replace("1,1,y,u", "1,1,y,v"),
    "nan.csv": WIDE.replace("1,1,y", "1,nan,y"),
    "no_time.csv": WIDE.replace("time", "t"),
    "notes.txt": "hello\n",
    "truncated.json": '{"format": "ctbnlab.network", "version": 1, "variables": [',
    "list.json": "[1, 2]",
    "other.json": '{"a": 1}',
    "fails.py": LEARNER.format(names="Skip", body="raise KeyError('rate')"),
    "skips.py": LEARNER.format(names="Skip", body="raise Skip('too many states')"),
    "hangs.py": LEARNER.format(names="Skip", body="__import__('time').sleep(600)"),
    "exits.py": LEARNER.format(names="Skip", body="raise SystemExit(0)"),
    "ends.py": LEARNER.format(names="Skip", body="__import__('os')._exit(0)"),
    "crashes.py": LEARNER.format(names="Skip", body="__import__('os').abort()"),
    "killed.py": LEARNER.format(names="Skip", body="__import__('os').kill(__import__('os').getpid(), 9)"),
    "quits.py": "raise SystemExit(0)\n",
    "wrong.py": LEARNER.format(names="NodeResult", body="return NodeResult(statistics.target, (0, 99), ())"),
    "careless.py": LEARNER.format(names="NodeResult", body="return NodeResult(statistics.target, (), ())"),
    "plain.py": "class Plain:\n    def learn_node(self, statistics, knowledge): ...\n",
    "empty.py": "x = 1\n",
    "broken.py": "1 / 0\n",
    "tiny.yaml": CONFIG,
    "misspelt.yaml": CONFIG.replace("design", "desing"),
    "no_learner.yaml": CONFIG.replace("learners: {ctss: {algorithm: ctss}}\n", ""),
    "density.yaml": CONFIG.replace("0.5", "1.5"),
    "baseline.yaml": CONFIG + "baseline: ctpc\n",
    "both.yaml": CONFIG + "data: {path: data.csv}\n",
    "own.yaml": "experiment: own\ndata: {path: few.csv}\nlearners: {ctss: {algorithm: ctss}}\n",
    "bad.yaml": "experiment: [tiny\n",
    "text.yaml": "tiny\n",
}

_RUN = "results/tiny/nodes~2/states~2/density~0.5/scattered~1/replicate~1"
_TRIAL = f"{_RUN}/trajectories~10/ctss"
FOLDERS = (_TRIAL,)
ABBREVIATIONS = {_TRIAL: "TRIAL", _RUN: "RUN"}

# `# n lines` keeps the first n lines of the output.
EXAMPLES = [
    "--version",
    # Networks
    "gallery",
    "gallery eating -o eating.json",
    "gallery chain --nodes 2",
    "generate --nodes 5 --states 2,3 --density 0.25 --seed 4 -o network.json",
    "generate --nodes 1 --connectivity none --states 2 -o one.json",
    "show network.json",
    "show eating.json",
    "show one.json",
    "show eating.json --json  # 12 lines",
    # Trajectories
    "simulate network.json --trajectories 60 --duration 30 --seed 1 -o data.arrow",
    "simulate one.json --duration 5 --seed 1 -o one.csv",
    "show data.arrow  # 16 lines",
    "show one.csv",
    "convert data.arrow data.csv",
    "convert unchanged.csv unchanged.arrow",
    # Learning
    "learn --list",
    "learn data.arrow",
    "learn data.arrow --learner ctss -o ctss.json",
    "learn data.arrow --learner ctpc-chi2 --timings timings.json -o ctpc.json",
    "learn data.csv --nodes X1,X2 --require 'X3->X1' --forbid '*->X2'",
    "learn few.csv --learner ctpc-ks",
    "learn few.csv --learner ctss --option search=exhaustive --trajectories 1",
    "learn data.arrow --part 1/2 -o part-1.json",
    "learn data.arrow --part 2/2 -o part-2.json",
    "merge part-1.json part-2.json -o learned.json",
    "learn few.csv --learner fails.py",
    "learn few.csv --learner skips.py",
    "learn few.csv --learner wrong.py",
    "learn few.csv --learner fails.py --record-failures -o failed.json",
    "learn few.csv --learner skips.py --record-failures -o skipped.json",
    "learn few.csv --learner exits.py",
    "learn few.csv --learner ends.py",
    "learn few.csv --learner crashes.py",
    "learn few.csv --learner killed.py",
    "learn few.csv --learner exits.py --record-failures -o exits.json",
    "learn few.csv --learner ends.py --record-failures -o ends.json",
    "learn few.csv --learner crashes.py --record-failures -o crashes.json",
    "learn few.csv --learner killed.py --record-failures -o killed.json",
    "learn few.csv --learner quits.py --record-failures -o quits.json",
    "learn few.csv --learner hangs.py --time-limit 0.2 -o late.json",
    "learn few.csv --learner hangs.py --record-failures --job-time 0.2 -o late.json",
    "learn few.csv --learner hangs.py --record-failures --time-limit 0.2 -o late.json",
    # Graphs
    "compare network.json ctpc.json",
    "compare network.json ctss.json --per-node",
    "compare eating.json eating.json --json",
    "fit learned.json data.arrow -o fitted.json",
    "fit network.json data.arrow --trajectories 1 --method bayes -o fitted.json",
    "arcs learned.json ctss.json ctpc.json",
    "arcs learned.json ctss.json -o arcs.csv arcs.md arcs.html",
    "arcs odd.json",
    "compare odd.json odd.json",
    'learn odd.csv --nodes \'"C, ""D"""\' --require \'"A->B"->"C, ""D"""\' --learner ctss',
    "plot eating.json --cims -o eating.svg",
    "check-learner ctss",
    "check-learner careless.py",
    "check-learner ends.py",
    "check-learner quits.py",
    # The workflow's commands
    f"generate --nodes 2 --states 2 --density 0.5 -o {_RUN}/network.json",
    f"simulate {_RUN}/network.json --trajectories 10 --duration 10 --seed 1 -o {_RUN}/data.arrow",
    f"learn {_RUN}/data.arrow --learner ctss --timings {_TRIAL}/timings.json -o {_TRIAL}/graph.json",
    f"evaluate {_RUN}/network.json {_TRIAL}/graph.json {_RUN}/data.arrow --timings {_TRIAL}/timings.json -o {_TRIAL}/metrics.json",
    "collect tiny.yaml -o collected.parquet",
    "tables metrics.parquet --reference main -o tables",
    "figures metrics.parquet --reference main --formats svg --only f1 --only trajectories -o figures",
    "config tiny.yaml  # 12 lines",
    "config --schema  # 8 lines",
    "config --explain  # 8 lines",
    "environment  # 0 lines",
    "completion bash  # 0 lines",
]

# Typical mistakes; they use the files that the examples wrote.
ERRORS = [
    # The command line
    "",
    "lern data.csv",
    "--verbose",
    "learn data.csv --learer ctss",
    "learn data.csv --jobs many",
    "learn data.csv --ties drop",
    "convert data.csv",
    "simulate network.json --trajectories 5 -o data.csv",
    "simulate network.json --duration 5 --transitions 5 --seed 1 -o data.csv",
    "plot network.json",
    "compare network.json",
    "fit learned.json -o fitted.json",
    "completion fish",
    "config --schema --explain",
    # Networks
    "gallery eatin",
    "gallery eating --nodes 5",
    "gallery --nodes 5",
    "gallery ring --nodes 1",
    "generate --nodes 0",
    "generate --nodes 5 --states 1",
    "generate --nodes 5 --states two",
    "generate --nodes 5 --density 1.5",
    "generate --nodes 5 --low 5 --high 1",
    "generate --nodes 5 --effect 1",
    "generate --nodes 5 -o none/network.json",
    "generate --nodes 5 -o figures",
    "show none.json",
    "show truncated.json",
    "show other.json",
    "show notes.txt",
    # Files
    "generate --nodes 5 -o network.json/network.json",
    "show figures",
    "show /dev/zero",
    "compare - -",
    "convert data.csv ./data.csv",
    "convert data.csv -",
    "learn data.csv --timings -",
    "learn data.csv -o x.json --timings ./x.json",
    "tables metrics.parquet -o -",
    "tables metrics.parquet -o data.csv",
    "plot network.json -o -",
    "plot network.json -o x.png --format svg",
    # Simulation
    "simulate none.json --duration 5 --seed 1 -o x.csv",
    "simulate data.arrow --duration 5 --seed 1 -o x.csv",
    "simulate ctss.json --duration 5 --seed 1 -o x.csv",
    "simulate network.json --duration -5 --seed 1 -o x.csv",
    "simulate network.json --transitions -1 --seed 1 -o x.csv",
    "simulate network.json --duration 5 --trajectories 0 --seed 1 -o x.csv",
    "simulate network.json --duration 5 --seed -1 -o x.csv",
    "simulate network.json --duration 5 --seed 1 --jobs 0 -o x.csv",
    "simulate network.json --duration 5 --seed 1 --initial X1 -o x.csv",
    "simulate network.json --duration 5 --seed 1 --initial Y=0 -o x.csv",
    "simulate network.json --duration 5 --seed 1 --initial X1=9 -o x.csv",
    "simulate network.json --duration 5 --seed 1 -o x.xlsx",
    "simulate network.json --duration 5 --seed 1 -o none/x.arrow",
    # Learning: the data
    "learn",
    "learn none.csv",
    "learn network.json",
    "learn notes.txt",
    "learn ties.csv",
    "learn nan.csv",
    "learn no_time.csv",
    "learn data.csv --format excel",
    "learn data.csv --format long",
    "learn data.csv --states none.json",
    "learn data.csv --trajectories 61",
    "learn one.csv --trajectories 2",
    "learn data.csv --trajectories 0",
    # Learning: the learner and its options
    "learn data.csv --learner ctxs",
    "learn data.csv --learner magic",
    "learn data.csv --learner none.py",
    "learn data.csv --learner empty.py",
    "learn data.csv --learner plain.py",
    "learn data.csv --learner broken.py",
    "learn data.csv --learner quits.py",
    "learn data.csv --learner fails.py:Yours",
    "learn data.csv --option alpha",
    "learn data.csv --learner ctss --option tua=1",
    "learn data.csv --learner ctss --option tau=much",
    "learn data.csv --learner ctss --option search=random",
    "learn data.csv --learner ctpc-chi2 --option alpha=7",
    "learn data.csv --learner ctpc-chi2 --option conventions=mine",
    # Learning: prior knowledge, nodes, limits
    "learn data.csv --require X1",
    "learn data.csv --require 'X1->Y'",
    "learn data.csv --require 'X1->X1'",
    "learn data.csv --require 'X1->X2' --forbid '*->X2'",
    "learn data.csv --require '*->X2' --max-parents 2",
    "learn data.csv --max-parents -1",
    "learn data.csv --nodes X9",
    "learn data.csv --part 4/3",
    "learn data.csv --part 1/2 --nodes X1",
    "learn data.csv --jobs 0",
    "learn data.csv --time-limit 5",
    "learn data.csv -o none/learned.json",
    # Graphs
    "merge none.json -o x.json",
    "merge network.json -o x.json",
    "merge part-1.json -o x.json",
    "merge part-1.json part-1.json -o x.json",
    "merge part-1.json ctss.json -o x.json",
    "compare network.json eating.json",
    "compare network.json part-1.json",
    "compare network.json data.arrow",
    "compare network.json list.json",
    "fit eating.json data.arrow -o x.json",
    "fit learned.json data.arrow --method bayes --tau 0 -o x.json",
    "arcs learned.json network.json",
    "arcs learned.json -o arcs.txt",
    "plot learned.json -o graph.bmp",
    "plot learned.json --cims -o graph.svg",
    "plot learned.json --true eating.json -o graph.svg",
    "plot notes.txt -o graph.svg",
    "check-learner ctxs",
    # The workflow's commands
    "evaluate network.json network.json data.arrow -o x.json",
    "collect none.yaml -o x.parquet",
    "collect own.yaml -o x.parquet",
    "collect baseline.yaml -o x.parquet",
    "tables none.parquet -o tables",
    "tables data.arrow -o tables",
    "figures metrics.parquet --only f2 -o figures",
    "figures metrics.parquet --formats bmp -o figures",
    "config",
    "config none.yaml",
    "config bad.yaml",
    "config text.yaml",
    "config misspelt.yaml",
    "config no_learner.yaml",
    "config density.yaml",
    "config both.yaml",
]
