"""Bad input to `ctbnlab query`."""

from __future__ import annotations

from tests.cli.refusals import NETWORK, VARIABLE, Case, changed

_MANY = changed(NETWORK, "variables", [changed(VARIABLE, "name", f"P{i}") for i in range(40)])
_CLOCK = changed(
    changed(
        NETWORK, "variables", [changed(VARIABLE, "cims", [{"given": {}, "intensities": [[0, 0], [0, 0]]}])]
    ),
    "roles",
    {"clocks": [{"name": "A", "kind": "calendar", "cuts": [1.0]}]},
)
_ONE_WAY = changed(
    NETWORK,
    "variables",
    [changed(VARIABLE, "cims", [{"given": {}, "intensities": [[-1, 1], [0, 0]]}])],
)


def query(options, message, **files):
    """Return the case of a question to a small network."""
    return Case(f"query q.json {options}", message, {"q.json": NETWORK, **files})


CASES = {
    f"query: {title}": case
    for title, case in {
        "nothing asked": query(
            "", "ask one question: --at, --long-run, --expect, --until, --likelihood, --sample"
        ),
        "two questions": query("--long-run --expect 0,1", "ask one question"),
        "times of another question": query("--at 1 --long-run", "--at cannot be used with --long-run"),
        "option of another question": query("--long-run --filter", "--filter cannot be used with --long-run"),
        "stacked without a plot": query("--at 1 --stacked", "--stacked needs --plot and --at"),
        "joint of all": query("--at 1 --joint", "--joint needs --of"),
        "negative time": query("--at -1", "a time must be 0 or more, not -1.0"),
        "negative time in a list": query("--at=-1,2", "a time must be 0 or more, not -1.0"),
        "infinite time": query("--at inf", "an infinite time is the long run; ask for that instead"),
        "time is not a number": query("--at nan", "a time must be 0 or more, not nan"),
        "time is text": query("--at soon", "--at must be numbers separated by commas, not 'soon'"),
        "a million times": query("--at 0:1:0.000001", "--at must be times or start:stop:step"),
        "step of 0": query("--at 0:1:0", "--at must be times or start:stop:step"),
        "unknown variable": query("--at 1 --of C", "unknown variable 'C'; the variables are A, B"),
        "variable twice": query("--at 1 --of A,A", "name the variables to ask for, each once"),
        "unknown state": query("--at 1 --start A=2", "start: 'A' has no state '2'; its states are 0, 1"),
        "start is no assignment": query(
            "--at 1 --start A", "--start must be A=x,B=y with each variable once"
        ),
        "intervention on nothing": query("--at 1 --do C=0", "unknown variable 'C'"),
        "two interventions": query("--at 1 --do A=0 --do A=1", "two interventions hold 'A' at the same time"),
        "intervention without time": query(
            "--at 1 --do 2..1:A=0", "intervention: the interval from 2.0 to 1.0 is"
        ),
        "negative intervention": query(
            "--at 1 --do=-2:A=0", "intervention: a time must be finite and 0 or more"
        ),
        "contradictory points": query(
            "--at 1 --observe 1:A=0 --observe 1:A=1", "the evidence about 'A' contradicts itself at time 1"
        ),
        "point within an interval": query(
            "--at 1 --observe 0..2:A=0 --observe 1:A=1", "the evidence about 'A' contradicts itself at time 1"
        ),
        "against the intervention": query(
            "--at 1 --do A=0 --observe 1..2:A=1", "the evidence about 'A' contradicts the intervention at 1"
        ),
        "impossible": Case(
            "query q.json --at 1 --observe 0.5:A=1 --observe 1:A=0",
            "the evidence up to time 1 is impossible under the network",
            {"q.json": _ONE_WAY},
        ),
        "evidence without end": query(
            "--at 1 --observe 0..inf:A=0", "evidence: the interval of 'A' must end"
        ),
        "first passage given evidence": query(
            "--until A=1 --observe 1:B=0", "first passage is not available given evidence"
        ),
        "no evidence": query("--likelihood", "there is no evidence"),
        "empty interval": query("--expect 2,2", "the interval from 2 to 2 is empty"),
        "interval of one time": query("--expect 2", "--expect must be two times A,B, not '2'"),
        "quantile": query("--until A=1 --quantiles 1", "a quantile must be between 0 and 1, not 1.0"),
        "target with a time": query("--until 2:A=1", "a target has no time: '2:A=1'"),
        "nothing to compare": query("--at 1 --compare", "there is nothing to compare with"),
        "level": query("--at 1 --level 1", "!argument --level: must be a number between 0 and 1"),
        "samples": query("--at 1 --samples 3", "the number of samples must be from 100 to 10,000,000, not 3"),
        "jobs": query("--at 1 --jobs 0", "the number of jobs must be from 1 to 1,024, not 0"),
        "seed": query("--at 1 --seed -1", "!argument --seed: must be a whole number from 0"),
        "paths without a file": query("--sample 3 --at 1", "--sample needs -o"),
        "paths of two lengths": query("--sample 3 --at 1,2 -o x.csv", "--sample needs one time --at"),
        "no paths": query(
            "--sample -3 --at 1 -o x.csv", "the number of trajectories must be from 1 to 1,000,000"
        ),
        "unknown output": query("--at 1 -o x.txt", "x.txt: unknown extension: use .csv or .json"),
        "unknown picture": query("--at 1 --plot x.doc", "x.doc: "),
        "sensitivity to nothing": query(
            "--at 1 --sensitivity --compare", "--sensitivity cannot be used with"
        ),
        "joint states without end": Case(
            f"query q.json --at 1 --joint --of {','.join(f'P{i}' for i in range(40))}",
            "40 variables have 1.1e+12 joint states; name fewer of them",
            {"q.json": _MANY},
            heavy=True,
        ),
        "exact without end": Case(
            "query q.json --until " + ",".join(f"P{i}=1" for i in range(40)) + " --engine exact",
            "40 variables matter, with 1.1e+12 joint states; the exact engine follows at most 67,108,864",
            {"q.json": _MANY},
            heavy=True,
        ),
        "other clocks": Case(
            "query q.json --at 1",
            "the clock 'A' is of the kind 'calendar'; only networks",
            {"q.json": _CLOCK},
        ),
        "evidence file": query(
            "--at 1 --evidence e.csv",
            "e.csv: line 1: has no column 'state'; needed: variable,state,start",
            **{"e.csv": "variable,start\nA,1\n"},
        ),
        "evidence time": query(
            "--at 1 --evidence e.csv",
            "e.csv: line 2: the start must be a number, not 'x'",
            **{"e.csv": "variable,state,start\nA,1,x\n"},
        ),
        "empty evidence": query(
            "--at 1 --evidence e.csv", "e.csv: has no evidence", **{"e.csv": "variable,state,start\n"}
        ),
        "changed rates": query(
            "--at 1 --change c.csv",
            "c.csv: line 2: the rate must be a number, not 'x'",
            **{"c.csv": "variable,parents,from,to,rate\nA,,0,1,x\n"},
        ),
        "negative rate": query(
            "--at 1 --change c.csv",
            "c.csv: rate: that of 'A' from '0' to '1' must be between 0 and 1e+100, not -1.0",
            **{"c.csv": "variable,parents,from,to,rate\nA,,0,1,-1\n"},
        ),
        "parent of nothing": query(
            "--at 1 --change c.csv",
            "c.csv: rate: 'B' is not a parent of 'A'",
            **{"c.csv": "variable,parents,from,to,rate\nA,B=0,0,1,1\n"},
        ),
        "posterior": query(
            "--at 1 --posterior r.csv",
            "r.csv: row 1: is not a row of `ctbnlab fit --rates`",
            **{"r.csv": "a,b\n1,2\n"},
        ),
        "empty posterior": query(
            "--at 1 --posterior r.csv", "r.csv: the table of rates is empty", **{"r.csv": "variable,rate\n"}
        ),
        "posterior is no table": query(
            "--at 1 --posterior r.json", "r.json: is not a table of rates", **{"r.json": "{}"}
        ),
    }.items()
}
