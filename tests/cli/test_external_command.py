"""`ctbnlab learn --command`: the examples find what they should, and every failure has a reason."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from scipy.stats import chi2

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.learning.graph import LearnedGraph

EXAMPLES = Path(__file__).parents[2] / "examples"
needs_r = pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="Rscript is not installed: no R to run it"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with data of three variables, and one for temporary files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    network = ctbnlab.generate(3, states=[2, 3, 2], density=0.5, seed=4)
    ctbnlab.write(ctbnlab.simulate(network, trajectories=20, duration=20.0, seed=5), "data.csv")
    return tmp_path


def script(text):
    """Write a shell script that gets {data} and {arcs}, and return the command."""
    Path("run.sh").write_text(text + "\n")
    return "sh run.sh {data} {arcs}"


def learn(command, *options):
    return main(["learn", "data.csv", "--command", command, *options])


def recorded(command, *options):
    """Return the status and the reason that a failure is recorded with."""
    status = learn(command, "--record-failures", "-o", "graph.json", "--timings", "timings.json", *options)
    assert status == 0
    failures = LearnedGraph.read("graph.json").failures
    assert len(failures) == 3 and len({astuple(failure)[1:] for failure in failures}) == 1
    assert json.loads(Path("timings.json").read_text())["cpu_seconds"] is None
    return failures[0].status, failures[0].reason


def astuple(failure):
    return failure.target, failure.status, failure.reason


def cells():
    """Return, for each ordered pair (x, y), time and transitions by their states, counted plainly."""
    rows = list(csv.DictReader(Path("data.csv").read_text().splitlines()))
    names = [name for name in rows[0] if name not in ("trajectory", "time")]
    spent, moved = defaultdict(float), defaultdict(int)
    for row, after in pairwise(rows):
        if row["trajectory"] != after["trajectory"]:
            continue
        for x in names:
            for y in set(names) - {x}:
                spent[x, y, row[x], row[y]] += float(after["time"]) - float(row["time"])
                if row[x] != after[x]:
                    moved[x, y, row[x], row[y], after[x]] += 1
    return names, spent, moved


def evidence(path):
    return {(row["from"], row["to"]): row for row in LearnedGraph.read(path).evidence}


def test_the_shell_example_finds_the_largest_difference_of_rates(folder):
    command = f"sh {EXAMPLES / 'command_learner.sh'} {{data}} {{arcs}} {{threshold}}"
    assert learn(command, "--option", "threshold=3", "-o", "graph.json") == 0
    names, spent, moved = cells()
    found = evidence("graph.json")
    for x in names:
        for y in set(names) - {x}:
            left = defaultdict(int)
            for (a, b, *states, _), count in moved.items():
                if (a, b) == (x, y):
                    left[tuple(states)] += count
            largest = 0.0
            for (i, j), count in left.items():
                for (k, m), other in left.items():
                    if i == k and j != m:
                        rates = count / spent[x, y, i, j], other / spent[x, y, k, m]
                        z = abs(math.log(rates[0] / rates[1])) / math.sqrt(1 / count + 1 / other)
                        largest = max(largest, z)
            row = found[y, x]
            assert row["gain"] == pytest.approx(largest, rel=1e-4)
            assert row["kept"] == (largest > 3)
    assert 0 < sum(row["kept"] for row in found.values()) < 6


@needs_r
def test_the_r_example_compares_rates_by_likelihood(folder):
    command = f"Rscript {EXAMPLES / 'command_learner.R'} {{data}} {{arcs}} {{alpha}}"
    assert learn(command, "--option", "alpha=0.01", "-o", "graph.json") == 0
    names, spent, moved = cells()
    found = evidence("graph.json")
    for x in names:
        states = {key[2] for key in spent if key[0] == x}
        for y in set(names) - {x}:
            others = {key[3] for key in spent if key[:2] == (x, y)}
            statistic, degrees = 0.0, 0
            for i in states:
                there = [j for j in others if spent[x, y, i, j] > 0]
                for k in states - {i}:
                    counts = [moved[x, y, i, j, k] for j in there]
                    times = [spent[x, y, i, j] for j in there]
                    degrees += len(there) - 1
                    rate = sum(counts) / sum(times)
                    terms = zip(counts, times, strict=True)
                    statistic += 2 * sum(n * math.log(n / (rate * t)) for n, t in terms if n)
            p = chi2.sf(statistic, degrees)
            assert found[y, x]["gain"] == pytest.approx(-math.log10(max(p, 1e-300)), rel=1e-3, abs=1e-6)
            assert found[y, x]["kept"] == (p < 0.01)


def test_the_graph_is_the_same_whatever_the_format(folder):
    Path("count.py").write_text(
        "import sys, ctbnlab\n"
        "n = ctbnlab.read(sys.argv[1]).n_events\n"
        "open(sys.argv[2], 'w').write(f'from,to,score\\nX1,X2,{n}\\n')\n"
    )
    command = f"{sys.executable} count.py {{data}} {{arcs}}"
    graphs = set()
    for name in ("wide", "long", "pyctbn", "parquet", "arrow"):
        assert learn(command, "--data-format", name, "-o", "graph.json") == 0
        (row,) = [row for row in LearnedGraph.read("graph.json").evidence if row["kept"]]
        graphs.add(json.dumps(row))
    assert len(graphs) == 1


def test_a_command_is_timed_as_a_process(folder):
    busy = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo from,to > "$2"; sleep 0.3'
    assert learn(script(busy), "-o", "graph.json", "--timings", "timings.json") == 0
    timings = json.loads(Path("timings.json").read_text())
    assert timings["timed"] == "process" and timings["nodes"] == {}
    assert 0.01 < timings["cpu_seconds"] <= timings["wall_seconds"] - 0.25
    assert 0.1 < timings["peak_memory_mb"] < 30  # of the shell, not of the process that started it


def test_the_memory_of_all_its_processes_counts(folder):
    code = "x = bytearray(80_000_000); x[::4096] = b'x' * len(x[::4096]); __import__('time').sleep(0.3)"
    body = f'{sys.executable} -c "{code}" & {sys.executable} -c "{code}" & wait; echo from,to > "$2"'
    assert learn(script(body), "-o", "graph.json", "--timings", "timings.json") == 0
    assert 165 < json.loads(Path("timings.json").read_text())["peak_memory_mb"] < 260


FAILURES = {
    "exit 3": "exit status 3",
    "echo one >&2; echo 'the last line' >&2; echo >&2; exit 1": "exit status 1: the last line",
    "echo on stdout; exit 1": "exit status 1",
    "true": "it did not write {arcs}: a CSV file with the header from,to",
    'mkdir "$2"': "it did not write {arcs}: a CSV file with the header from,to",
    'echo X1,X2 > "$2"': "{arcs}: line 1: no column 'from'; the header must be from,to[,score][,kept]",
    'printf "from,to\\nX1,Q\\n" > "$2"': "{arcs}: line 2: unknown variable 'Q'",
    'printf "from,to\\nX1,X1\\n" > "$2"': "{arcs}: line 2: the arc X1 -> X1 leads from a variable to itself",
    'printf "\\0\\0" > "$2"': "{arcs}: is a binary file, not text",
    "kill -SEGV $$": "killed by SIGSEGV",
    "exit 137": "exit status 137",
}


@pytest.mark.parametrize("body", FAILURES)
def test_failures_are_recorded_with_their_reason(folder, body, capfd):
    assert recorded(script(body)) == ("failed", FAILURES[body])
    assert capfd.readouterr().err.splitlines()[-1] == f"ctbnlab: the command failed: {FAILURES[body]}"


def test_a_failure_is_one_line_after_what_the_command_prints(folder, capfd):
    assert learn(script("echo note >&2; echo printed; exit 4")) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert sorted(err.splitlines()[:2]) == ["note", "printed"]
    assert err.splitlines()[2:] == ["ctbnlab: the command failed: exit status 4: note"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--forbid", "X1->X2"], "the forbidden arc X1 -> X2 is present"),
        (["--require", "X1->X3"], "the required arc X1 -> X3 is missing"),
        (["--max-parents", "0"], "X2 has 1 parents; at most 0 are allowed"),
    ],
)
def test_violated_knowledge_is_a_failure(folder, options, reason):
    assert recorded(script('printf "from,to\\nX1,X2\\n" > "$2"'), *options) == ("failed", reason)


def test_a_time_limit_ends_the_command_and_what_it_has_started(folder, capfd):
    body = "sleep 600 & echo $! > one; setsid sleep 600 & echo $! > two; sleep 600"
    assert recorded(script(body), "--time-limit", "1") == ("timed out", "exceeded the time limit of 1 s")
    assert gone("one") and gone("two")
    assert not list((folder / "temporary").iterdir())


def test_nothing_that_a_command_leaves_behind_survives(folder):
    hidden = 'setsid sh -c "sleep 600 & echo \\$! > two; wait" &'
    body = f'sleep 600 & echo $! > one; {hidden} sleep 0.2; echo from,to > "$2"'
    assert learn(script(body), "-o", "graph.json") == 0
    assert gone("one") and gone("two")
    assert not list((folder / "temporary").iterdir())


def gone(name):
    number = int(Path(name).read_text())
    for _ in range(100):
        try:
            if psutil.Process(number).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    os.kill(number, signal.SIGKILL)
    return False


def test_a_kill_from_outside_is_not_recorded(folder, capfd):
    status = learn(script("kill -KILL $$"), "--record-failures", "-o", "graph.json")
    assert status == 75
    assert "killed by SIGKILL; nothing was recorded" in capfd.readouterr().err
    assert not Path("graph.json").exists()


def test_a_killed_ctbnlab_takes_the_command_with_it(folder):
    command = script("echo $$ > one; sleep 600")
    arguments = [sys.executable, "-m", "ctbnlab", "learn", "data.csv", "--command", command]
    with subprocess.Popen(arguments, stderr=subprocess.DEVNULL) as process:
        while not Path("one").exists() or not Path("one").read_text():
            time.sleep(0.02)
        process.kill()
    assert gone("one")


def test_a_job_s_memory_limit_counts_the_command(folder):
    code = "x = bytearray(600_000_000); x[::4096] = b'x' * len(x[::4096]); __import__('time').sleep(600)"
    body = f'{sys.executable} -c "{code}"'
    expected = ("failed", "exceeded the memory limit of 400 MB")
    assert recorded(script(body), "--job-memory", "400", "--last-attempt") == expected


def test_no_shell_sees_the_words(folder):
    command = "sh run.sh {data} {arcs} {note} '$(touch made)' '; touch made'"
    Path("run.sh").write_text('echo "$3" "$4" "$5" > words; echo from,to > "$2"')
    assert learn(command, "--option", "note=$(touch made) `touch made`", "-o", "graph.json") == 0
    assert Path("words").read_text() == "$(touch made) `touch made` $(touch made) ; touch made\n"
    assert not Path("made").exists()
    assert LearnedGraph.read("graph.json").learner["parameters"]["note"] == "$(touch made) `touch made`"


def test_arcs_are_printed_without_an_output(folder, capfd):
    assert learn(script('printf "from,to,score\\nX3,X1,2.5\\n" > "$2"')) == 0
    out, err = capfd.readouterr()
    assert out.startswith("X3 -> X1") and "2.5" in out
    assert err.startswith("Learned 1 arc among 3 variables from ")


def test_the_examples_pass_their_checks(folder, capfd):
    command = f"sh {EXAMPLES / 'command_learner.sh'} {{data}} {{arcs}}"
    assert main(["check-learner", "--command", command]) == 0
    assert capfd.readouterr().out.endswith("PASS  repeated runs agree\nAll checks passed\n")
    if shutil.which("Rscript") is not None:
        assert (
            main(
                ["check-learner", "--command", f"Rscript {EXAMPLES / 'command_learner.R'} {{data}} {{arcs}}"]
            )
            == 0
        )


def test_a_command_that_gives_different_graphs_fails_its_check(folder, capfd):
    body = 'echo x >> count; printf "from,to,score\\nX1,X2,$(wc -l < count)\\n" > "$2"'
    assert main(["check-learner", "--command", script(body)]) == 1
    out = capfd.readouterr().out
    assert "FAIL  example of the paper: {arcs}: line 2: unknown variable 'X1'" in out
    assert "FAIL  repeated runs agree: two runs on the same data give different graphs" in out
    assert out.endswith("3 of 7 checks failed\n")


def test_a_file_that_cannot_be_started(folder, capfd):
    Path("prog").write_bytes(b"\x01\x02")
    Path("prog").chmod(0o755)
    assert learn("./prog {data} {arcs}") == 2
    assert capfd.readouterr().err == "ctbnlab: the command cannot be started (Exec format error): ./prog\n"
