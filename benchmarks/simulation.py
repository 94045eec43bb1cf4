"""Speed of the simulator, compared with plain Python and its own floor:  python benchmarks/simulation.py

CPU time of one thread, best of several runs; and the peak memory of simulating a dense quaternary network.

The floor is the work that no exact simulator with a counter-based stream can avoid: two random numbers, a
logarithm and eleven bytes per event. It is measured by simulating one binary variable, where there is
nothing to choose. For 20 binary variables, a sampling profile finds about 40 % of the time in the random
numbers and the logarithm, 20 % in the choice, 30 % in new exit rates and their sums, and the rest in memory
for the events. If tables are larger than the cache, access to them dominates; this is why rates of large
tables are drawn again when needed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from plain_simulation import flat_rows, plain_loop, rows_by_configuration, tuned_loop

from ctbnlab.simulation.simulate import simulate, simulate_to

# The networks are those of the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.small_networks import network_of, random_network

CASES = (
    # label, variables, states, density, trajectories
    ("20 binary, density 0.1", 20, 2, 0.1, 300),
    ("20 ternary, density 0.3", 20, 3, 0.3, 100),
    ("20 quaternary, density 0.2", 20, 4, 0.2, 100),
    ("1000 binary, 2 parents each", 1000, 2, 2 / 999, 5),
)


def best(functions, rounds):
    """Return each function's lowest CPU seconds per event; a round runs them all, so that load is shared."""
    lowest = [float("inf")] * len(functions)
    for round_number in range(rounds):
        for k, function in enumerate(functions):
            begin = time.process_time()
            events = function(round_number)
            lowest[k] = min(lowest[k], (time.process_time() - begin) / events)
    return lowest


def speeds() -> None:
    print(f"{'network':<30}{'compiled':>14}{'':>10}{'plain':>10}{'tuned':>10}{'× plain':>9}{'× tuned':>9}")
    for label, n, states, density, trajectories in CASES:
        network = random_network(n, states, density)
        by_configuration, flat = rows_by_configuration(network), flat_rows(network)
        duration = 2.0 if n > 20 else 20.0
        fast, plain, tuned = best(
            [
                partial(compiled, network, trajectories),
                partial(looped, plain_loop, network, by_configuration, duration),
                partial(looped, tuned_loop, network, flat, duration),
            ],
            12,
        )
        print(
            f"{label:<30}{1e-6 / fast:>8.2f} M ev/s{fast * 1e9:>7.0f} ns{plain * 1e6:>7.2f} µs"
            f"{tuned * 1e6:>7.2f} µs{plain / fast:>9.0f}{tuned / fast:>9.0f}"
        )
    alone = network_of((2,), [()], [[[[0, 60.0], [60.0, 0]]]])
    (floor,) = best([partial(compiled, alone, 300)], 12)
    print(f"{'floor: one binary variable':<30}{1e-6 / floor:>8.2f} M ev/s{floor * 1e9:>7.0f} ns")


def compiled(network, trajectories, seed):
    return simulate(network, trajectories=trajectories, duration=100.0, seed=seed).n_events


def looped(loop, network, rows, duration, seed):
    return len(loop(network, rows, duration, seed))


def dense(output: str) -> None:
    """Generate and simulate the dense quaternary network; print its cost as JSON."""
    begin = time.process_time()
    network = random_network(20, 4, 0.4)
    events = simulate_to(output, network, trajectories=300, duration=100.0, seed=1)
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    parents = [len(p) for p in network.parents]
    figures = {"events": events, "seconds": time.process_time() - begin, "peak": int(peak.split()[1]) / 1024}
    print(json.dumps(figures | {"mean": sum(parents) / 20, "most": max(parents)}))


def memory() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "dense", f"{folder}/data.arrow"]
        figures = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"20 quaternary, density 0.4 ({figures['mean']:.1f} parents on average, {figures['most']} at most), "
        f"300 × 100 time units, to an Arrow file:\n  {figures['events'] / 1e6:.2f} M events in "
        f"{figures['seconds']:.2f} CPU s, {figures['peak']:.0f} MB at the peak"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["dense"]:
        dense(sys.argv[2])
    else:
        speeds()
        memory()
