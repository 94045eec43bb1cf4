"""CPU time and memory of reading tables of each layout: `python benchmarks/layouts.py [--events 10000000]`.

The same trajectories are written in each layout, and each file is converted to a store by the command:

    ctbnlab convert FILE data.arrow …

The peak is that of the whole process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from measuring import write_rows

import ctbnlab
from ctbnlab.data.trajectories import Trajectories

Writer = Callable[[Trajectories, Path], list[str]]
PEOPLE = 20_000


def example(n_events: int, n_variables: int = 10) -> Trajectories:
    """Return binary variables that flip at random; the content of the data does not matter here."""
    rng = np.random.default_rng(1)
    per_person = n_events // PEOPLE
    variable = rng.integers(n_variables, size=per_person * PEOPLE).astype(np.uint8)
    key = np.repeat(np.arange(PEOPLE), per_person) * n_variables + variable
    order = np.argsort(key, kind="stable")
    first = np.searchsorted(key[order], key[order])
    new = np.empty(len(key), np.uint8)
    new[order] = (np.arange(len(key)) - first + 1) % 2
    times = (0.001 + rng.exponential(1.0, (PEOPLE, per_person))).cumsum(axis=1).round(4)
    return Trajectories.from_arrays(
        [(f"X{j}", ("low", "high")) for j in range(n_variables)],
        offsets=np.arange(PEOPLE + 1) * per_person,
        start=np.zeros(PEOPLE),
        end=np.full(PEOPLE, times.max() + 1),
        initial=np.zeros((PEOPLE, n_variables), np.uint8),
        time=times.reshape(-1),
        variable=variable,
        new=new,
    )


def wide(data: Trajectories, folder: Path) -> list[str]:
    ctbnlab.write(data, folder / "wide.csv")
    return ["wide.csv"]


def long(data: Trajectories, folder: Path) -> list[str]:
    ctbnlab.write(data, folder / "long.csv", format="long")
    return ["long.csv"]


def shuffled(_: Trajectories, folder: Path) -> list[str]:
    """Write the wide rows in a random order."""
    table = pa.csv.read_csv(folder / "wide.csv")
    order = np.random.default_rng(2).permutation(table.num_rows)
    pa.csv.write_csv(table.take(pa.array(order)), folder / "shuffled.csv")
    return ["shuffled.csv"]


def person_of(data: Trajectories) -> np.ndarray:
    return np.repeat(np.arange(len(data)), data.stop - data.begin)


def labelled(codes: np.ndarray, texts: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(texts))


def intervals(data: Trajectories, folder: Path) -> list[str]:
    """Write every stay of a variable in a state."""
    n = data.n_variables
    person = np.concatenate([np.repeat(np.arange(len(data)), n), person_of(data)])
    variable = np.concatenate([np.tile(np.arange(n), len(data)), data.variable]).astype(np.int64)
    start = np.concatenate([np.repeat(data.start, n), data.time])
    state = np.concatenate([data.initial.reshape(-1), data.new])
    order = np.lexsort((start, variable, person))
    person, variable, start, state = (c[order] for c in (person, variable, start, state))
    end = np.append(start[1:], 0.0)
    last = np.append((person[1:] != person[:-1]) | (variable[1:] != variable[:-1]), True)
    end[last] = data.end[person[last]]
    columns = {
        "id": person, "variable": labelled(variable, list(data.names)),
        "state": labelled(state, ["low", "high"]), "start": start, "end": end,
    }  # fmt: skip
    pa.csv.write_csv(pa.table(columns), folder / "intervals.csv")
    return ["intervals.csv"]


def start_stop(_: Trajectories, folder: Path) -> list[str]:
    """Write the wide rows with the time of the next one."""
    table = pa.csv.read_csv(folder / "wide.csv")
    person, time = table["trajectory"].to_numpy(), table["time"].to_numpy()
    kept = np.flatnonzero(person[1:] == person[:-1])
    rows = table.take(pa.array(kept)).drop_columns(["time"])
    rows = rows.append_column("start", pa.array(time[kept])).append_column("stop", pa.array(time[kept + 1]))
    pa.csv.write_csv(rows, folder / "start_stop.csv")
    return ["start_stop.csv", "--layout", "start-stop"]


def _events(data: Trajectories) -> tuple[np.ndarray, np.ndarray, pa.Array]:
    names = [f"{name}={state}" for name in data.names for state in ("low", "high")]
    return person_of(data), data.time, labelled(data.variable.astype(np.int64) * 2 + data.new, names)


def _rules(data: Trajectories, folder: Path) -> None:
    rules = [
        f'[variables.{name}]\nstates = {{low = ["{name}=low"], high = ["{name}=high"]}}'
        for name in data.names
    ]
    (folder / "rules.toml").write_text("\n\n".join(rules))
    people = {"id": np.arange(len(data)), "start": data.start, "end": data.end}
    pa.csv.write_csv(pa.table(people), folder / "people.csv")


def event_log(data: Trajectories, folder: Path) -> list[str]:
    person, time, event = _events(data)
    _rules(data, folder)
    pa.csv.write_csv(pa.table({"id": person, "time": time, "event": event}), folder / "log.csv")
    return ["log.csv", "--rules", "rules.toml", "--people", "people.csv"]


def meds(data: Trajectories, folder: Path) -> list[str]:
    person, time, event = _events(data)
    days = pa.array((time * 86_400e6).round().astype(np.int64)).cast(pa.timestamp("us"))
    table = {"subject_id": person, "time": days, "code": event.cast(pa.string()),
             "numeric_value": pa.nulls(len(time), pa.float32())}  # fmt: skip
    pa.parquet.write_table(pa.table(table), folder / "meds.parquet")
    return ["meds.parquet", "--layout", "meds", "--rules", "rules.toml"]


def person(data: Trajectories, folder: Path) -> list[str]:
    """Write people in whom five events happen, or not; there are as many events as in the other files."""
    rng = np.random.default_rng(3)
    n = len(data.time) // 5
    columns = {"id": np.arange(n), "end": np.full(n, 100.0)}
    for k in range(5):
        columns[f"event{k}"] = rng.uniform(0, 100, n).round(3)
    pa.csv.write_csv(pa.table(columns), folder / "person.csv")
    return ["person.csv", "--layout", "person", "--event", "event0,event1,event2,event3,event4"]


def xes(data: Trajectories, folder: Path) -> list[str]:
    """Write a process log: a trace per person, whose events have a name, a time and a transition."""
    names = [f"{name}={state}" for name in data.names for state in ("low", "high")]
    codes = (data.variable.astype(np.int64) * 2 + data.new).tolist()
    times = (1_577_836_800_000 + (data.time * 86_400e3).round()).astype("datetime64[ms]")
    with (folder / "log.xes").open("w") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0">\n')
        for k in range(len(data)):
            file.write(f'<trace><string key="concept:name" value="{k}"/>\n')
            some = slice(int(data.begin[k]), int(data.stop[k]))
            written = np.datetime_as_string(times[some], unit="ms").tolist()
            file.writelines(
                f'<event><string key="concept:name" value="{names[code]}"/>'
                f'<date key="time:timestamp" value="{time}+00:00"/>'
                '<string key="lifecycle:transition" value="complete"/></event>\n'
                for code, time in zip(codes[some], written, strict=True)
            )
            file.write("</trace>\n")
        file.write("</log>\n")
    return ["log.xes", "--rules", "rules.toml"]


WRITERS: tuple[Writer, ...] = (wide, long, shuffled, intervals, start_stop, event_log, meds, person, xes)


def measured(arguments: list[str], folder: Path) -> tuple[float, float]:
    """Return the CPU seconds and the peak memory, in MB, of a conversion."""
    command = [
        str(Path(sys.executable).with_name("ctbnlab")),
        "convert",
        arguments[0],
        "x.arrow",
        *arguments[1:],
    ]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    peak = 0.0
    # wait4's own peak would include that of this process, from which the other was started.
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        status = Path(f"/proc/{process.pid}/status").read_text()
        found = [line for line in status.splitlines() if line.startswith("VmHWM")]
        peak = max([peak, *(int(line.split()[1]) / 1024 for line in found)])
        time.sleep(0.005)
    if ended[1]:
        raise RuntimeError(f"{command} failed")
    return ended[2].ru_utime + ended[2].ru_stime, peak


def rows(n_events: int, only: str | None) -> Iterator[dict[str, object]]:
    data = example(n_events)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for writer in WRITERS:
            arguments = writer(data, folder)  # some write from the files of those before
            if only not in (None, writer.__name__):
                continue
            seconds, peak = measured(arguments, folder)
            found = ctbnlab.read(folder / "x.arrow")
            yield {
                "layout": writer.__name__, "events": found.n_events,
                "MB": round((folder / arguments[0]).stat().st_size / 1e6),
                "cpu_seconds": round(seconds, 1), "peak_MB": round(peak),
            }  # fmt: skip
            del found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--only", help="measure this layout alone")
    parser.add_argument("-o", "--output", type=Path, help="write the rows to this CSV file")
    args = parser.parse_args()
    found = []
    for row in rows(args.events, args.only):
        found.append(row)
        print(*row.values(), sep="\t", flush=True)
    write_rows(args.output, found)


if __name__ == "__main__":
    main()
