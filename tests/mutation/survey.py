"""Make every small change of chosen modules and list those that no test notices: docs/results/mutants.txt.

`python -m tests.mutation.survey [MODULE ...]`, by default all of MODULES; about an hour on two cores.
Survivors that cannot be noticed, because they change nothing, are in equivalent.toml with the reason.
"""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutation.operators import Mutant, mutants
from tests.mutation.scratch_tree import ROOT, BrokenRun, ScratchTree

REPORT = ROOT / "docs/results/mutants.txt"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
LIMIT = 120  # seconds for the tests of one mutant
# The tests that concern each module, the quick ones first.
MODULES = {
    "data/trajectories.py": [
        "tests/data",
        "tests/counting/test_node.py",
        "tests/simulation/test_simulate.py",
    ],
    "data/arrow_file.py": ["tests/data"],
    "data/formats/ties.py": ["tests/data/formats/test_ties.py", "tests/data/formats/test_rows.py"],
    "io/files.py": ["tests/io", "tests/data/test_arrow_file.py", "tests/cli/test_bad_input.py"],
    "learning/knowledge.py": ["tests/learning/test_knowledge.py", "tests/learning/test_nodes.py"],
    "learning/nodes.py": [
        "tests/learning/test_nodes.py",
        "tests/learning/test_answers.py",
        "tests/learning/test_contract.py",
        "tests/counting/test_batch.py",
    ],
    "learning/graph.py": [
        "tests/learning/test_estimator.py",
        "tests/learning/test_nodes.py",
        "tests/workflow",
    ],
    "evaluation/metrics.py": ["tests/evaluation/test_metrics.py"],
}


def survey(modules: list[str], jobs: int) -> dict[str, list[tuple[Mutant, str]]]:
    """Return the mutants of each module with how its tests ended."""
    trees: SimpleQueue[ScratchTree] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="ctbnlab-mutants-") as folder:
        for k in range(jobs):
            (Path(folder) / str(k)).mkdir()
            trees.put(ScratchTree(Path(folder) / str(k)))

        def tested(module: str, mutant: Mutant) -> str:
            tree = trees.get()
            path = tree.root / mutant.file
            original = path.read_text(encoding="utf-8")
            try:
                path.write_text(mutant.source, encoding="utf-8")
                return tree.run_tests(MODULES[module], tree.root / "src", limit=LIMIT)
            finally:
                path.write_text(original, encoding="utf-8")
                trees.put(tree)

        result = {}
        with ThreadPoolExecutor(jobs) as pool:
            for module in modules:
                file = f"src/ctbnlab/{module}"
                source = (ROOT / file).read_text(encoding="utf-8")
                unchanged = Mutant(file, 0, "module", "nothing", source)
                if tested(module, unchanged) != "passed":
                    raise BrokenRun(f"{module}: its tests fail without a mutant")
                made = mutants(file, source)
                endings = pool.map(lambda mutant, module=module: tested(module, mutant), made)
                result[module] = list(zip(made, endings, strict=True))
                survived = sum(ending == "passed" for _, ending in result[module])
                print(f"{module}: {len(made)} mutants, {survived} survived", flush=True)
        return result


def equivalent() -> dict[str, str]:
    """Return the reason of each survivor that cannot be noticed, by its name."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return {f"src/ctbnlab/{entry['mutant']}": entry["reason"] for entry in entries}


def report(found: dict[str, list[tuple[Mutant, str]]]) -> str:
    """Return the text of the report: a table, and the survivors of each module."""
    known = equivalent()
    lines = ["Small changes of modules and the tests that notice them: python -m tests.mutation.survey", ""]
    lines.append(f"{'module':<26}{'mutants':>9}{'killed':>9}{'equivalent':>12}{'survived':>10}")
    survivors = {
        module: [mutant for mutant, ending in ended if ending == "passed"] for module, ended in found.items()
    }
    for module, ended in found.items():
        same = sum(mutant.name in known for mutant in survivors[module])
        alive = len(survivors[module])
        lines.append(f"{module:<26}{len(ended):>9}{len(ended) - alive:>9}{same:>12}{alive - same:>10}")
    for listed in filter(None, survivors.values()):
        lines.append("")
        for mutant in listed:
            reason = known.get(mutant.name)
            lines.append(mutant.name.removeprefix("src/ctbnlab/") + (f"  [{reason}]" if reason else ""))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Survey the modules and write the report; a part of them is only printed."""
    modules = sys.argv[1:] or list(MODULES)
    text = report(survey(modules, os.cpu_count() or 1))
    if modules == list(MODULES):
        REPORT.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
