"""Rates drawn from a law, compared with a Philox in plain Python and with plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.model._rates import philox_block
from ctbnlab.model.cims import DrawnCims, Law, configuration_of, equal_cims, n_configurations, states_of
from tests.support.network_strategies import laws

MASK = 0xFFFFFFFF


def reference_philox(key, c0, c1, c2, c3):
    """Philox4x32-10 as Salmon et al. (2011) print it."""
    k0, k1 = key & MASK, key >> 32
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def reference_units(key, index, stream, count):
    units = []
    for block in range((count + 1) // 2):
        words = reference_philox(key, index & MASK, index >> 32, stream, block)
        for high, low in (words[:2], words[2:]):
            units.append(((high >> 5) * 2**26 + (low >> 6)) / 2**53)
    return units[:count]


def reference_row(law, key, configuration, parent_cardinalities, x, c):
    m = c - 1
    if law.kind == "uniform":
        return [law.low + (law.high - law.low) * u for u in reference_units(key, configuration, x, m)]
    if law.kind == "log-uniform":
        spread = math.log(law.high) - math.log(law.low)
        return [math.exp(math.log(law.low) + spread * u) for u in reference_units(key, configuration, x, m)]
    if law.kind == "split":
        exponentials = [-math.log1p(-u) for u in reference_units(key, configuration, x, m)]
        (u,) = reference_units(key, configuration, x + 256, 1)
        exit_rate = law.low + (law.high - law.low) * u
        return [exit_rate * (e / sum(exponentials)) for e in exponentials]
    logs = [math.log(law.low + (law.high - law.low) * u) for u in reference_units(key, 0, x + 256, m)]
    states = states_of(configuration, parent_cardinalities)
    for p in reversed(range(len(states))):
        effects = reference_units(key, states[p], x + 256 * (2 + p), m)
        logs = [a + law.effect * (2 * u - 1) for a, u in zip(logs, effects, strict=True)]
    return [math.exp(a) for a in logs]


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [  # the known-answer vectors of the Random123 library
        (0, (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, (MASK,) * 4, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            0x299F31D0A4093822,
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_known_answers(key, counter, words):
    assert philox_block(key, *counter) == words
    assert reference_philox(key, *counter) == words


@given(
    laws, st.integers(0, 2**64 - 1), st.lists(st.integers(1, 255), max_size=7), st.integers(1, 6), st.data()
)
def test_drawn_rates_match_the_formulas(law, key, parent_cardinalities, c, data):
    cims = DrawnCims(law, key, tuple(parent_cardinalities), c)
    last = n_configurations(parent_cardinalities) - 1
    chosen = data.draw(st.lists(st.integers(0, last), min_size=1, max_size=3))
    matrices = cims.matrices(chosen)
    assert matrices.shape == (len(chosen), c, c)
    for configuration, matrix in zip(chosen, matrices, strict=True):
        for x in range(c):
            expected = reference_row(law, key, configuration, parent_cardinalities, x, c)
            row = np.delete(matrix[x], x)
            np.testing.assert_allclose(row, expected, rtol=1e-15, atol=0)
            assert matrix[x, x] == pytest.approx(-sum(expected), rel=1e-15)


def test_255_states_match_the_formulas():
    law = Law("split", 1, 5)
    matrix = DrawnCims(law, 7, (3,), 255).matrices([2])[0]
    for x in (0, 100, 254):
        np.testing.assert_allclose(
            np.delete(matrix[x], x), reference_row(law, 7, 2, (3,), x, 255), rtol=1e-15, atol=0
        )


@pytest.mark.parametrize("kind", ["uniform", "split", "log-uniform", "additive"])
def test_laws_have_the_right_distribution(kind):
    """Kolmogorov–Smirnov test against the distribution of the law, at level 1e-4 with a fixed key."""
    from scipy import stats

    matrices = DrawnCims(Law(kind, 1.0, 5.0, 0.7 if kind == "additive" else 0), 42, (4000,), 3).table()
    if kind == "uniform":
        sample, law = matrices[:, 0, 1], stats.uniform(1, 4)
    elif kind == "split":
        sample, law = -matrices[:, 1, 1], stats.uniform(1, 4)
        share = matrices[:, 1, 0] / sample
        assert stats.kstest(share, stats.uniform(0, 1).cdf).pvalue > 1e-4
    elif kind == "log-uniform":
        sample, law = np.log(matrices[:, 2, 0]), stats.uniform(0, math.log(5))
    else:
        logs = np.log(matrices[:, 2, 0])
        centre = math.log(reference_row(Law("additive", 1, 5), 42, 0, (4000,), 2, 3)[0])
        sample, law = logs - centre, stats.uniform(-0.7, 1.4)
    assert stats.kstest(sample, law.cdf).pvalue > 1e-4


@given(st.lists(st.integers(1, 9), max_size=8), st.data())
def test_configurations_are_in_c_order(cardinalities, data):
    states = [data.draw(st.integers(0, c - 1)) for c in cardinalities]
    number = configuration_of(states, cardinalities)
    if cardinalities:
        assert number == np.ravel_multi_index(states, cardinalities)
    assert list(states_of(number, cardinalities)) == states


def test_invalid_laws_are_refused():
    for arguments, message in [
        (("normal",), "unknown rate law 'normal'"),
        (("uniform", 0.0, 1.0), "0 < low"),
        (("uniform", 3.0, 2.0), "0 < low"),
        (("uniform", 1.0, math.inf), "0 < low"),
        (("uniform", 1.0, math.nan), "0 < low"),
        (("additive", 1.0, 2.0, -1.0), "effect"),
        (("uniform", 1.0, 2.0, 0.5), "an effect requires the rate law 'additive'"),
    ]:
        with pytest.raises(InputError, match=message):
            Law(*arguments)
    with pytest.raises(InputError, match="too large for a double"):
        DrawnCims(Law("additive", 1, 2, 99), 1, (2,) * 10, 2)
    with pytest.raises(InputError, match="64 bits"):
        DrawnCims(Law(), 2**64, (), 2)
    with pytest.raises(InputError, match=r"2\^62"):
        DrawnCims(Law(), 1, (255,) * 8, 2)
    with pytest.raises(InputError, match="is too large; request single configurations"):
        DrawnCims(Law(), 1, (4,) * 14, 4).table()


def test_equality_compares_the_matrices():
    law = Law()
    a = DrawnCims(law, 1, (2, 3), 3)
    assert equal_cims(a, DrawnCims(law, 1, (2, 3), 3))
    assert equal_cims(a, DrawnCims(Law("uniform", 1.0, 5.0), 1, (3, 2), 3))
    assert not equal_cims(a, DrawnCims(law, 2, (2, 3), 3))
    assert not equal_cims(a, DrawnCims(law, 1, (2, 2), 3))
