"""The three-variable example of the paper."""

from __future__ import annotations

from ctbnlab.model.network import Network

_STATES = ("no", "yes")


def eating() -> Network:
    """The paper's example: eating → full stomach → hungry (3 binary variables).

    The matrices of Full stomach and Hungry are from the paper's appendix. The matrix of Eating is only in a
    figure; the text gives two of its four rates: a hungry person starts eating at rate 2, and one who is not
    hungry stops at rate 10. The other two, starting when not hungry and stopping when hungry, are 0.1 here,
    which is our choice, not the paper's. The unit of time is the hour.
    """
    return Network.build(
        variables=[("Eating", _STATES), ("Full", _STATES), ("Hungry", _STATES)],
        parents={"Eating": ["Hungry"], "Full": ["Eating"], "Hungry": ["Full"]},
        cims={
            "Eating": [[[-0.1, 0.1], [10.0, -10.0]], [[-2.0, 2.0], [0.1, -0.1]]],
            "Full": [[[-0.01, 0.01], [0.4, -0.4]], [[-2.0, 2.0], [0.01, -0.01]]],
            "Hungry": [[[-10.0, 10.0], [0.01, -0.01]], [[-0.01, 0.01], [5.0, -5.0]]],
        },
        about={
            "gallery": "eating",
            "source": "Bregoli, Scutari & Stella, A Constraint-Based Algorithm for the Structural Learning "
            "of CTBNs",
            "note": "two rates of Eating are not in the paper's text and are 0.1 by choice",
        },
    )
