"""Prior knowledge: required and forbidden arcs and a limit on parents; frozen, and separate from the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctbnlab.errors import InputError


@dataclass(frozen=True)
class NodeKnowledge:
    """What is known about one target's parents: the required ones, those open to search, and a limit."""

    required: tuple[int, ...]
    candidates: tuple[int, ...]  # neither required nor forbidden, in increasing order
    max_parents: int | None = None  # including required ones

    @property
    def max_additions(self) -> int:
        """How many candidates may become parents."""
        if self.max_parents is None:
            return len(self.candidates)
        return min(len(self.candidates), self.max_parents - len(self.required))


@dataclass(frozen=True)
class Knowledge:
    """Arcs as pairs of names; `*` stands for every variable, so that ('*', 'B') means every arc into B."""

    required: frozenset[tuple[str, str]] = frozenset()
    forbidden: frozenset[tuple[str, str]] = frozenset()
    max_parents: int | None = None

    @classmethod
    def from_arcs(
        cls,
        required: Iterable[tuple[str, str]] = (),
        forbidden: Iterable[tuple[str, str]] = (),
        max_parents: int | None = None,
    ) -> Knowledge:
        """Build knowledge from any iterables."""
        return cls(frozenset(required), frozenset(forbidden), max_parents)

    def for_nodes(self, names: Sequence[str]) -> tuple[NodeKnowledge, ...]:
        """Return what is known about each variable's parents; refuse unknown names and contradictions."""
        if self.max_parents is not None and self.max_parents < 0:
            raise InputError(f"max_parents must be at least 0, not {self.max_parents}")
        required = self._expanded(self.required, names, "required")
        forbidden = self._expanded(self.forbidden, names, "forbidden")
        both = sorted(required & forbidden)
        if both:
            source, target = both[0]
            raise InputError(f"the arc {names[source]} -> {names[target]} is both required and forbidden")
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

    @staticmethod
    def _expanded(
        arcs: Iterable[tuple[str, str]], names: Sequence[str], what: str
    ) -> frozenset[tuple[int, int]]:
        index = {name: i for i, name in enumerate(names)}
        expanded: set[tuple[int, int]] = set()
        for arc in arcs:
            ends = []
            for end in arc:
                if end != "*" and end not in index:
                    arrow = f"{what} arc {arc[0]} -> {arc[1]}"
                    raise InputError(f"{arrow}: unknown variable {end!r}; the data have {_listed(names)}")
                ends.append(range(len(names)) if end == "*" else (index[end],))
            if "*" not in arc and arc[0] == arc[1]:
                raise InputError(f"{what} arc {arc[0]} -> {arc[1]}: a variable cannot be its own parent")
            expanded.update((j, i) for j in ends[0] for i in ends[1] if j != i)
        return frozenset(expanded)


def _listed(names: Sequence[str]) -> str:
    """Return the first few names, for a message."""
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def parse_arc(text: str) -> tuple[str, str]:
    """Read an arc written as `A->B`; `*` on either side stands for every variable."""
    source, arrow, target = text.partition("->")
    if not arrow or not source.strip() or not target.strip() or "->" in target:
        raise InputError(f"write an arc as A->B, not {text!r}")
    return source.strip(), target.strip()
