"""Every fault of trajectories is found with its place, and what is just allowed is not refused."""

from __future__ import annotations

import numpy as np
import pytest

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from tests.support.sample_trajectories import columns_of, two_trajectories

FAULTS = {
    "begin": ("begin", 0, -1, "trajectory 'anna': its events lie outside the data"),
    "stop": ("stop", 1, 4, "trajectory 'ben': its events lie outside the data"),
    "order": ("stop", 1, 1, "trajectory 'ben': its events lie outside the data"),
    "start": ("start", 0, np.nan, "trajectory 'anna': its start and end are not finite times in order"),
    "infinite": ("end", 1, np.inf, "trajectory 'ben': its start and end are not finite times in order"),
    "ended": ("end", 1, 0.5, "trajectory 'ben': its start and end are not finite times in order"),
    "initial": ("initial", (1, 1), 2, "trajectory 'ben': the initial state has an unknown code"),
    "variable": ("variable", 2, 2, "trajectory 'ben', event 0: the variable has an unknown code"),
    "new": ("new", 1, 2, "trajectory 'anna', event 1: the new state has an unknown code"),
    "old": ("old", 1, 1, "trajectory 'anna', event 1: the old state is not the state the variable is in"),
    "same": ("new", 0, 0, "trajectory 'anna', event 0: the event changes nothing"),
    "tie": ("time", 1, 0.5, "event 1: the time is not later than that of the event before"),
    "at start": ("time", 0, 0.0, "event 0: the time is not later than that of the event before"),
    "no number": ("time", 1, np.nan, "event 1: the time is not later than that of the event before"),
    "late": ("time", 2, 3.5, "trajectory 'ben', event 0: the time is after the end of observation"),
}


@pytest.mark.parametrize(("column", "place", "value", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_with_its_place(column, place, value, message):
    data = two_trajectories()
    columns = columns_of(data)
    columns[column][place] = value
    with pytest.raises(InputError) as raised:
        Trajectories.from_columns(data.variables, data.ids, **columns)
    assert message in str(raised.value)


def test_the_last_allowed_values_are_accepted():
    """The last state, the last variable, an event at the end of observation, and an empty trajectory."""
    Trajectories.from_arrays(
        [("A", ("x",)), ("B", ("x", "y", "z"))],
        offsets=[0, 0, 1],
        start=[2, 0],
        end=[2, 1],
        initial=[[0, 2], [0, 0]],
        time=[1],
        variable=[1],
        new=[2],
    )
