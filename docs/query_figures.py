"""The figures of docs/queries.md, drawn from networks of the gallery; `redraw` has them."""

from __future__ import annotations

from matplotlib.figure import Figure

import ctbnlab
from ctbnlab.presentation import style
from ctbnlab.presentation.answer_plot import plot_answer


def pain() -> Figure:
    """Draw what stopping the drug's uptake does."""
    query = ctbnlab.Query(
        ctbnlab.gallery.get("drug"),
        start={"Uptake": "yes", "Concentration": "0"},
        do=["2:Uptake=no"],
        compare=True,
    )
    return plot_answer(query.at([t / 10 for t in range(101)], ["Concentration", "JointPain"]))


@style.styled
def cycle() -> Figure:
    """Draw when a resting cell turns CycB on, with the growth signal and without."""
    network = ctbnlab.gallery.get("mammalian-cell-cycle")
    resting = dict.fromkeys(network.names, "off") | {"p27": "on", "Rb": "on", "Cdh1": "on"}
    times = [t / 2 for t in range(121)]
    figure = style.new_figure(5.4, 3.2)
    axes = figure.add_subplot()
    for signal, colour in (("on", style.BLUE), ("off", style.VERMILLION)):
        query = ctbnlab.Query(network, start=resting, do={"CycD": signal})
        reached = query.until("CycB=on", times, []).select(quantity="reached by")
        axes.plot(times, reached, color=colour, label=f"CycD {signal}")
    axes.set_xlabel("time")
    axes.set_ylabel("probability that CycB has come on")
    axes.set_ylim(-0.02, 1.02)
    axes.legend()
    return figure
