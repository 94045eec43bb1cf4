"""Bad input to the commands on graphs: learn, merge, fit, compare, arcs, plot, truth, check-learner."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import json

from tests.cli.refusals import GRAPH, NETWORK, WIDE, Case, bomb, changed, without

_LEARNER = """\
from dataclasses import dataclass

@dataclass(frozen=True)
class Mine:
    share: float = 0.5
    citation = "none"

    def learn_node(self, statistics, knowledge):
        raise KeyError
"""


# 41 binary variables, each of which changes once; the last has all others as parents.
_NAMES = [f"V{i}" for i in range(41)]
_NODE = {"counts": {}, "notes": [], "evidence": []}
_WIDE_GRAPH = {
    **GRAPH,
    "variables": [{"name": name, "states": ["0", "1"]} for name in _NAMES],
    "nodes": [{"name": name, "parents": _NAMES[:40] if name == "V40" else [], **_NODE} for name in _NAMES],
}
_WIDE_DATA = f"time,{','.join(_NAMES)}\n" + "".join(
    f"{time},{','.join('1' if i < time else '0' for i in range(41))}\n" for time in range(42)
)


def learn(message, options, heavy=False):
    """Return the case of options of `learn`."""
    return Case(f"learn data.csv {options}", message, heavy=heavy)


LEARN = {
    f"learn: {title}": learn(message, options, heavy)
    for title, options, message, heavy in [
        ("memory is negative", "--memory -1", "!argument --memory: must be a whole number from 1 to", False),
        ("no memory", "--memory 0", "!argument --memory: must be a whole number from 1 to", False),
        ("memory without end", f"--memory {10**30}", "!argument --memory: must be a whole number from 1 to", True),
        ("time limit is not a number", "--time-limit nan -o x.json", "!argument --time-limit: must be a number above 0, not 'nan'", False),
        ("time limit is infinite", "--time-limit inf -o x.json", "!argument --time-limit: must be a number above 0, not 'inf'", False),
        ("time limit is negative", "--time-limit -5 -o x.json", "!argument --time-limit: must be a number above 0, not '-5'", False),
        ("job time is not a number", "--record-failures --job-time nan -o x.json", "!argument --job-time: must be a number above 0", False),
        ("job memory is negative", "--record-failures --job-memory -1 -o x.json", "!argument --job-memory: must be a whole number", False),
        ("a billion jobs", "--jobs 1000000000", "the number of jobs must be from 1 to 1,024, not 1000000000", True),
        ("negative jobs", "--jobs -1", "the number of jobs must be from 1 to 1,024, not -1", False),
        ("no nodes", "--nodes ''", "expected names, as in A,B, not ''", False),
        ("nodes of commas", "--nodes ,,", "expected names, as in A,B, not ',,'", False),
        ("node with an open quote", "--nodes '\"A'", "a double quote is not closed", False),
        ("text after a quote", "--nodes '\"A\"B'", "text follows a closing quote", False),
        ("unknown node", "--nodes C", "unknown variable 'C'; the variables are A, B", False),
        ("strict on some nodes", "--strict --nodes A", "--strict requires all nodes: leave out --part and --nodes", False),
        ("strict without checks", "--strict --no-checks", "!argument --no-checks: not allowed with argument --strict", False),
        ("strict on a part", "--strict --part 1/2", "--strict requires all nodes: leave out --part and --nodes", False),
        ("robust on some nodes", "--robust --nodes A", "--robust requires all nodes: leave out --part and --nodes", False),
        ("robust on a part", "--robust --part 1/2", "--robust requires all nodes: leave out --part and --nodes", False),
        ("robust with a command", "--robust --command 'x {data} {arcs}'", "--robust requires a learner, not --command", False),
        ("effect below 1", "--min-effect 0.5", "--min-effect must be a rate ratio of at least 1, not 0.5", False),
        ("effect is not a number", "--min-effect nan", "--min-effect must be a rate ratio of at least 1, not nan", False),
        ("effect is infinite", "--min-effect inf", "--min-effect must be a rate ratio of at least 1, not inf", False),
        ("effect in a part", "--min-effect 2 --part 1/2", "--min-effect is for whole graphs: --nodes and --part do not apply", False),
        ("part beyond the parts", "--part 3/2", "--part must be K/N with 1 ≤ K ≤ N, not '3/2'", False),
        ("part of digits of another script", "--part ١/٢", "--part must be K/N with 1 ≤ K ≤ N, not '١/٢'", False),
        ("part of 5,000 digits", f"--part 1/{'9' * 5000}", "--part must be K/N with 1 ≤ K ≤ N, not '1/999", False),
        ("part with a space", "--part '1 / 2'", "--part must be K/N", False),
        ("parents", f"--max-parents {-(10**30)}", "max_parents must be at least 0", False),
        ("arc without an arrow", "--require A", "write an arc as A->B, not 'A'", False),
        ("arc of three", "--require 'A->B->A'", "write an arc as A->B, not 'A->B->A'", False),
        ("arc without a name", "--require 'A->'", "write an arc as A->B, not 'A->'", False),
        ("arc with an open quote", "--forbid '\"A->B'", "a double quote is not closed", False),
        ("arc to a literal star", "--require 'A->\"*\"'", "required arc A -> \"*\": unknown variable '*'", False),
        ("arc of an escape sequence", "--forbid 'A->\x1b[2J'", "forbidden arc A -> \\x1b[2J: unknown variable '\\x1b[2J'", False),
        ("arc to itself", "--require 'A->A'", "required arc A -> A: a variable cannot be its own parent", False),
        ("alpha is not a number", "--learner ctpc-chi2 --option alpha=nan", "alpha must be", False),
        ("alpha is infinite", "--learner ctpc-ks --option alpha=inf", "alpha must be", False),
        ("tau is infinite", "--learner ctss --option tau=inf", "tau must be", False),
        ("penalty is not a number", "--learner ctss --option penalty=nan", "the penalty must be a number of at least 0, not nan", False),
        ("share of false arcs above 1", "--max-fdr 1.5", "!argument --max-fdr: must be a number between 0 and 1, not '1.5'", False),
        ("share of false arcs without probabilities", "--max-fdr 0.1 --learner ctss", "--max-fdr needs the probabilities that only the learner empirical-bayes gives", False),
        ("max_fdr is not a number", "--option max_fdr=nan", "max_fdr must be a number between 0 and 1, not nan", False),
        ("pairs are infinite", "--option pairs=inf", "pairs must be a number of at least 0, not inf", False),
        ("option of 5,000 digits", f"--option passes={'9' * 5000}", "the option 'passes' of empirical-bayes must be a whole number", False),
        ("restarts are negative", "--learner ctss --option restarts=-1", "restarts must be a whole number of at least 0", False),
        ("option without a name", "--option =1", "--option must be NAME=VALUE, not '=1'", False),
        ("output in no folder", "-o none/x.json", "none/x.json: the folder none does not exist", False),
        ("command and learner", "--learner ctss --command 'sh {data} {arcs}'", "use either --learner or --command, not both", False),
        ("command for a node", "--nodes A --command 'sh {data} {arcs}'", "a command learns the whole graph: --nodes and --part do not apply", False),
        ("command for a part", "--part 1/2 --command 'sh {data} {arcs}'", "a command learns the whole graph", False),
        ("command without data", "--command 'sh {arcs}'", "the command has no {data}, which stands for the file of data", False),
        ("command without arcs", "--command 'sh {data}'", "the command has no {arcs}, which stands for the file of arcs", False),
        ("command of no words", "--command ''", "the command is empty", False),
        ("command with an open quote", "--command \"sh '{data} {arcs}\"", "the command cannot be split into words (No closing quotation)", False),
        ("command with an unknown placeholder", "--command 'sh {data} {arcs} {alpha}'", "the command has {alpha}, but there is no option 'alpha'", False),
        ("command without a placeholder", "--command 'sh {data} {arcs}' --option alpha=1", "the command has no {alpha} for the option 'alpha'", False),
        ("command that is missing", "--command 'no-such-program {data} {arcs}'", "the program 'no-such-program' of the command is not found or not executable", False),
        ("command with bad knowledge", "--command 'sh {data} {arcs}' --forbid 'A->C'", "forbidden arc A -> C: unknown variable 'C'", False),
        ("command with a limit", "--command 'sh {data} {arcs}' --time-limit 5", "--time-limit and --record-failures require -o FILE", False),
        ("format without a command", "--data-format long", "--data-format requires --command", False),
        ("unknown format for a command", "--command 'sh {data} {arcs}' --data-format xlsx", "!argument --data-format: invalid choice: 'xlsx'", False),
        ("score of no file", "--learner ctss --option criterion=none.py", "none.py: no such file", False),
        ("unknown score", "--learner ctss --option criterion=bdeu", "unknown score 'bdeu'; choose bde, bic, aic, log-likelihood, or give your own file.py", False),
        ("limit without output", "--time-limit 5", "--time-limit and --record-failures require -o FILE", False),
    ]
}  # fmt: skip


def graph(message, content):
    """Return the case of a learned graph."""
    return Case("arcs g.json", f"g.json: {message}", {"g.json": content})


GRAPHS = {
    "graph: empty": graph("the file is empty", ""),
    "graph: a list": graph("is not a learned graph", [GRAPH]),
    "graph: another version": graph("has format version '1'; this ctbnlab reads version 1", changed(GRAPH, "version", "1")),
    "graph: no nodes": graph("is a damaged graph: an entry has no 'nodes'", without(GRAPH, "nodes")),
    "graph: nodes are text": graph("is a damaged graph: 'nodes' must be a list, not 'AB'", changed(GRAPH, "nodes", "AB")),
    "graph: states are text": graph("is a damaged graph: 'states' must be a list, not 'xy'", changed(GRAPH, "variables", 0, "states", "xy")),
    "graph: parents are text": graph("is a damaged graph: 'parents' must be a list, not 'A'", changed(GRAPH, "nodes", 1, "parents", "A")),
    "graph: unknown parent": graph("unknown variable 'C'", changed(GRAPH, "nodes", 1, "parents", ["C"])),
    "graph: unknown candidate": graph("unknown variable 'C'", changed(GRAPH, "nodes", 1, "evidence", 0, "candidate", "C")),
    "graph: kept is text": graph("is a damaged graph: 'kept' must be true or false, not 'yes'", changed(GRAPH, "nodes", 1, "evidence", 0, "kept", "yes")),
    "graph: gain is text": graph("is a damaged graph: 'gain' must be a number, not 'much'", changed(GRAPH, "nodes", 1, "evidence", 0, "gain", "much")),
    "graph: gain is a list": graph("is a damaged graph: 'gain' must be a number, not [1]", changed(GRAPH, "nodes", 1, "evidence", 0, "gain", [1])),
    "graph: gain of 400 digits": graph("is a damaged graph: 'gain' is too large", changed(GRAPH, "nodes", 1, "evidence", 0, "gain", 10**400)),
    "graph: separating set is text": graph("is a damaged graph: 'separating_set' must be a list, not 'A'", changed(GRAPH, "nodes", 1, "evidence", 0, "separating_set", "A")),
    "graph: counts are text": graph("is a damaged graph: 'scores' must be a number, not '2'", changed(GRAPH, "nodes", 0, "counts", {"scores": "2"})),
    "graph: notes are numbers": graph("is a damaged graph: 'notes' must be a list of texts, not of 7", changed(GRAPH, "nodes", 0, "notes", [7])),
    "graph: learner is text": graph("is a damaged graph: 'learner' must be an object, not 'ctss'", changed(GRAPH, "learner", "ctss")),
    "graph: failure of an odd status": graph("the node 'A' has the status 'lost'", changed(GRAPH, "failures", [{"name": "A", "status": "lost", "reason": ""}])),
    "graph: learned and failed": graph("the node 'A' is both learned and failed", changed(GRAPH, "failures", [{"name": "A", "status": "failed", "reason": ""}])),
    "graph: node twice": graph("its nodes are repeated", changed(GRAPH, "nodes", [GRAPH["nodes"][0]] * 2)),
    "graph: variable twice": graph("the variable 'A' appears twice", changed(GRAPH, "variables", 1, "name", "A")),
    "graph: NaN": graph("data.time: must be a JSON value, not NaN", changed(GRAPH, "data", "time", float("nan"))),
    "graph: gzip of gigabytes": Case("compare g.json.gz graph.json", "g.json.gz: unpacks to more than 200 times its size", {"g.json.gz": bomb(b"{", b"\n", 4)}, heavy=True),
    "merge: no such part": Case("merge none.json -o x.json", "none.json: No such file or directory"),
    "merge: network": Case("merge network.json -o x.json", "network.json: is a network, not a learned graph"),
    "merge: the same part twice": Case("merge graph.json graph.json -o x.json", "the node A is in two parts"),
    "merge: part is missing": Case("merge g.json -o x.json", "no part contains B", {"g.json": changed(GRAPH, "nodes", GRAPH["nodes"][:1])}),
    "merge: no such data": Case("merge graph.json --data none.arrow -o x.json", "none.arrow: No such file or directory"),
    "merge: data of other variables": Case("merge graph.json --data other.csv -o x.json", "other.csv: has other variables or roles than the data of the parts", {"other.csv": WIDE.replace("A,B", "A,C")}),
    "merge: other data": Case("merge graph.json --data other.csv -o x.json", "other.csv: has another number of events", {"other.csv": WIDE.replace("1,3,y", "1,3,x")}),
    "merge: into a folder": Case("merge graph.json -o folder", "folder: is a folder"),
    "compare: other variables": Case("compare network.json g.json", "network.json: lacks the variable 'C'", {"g.json": changed(GRAPH, "variables", [*GRAPH["variables"], {"name": "C", "states": ["0"]}]) | {"failures": [{"name": "C", "status": "failed", "reason": ""}]}}),
    "compare: only a part": Case("compare network.json g.json", "g.json: is only a part of a graph", {"g.json": changed(GRAPH, "nodes", GRAPH["nodes"][:1])}),
    "compare: data": Case("compare network.json data.csv", "data.csv: is a CSV table, not a network or"),
    "compare: nested": Case("compare network.json g.json", "g.json: is nested too deeply", {"g.json": "[" * 100_000}),
    "arcs: other variables": Case("arcs graph.json g.json", "g.json: has other variables than graph.json", {"g.json": changed(GRAPH, "variables", 0, "states", ["x", "z"])}),
    "arcs: unknown extension": Case("arcs graph.json -o arcs.xlsx", "arcs.xlsx: unknown extension"),
    "arcs: network": Case("arcs network.json", "network.json: is a network, not a learned graph"),
    "plot: unknown extension": Case("plot graph.json -o x.bmp", "x.bmp: unknown picture format 'bmp'"),
    "plot: in no folder": Case("plot graph.json -o none/x.svg", "none/x.svg: the folder none does not exist"),
    "plot: data": Case("plot data.csv -o x.svg", "data.csv: is a CSV table, not a network,"),
    "plot: matrices of a graph": Case("plot graph.json --cims -o x.svg", "graph.json: has no intensity matrices"),
    "fit: alpha is not a number": Case("fit graph.json data.csv --method bayes --alpha nan -o x.json", "alpha must be between 1e-12 and 1e+06, not nan"),
    "fit: tau is infinite": Case("fit graph.json data.csv --method bayes --tau inf -o x.json", "tau must be between 1e-12 and 1e+06"),
    "fit: tau is negative": Case("fit graph.json data.csv --method bayes --tau -1 -o x.json", "tau must be between 1e-12 and 1e+06"),
    "fit: level of percent": Case("fit graph.json data.csv --level 95 -o x.json", "!argument --level: must be a number between 0 and 1, not '95'"),
    "fit: level is not a number": Case("fit graph.json data.csv --level nan -o x.json", "!argument --level: must be a number between 0 and 1, not 'nan'"),
    "fit: rates of an unknown kind": Case("fit graph.json data.csv -o x.json --rates x.xlsx", "x.xlsx: unknown extension: use .csv, .json or .parquet"),
    "fit: rates and network in one file": Case("fit graph.json data.csv -o x.json --rates ./x.json", "./x.json: is given as two outputs; name two files"),
    "fit: initial states of other variables": Case("fit graph.json data.csv -o x.json --initial i.json", "i.json: C: 'C' is not a variable of the data", {"i.json": {"C": {"0": 1}}}),
    "fit: initial states of one variable": Case("fit graph.json data.csv -o x.json --initial i.json", "i.json: has no initial distribution of 'B'", {"i.json": {"A": {"x": 1}}}),
    "fit: unknown initial state": Case("fit graph.json data.csv -o x.json --initial i.json", "i.json: A.7: '7' is not a state of 'A'; its states are", {"i.json": {"A": {"7": 1}}}),
    "fit: initial probabilities above 1": Case("fit graph.json data.csv -o x.json --initial i.json", "i.json: initial distribution of 'A': its probabilities sum to 1.5, not 1", {"i.json": {"A": {"x": 1, "y": 0.5}, "B": {"u": 1}}}),
    "fit: negative initial probability": Case("fit graph.json data.csv -o x.json --initial i.json", "i.json: initial distribution of 'A': has a probability that is negative", {"i.json": {"A": {"x": 1.5, "y": -0.5}, "B": {"u": 1}}}),
    "fit: initial states as a list": Case("fit graph.json data.csv -o x.json --initial i.json", "i.json: must be a network, or an object {variable: {state: probability}}", {"i.json": [1]}),
    "fit: no such kind of initial states": Case("fit graph.json data.csv -o x.json --initial stationary", "stationary: No such file or directory"),
    "fit: other variables": Case("fit graph.json d.csv -o x.json", "d.csv: lacks the variable 'B', which graph.json has", {"d.csv": WIDE.replace("B", "C")}),
    "fit: terabytes of rates": Case("fit g.json d.csv -o x.json", "g.json: variable 'V40': a table of 1099511627776 parent configurations is too large", {"g.json": _WIDE_GRAPH, "d.csv": _WIDE_DATA}, heavy=True),
    "fit: data without a time": Case("fit graph.json d.csv -o x.json", "d.csv: no 'time' column; found: A, B; name it with --time", {"d.csv": "A,B\n"}),
    "fit: no such graph": Case("fit none.json data.csv -o x.json", "none.json: No such file or directory"),
    "truth: no such file": Case("truth none.json -o x.json", "none.json: No such file or directory"),
    "truth: graph without data": Case("truth graph.json -o x.json", "graph.json: is not a network"),
    "truth: arcs without data": Case("truth arcs.csv -o x.json", "arcs.csv: line 1, column 1: is not JSON", {"arcs.csv": "from,to\n"}),
    "truth: other variables": Case("truth n.json --data data.csv -o x.json", "n.json: lacks the variable 'A', which data.csv has", {"n.json": json.loads(json.dumps(NETWORK).replace('"A"', '"C"'))}),
    "truth: unknown variable": Case("truth arcs.csv --data data.csv -o x.json", "arcs.csv: line 3: unknown variable 'C'", {"arcs.csv": "from,to\nA,B\nB,C\n"}),
    "truth: no header": Case("truth arcs.csv --data data.csv -o x.json", "arcs.csv: line 1: no column 'from'", {"arcs.csv": "A,B\n"}),
    "truth: part of a graph": Case("truth g.json --data data.csv -o x.json", "g.json: is only a part of a graph", {"g.json": changed(GRAPH, "nodes", GRAPH["nodes"][:1])}),
    "truth: over its source": Case("truth network.json -o network.json", "network.json: is also an input"),
    "check-learner: unknown": Case("check-learner ctxs", "unknown learner 'ctxs'"),
    "check-learner: nothing": Case("check-learner", "no learner given (see ctbnlab check-learner --help)"),
    "check-learner: command and learner": Case("check-learner ctss --command 'sh {data} {arcs}'", "use either --learner or --command, not both"),
    "check-learner: command without arcs": Case("check-learner --command 'sh {data}'", "the command has no {arcs}"),
    "check-learner: no such file": Case("check-learner none.py", "none.py: no such file"),
    "check-learner: option": Case("check-learner l.py --option share=much", "the option 'share' of l.py must be a number, not 'much'", {"l.py": _LEARNER}),
    "check-learner: unknown option": Case("check-learner l.py --option shaer=1", "the learner l.py has no option 'shaer'", {"l.py": _LEARNER}),
}  # fmt: skip


def bootstrap(message, options, files=None, heavy=False):
    """Return the case of options of `bootstrap`."""
    return Case(f"bootstrap {options}", message, files or {}, heavy=heavy)


BOOTSTRAP = {
    f"bootstrap: {title}": bootstrap(message, options, files, heavy)
    for title, options, message, files, heavy in [
        ("nothing", "", "no data file given (see ctbnlab bootstrap --help)", None, False),
        ("one trajectory", "one.csv", "one.csv: has only one trajectory; a bootstrap draws whole trajectories and needs at least 10", {"one.csv": "time,A\n0,x\n1,y\n2,x\n"}, False),
        ("no replicates", "data.csv -n 0", "!argument -n/--replicates: must be a whole number from 1 to 1,000,000, not '0'", None, False),
        ("a billion replicates", "data.csv -n 1000000000", "!argument -n/--replicates: must be a whole number from 1 to 1,000,000", None, True),
        ("negative seed", "data.csv --seed -1", "!argument --seed: must be a whole number from 0", None, False),
        ("batch beyond the batches", "data.csv --batch 3/2 -o x.json", "--batch must be K/N with 1 ≤ K ≤ N, not '3/2'", None, False),
        ("more batches than replicates", "data.csv -n 2 --batch 3/3 -o x.json", "--batch 3/3: there are 2 replicates, fewer than batches", None, False),
        ("batch without output", "data.csv --batch 1/2", "--batch requires -o FILE", None, False),
        ("unknown learner", "data.csv --learner ctxs", "unknown learner 'ctxs'", None, False),
        ("merge and data", "data.csv --merge b.json", "--merge joins batches: give it no data and no --batch", {"b.json": "{}"}, False),
        ("merge of a graph", "--merge graph.json", "graph.json: is a learned graph, not a bootstrap", None, False),
        ("table in no folder", "data.csv --table none/x.csv", "none/x.csv: the folder none does not exist", None, False),
    ]
}  # fmt: skip

CASES = LEARN | GRAPHS | BOOTSTRAP
