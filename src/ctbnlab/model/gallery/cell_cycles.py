"""Published Boolean models of the cell cycle, as binary CTBNs (see `boolean`)."""

from __future__ import annotations

from ctbnlab.model.gallery.boolean import Rule, boolean_network, threshold_rule
from ctbnlab.model.network import Network

# Fauré et al. (2006).
MAMMALIAN_RULES = {
    "CycD": Rule(("CycD",), lambda cyc_d: cyc_d),
    "Rb": Rule(
        ("CycD", "CycE", "CycA", "CycB", "p27"),
        lambda cyc_d, cyc_e, cyc_a, cyc_b, p27: (
            not cyc_d and not cyc_b and (p27 or (not cyc_e and not cyc_a))
        ),
    ),
    "E2F": Rule(
        ("Rb", "CycA", "CycB", "p27"),
        lambda rb, cyc_a, cyc_b, p27: not rb and not cyc_b and (p27 or not cyc_a),
    ),
    "CycE": Rule(("E2F", "Rb"), lambda e2f, rb: e2f and not rb),
    "CycA": Rule(
        ("E2F", "Rb", "Cdc20", "Cdh1", "UbcH10", "CycA"),
        lambda e2f, rb, cdc20, cdh1, ubch10, cyc_a: (
            (e2f or cyc_a) and not rb and not cdc20 and not (cdh1 and ubch10)
        ),
    ),
    "p27": Rule(
        ("CycD", "CycE", "CycA", "CycB", "p27"),
        lambda cyc_d, cyc_e, cyc_a, cyc_b, p27: (
            not cyc_d and not cyc_b and ((not cyc_e and not cyc_a) or (p27 and not (cyc_e and cyc_a)))
        ),
    ),
    "Cdc20": Rule(("CycB",), lambda cyc_b: cyc_b),
    "Cdh1": Rule(
        ("CycA", "CycB", "Cdc20", "p27"),
        lambda cyc_a, cyc_b, cdc20, p27: cdc20 or (not cyc_b and (p27 or not cyc_a)),
    ),
    "UbcH10": Rule(
        ("Cdh1", "UbcH10", "Cdc20", "CycA", "CycB"),
        lambda cdh1, ubch10, cdc20, cyc_a, cyc_b: not cdh1 or (ubch10 and (cdc20 or cyc_a or cyc_b)),
    ),
    "CycB": Rule(("Cdc20", "Cdh1"), lambda cdc20, cdh1: not cdc20 and not cdh1),
}

# Li et al. (2004): activators, inhibitors, and whether the component self-degrades.
_BUDDING_YEAST = {
    "Cln3": ((), (), True),
    "MBF": (("Cln3",), ("Clb1,2",), False),
    "SBF": (("Cln3",), ("Clb1,2",), False),
    "Cln1,2": (("SBF",), (), True),
    "Cdh1": (("Cdc20",), ("Cln1,2", "Clb5,6", "Clb1,2"), False),
    "Swi5": (("Cdc20", "Mcm1"), ("Clb1,2",), True),
    "Cdc20": (("Clb1,2", "Mcm1"), (), True),
    "Clb5,6": (("MBF",), ("Sic1", "Cdc20"), False),
    "Sic1": (("Cdc20", "Swi5"), ("Cln1,2", "Clb5,6", "Clb1,2"), False),
    "Clb1,2": (("Clb5,6", "Mcm1"), ("Cdh1", "Sic1", "Cdc20"), False),
    "Mcm1": (("Clb5,6", "Clb1,2"), (), True),
}
BUDDING_YEAST_RULES = {
    name: threshold_rule(name, activators, inhibitors, degrades)
    for name, (activators, inhibitors, degrades) in _BUDDING_YEAST.items()
}


def mammalian_cell_cycle(up: float = 1.0, down: float = 1.0, leak: float = 0.01) -> Network:
    """The mammalian cell cycle of Fauré et al. 2006 (10 binary variables).

    Fauré, Naldi, Chaouiya & Thieffry, Dynamical analysis of a generic Boolean model for the control of
    the mammalian cell cycle, Bioinformatics 22(14), 2006, e124–e131.
    """
    about = {
        "gallery": "mammalian-cell-cycle",
        "source": "Fauré, Naldi, Chaouiya & Thieffry, Bioinformatics 22(14), 2006, e124–e131",
    }
    return boolean_network(MAMMALIAN_RULES, up, down, leak, about)


def budding_yeast(up: float = 1.0, down: float = 1.0, leak: float = 0.01) -> Network:
    """The budding yeast cell cycle of Li et al. 2004 (11 binary variables).

    Li, Long, Lu, Ouyang & Tang, The yeast cell-cycle network is robustly designed, PNAS 101(14), 2004,
    4781–4786. Cdc20 stands for Cdc20 and Cdc14, Mcm1 for Mcm1/SFF.
    """
    about = {
        "gallery": "budding-yeast",
        "source": "Li, Long, Lu, Ouyang & Tang, PNAS 101(14), 2004, 4781–4786",
    }
    return boolean_network(BUDDING_YEAST_RULES, up, down, leak, about)
