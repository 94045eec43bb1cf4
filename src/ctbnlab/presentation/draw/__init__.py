"""Pictures of networks and learned graphs, as node-and-arrow graphs or adjacency heat maps.

Decides node positions, arrows, colours by kind of arc, and the tables of intensity matrices beside a graph;
`plot` is the entry point. Imports `presentation.style`, `learning.graph`, `model`, `io` and `errors`;
nothing else of `presentation`.
"""
