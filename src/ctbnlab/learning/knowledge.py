"""Prior knowledge: required and forbidden arcs and a limit on parents; frozen, and separate from the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctbnlab.errors import InputError
from ctbnlab.model.names import End, LiteralName, arc_text, parse_arc, quoted, written_arc
from ctbnlab.model.roles import NO_ROLES, Roles

__all__ = ["Knowledge", "LiteralName", "NodeKnowledge", "parse_arc"]

GivenArc = str | tuple[End, End]  # as users write one: "A->B" or ("A", "B")


@dataclass(frozen=True)
class NodeKnowledge:
    """What is known about one target's parents: the required ones, those open to search, and a limit."""

    required: tuple[int, ...]
    candidates: tuple[int, ...]  # neither required nor forbidden, in increasing order
    max_parents: int | None = None  # including required ones
    clocks: tuple[int, ...] = ()  # those of the required ones that are clocks
    hint: tuple[int, ...] = ()  # the parents found without clocks: a set to try, whatever the search finds

    @property
    def max_additions(self) -> int:
        """How many candidates may become parents."""
        if self.max_parents is None:
            return len(self.candidates)
        return min(len(self.candidates), self.max_parents - len(self.required))


@dataclass(frozen=True)
class Knowledge:
    """Arcs as pairs of names; `*` stands for every variable, so that ('*', 'B') means every arc into B.

    `LiteralName('*')` is a variable that is called `*`.
    """

    required: frozenset[tuple[End, End]] = frozenset()
    forbidden: frozenset[tuple[End, End]] = frozenset()
    max_parents: int | None = None

    @classmethod
    def from_arcs(
        cls,
        required: Iterable[GivenArc] = (),
        forbidden: Iterable[GivenArc] = (),
        max_parents: int | None = None,
    ) -> Knowledge:
        """Build knowledge from any iterables of pairs, or of texts such as `"A->B"`."""
        return cls(frozenset(_arcs(required)), frozenset(_arcs(forbidden)), max_parents)

    def for_nodes(self, names: Sequence[str], roles: Roles = NO_ROLES) -> tuple[NodeKnowledge, ...]:
        """Return what is known about each variable's parents; refuse unknown names and contradictions.

        Roles rule out arcs as well: into static variables and clocks, out of terminal ones, to earlier tiers.
        """
        if self.max_parents is not None and self.max_parents < 0:
            raise InputError(f"max_parents must be at least 0, not {self.max_parents}")
        required = self._expanded(self.required, names, "required")
        forbidden = self._expanded(self.forbidden, names, "forbidden")
        both = sorted(required & forbidden)
        if both:
            source, target = both[0]
            arc = arc_text(names[source], names[target])
            raise InputError(f"the arc {arc} is both required and forbidden")
        if roles:
            forbidden |= self._ruled_out(names, roles)
        result = []
        for i, name in enumerate(names):
            parents = tuple(sorted(j for j, k in required if k == i))
            if self.max_parents is not None and len(parents) > self.max_parents:
                listed = _listed([names[j] for j in parents])
                raise InputError(f"max_parents is {self.max_parents}, but {name} needs the parents {listed}")
            open_to_search = tuple(
                j for j in range(len(names)) if j != i and j not in parents and (j, i) not in forbidden
            )
            result.append(NodeKnowledge(parents, open_to_search, self.max_parents))
        return tuple(result)

    def _ruled_out(self, names: Sequence[str], roles: Roles) -> frozenset[tuple[int, int]]:
        """Return the arcs that the roles forbid; refuse a required one among them."""
        index = {name: i for i, name in enumerate(names)}
        ruled_out = frozenset((index[a], index[b]) for a, b in roles.forbidden(names))
        # `*` requires what the roles allow; an arc that is named in full must be possible.
        named = self._expanded((arc for arc in self.required if "*" not in arc), names, "required")
        for source, target in sorted(named & ruled_out):
            arc = arc_text(names[source], names[target])
            raise InputError(f"the arc {arc} is required, but {roles.reason(names[source], names[target])}")
        return ruled_out

    @staticmethod
    def _expanded(
        arcs: Iterable[tuple[End, End]], names: Sequence[str], what: str
    ) -> frozenset[tuple[int, int]]:
        index = {name: i for i, name in enumerate(names)}
        expanded: set[tuple[int, int]] = set()
        for arc in arcs:
            ends = []
            for end in arc:
                name = end.name if isinstance(end, LiteralName) else end
                if end != "*" and name not in index:
                    arrow = f"{what} arc {written_arc(arc)}"
                    raise InputError(f"{arrow}: unknown variable {name!r}; the data have {_listed(names)}")
                ends.append(range(len(names)) if end == "*" else (index[name],))
            if "*" not in arc and arc[0] == arc[1]:
                raise InputError(f"{what} arc {written_arc(arc)}: a variable cannot be its own parent")
            expanded.update((j, i) for j in ends[0] for i in ends[1] if j != i)
        return frozenset(expanded)


def _arcs(given: Iterable[GivenArc]) -> Iterable[tuple[End, End]]:
    for arc in [given] if isinstance(given, str) else given:
        if isinstance(arc, str):
            yield parse_arc(arc)
        elif isinstance(arc, Sequence) and len(arc) == 2:
            yield arc[0], arc[1]
        else:
            raise InputError(f"write an arc as 'A->B' or ('A', 'B'), not {arc!r}")


def _listed(names: Sequence[str]) -> str:
    """Return the first few names, for a message."""
    return ", ".join(map(quoted, names[:8])) + (", …" if len(names) > 8 else "")
