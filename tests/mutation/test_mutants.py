"""The mutators: what they change, that named mutants fit the source, and that no run passes by accident."""

from __future__ import annotations

import ast

import pytest

from tests.mutation import named, survey
from tests.mutation.operators import mutants
from tests.mutation.scratch_tree import ROOT, BrokenRun

SOURCE = '''
def f(a: int = 1, b=None):
    """Text."""
    if a < 2 and not b:
        raise ValueError(f"{a + 1}")
    a += 1
    g(a)
    return a if b is None else True
'''


def test_every_kind_of_change_is_made_and_each_is_a_module():
    found = mutants("m.py", SOURCE)
    assert {mutant.change for mutant in found} >= {
        "1 => 2",
        "a < 2 => a <= 2",
        "a < 2 and (not b) => a < 2 or not b",
        "not b => b",
        "raise ValueError(f'{a + 1}') => pass",
        "a += 1 => pass",
        "g(a) => pass",
        "b is None => b is not None",
        "True => False",
        "return a if b is None else True => return None",
    }
    assert not any("Text" in mutant.change for mutant in found)
    assert all(mutant.where in ("f", "module") for mutant in found)
    original = ast.unparse(ast.parse(SOURCE))
    for mutant in found:
        assert ast.unparse(ast.parse(mutant.source)) != original
    assert len({mutant.name for mutant in found}) == len(found)
    assert len({mutant.source for mutant in found}) == len(found)


def test_mutating_leaves_no_change_behind():
    assert mutants("m.py", SOURCE) == mutants("m.py", SOURCE)


@pytest.mark.parametrize("mutant", named.table(), ids=lambda mutant: mutant.name)
def test_named_mutants_fit_the_source(mutant):
    """If this fails after a change of the source, adapt the mutant: it must still be made and killed."""
    mutant.applied((ROOT / mutant.file).read_text(encoding="utf-8"))
    assert any((ROOT / test).exists() for test in mutant.tests)


def test_a_text_that_is_gone_or_ambiguous_is_refused():
    mutant = named.Named("a fault", "m.py", "x = 1", "x = 2", ("tests/io",))
    assert mutant.applied("x = 1\n") == "x = 2\n"
    with pytest.raises(BrokenRun, match=r"m\.py: the text to replace is no longer there; adapt"):
        mutant.applied("y = 1\n")
    with pytest.raises(BrokenRun, match="is there 2 times"):
        mutant.applied("x = 1\nx = 1\n")


def test_surveyed_modules_and_their_tests_exist():
    for module, tests in survey.MODULES.items():
        assert (ROOT / "src/ctbnlab" / module).is_file()
        assert all((ROOT / test).exists() for test in tests)


def test_equivalent_mutants_are_still_made_and_have_a_reason():
    made = {
        mutant.name
        for module in survey.MODULES
        for mutant in mutants(f"src/ctbnlab/{module}", (ROOT / "src/ctbnlab" / module).read_text())
    }
    for name, reason in survey.equivalent().items():
        assert name in made
        assert reason
