"""MEDS, the event stream of health records: `subject_id,time,code,numeric_value`.

An event log with fixed columns. Rows without a time are static: they hold from the beginning. `MEDS_BIRTH` is
the time of birth, for the clock `age`; observation starts with the next event. Without rules, `MEDS_DEATH` is
the terminal variable `death`.
"""

from __future__ import annotations

from dataclasses import replace

from ctbnlab.data.formats.columns import recognise
from ctbnlab.data.formats.layouts.event_log import Conventions, read_log
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Declared, Reading, Source
from ctbnlab.errors import InputError

COLUMNS = {"id": "subject_id", "time": "time", "event": "code"}
_CONVENTIONS = Conventions(birth="MEDS_BIRTH", death="MEDS_DEATH", timeless=True)


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of MEDS."""
    for name in COLUMNS.values():
        if name not in source.columns:
            raise InputError(f"no {name!r} column, which MEDS data have; found: {', '.join(source.columns)}")
    fixed = {role: getattr(options, role) or name for role, name in COLUMNS.items()}
    options = replace(options, id=fixed["id"], time=fixed["time"], event=fixed["event"])
    return read_log(source, declared, options, recognise(source, options, ()), _CONVENTIONS)
