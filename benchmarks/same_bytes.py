"""The files of two revisions, byte by byte: `python benchmarks/same_bytes.py OTHER_PYTHON`.

    python benchmarks/same_bytes.py ../before/.venv/bin/python -o docs/results/same_bytes.csv

OTHER_PYTHON is the interpreter of an environment in which the other revision is installed. Each revision
generates the same networks, simulates data, writes them as a store and as wide and long CSV, reads these
again, and learns with every learner; the data have no ties, gaps, roles or clocks. There is one row per
network and file, with whether both revisions wrote the same bytes; nothing is left out of the comparison.
The exit status is 1 if any file differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import write_rows

# (nodes, states, density, trajectories) of each network.
NETWORKS = (
    (5, 2, 0.3, 60),
    (8, 3, 0.2, 60),
    (6, 4, 0.3, 60),
    (12, 2, 0.4, 60),
    (9, [2, 3, 4], 0.25, 60),
    (20, 2, 0.1, 60),
    (20, 3, 0.1, 20),
)

# Uses only what every revision exports.
WORKER = """
import json, sys
from pathlib import Path
import ctbnlab
from ctbnlab.learning.registry import make

folder = Path(sys.argv[1])
learners = {
    "ctpc-chi2": make("ctpc-chi2"),
    "ctpc-ks": make("ctpc-ks"),
    "ctpc-pooled": ctbnlab.Ctpc(test="pooled"),
    "ctpc-dm": ctbnlab.Ctpc(test="dm"),
    "ctpc-corrected": ctbnlab.Ctpc(conventions="corrected", stable=True),
    "ctpc-2021": ctbnlab.Ctpc(conventions="paper-2021"),
    "ctss": ctbnlab.Ctss(),
    "ctss-exhaustive": ctbnlab.Ctss(search="exhaustive", max_parents=2),
    "empirical-bayes": ctbnlab.EmpiricalBayes(),
}
for k, (n, states, density, trajectories) in enumerate(json.loads(sys.argv[2])):
    network = ctbnlab.generate(n, states, density, count="probability", connectivity="no-isolated", seed=k)
    network.write(folder / f"{k}-network.json")
    data = ctbnlab.simulate(network, trajectories=trajectories, duration=50.0, seed=100 + k)
    ctbnlab.write(data, folder / f"{k}-simulated.arrow")
    ctbnlab.write(data, folder / f"{k}-wide.csv")
    ctbnlab.write(data, folder / f"{k}-long.csv", format="long")
    for layout in ("wide", "long"):
        ctbnlab.write(ctbnlab.read(folder / f"{k}-{layout}.csv"), folder / f"{k}-from-{layout}.arrow")
    for name, learner in learners.items():
        if name == "ctpc-corrected" and n > 9:
            continue  # takes many minutes
        ctbnlab.learn(data, learner).graph.write(folder / f"{k}-{name}.json")
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", help="the interpreter of the other revision's environment")
    parser.add_argument("-o", "--output", type=Path, help="write the rows to this CSV file")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folders = [Path(temporary) / name for name in ("other", "this")]
        for python, folder in zip((args.other, sys.executable), folders, strict=True):
            folder.mkdir()
            subprocess.run([python, "-c", WORKER, str(folder), json.dumps(NETWORKS)], check=True)
        names = [{path.name for path in folder.iterdir()} for folder in folders]
        for name in sorted(names[0] | names[1], key=lambda name: (int(name.partition("-")[0]), name)):
            first, second = (folder / name for folder in folders)
            same = first.exists() and second.exists() and first.read_bytes() == second.read_bytes()
            k, _, file = name.partition("-")
            n, states, density, _ = NETWORKS[int(k)]
            network = f"{n} nodes, {states} states, density {density}"
            rows.append({"network": network, "file": file, "same": same})
    write_rows(args.output, rows)
    different = [row for row in rows if not row["same"]]
    for row in different:
        print(f"differs: {row['network']}: {row['file']}")
    print(f"{len(rows) - len(different)} of {len(rows)} files have the same bytes")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
