"""Conventions: where the paper's text and its two programs differ, each difference a named switch.

Named sets: `paper-2020` is the program of the first experiment, `published` the same with the bug in its
Kolmogorov–Smirnov test, `paper-2021` the program of the second experiment, `text` the formulas as printed,
and `corrected` what a statistician would do with the same tests. Under `text` and `corrected` the unit of
time does not matter; under the others it does, through the pseudo-time in the rates. None of them corrects
for the number of comparisons in a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from ctbnlab.errors import InputError


@dataclass(frozen=True)
class Conventions:
    """One value for each difference between text and programs; M counts transitions, T is time."""

    # Rates are (M + pseudo_count) / (T + pseudo_time).
    pseudo_count: float = 0.0
    pseudo_time: float = 0.0
    # Degrees of freedom of F per transition: exponential waiting times call for 2.
    degrees_per_transition: Literal[1, 2] = 1
    # (y, s) is compared with the whole of s, which contains it, or with the rest of s.
    against: Literal["whole", "rest"] = "whole"
    # Degrees of freedom of χ² over c − 1 next states: c − 1, or one fewer as in a two-sample χ².
    chi2_degrees: Literal["bins", "bins-1"] = "bins"
    # A next state that neither sample reaches makes a term 0/0: the comparison then does not reject, or the
    # bin is left out with its degree of freedom.
    empty_bins: Literal["no-rejection", "left-out"] = "no-rejection"
    # The rule of thumb of χ² for targets with more than two states compares Σ_x M with
    # threshold · (c−1)² · c_y · ∏ c_S: "every" finds dependence if all (y, s) fall short of it; "first" if a
    # configuration s does that comes before a rejection, and then the arc is not tested again from the next
    # level on; later separating sets of the same level may still remove it.
    rule_of_thumb: Literal["off", "every", "first"] = "off"
    threshold: float = 25.0
    # Kolmogorov–Smirnov compares Θ cumulated from θ_xx' = (M_xx' + ks_pseudo_count) / (M_x + the same);
    # with "columns" θ_xx' is q_xx' / q_x': each column of the CIM divided by its own diagonal element.
    ks_pseudo_count: float = 0.0
    ks_divides: Literal["rows", "columns"] = "rows"
    # Its tail: the leading term 2 exp(−2λ²), or Kolmogorov's whole series.
    ks_tail: Literal["leading", "series"] = "leading"

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Conventions).items():
            value = getattr(self, name)
            if get_origin(hint) is Literal and value not in get_args(hint):
                choices = ", ".join(map(str, get_args(hint)))
                raise InputError(f"the convention {name} must be one of {choices}, not {value!r}")


_PAPER_2020 = Conventions(pseudo_count=1.0, pseudo_time=1.0, rule_of_thumb="every", ks_pseudo_count=1.0)

NAMED = {
    "paper-2020": _PAPER_2020,
    "published": Conventions(
        pseudo_count=1.0, pseudo_time=1.0, rule_of_thumb="every", ks_pseudo_count=1.0, ks_divides="columns"
    ),
    # The minus is a bug of that program. It has no Kolmogorov–Smirnov test; the first program's is used.
    "paper-2021": Conventions(pseudo_count=-1.0, pseudo_time=1.0, rule_of_thumb="first", ks_pseudo_count=1.0),
    "text": Conventions(),
    "corrected": Conventions(
        degrees_per_transition=2,
        against="rest",
        chi2_degrees="bins-1",
        empty_bins="left-out",
        ks_tail="series",
    ),
}


def named(conventions: str | Conventions) -> Conventions:
    """Return a set of conventions by its name, or itself."""
    if isinstance(conventions, Conventions):
        return conventions
    if conventions not in NAMED:
        raise InputError(f"unknown conventions {conventions!r}; choose {', '.join(NAMED)}")
    return NAMED[conventions]
