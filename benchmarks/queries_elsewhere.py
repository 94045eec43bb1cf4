"""Exact answers and those of R's msm and of pyAgrum on the same small networks.

    python benchmarks/queries_elsewhere.py -o docs/results/queries_elsewhere.csv

Needs R with the package msm (`apt-get install r-base-core r-cran-msm`) and the extra `peers`. msm computes
transition probabilities (pmatrix), total times in states (totlos), probabilities of first passage (ppass) and
expected first passage times (efpt) from a multi-state model with a fixed intensity matrix: that of the joint
states. pyAgrum's CTBN inference (SimpleInference) multiplies out the same matrix. A row is one network and
quantity with the largest absolute and relative difference from ours.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from measuring import write_rows

import ctbnlab

HERE = Path(__file__).resolve().parent
TIME = 1.7
SCRIPT = r"""
suppressMessages(library(msm))
arguments <- commandArgs(trailingOnly = TRUE)
q <- as.matrix(read.csv(arguments[1], header = FALSE)); dimnames(q) <- NULL
start <- as.numeric(read.csv(arguments[2], header = FALSE)[1, ])
goal <- as.integer(read.csv(arguments[3], header = FALSE)[1, ])
time <- as.numeric(arguments[4])
n <- nrow(q)
diag(q) <- 0
# A model whose intensities are given: it is fitted to nothing.
subject <- rep(1, 2)
data <- data.frame(subject = subject, time = c(0, 1), state = c(1, 1))
model <- suppressWarnings(
  msm(state ~ time, subject = subject, data = data, qmatrix = q, fixedpars = TRUE))
p <- pmatrix.msm(model, t = time)
los <- sapply(1:n, function(i) totlos.msm(model, start = i, tot = time))
pass <- ppass.msm(model, tot = time)
mean <- efpt.msm(model, tostate = goal)
write.table(rbind(start %*% p, start %*% t(los), start %*% unclass(pass), rep(sum(start * mean), n)),
            row.names = FALSE, col.names = FALSE, sep = ",")
"""


def by_msm(network: ctbnlab.Network, goal: list[int], folder: Path) -> np.ndarray:
    """Return the rows of msm: state probabilities, times in states, probabilities of passage, the mean."""
    np.savetxt(folder / "q.csv", network.amalgamated(), delimiter=",", fmt="%.17g")
    np.savetxt(folder / "start.csv", network.joint_initial()[None], delimiter=",", fmt="%.17g")
    np.savetxt(folder / "goal.csv", np.array(goal)[None] + 1, delimiter=",", fmt="%d")
    (folder / "ask.R").write_text(SCRIPT)
    names = ["ask.R", "q.csv", "start.csv", "goal.csv"]
    command = ["Rscript", *(str(folder / name) for name in names), str(TIME)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return np.array([[float(x) for x in line.split(",")] for line in done.stdout.splitlines()])


def joint_labels(network: ctbnlab.Network) -> list[dict[str, str]]:
    """Return the states of every joint state, in C order."""
    places = np.ndindex(*network.cardinalities.tolist())
    return [{v.name: v.states[x] for v, x in zip(network.variables, place, strict=True)} for place in places]


def by_us(network: ctbnlab.Network, goal: list[int]) -> np.ndarray:
    """Return the same rows."""
    query = ctbnlab.Query(network)
    labels = joint_labels(network)
    names = list(network.names)
    probabilities = query.at(TIME, names, joint=True).values
    answer = query.expect(0, TIME, names, joint=True)
    times = answer.select(quantity="time")
    passed = [query.until(label, [TIME], []).select(quantity="reached by")[0] for label in labels]
    found = query.until([labels[g] for g in goal], [], [])
    ever = found.select(quantity="ever reached")
    what = zip(found.columns["quantity"], found.values, strict=True)
    means = [value for quantity, value in what if quantity.startswith("mean")]
    mean = sum(e * m for e, m in zip(ever, means, strict=True) if e > 0)
    return np.array([probabilities, times, passed, [mean] * len(labels)])


def by_pyagrum(network: ctbnlab.Network) -> np.ndarray:
    """Return the state probabilities of all variables at a time, one after another."""
    # No module of this folder may hide one that pyAgrum imports.
    sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]
    import pyagrum
    import pyagrum.ctbn as ct

    model = ct.CTBN()
    for name, states in network.variables:
        model.add(pyagrum.LabelizedVariable(name, name, list(states)))
    for source, target in network.arcs:
        model.addArc(source, target)
    for i, (name, states) in enumerate(network.variables):
        cim = model.CIM(name)
        parents = [network.variables[j] for j in network.parents[i]]
        for u, place in enumerate(np.ndindex(*(len(p.states) for p in parents))):
            matrix = network.cims[i].table()[u]
            for x in range(len(states)):
                for y in range(len(states)):
                    given = {p.name: p.states[s] for p, s in zip(parents, place, strict=True)}
                    ends = {ct.CIM.varI(name): states[x], ct.CIM.varJ(name): states[y]}
                    cim[{**given, **ends}] = float(matrix[x, y])
    inference = ct.SimpleInference(model)
    inference.makeInference(t=TIME)
    return np.concatenate([inference.posterior(name).toarray() for name in network.names])


NETWORKS = {
    "eating": lambda: ctbnlab.gallery.get("eating"),
    "3 ternary": lambda: ctbnlab.generate(3, states=3, density=0.5, seed=1),
    "4 binary": lambda: ctbnlab.generate(4, states=2, density=0.4, seed=2),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the rows as CSV")
    arguments = parser.parse_args()
    rows: list[dict[str, object]] = []

    def compare(name: str, program: str, quantity: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        difference = np.abs(ours - theirs)
        relative = difference.max() / np.abs(theirs).max()
        about = {"network": name, "program": program, "quantity": quantity, "values": ours.size}
        sizes = {"largest_difference": f"{difference.max():.1e}", "relative": f"{relative:.1e}"}
        rows.append({**about, **sizes})
        print(*rows[-1].values(), flush=True)

    for name, build in NETWORKS.items():
        network = build()
        if shutil.which("Rscript"):
            goal = [0, int(np.prod(network.cardinalities)) - 1]
            with tempfile.TemporaryDirectory() as folder:
                theirs, ours = by_msm(network, goal, Path(folder)), by_us(network, goal)
            for k, quantity in enumerate(("pmatrix", "totlos", "ppass", "efpt")):
                compare(name, "msm", quantity, ours[k], theirs[k])
        if find_spec("pyagrum") is None:
            continue
        ours = np.array(ctbnlab.Query(network).at(TIME).values)
        compare(name, "pyAgrum", "posterior", ours, by_pyagrum(network))
    write_rows(arguments.output, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
