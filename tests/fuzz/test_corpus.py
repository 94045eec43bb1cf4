"""Every file of the corpus passes its harness, and the mutators make files that get past the door."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ctbnlab.errors import InputError
from tests.fuzz import findings, make_corpus
from tests.fuzz.harnesses import HARNESSES, Harness
from tests.fuzz.mutators import MUTATORS

FILES = sorted(path for path in make_corpus.CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_no_file_of_the_corpus_is_a_finding(path, tmp_path):
    HARNESSES[path.parent.name].run(path.read_bytes(), tmp_path)


@pytest.mark.parametrize("path", [path for path in FILES if path.name.startswith("seed-")], ids=str)
def test_seeds_are_accepted(path, tmp_path):
    """A seed that its reader refuses would leave the code behind it unexplored."""
    harness = HARNESSES[path.parent.name]
    file = tmp_path / f"input{harness.extension}"
    file.write_bytes(path.read_bytes())
    if path.name == "seed-network" and path.parent.name == "states-json":
        with pytest.raises(InputError, match="no such variable"):
            harness.use(file)
    else:
        harness.use(file)


def test_every_reader_has_seeds_and_a_mutator():
    assert {path.parent.name for path in FILES} == set(HARNESSES) == set(MUTATORS)


def test_seeds_of_text_are_those_that_the_script_writes():
    """Binary formats record the version of their library, so only text is compared."""
    binary = {"arrow-store", "parquet-events", "parquet-rows", "metrics-parquet", "gzip-csv", "unknown"}
    for reader, name, content in make_corpus.seeds():
        path = make_corpus.CORPUS / reader / f"seed-{name}"
        assert path.exists(), path
        assert reader in binary or path.read_bytes() == content, path


@pytest.mark.parametrize("reader", HARNESSES)
def test_mutations_are_deterministic_and_some_are_accepted(reader, tmp_path):
    """Mutators that only ever break a file would test nothing but the first check."""
    seed = min((make_corpus.CORPUS / reader).glob("seed-*")).read_bytes()
    harness, accepted = HARNESSES[reader], 0
    for number in range(60):
        content = MUTATORS[reader](seed, Random(number))
        assert content == MUTATORS[reader](seed, Random(number))
        file = tmp_path / f"input{harness.extension}"
        file.write_bytes(content)
        try:
            harness.use(file)
            accepted += 1
        except Exception:
            continue
    assert accepted >= 3


def test_a_finding_is_kept_with_its_place(tmp_path):
    def use(path: Path) -> None:
        raise KeyError(path.name)

    error = None
    try:
        Harness(".csv", use).run(b"a,b\n", tmp_path)
    except KeyError as raised:
        error = raised
    findings.note(tmp_path, b"longer input", error, "text")
    findings.note(tmp_path, b"short", error, "text")
    kept = [path for path in tmp_path.glob("finding-*") if path.suffix != ".txt"]
    assert [path.read_bytes() for path in kept] == [b"short"]
    assert "KeyError in test_corpus.py, use" in kept[0].with_name(f"{kept[0].name}.txt").read_text()


def test_refusals_are_no_findings(tmp_path):
    def use(path: Path) -> None:
        raise InputError("no such thing")

    Harness(".csv", use).run(b"", tmp_path)
    assert list(tmp_path.iterdir()) == []
